//! Which alerts stand, since when, and what ends them.

use crate::shell::{Shell, sim};
use postrider_machine::Event;
use postrider_owner::{AlertKind, Fact, Kept};

#[test]
fn a_silent_radio_is_said_once_until_its_own_sim_sends_again() {
    let mut shell = Shell::new();
    shell.hear(Event::LookAtPhone { sim: sim(1) });
    shell.pass_minutes(1);
    shell.hear(Event::LookAtPhone { sim: sim(1) });
    assert_eq!(shell.rung, 1);
    let since = shell.alerts()[0].since;
    assert_eq!(since.plus_ms(60_000), shell.now);
    shell.hear(Event::SimReleased { sim: sim(0) });
    assert_eq!(shell.kinds(), [AlertKind::LookAtPhone]);
    shell.hear(Event::SimReleased { sim: sim(1) });
    assert!(shell.kinds().is_empty() && shell.shown.is_empty());
}

#[test]
fn each_sim_has_alerts_of_its_own_newest_first() {
    let mut shell = Shell::new();
    for slot in [0, 1] {
        shell.hear(Event::SimHeld {
            sim: sim(slot),
            code: 4,
        });
        shell.pass_minutes(1);
    }
    let sims: Vec<_> = shell.alerts().iter().map(|alert| alert.sim).collect();
    assert_eq!(sims, [Some(sim(1)), Some(sim(0))]);
}

#[test]
fn another_sim_is_said_until_its_own_slot_is_settled() {
    for is_owner in [false, true] {
        let confirm = |shell: &mut Shell, slot| {
            if is_owner {
                shell.tell(Fact::SimConfirmed { sim: sim(slot) })
            } else {
                shell.hear(Event::SimConfirmed { sim: sim(slot) })
            }
        };
        let mut shell = Shell::new();
        shell.hear(Event::SimChanged { sim: sim(1) });
        confirm(&mut shell, 0);
        assert_eq!(shell.kinds(), [AlertKind::SimChanged]);
        confirm(&mut shell, 1);
        assert!(shell.kinds().is_empty() && shell.shown.is_empty());
    }
}

#[test]
fn a_connection_ends_what_was_wrong_with_it_and_nothing_else() {
    let mut shell = Shell::new();
    for event in [Event::NotKnownHere, Event::UpdateNeeded, Event::LinkFailing] {
        shell.hear(event);
    }
    shell.hear(Event::LinkReplaced);
    shell.hear(Event::SimChanged { sim: sim(0) });
    shell.tell(Fact::FailedToRun { is_for_owner: true });
    assert_eq!(shell.shown.len(), 6);
    shell.hear(Event::LinkUp);
    assert_eq!(
        shell.kinds(),
        [AlertKind::SimChanged, AlertKind::LinkReplaced]
    );
}

#[test]
fn a_failure_is_said_only_when_it_goes_on() {
    let mut shell = Shell::new();
    shell.tell(Fact::FailedToRun {
        is_for_owner: false,
    });
    assert!(shell.kinds().is_empty());
    shell.tell(Fact::FailedToRun { is_for_owner: true });
    assert_eq!(shell.kinds(), [AlertKind::AgentFailing]);
}

#[test]
fn an_app_that_may_not_send_says_so_until_it_may() {
    let mut shell = Shell::new();
    for (may_send, stand) in [(false, 1), (false, 1), (true, 0)] {
        shell.tell(Fact::Looked {
            is_linked: true,
            may_send,
        });
        assert_eq!(shell.kinds().len(), stand);
    }
}

#[test]
fn a_hub_that_is_gone_leaves_why_and_pairing_again_settles_it() {
    let mut shell = Shell::new();
    shell.hear(Event::LinkFailing);
    shell.hear(Event::SimChanged { sim: sim(0) });
    shell.tell(Fact::KeyLost);
    shell.tell(Fact::Left {
        was_paired: true,
        alert: Some(AlertKind::PairedElsewhere),
    });
    assert_eq!(
        shell.kinds(),
        [AlertKind::PairedElsewhere, AlertKind::KeyLost]
    );
    shell.tell(Fact::Paired);
    assert!(shell.kinds().is_empty() && shell.shown.is_empty());
}

#[test]
fn alerts_outlive_the_process_and_what_was_waved_away_rings_no_more() {
    let mut shell = Shell::new();
    shell.tell(Fact::KeyLost);
    shell.hear(Event::LinkReplaced);
    let stood = shell.alerts();
    shell.tell(Fact::WavedAway { alert: stood[0] });
    shell.pass_minutes(1);
    shell.restart();
    assert_eq!(shell.alerts(), stood);
    assert_eq!(shell.shown, stood[1..]);
    shell.tell(Fact::Dismissed { alert: stood[0] });
    shell.restart();
    assert_eq!(shell.alerts(), stood[1..]);
    assert!(shell.kept.silent.is_empty());
}

#[test]
fn alerts_of_the_version_before_are_shown_again() {
    let kept = Kept {
        standing: vec![
            "SIM_CHANGED 1 1800000000000".into(),
            "KEY_LOST - 1800000000001".into(),
        ],
        silent: vec!["KEY_LOST - 1800000000001".into()],
        ..Kept::default()
    };
    let shell = Shell::with(kept);
    assert_eq!(shell.kinds(), [AlertKind::KeyLost, AlertKind::SimChanged]);
    assert_eq!(shell.shown, shell.alerts()[1..]);
    assert_eq!(shell.shown[0].sim, Some(sim(1)));
}
