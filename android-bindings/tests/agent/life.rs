//! Joining, running, stopping; facts that must not be lost; calls that must be refused.

use crate::shell::{Ear, Heard, Key, Run, agent, device, pairing, send, state, stopped};
use postrider_agent::{Command, Event, Log, LogPage, RadioFact, ReceivedSms, Refused, SendParts};
use postrider_android::{
    Agent, AgentError, Invitation, PairingFailure, PairingOutcome, PhoneState, ShellError, Stopped,
};
use postrider_link::frame::Address;
use postrider_model::{MessageText, SimSlot, WireState};
use std::{
    fs,
    sync::{Arc, Mutex, mpsc},
};

const ONE_MESSAGE: &str = "[[step]]\nwait.connected = 1\nsend = { count = 1 }\n";
const NOTHING: &str = "[end]\nwhen = \"told\"\ntimeout_s = 110\n";

fn sent(task: &SendParts, part: u8) -> RadioFact {
    RadioFact::PartSent {
        token: task.token,
        part,
        of: task.parts,
        code: -1,
        cause: None,
    }
}

fn received(receipt: u64) -> RadioFact {
    RadioFact::SmsReceived(ReceivedSms {
        receipt,
        sim: SimSlot::default(),
        from: Address::new("+15005550199"),
        to: None,
        text: MessageText::new(format!("text {receipt}")),
        parts: 1,
        sent_at: None,
        received_at: None,
        row: None,
    })
}

#[test]
fn a_phone_joins_by_the_link_and_sends() {
    let run = Run::new(&(ONE_MESSAGE.to_owned() + "[end]\nreports = false\n"));
    let (agent, ear) = run.connected();
    let digits = ear.wait_for(|heard| match heard {
        Heard::Digits(digits) => Some(digits.clone()),
        _ => None,
    });
    assert_eq!(digits.len(), 6);
    assert_eq!(run.paired().unwrap().phones.len(), 1);
    let task = ear.wait_for(send);
    agent.tell_for_keeps(sent(&task, 0)).unwrap();
    run.until(r#"{"state": {"is": "sent"}}"#);
    agent.stop().unwrap();
    assert!(!agent.is_running());
    run.finish();
}

#[test]
fn a_fact_told_for_keeps_outlives_the_process() {
    let run = Run::new(NOTHING);
    let (first, _) = run.connected();
    first.network_lost();
    first.tell_for_keeps(received(7)).unwrap();
    // The process is killed: nothing is stopped in order.
    let (second, ear) = {
        drop(first);
        run.agent()
    };
    // Its thread may hold the journal a moment longer than the last reference.
    while let Err(error) = second.start(state()) {
        assert!(matches!(error, AgentError::Storage { .. }), "{error}");
        std::thread::yield_now();
    }
    run.until(r#"{"inbound": 1}"#);
    assert_eq!(ear.count(|heard| matches!(heard, Heard::Confirmed(_))), 0);
    second.stop().unwrap();
}

#[test]
fn what_the_platform_answers_while_the_agent_starts_is_taken() {
    let run = Run::new(NOTHING);
    let (agent, ear) = run.agent();
    run.begin_pairing(&agent);
    ear.wait_for(pairing);
    let told = Arc::downgrade(&agent);
    *ear.at_log.lock().unwrap() = Some(Box::new(move |log, from| {
        let Some(agent) = told.upgrade().filter(|_| log == Log::Sms) else {
            return;
        };
        let RadioFact::SmsReceived(mut sms) = received(0) else {
            return;
        };
        (sms.row, sms.received_at) = (Some(1), Some(from.date));
        let page = LogPage::Sms(vec![sms]);
        let complete = true;
        agent.tell(RadioFact::LogRead { page, complete });
    }));
    agent.start(state()).unwrap();
    run.until(r#"{"inbound": 1}"#);
    agent.stop().unwrap();
}

#[test]
fn another_boot_asks_at_once_what_became_of_a_message_with_the_radio() {
    let run = Run::new(ONE_MESSAGE);
    let (agent, ear) = run.connected();
    ear.wait_for(send);
    agent.stop().unwrap();
    agent.start(state()).unwrap();
    agent.wake().unwrap();
    assert_eq!(ear.count(|heard| *heard == Heard::SentRow), 0);
    agent.stop().unwrap();
    let rebooted = PhoneState {
        boot_count: state().boot_count.map(|count| count + 1),
        ..state()
    };
    agent.start(rebooted).unwrap();
    ear.wait_for(|heard| (*heard == Heard::SentRow).then_some(()));
    agent.stop().unwrap();
}

#[test]
fn a_wake_up_is_over_only_once_the_agent_has_acted() {
    let run = Run::new(ONE_MESSAGE);
    let (agent, ear) = run.agent();
    let order: Arc<Mutex<Vec<&str>>> = Arc::default();
    let (begun, has_begun) = mpsc::channel::<()>();
    let has_begun = Mutex::new(has_begun);
    let sent = order.clone();
    *ear.at_send.lock().unwrap() = Some(Box::new(move || {
        // The other thread is asking by now; this gives it a chance to be answered too early.
        let _ = has_begun.lock().unwrap().recv();
        (0..10_000).for_each(|_| std::thread::yield_now());
        sent.lock().unwrap().push("acted");
        Ok(())
    }));
    run.begin_pairing(&agent);
    ear.wait_for(pairing);
    agent.start(state()).unwrap();
    ear.wait_for(send);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            begun.send(()).unwrap();
            agent.wake().unwrap();
            order.lock().unwrap().push("woken");
        });
    });
    assert_eq!(*order.lock().unwrap(), ["acted", "woken"]);
    agent.stop().unwrap();
}

#[test]
fn what_keeps_the_phone_awake_is_said_before_who_waits_for_the_disk_goes_on() {
    let run = Run::new(NOTHING);
    let (agent, ear) = run.agent();
    run.begin_pairing(&agent);
    ear.wait_for(pairing);
    agent
        .start(PhoneState {
            is_online: false,
            ..state()
        })
        .unwrap();
    agent.wake().unwrap();
    let outlooks = || ear.count(|heard| matches!(heard, Heard::Outlook(_)));
    let before = outlooks();
    agent
        .tell_for_keeps(RadioFact::LogChanged(Log::Mms))
        .unwrap();
    assert!(outlooks() > before, "its reading is to be waited for");
    agent.stop().unwrap();
}

#[test]
fn a_hub_cannot_be_told_from_another_without_a_root_that_can_be_read() {
    let run = Run::new(NOTHING);
    let (agent, _) = run.agent();
    let invitation = Invitation {
        hub: "https://hub.example.org".to_owned(),
        code: "ABCD-EFGH-JKLM".to_owned(),
        pins: Vec::new(),
    };
    let refused = agent.begin_pairing(invitation, device());
    assert_eq!(refused, Err(AgentError::NoRoots));
}

#[test]
fn what_came_in_is_confirmed_once_it_is_on_disk() {
    let run = Run::new(NOTHING);
    let (agent, ear) = run.connected();
    agent.tell_for_keeps(received(7)).unwrap();
    assert_eq!(ear.count(|heard| *heard == Heard::Confirmed(7)), 1);
    agent.stop().unwrap();
}

#[test]
fn an_exception_at_a_hand_over_is_an_ambiguous_failure() {
    let run = Run::new(ONE_MESSAGE);
    let (agent, ear) = run.agent();
    *ear.at_send.lock().unwrap() = Some(Box::new(|| {
        Err(ShellError::Failed {
            reason: "a surprise".to_owned(),
        })
    }));
    run.begin_pairing(&agent);
    ear.wait_for(pairing);
    agent.start(state()).unwrap();
    run.until(r#"{"state": {"is": "failed"}}"#);
    assert_eq!(ear.count(|heard| send(heard).is_some()), 1);
    agent.stop().unwrap();
}

#[test]
fn a_phone_that_starts_paused_hands_nothing_over_before_it_may() {
    let run = Run::new(ONE_MESSAGE);
    let (agent, ear) = run.agent();
    run.begin_pairing(&agent);
    ear.wait_for(pairing);
    let paused = || PhoneState {
        is_paused: true,
        ..state()
    };
    agent.start(paused()).unwrap();
    ear.wait_for(|heard| {
        matches!(heard, Heard::Event(Event::MessageAccepted { .. })).then_some(())
    });
    agent.stop().unwrap();
    agent.start(paused()).unwrap();
    let waits = agent.queues().unwrap().remove(0).next.unwrap();
    assert_eq!(waits.waiting_for, "paused");
    assert_eq!(ear.count(|heard| send(heard).is_some()), 0);
    agent.command(Command::SetPaused(false)).unwrap();
    ear.wait_for(send);
    agent.stop().unwrap();
}

#[test]
fn what_answers_and_is_no_hub_is_said_to_be_none() {
    let run = Run::new(NOTHING);
    let (agent, ear) = run.agent();
    let elsewhere = run.stub.ready()["control_url"].as_str().unwrap().to_owned();
    let invitation = Invitation {
        hub: elsewhere,
        code: "one-time".to_owned(),
        pins: Vec::new(),
    };
    agent.begin_pairing(invitation, device()).unwrap();
    let why = PairingFailure::NotAHub;
    assert_eq!(ear.wait_for(pairing), PairingOutcome::Failed { why });
}

#[test]
fn a_call_that_waits_is_refused_in_a_callback() {
    let run = Run::new(ONE_MESSAGE);
    let (agent, ear) = run.agent();
    let refused = Arc::new(Mutex::new(Vec::new()));
    let (inside, answers) = (Arc::downgrade(&agent), refused.clone());
    *ear.at_send.lock().unwrap() = Some(Box::new(move || {
        let agent = inside.upgrade().unwrap();
        let mut answers = answers.lock().unwrap();
        answers.push(agent.tell_for_keeps(received(1)).err());
        answers.push(agent.command(Command::SetPaused(true)).err());
        answers.push(agent.queues().err());
        answers.push(agent.stop().err());
        assert!(agent.tell(received(2)));
        Ok(())
    }));
    run.begin_pairing(&agent);
    ear.wait_for(pairing);
    agent.start(state()).unwrap();
    let task = ear.wait_for(send);
    agent.tell_for_keeps(sent(&task, 0)).unwrap();
    let refused = refused.lock().unwrap();
    assert_eq!(*refused, vec![Some(AgentError::OnAgentThread); 4]);
    run.until(r#"{"inbound": 1}"#);
    agent.stop().unwrap();
}

#[test]
fn a_test_goes_out_is_shown_and_told_to_no_hub_and_one_that_cannot_says_why() {
    let run = Run::new(NOTHING);
    let (agent, ear) = run.connected();
    let test = |to: &str| Command::SendTest {
        sim: SimSlot::default(),
        to: Address::new(to),
        text: MessageText::new("hello"),
    };
    let why = Refused::InvalidRecipient;
    let refused = agent.command(test("nobody"));
    assert_eq!(refused, Err(AgentError::NotGranted { why }));
    agent.command(test("+15005550199")).unwrap();
    let task = ear.wait_for(send);
    agent.tell_for_keeps(sent(&task, 0)).unwrap();
    ear.wait_for(|heard| match heard {
        Heard::Event(Event::TestMoved { state, .. }) if *state == WireState::Sent => Some(()),
        _ => None,
    });
    agent.stop().unwrap();
}

#[test]
fn a_refused_pairing_says_why_and_leaves_no_trace() {
    for (answer, is_it) in [
        (
            "refuse",
            (|it| matches!(it, PairingOutcome::Refused { .. })) as fn(&_) -> bool,
        ),
        ("expire", |it| matches!(it, PairingOutcome::Refused { .. })),
        ("wrong_digits", |it| *it == PairingOutcome::OtherDigits),
    ] {
        let run = Run::new(&format!("{NOTHING}[pairing]\nanswer = \"{answer}\"\n"));
        let (agent, ear) = run.agent();
        run.begin_pairing(&agent);
        let outcome = ear.wait_for(pairing);
        assert!(is_it(&outcome), "{answer}: {outcome:?}");
        assert_eq!(run.paired(), None);
        assert_eq!(agent.start(state()), Err(AgentError::NotPaired));
    }
}

#[test]
fn a_pairing_that_is_given_up_is_over() {
    let run = Run::new(&format!("{NOTHING}[pairing]\nanswer = \"wait\"\n"));
    let (agent, ear) = run.agent();
    run.begin_pairing(&agent);
    ear.wait_for(|heard| matches!(heard, Heard::Digits(_)).then_some(()));
    agent.cancel_pairing();
    assert_eq!(ear.wait_for(pairing), PairingOutcome::Cancelled);
}

#[test]
fn an_unencrypted_hub_elsewhere_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (agent, _) = agent(folder.path(), Arc::new(Key::new()));
    let invitation = Invitation {
        hub: "http://hub.example.org".to_owned(),
        code: "one-time".to_owned(),
        pins: Vec::new(),
    };
    match agent.begin_pairing(invitation, device()) {
        Err(AgentError::InvalidParam { field, .. }) => assert_eq!(field, "hub"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn unpairing_gives_back_tells_and_erases() {
    let run = Run::new(NOTHING);
    let (agent, ear) = run.connected();
    agent.begin_unpairing(60).unwrap();
    let why = ear.wait_for(stopped);
    assert_eq!(why, Stopped::Unpaired { is_told: true });
    assert_eq!(run.paired(), None);
    assert_eq!(agent.queues(), Err(AgentError::NotRunning));
}

#[test]
fn a_journal_that_cannot_be_read_is_set_aside() {
    let run = Run::new(NOTHING);
    let (first, _) = run.connected();
    first.stop().unwrap();
    let journal = run.folder.path().join("agent/journal.db");
    fs::write(&journal, b"this is no database, and never was").unwrap();
    for rest in ["agent/journal.db-wal", "agent/journal.db-shm"] {
        drop(fs::remove_file(run.folder.path().join(rest)));
    }
    let (second, ear) = run.agent();
    let refused = second.start(state());
    assert!(
        matches!(refused, Err(AgentError::JournalSetAside { .. })),
        "{refused:?}"
    );
    assert!(!journal.exists());
    let aside = run.folder.path().join("agent/set-aside-journal.db");
    assert!(fs::read(aside).unwrap().starts_with(b"this is no database"));
    run.begin_pairing(&second);
    assert_eq!(ear.wait_for(pairing), PairingOutcome::Paired);
    second.start(state()).unwrap();
    second.stop().unwrap();
}

#[test]
fn a_lost_key_asks_for_pairing_again() {
    let run = Run::new(NOTHING);
    let (first, _) = run.connected();
    first.stop().unwrap();
    let (second, _) = agent(run.folder.path(), Arc::new(Key::lost()));
    assert_eq!(second.start(state()), Err(AgentError::KeyLost));
    assert!(run.paired().is_some());
}

/// A phone that has sent a message, holds an unreported text, and has lost its key.
fn that_lost_its_key(run: &Run) -> (Arc<Agent>, Arc<Ear>) {
    let (first, ear) = run.connected();
    let task = ear.wait_for(send);
    first.tell_for_keeps(sent(&task, 0)).unwrap();
    run.until(r#"{"state": {"is": "sent"}}"#);
    first.network_lost();
    first.tell_for_keeps(received(7)).unwrap();
    first.stop().unwrap();
    agent(run.folder.path(), Arc::new(Key::new()))
}

#[test]
fn a_phone_that_lost_its_key_is_a_new_one_to_another_hub() {
    let former = Run::new(&format!("{ONE_MESSAGE}{NOTHING}"));
    let hub = Run::new(NOTHING);
    let before = hub.shown("state");
    let (agent, ear) = that_lost_its_key(&former);
    hub.begin_pairing(&agent);
    assert_eq!(ear.wait_for(pairing), PairingOutcome::Paired);
    assert_ne!(
        hub.shown("state")["install"],
        former.shown("state")["install"]
    );
    agent.start(state()).unwrap();
    hub.until(r#"{"connected": 1, "facts": 1}"#);
    agent.tell_for_keeps(received(8)).unwrap();
    hub.until(r#"{"inbound": 1}"#);
    let after = hub.shown("state");
    assert_eq!(after["generation"], before["generation"]);
    assert_eq!(after["inbound"], 1);
    assert_eq!(hub.shown("inbound")[0]["text"], "text 8");
    assert_eq!(ear.count(|heard| send(heard).is_some()), 0);
    agent.stop().unwrap();
}

#[test]
fn a_phone_that_lost_its_key_tells_the_same_hub_what_came_in_once_it_is_taken_in() {
    let run = Run::new(&format!("{ONE_MESSAGE}{NOTHING}"));
    let refusing = Run::new(&format!("{NOTHING}[pairing]\nanswer = \"refuse\"\n"));
    let (refused, ear) = that_lost_its_key(&run);
    let before = (run.paired(), run.shown("state"));
    refusing.begin_pairing(&refused);
    let outcome = ear.wait_for(pairing);
    assert!(
        matches!(outcome, PairingOutcome::Refused { .. }),
        "{outcome:?}"
    );
    assert_eq!(run.paired(), before.0);
    let (agent, ear) = agent(run.folder.path(), Arc::new(Key::new()));
    run.begin_pairing(&agent);
    assert_eq!(ear.wait_for(pairing), PairingOutcome::Paired);
    agent.start(state()).unwrap();
    run.until(r#"{"inbound": 1}"#);
    let after = run.shown("state");
    assert_ne!(after["install"], before.1["install"]);
    assert_eq!(after["generation"], before.1["generation"]);
    assert_eq!(ear.count(|heard| send(heard).is_some()), 0);
    agent.stop().unwrap();
}

#[test]
fn a_busy_phone_stays_awake_and_an_idle_one_is_woken() {
    let run = Run::new(ONE_MESSAGE);
    let (agent, ear) = run.connected();
    ear.wait_for(|heard| matches!(heard, Heard::Outlook(it) if it.is_busy).then_some(()));
    let task = ear.wait_for(send);
    agent.tell_for_keeps(sent(&task, 0)).unwrap();
    run.until(r#"{"state": {"is": "sent"}}"#);
    ear.wait_for(|heard| {
        matches!(heard, Heard::Outlook(it) if !it.is_busy && it.wake_at.is_some()).then_some(())
    });
    agent.stop().unwrap();
}

#[test]
fn a_log_that_the_shell_cannot_read_is_read_to_its_end() {
    let run = Run::new(NOTHING);
    let (agent, ear) = run.connected();
    ear.wait_for(|heard| (*heard == Heard::Log(Log::Sms)).then_some(()));
    let page = LogPage::Sms(Vec::new());
    agent
        .tell_for_keeps(RadioFact::LogRead {
            page,
            complete: true,
        })
        .unwrap();
    agent.stop().unwrap();
}
