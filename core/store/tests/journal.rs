//! What is written can be read back; what was not committed never existed.
#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test stops the test where it cannot go on"
)]

use postrider_link::{
    frame::{Address, Config, Event, Health, Inbound, Kind},
    proof::{PROOF_BYTES, Proof},
    session::phone::{FactRange, JournalLink, LinkChange, PhoneFact},
};
use postrider_machine::{
    BootId, Change, Fingerprint, MessageRef, Snapshot, Source, Stamp,
    change::{CallLength, EndedRow, MessageRow, PaceRow, Progress, SeenRow, SpentRow},
};
use postrider_model::{BootMs, Key, MessageId, MessageText, SimSlot, UnixMs, WireState};
use postrider_store::Journal;
use std::path::PathBuf;
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("journal.db")
    }

    fn open(&self) -> (Journal, Snapshot) {
        Journal::open(&self.path()).unwrap()
    }

    /// Commits changes and returns what a start finds afterwards.
    fn after(&self, changes: &[Change]) -> Snapshot {
        self.open().0.commit(changes).unwrap();
        self.open().1
    }
}

fn message(n: i64, ep: u32) -> MessageRef {
    MessageRef {
        id: MessageId::new(Key::new(n).unwrap()),
        ep,
    }
}

fn stamp(n: u64) -> Stamp {
    Stamp {
        boot_id: BootId::new("boot-1"),
        boot: BootMs(n),
        unix: UnixMs(n.cast_signed() - 5),
    }
}

fn waiting() -> Progress {
    Progress {
        state: WireState::OnPhone,
        attempt: 0,
        tries: 0,
        submitted: None,
        retry: None,
        spent: None,
        parts: "".parse().unwrap(),
        code: None,
        partial: false,
        unsent: false,
        call: None,
        fact: 0,
        ended: None,
    }
}

const PROOF: Proof = Proof([7; PROOF_BYTES]);

fn row(n: i64) -> MessageRow {
    MessageRow {
        message: message(n, 2),
        proof: Some(PROOF),
        s: 7,
        arrived: n.unsigned_abs(),
        kind: Kind::Sms,
        sim: SimSlot::new(1).unwrap(),
        to: Address::new("+15005550001"),
        text: Some(MessageText::new("come at noon")),
        data: None,
        parts: 3,
        report: true,
        priority: -4,
        movable: true,
        ttl_ms: 259_200_000,
        received: stamp(100),
        progress: waiting(),
    }
}

fn moved(n: i64, progress: &Progress) -> Change {
    Change::MessageMoved {
        message: message(n, 2),
        progress: progress.clone(),
    }
}

fn link(change: LinkChange) -> Change {
    Change::Link {
        change,
        at: UnixMs(1_000),
    }
}

fn event(s: u64) -> PhoneFact {
    PhoneFact::Event(Event {
        s,
        id: message(1, 2).id,
        ep: 2,
        state: WireState::Sent,
        part: None,
        of: Some(1),
        code: None,
        detail: None,
        partial: false,
        unsent: false,
        duration_s: None,
        ring_s: None,
        wall: 5,
        mono: 6,
        boot: Some("boot-1".to_owned()),
    })
}

fn inbound(s: u64, n: u64) -> Inbound {
    Inbound {
        s,
        n,
        install: None,
        kind: Kind::Sms,
        sim: SimSlot::default(),
        from: Address::new("CLINIC"),
        to: None,
        text: Some(MessageText::new("yes")),
        data: None,
        parts: Some(1),
        sent_at: Some(9),
        duration_s: None,
        ring_s: None,
        wall: 5,
        mono: 6,
        boot: Some("boot-1".to_owned()),
    }
}

fn stored(fact: PhoneFact) -> Change {
    link(LinkChange::FactStored(fact))
}

const ALL: FactRange = FactRange {
    above: 0,
    count_max: 100,
};

#[test]
fn a_new_journal_is_empty() {
    assert_eq!(Folder::new().open().1, Snapshot::default());
}

#[test]
fn a_message_comes_back_as_it_was_added_and_moved() {
    let folder = Folder::new();
    let added = folder.after(&[Change::MessageAdded(Box::new(row(1)))]);
    assert_eq!(added.messages, [row(1)]);
    assert_eq!(added.arrived_max, 1);
    let progress = Progress {
        state: WireState::Retrying,
        attempt: 3,
        tries: 2,
        submitted: Some(stamp(500)),
        retry: Some((stamp(600), 60_000)),
        spent: Some(9),
        parts: "+d ? 13".parse().unwrap(),
        code: Some("13".to_owned()),
        partial: true,
        unsent: true,
        call: Some(CallLength {
            duration_s: -1,
            ring_s: 12,
        }),
        fact: 44,
        ended: None,
    };
    let after = folder.after(&[moved(1, &progress)]);
    assert_eq!(after.messages[0].progress, progress);
    assert_eq!(after.messages[0].text, row(1).text);
}

#[test]
fn a_message_that_is_over_keeps_only_its_name() {
    let folder = Folder::new();
    let over = Progress {
        state: WireState::Failed,
        unsent: true,
        fact: 3,
        ended: Some(UnixMs(2_000)),
        ..waiting()
    };
    let changes = [
        Change::MessageAdded(Box::new(row(1))),
        Change::MessageAdded(Box::new(row(2))),
        moved(1, &over),
    ];
    let after = folder.after(&changes);
    assert_eq!(after.messages, [row(2)]);
    let ended = EndedRow {
        message: message(1, 2),
        state: WireState::Failed,
        partial: false,
        unsent: true,
        proof: Some(PROOF),
        s: 7,
        fact: 3,
        at: UnixMs(2_000),
    };
    assert_eq!(after.ended, [ended]);
    let before = |ended_before| Change::MessagesForgotten {
        ended_before: UnixMs(ended_before),
    };
    assert_eq!(folder.after(&[before(2_000)]).ended, [ended]);
    let after = folder.after(&[before(2_001)]);
    assert_eq!((after.ended.len(), after.messages.len()), (0, 1));
}

#[test]
fn an_erased_text_is_in_no_file_any_more() {
    let folder = Folder::new();
    let over = Progress {
        ended: Some(UnixMs(2_000)),
        ..waiting()
    };
    folder.after(&[Change::MessageAdded(Box::new(row(1))), moved(1, &over)]);
    assert!(occurs(&folder, b"come at noon"));
    let erased = Change::TextsErased {
        ended_before: UnixMs(2_001),
    };
    folder.after(&[erased]);
    assert!(!occurs(&folder, b"come at noon"));
    assert!(!occurs(&folder, b"+15005550001"));
}

fn occurs(folder: &Folder, needle: &[u8]) -> bool {
    let files = std::fs::read_dir(folder.0.path()).unwrap();
    files
        .map(|file| std::fs::read(file.unwrap().path()).unwrap())
        .any(|bytes| bytes.windows(needle.len()).any(|window| window == needle))
}

#[test]
fn hand_overs_come_back_in_order_and_the_last_number_is_kept() {
    let folder = Folder::new();
    let spent = |no, parts| SpentRow {
        no,
        sim: SimSlot::default(),
        parts,
        guard_parts: 2,
        at: stamp(no),
    };
    let added = [
        Change::SpentAdded(spent(1, 2)),
        Change::SpentAdded(spent(2, 2)),
        Change::SpentMoved {
            no: 1,
            parts: 0,
            guard_parts: 2,
        },
    ];
    assert_eq!(folder.after(&added).spent, [spent(1, 0), spent(2, 2)]);
    let forgotten = folder.after(&[Change::SpentForgotten { below: 3 }]);
    assert_eq!(forgotten.spent, [spent(2, 2)]);
}

#[test]
fn the_pace_the_pause_and_the_name_are_single() {
    let folder = Folder::new();
    let pace = |halvings| PaceRow {
        halvings,
        since: stamp(1),
    };
    let install = "0123456789abcdef".parse().unwrap();
    let after = folder.after(&[
        Change::PaceSet(pace(1)),
        Change::PaceSet(pace(2)),
        Change::PausedSet(true),
        Change::PausedSet(false),
        Change::InstallSet(install),
        link(LinkChange::Conn(3)),
    ]);
    assert_eq!(after.pace, Some(pace(2)));
    assert!(!after.paused);
    assert_eq!(after.install.unwrap().as_str(), "0123456789abcdef");
    assert!(folder.after(&[Change::PausedSet(true)]).paused);
}

#[test]
fn incoming_messages_are_remembered_and_bound() {
    let folder = Folder::new();
    let seen = |no, provider_row| SeenRow {
        no,
        fingerprint: Fingerprint(u128::MAX - 1),
        provider_row,
        at: UnixMs(5),
        source: Source::Mms,
        dated: UnixMs(3),
    };
    let after = folder.after(&[
        Change::SeenAdded(seen(1, None)),
        Change::SeenAdded(seen(2, Some(8))),
        Change::SeenBound {
            no: 1,
            row: Some(7),
        },
    ]);
    assert_eq!(after.seen, [seen(1, Some(7)), seen(2, Some(8))]);
    let after = folder.after(&[Change::SeenForgotten { below: 9 }]);
    assert_eq!(after.seen, [seen(2, Some(8))]);
}

#[test]
fn what_is_set_for_all_sims_replaces_the_rest() {
    let folder = Folder::new();
    let config = |sim: Option<u8>, pause| Config {
        s: 4,
        sim: sim.and_then(SimSlot::new),
        pause,
        quiet: vec![(1, 2)],
        ..Config::default()
    };
    let one = [
        Change::ConfigSet(config(Some(1), true)),
        Change::ConfigSet(config(Some(1), false)),
    ];
    assert_eq!(folder.after(&one).configs, [config(Some(1), false)]);
    let all = folder.after(&[Change::ConfigSet(config(None, true))]);
    assert_eq!(all.configs, [config(None, true)]);
}

#[test]
fn the_links_counters_come_back() {
    let folder = Folder::new();
    let after = folder.after(&[
        link(LinkChange::Conn(2)),
        link(LinkChange::Conn(3)),
        link(LinkChange::Down(11)),
        stored(event(1)),
        stored(event(2)),
        link(LinkChange::FactsAcked { up_to: 1 }),
    ]);
    let expected = JournalLink {
        conn: 3,
        generation: 0,
        down: 11,
        up_acked: 1,
        up_highest: 2,
        hub: None,
        not_known: false,
    };
    assert_eq!(after.link, expected);
    assert_eq!(folder.open().0.facts(ALL).unwrap(), [event(2)]);
}

#[test]
fn facts_are_read_in_pieces() {
    let folder = Folder::new();
    let health = PhoneFact::Health(Health {
        s: 3,
        battery: Some(80),
        ..Health::default()
    });
    let all = [event(1), PhoneFact::Inbound(inbound(2, 1)), health];
    let changes: Vec<_> = all.iter().cloned().map(stored).collect();
    folder.after(&changes);
    let range = FactRange {
        above: 1,
        count_max: 1,
    };
    let journal = folder.open().0;
    assert_eq!(journal.facts(range).unwrap(), all[1..2]);
    assert_eq!(journal.facts(ALL).unwrap(), all);
}

#[test]
fn an_acked_incoming_message_is_kept_for_a_hub_that_forgets_it() {
    let folder = Folder::new();
    let kept = |folder: &Folder| folder.open().0.inbound().unwrap();
    folder.after(&[
        stored(PhoneFact::Inbound(inbound(1, 9))),
        stored(event(2)),
        link(LinkChange::FactsAcked { up_to: 2 }),
    ]);
    assert_eq!(kept(&folder), [inbound(1, 9)]);
    folder.after(&[stored(PhoneFact::Inbound(inbound(3, 9)))]);
    assert_eq!(kept(&folder), []);
    let erase = |ended_before| Change::TextsErased {
        ended_before: UnixMs(ended_before),
    };
    folder.after(&[link(LinkChange::FactsAcked { up_to: 3 }), erase(1_000)]);
    assert_eq!(kept(&folder), [inbound(3, 9)]);
    folder.after(&[erase(1_001)]);
    assert_eq!(kept(&folder), []);
}

#[test]
fn a_new_generation_sinks_every_number() {
    let folder = Folder::new();
    let reported = Progress {
        fact: 7,
        ..waiting()
    };
    folder.after(&[Change::MessageAdded(Box::new(row(1))), moved(1, &reported)]);
    let mut changes: Vec<_> = (1..=8).map(|s| stored(event(s))).collect();
    changes.extend([
        link(LinkChange::Down(40)),
        link(LinkChange::FactsAcked { up_to: 5 }),
        link(LinkChange::Restarted {
            generation: 2,
            sinks_by: 5,
        }),
    ]);
    let after = folder.after(&changes);
    let expected = JournalLink {
        conn: 0,
        generation: 2,
        down: 0,
        up_acked: 0,
        up_highest: 3,
        hub: None,
        not_known: false,
    };
    assert_eq!(after.link, expected);
    assert_eq!(
        (after.messages[0].s, after.messages[0].progress.fact),
        (0, 2)
    );
    let facts = folder.open().0.facts(ALL).unwrap();
    assert_eq!(facts, [event(1), event(2), event(3)]);
}

#[test]
fn a_group_with_a_row_that_cannot_be_written_leaves_nothing_behind() {
    let folder = Folder::new();
    let (mut journal, _) = folder.open();
    let added = Change::MessageAdded(Box::new(row(1)));
    let twice = [Change::PausedSet(true), added.clone(), added.clone()];
    assert!(journal.commit(&twice).is_err());
    assert_eq!(journal.load().unwrap(), Snapshot::default());
    journal.commit(&[added]).unwrap();
    assert_eq!(journal.load().unwrap().messages, [row(1)]);
}
