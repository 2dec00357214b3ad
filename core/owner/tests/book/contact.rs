//! A hub without contact for a long time.

use crate::shell::Shell;
use postrider_machine::Event;
use postrider_owner::{AlertKind, Fact};

#[test]
fn a_hub_that_is_not_reached_for_an_hour_is_said_until_it_is() {
    let mut shell = Shell::new();
    shell.tell(Fact::Started);
    shell.pass_minutes(60);
    shell.look(false);
    assert!(shell.shown.is_empty());
    shell.pass_minutes(1);
    shell.look(false);
    assert_eq!(shell.kinds(), [AlertKind::Offline]);
    shell.hear(Event::LinkUp);
    assert!(shell.kinds().is_empty() && shell.shown.is_empty());
}

#[test]
fn the_hour_goes_on_over_restarts_and_gives_each_start_five_minutes() {
    let mut shell = Shell::new();
    shell.tell(Fact::Started);
    shell.pass_minutes(90);
    shell.restart();
    shell.tell(Fact::Started);
    shell.pass_minutes(5);
    shell.look(false);
    assert!(shell.kinds().is_empty());
    shell.pass_minutes(1);
    shell.look(false);
    assert_eq!(shell.kinds(), [AlertKind::Offline]);
}

#[test]
fn a_connection_that_lasted_until_the_process_ended_counts_until_then() {
    let mut shell = Shell::new();
    shell.tell(Fact::Started);
    shell.hear(Event::LinkUp);
    for _ in 0..9 {
        shell.pass_minutes(15);
        shell.look(true);
    }
    shell.restart();
    shell.tell(Fact::Started);
    shell.pass_minutes(59);
    shell.look(false);
    assert!(shell.kinds().is_empty());
    shell.pass_minutes(2);
    shell.look(false);
    assert_eq!(shell.kinds(), [AlertKind::Offline]);
}

#[test]
fn the_hour_begins_when_the_connection_is_lost() {
    let mut shell = Shell::new();
    shell.tell(Fact::Started);
    shell.hear(Event::LinkUp);
    shell.pass_minutes(120);
    shell.hear(Event::LinkDown);
    shell.pass_minutes(60);
    shell.look(false);
    assert!(shell.kinds().is_empty());
}

#[test]
fn another_hub_is_not_missed_for_what_the_last_one_did() {
    let mut shell = Shell::new();
    shell.tell(Fact::Started);
    shell.pass_minutes(90);
    shell.tell(Fact::Paired);
    shell.tell(Fact::Started);
    shell.pass_minutes(30);
    shell.look(false);
    assert!(shell.kinds().is_empty());
}

#[test]
fn a_connection_that_goes_on_is_written_down_every_five_minutes() {
    let mut shell = Shell::new();
    shell.hear(Event::LinkUp);
    let linked = shell.now;
    shell.pass_minutes(5);
    shell.look(true);
    assert_eq!(shell.kept.contact, Some(linked));
    shell.pass_minutes(1);
    shell.look(true);
    assert_eq!(shell.kept.contact, Some(shell.now));
}
