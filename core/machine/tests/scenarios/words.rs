//! Names and errors, as people and the journal read them.

use crate::world::*;
use postrider_machine::{
    CallRefusal, Command, InvalidParts, Log, NoSuchLog, NoSuchSource, PaceRule, Parts, Refused,
    SendToken, Source,
};

#[test]
fn exposures_and_hand_overs_are_named_by_numbers() {
    let message = message(7, 2);
    let token = SendToken {
        message,
        attempt: 3,
    };
    assert_eq!(message.to_string(), format!("{}/2", message.id));
    assert_eq!(token.to_string(), format!("{}/2/3", message.id));
}

#[test]
fn the_journals_names_read_back_and_no_other_does() {
    assert_eq!(Log::ALL.map(Log::as_str), ["sms", "mms", "calls"]);
    for log in Log::ALL {
        assert_eq!(log.as_str().parse(), Ok(log));
    }
    assert_eq!("fax".parse::<Log>(), Err(NoSuchLog));
    let sources = [
        (Source::Sms, "sms"),
        (Source::DataSms, "data_sms"),
        (Source::Mms, "mms"),
        (Source::Ussd, "ussd"),
        (Source::Call, "call"),
    ];
    for (source, name) in sources {
        assert_eq!((source.as_str(), name.parse()), (name, Ok(source)));
    }
    assert_eq!("fax".parse::<Source>(), Err(NoSuchSource));
}

#[test]
fn errors_say_what_is_wrong() {
    assert_eq!(NoSuchLog.to_string(), "is not the name of a log");
    assert_eq!(NoSuchSource.to_string(), "is not the name of a source");
    assert_eq!(InvalidParts.to_string(), "is not a list of parts");
    assert_eq!("+ oops".parse::<Parts>(), Err(InvalidParts));
    let refused = Refused::NoSuchSim(sim(6)).to_string();
    assert_eq!(refused, "SIM 7 is not in use");
}

#[test]
fn words_for_screens_stay_as_they_are() {
    let rules = [
        PaceRule::SendLimit,
        PaceRule::PlatformGuard,
        PaceRule::SendDelay,
    ];
    let words = ["send_limit", "platform_guard", "send_delay"];
    assert_eq!(rules.map(PaceRule::as_str), words);
    let refusals = [
        CallRefusal::NotPermitted,
        CallRefusal::NoAccount,
        CallRefusal::Other,
    ];
    let words = ["call_not_permitted", "call_no_account", "call_refused"];
    assert_eq!(refusals.map(CallRefusal::as_str), words);
}

#[test]
fn a_wish_about_a_slot_that_is_not_there_is_refused() {
    let mut world = World::new();
    for command in [Command::ReleaseSim(sim(6)), Command::ConfirmSim(sim(6))] {
        assert_eq!(world.command(command), Err(Refused::NoSuchSim(sim(6))));
    }
    for command in [Command::ReleaseSim(sim(1)), Command::ConfirmSim(sim(1))] {
        assert_eq!(world.command(command), Ok(()));
    }
}
