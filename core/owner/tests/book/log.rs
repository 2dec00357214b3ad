//! The log's lines and the counts of the day.

use crate::shell::{DAY_MS, MINUTE_MS, Shell, message, sim, token};
use postrider_link::close::CloseCode;
use postrider_machine::{Event, Source};
use postrider_model::WireState;
use postrider_owner::{ENTRIES_MAX, Entry, Fact, Kept, What};

fn moved(number: i64, state: WireState) -> Event {
    Event::MessageMoved {
        message: message(number),
        state,
        code: None,
    }
}

fn kept(log: &str) -> Shell {
    Shell::with(Kept {
        log: log.into(),
        ..Kept::default()
    })
}

#[test]
fn every_event_has_a_line_and_a_hand_over_one() {
    let (sim, message, token) = (sim(0), message(1), token(1));
    let events = [
        (Event::LinkUp, Some(What::LinkUp)),
        (Event::LinkDown, Some(What::LinkDown)),
        (Event::NotKnownHere, Some(What::NotKnown)),
        (
            Event::PairingNeeded {
                close: CloseCode::NotPaired,
            },
            Some(What::PairingNeeded),
        ),
        (Event::UpdateNeeded, Some(What::UpdateNeeded)),
        (Event::LinkFailing, Some(What::LinkFailing)),
        (Event::LinkReplaced, Some(What::LinkReplaced)),
        (
            Event::MessageAccepted { message, sim },
            Some(What::Accepted),
        ),
        (Event::MessageSubmitted { token, parts: 1 }, None),
        (moved(1, WireState::Submitting), Some(What::Submitted)),
        (
            Event::MessageReceived {
                source: Source::Mms,
                sim,
            },
            Some(What::MmsReceived),
        ),
        (Event::SimChanged { sim }, Some(What::SimChanged)),
        (Event::SimConfirmed { sim }, Some(What::SimConfirmed)),
        (Event::SimHeld { sim, code: 4 }, Some(What::SimHeld)),
        (Event::SimReleased { sim }, Some(What::SimReleased)),
        (Event::LookAtPhone { sim }, Some(What::LookAtPhone)),
        (Event::PaceHalved { halvings: 1 }, Some(What::PaceHalved)),
        (
            Event::ReportMismatched { token },
            Some(What::ReportMismatched),
        ),
        (Event::StrayResult { token }, Some(What::StrayResult)),
    ];
    for (event, line) in events {
        let mut shell = Shell::new();
        shell.hear(event);
        assert_eq!(shell.whats(), Vec::from_iter(line));
    }
}

#[test]
fn what_the_owner_does_has_a_line() {
    let facts = [
        (Fact::Started, What::Started),
        (Fact::StoppedByOwner, What::StoppedByOwner),
        (Fact::StoppedInAndroid, What::StoppedInAndroid),
        (Fact::Paired, What::Paired),
        (
            Fact::Left {
                was_paired: true,
                alert: None,
            },
            What::Unpaired,
        ),
        (
            Fact::FailedToRun {
                is_for_owner: false,
            },
            What::FailedToRun,
        ),
    ];
    for (fact, line) in facts {
        let mut shell = Shell::new();
        shell.tell(fact);
        assert_eq!(shell.whats(), [line]);
    }
    let mut shell = Shell::new();
    shell.tell(Fact::Left {
        was_paired: false,
        alert: None,
    });
    assert!(shell.whats().is_empty());
}

#[test]
fn lines_survive_a_restart_newest_first() {
    let mut shell = Shell::new();
    let at = shell.now;
    shell.hear(Event::MessageAccepted {
        message: message(1),
        sim: sim(1),
    });
    shell.pass_minutes(1);
    shell.hear(Event::MessageMoved {
        message: message(1),
        state: WireState::Failed,
        code: Some(-4),
    });
    let id = Some(message(1).id);
    let lines = [
        Entry {
            at: at.plus_ms(MINUTE_MS),
            what: What::Failed,
            message: id,
            sim: None,
            code: Some(-4),
        },
        Entry {
            at,
            what: What::Accepted,
            message: id,
            sim: Some(sim(1)),
            code: None,
        },
    ];
    assert_eq!(shell.entries(), lines);
    shell.restart();
    assert_eq!(shell.entries(), lines);
}

#[test]
fn the_last_500_lines_are_kept_and_the_counts_are_of_all() {
    let mut shell = Shell::new();
    for number in 1..=2_345 {
        shell.hear(moved(number, WireState::Sent));
        assert!(shell.kept.log.lines().count() <= 2 * ENTRIES_MAX);
    }
    assert_eq!(shell.rewrites, 3);
    for _ in 0..2 {
        assert_eq!(shell.entries().len(), ENTRIES_MAX);
        assert_eq!(shell.entries()[0].message, Some(message(2_345).id));
        assert_eq!(shell.counts(), [2_345, 0, 0, 0]);
        shell.restart();
    }
}

#[test]
fn each_outcome_is_counted_by_its_name_and_a_test_not_at_all() {
    let mut shell = Shell::new();
    for (number, state) in (1..).zip(WireState::ALL) {
        shell.hear(moved(number, *state));
        shell.hear(Event::TestMoved {
            token: token(100),
            state: *state,
            code: None,
        });
    }
    for source in [
        Source::Sms,
        Source::DataSms,
        Source::Mms,
        Source::Ussd,
        Source::Call,
    ] {
        shell.hear(Event::MessageReceived {
            source,
            sim: sim(0),
        });
    }
    assert_eq!(shell.counts(), [1, 2, 3, 1]);
}

#[test]
fn what_becomes_known_late_is_unknown_no_longer() {
    let mut shell = Shell::new();
    for number in [1, 2, 3] {
        shell.hear(moved(number, WireState::Unknown));
    }
    shell.hear(moved(1, WireState::Sent));
    shell.hear(moved(1, WireState::Delivered));
    shell.hear(moved(2, WireState::Failed));
    shell.hear(moved(4, WireState::Sent));
    assert_eq!(shell.counts(), [2, 1, 0, 1]);
    shell.pass_minutes(36 * 60);
    shell.hear(moved(5, WireState::Unknown));
    shell.hear(moved(3, WireState::Sent));
    assert_eq!(shell.counts(), [1, 0, 0, 1]);
    shell.restart();
    assert_eq!(shell.counts(), [1, 0, 0, 1]);
}

#[test]
fn midnight_counts_anew() {
    let mut shell = Shell::new();
    shell.hear(moved(1, WireState::Sent));
    shell.now.0 += DAY_MS / 2 - 1;
    assert_eq!(shell.counts(), [1, 0, 0, 0]);
    shell.now.0 += 1;
    assert_eq!(shell.counts(), [0; 4]);
    shell.hear(moved(2, WireState::Unknown));
    shell.restart();
    assert_eq!(shell.counts(), [0, 0, 0, 1]);
}

#[test]
fn counts_of_yesterday_that_were_written_down_are_over() {
    let mut shell = Shell::new();
    for number in 1..=1_001 {
        shell.hear(moved(number, WireState::Sent));
    }
    assert!(
        shell
            .kept
            .log
            .contains("counts\t2027020\t1001\t0\t0\t0\t.\n")
    );
    shell.now.0 += DAY_MS;
    shell.restart();
    assert_eq!(shell.counts(), [0; 4]);
}

#[test]
fn the_file_of_the_version_before_is_read_and_goes_on() {
    let file = "1800440000000\tSENT\tSM0000000000000001\t-\t-1\t.\n\
        1800440000000\tSIM_HELD\t-\t1\t4\t.\n\
        counts\t2027020\t7\t1\t2\t3\t.\n";
    let mut shell = kept(file);
    assert_eq!(shell.counts(), [7, 1, 2, 3]);
    assert_eq!(shell.whats(), [What::Sent, What::SimHeld]);
    let held = &shell.entries()[0];
    assert_eq!((held.sim, held.code), (Some(sim(1)), Some(4)));
    shell.hear(moved(2, WireState::Sent));
    let line = "1800446400000\tSENT\tSM0000000000000002\t-\t-\t.\n";
    assert_eq!(shell.kept.log, file.to_owned() + line);
}

#[test]
fn every_word_is_read_back() {
    for what in What::ALL {
        let shell = kept(&format!("1800446400000\t{}\t-\t-\t-\t.\n", what.name()));
        assert_eq!(shell.whats(), [*what]);
    }
}

#[test]
fn a_line_that_was_cut_off_or_is_of_a_newer_app_is_left_out() {
    let shell = kept(
        "1800446400000\tSENT\tSM0000000000000001\t-\t-\t.\n\
         1800446400000\tTELEPATHY\t-\t-\t-\t.\n\
         1800446400000\tSENT\tSM00",
    );
    assert_eq!(shell.whats(), [What::Sent]);
    assert_eq!(shell.counts(), [1, 0, 0, 0]);
}

#[test]
fn a_line_after_one_that_was_cut_off_is_whole() {
    let mut shell = kept("1800446400000\tSENT\tSM00");
    shell.hear(moved(2, WireState::Sent));
    shell.hear(moved(3, WireState::Sent));
    shell.restart();
    let ids: Vec<_> = shell.entries().iter().map(|entry| entry.message).collect();
    assert_eq!(ids, [Some(message(3).id), Some(message(2).id)]);
}
