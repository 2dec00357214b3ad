//! Rows of every kind: data messages, placed calls, marks of the platform's logs, known SIMs.
#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test stops the test where it cannot go on"
)]

use postrider_link::frame::{Address, Bytes, Data, Kind};
use postrider_machine::{
    BootId, Change, Fingerprint, Log, MessageRef, ScanMark, Snapshot, Source, Stamp,
    change::{CallLength, MessageRow, Progress, ScanRow, SeenRow, SimRow},
};
use postrider_model::{BootMs, Key, MessageId, SimSlot, UnixMs, WireState};
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

    fn after(&self, changes: &[Change]) -> Snapshot {
        Journal::open(&self.path())
            .unwrap()
            .0
            .commit(changes)
            .unwrap();
        Journal::open(&self.path()).unwrap().1
    }
}

fn row(n: i64, kind: Kind) -> MessageRow {
    let (boot_id, boot) = (BootId::new("boot-1"), BootMs(7));
    MessageRow {
        message: MessageRef {
            id: MessageId::new(Key::new(n).unwrap()),
            ep: 1,
        },
        proof: None,
        s: 3,
        arrived: n.unsigned_abs(),
        kind,
        sim: SimSlot::new(1).unwrap(),
        to: Address::new("*100#"),
        text: None,
        data: None,
        parts: 0,
        report: false,
        priority: 0,
        movable: false,
        ttl_ms: 60_000,
        received: Stamp {
            boot_id,
            boot,
            unix: UnixMs(5),
        },
        progress: Progress {
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
        },
    }
}

fn data(n: i64, bytes: Vec<u8>) -> MessageRow {
    let base64 = Bytes(bytes);
    MessageRow {
        data: Some(Data {
            port: 65_535,
            base64,
        }),
        ..row(n, Kind::DataSms)
    }
}

fn added(row: &MessageRow) -> Change {
    Change::MessageAdded(Box::new(row.clone()))
}

fn moved(row: &MessageRow, change: impl FnOnce(&mut Progress)) -> Change {
    let mut progress = row.progress.clone();
    change(&mut progress);
    Change::MessageMoved {
        message: row.message,
        progress,
    }
}

#[test]
fn every_kind_is_read_back_as_what_it_is() {
    let kinds = [
        Kind::Sms,
        Kind::Mms,
        Kind::Ussd,
        Kind::Call,
        Kind::Other("fax".to_owned()),
    ];
    let mut rows: Vec<_> = (1..).zip(kinds).map(|(n, kind)| row(n, kind)).collect();
    rows.push(data(6, vec![0, 255, 10]));
    rows.push(data(7, Vec::new()));
    let folder = Folder::new();
    let after = folder.after(&rows.iter().map(added).collect::<Vec<_>>());
    assert_eq!(after.messages, rows);
}

#[test]
fn a_calls_length_is_kept_whether_it_was_answered_or_not() {
    let folder = Folder::new();
    let call = row(1, Kind::Call);
    for (duration_s, ring_s) in [(-1, 12), (0, -1), (86_400, 0)] {
        let length = CallLength { duration_s, ring_s };
        let added = (duration_s == -1).then(|| added(&call));
        let sent = moved(&call, |progress| {
            (progress.state, progress.call) = (WireState::Sent, Some(length));
        });
        let changes: Vec<_> = added.into_iter().chain([sent]).collect();
        let after = folder.after(&changes);
        assert_eq!(after.messages[0].progress.call, Some(length));
    }
}

#[test]
fn bytes_codes_and_numbers_are_erased_with_the_texts() {
    let folder = Folder::new();
    let rows = [data(1, vec![7; 133]), row(2, Kind::Ussd), data(3, vec![8])];
    let ended = rows[..2]
        .iter()
        .map(|row| moved(row, |progress| progress.ended = Some(UnixMs(99))));
    let mut changes: Vec<_> = rows.iter().map(added).collect();
    changes.extend(ended);
    let before = UnixMs(100);
    changes.push(Change::TextsErased {
        ended_before: before,
    });
    let after = folder.after(&changes);
    assert_eq!(after.messages, [data(3, vec![8])], "what waits stays whole");
    let nothing = || ("".to_owned(), None, None);
    assert_eq!(erased(&folder), [nothing(), nothing()]);
    let forgotten = folder.after(&[Change::MessagesForgotten {
        ended_before: before,
    }]);
    assert!(forgotten.ended.is_empty() && erased(&folder).is_empty());
}

fn erased(folder: &Folder) -> Vec<(String, Option<i64>, Option<Vec<u8>>)> {
    let file = rusqlite::Connection::open(folder.path()).unwrap();
    let sql = "SELECT recipient, data_port, data FROM message WHERE ended IS NOT NULL";
    let mut statement = file.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn what_came_in_is_remembered_with_its_way_and_its_date() {
    let folder = Folder::new();
    let sources = [
        Source::Sms,
        Source::DataSms,
        Source::Mms,
        Source::Ussd,
        Source::Call,
    ];
    let seen = |(no, source): (u64, Source)| SeenRow {
        no,
        fingerprint: Fingerprint(u128::from(no) << 90),
        provider_row: Some(-1),
        at: UnixMs(5),
        source,
        dated: UnixMs(-9),
    };
    let rows: Vec<_> = (1..).zip(sources).map(seen).collect();
    let changes: Vec<_> = rows.iter().cloned().map(Change::SeenAdded).collect();
    assert_eq!(folder.after(&changes).seen, rows);
}

#[test]
fn each_log_has_one_mark_that_moves() {
    let folder = Folder::new();
    let mark = |log, n: i64| ScanRow {
        log,
        mark: ScanMark {
            date: UnixMs(n),
            row: -n,
        },
        floor: UnixMs(n - 1),
    };
    let first = Log::ALL.map(|log| Change::ScanMoved(mark(log, 1)));
    assert_eq!(folder.after(&first).scans.len(), 3);
    let after = folder.after(&[Change::ScanMoved(mark(Log::Mms, i64::MAX))]);
    assert_eq!(after.scans.len(), 3);
    assert!(after.scans.contains(&mark(Log::Mms, i64::MAX)));
    assert!(after.scans.contains(&mark(Log::Calls, 1)));
}

#[test]
fn the_known_sim_and_the_other_one_are_kept_for_each_slot() {
    let folder = Folder::new();
    let sim = |slot, other: Option<&str>| SimRow {
        slot: SimSlot::new(slot).unwrap(),
        known: "first".to_owned(),
        other: other.map(str::to_owned),
    };
    let rows = [sim(0, Some("second")), sim(1, None)];
    let after = folder.after(&rows.clone().map(Change::SimSeen));
    assert_eq!(after.sims, rows);
    let after = folder.after(&[Change::SimSeen(sim(0, None))]);
    assert_eq!(after.sims, [sim(0, None), sim(1, None)]);
}

#[test]
fn the_owners_two_words_do_not_touch_each_other() {
    let folder = Folder::new();
    let after = folder.after(&[Change::UssdCodesAllowed(true)]);
    assert!(after.ussd_codes_allowed && !after.paused);
    let after = folder.after(&[Change::PausedSet(true)]);
    assert!(after.ussd_codes_allowed && after.paused);
    let after = folder.after(&[Change::UssdCodesAllowed(false)]);
    assert!(!after.ussd_codes_allowed && after.paused);
}

#[test]
fn a_message_that_is_over_is_read_by_itself_and_goes_on() {
    let folder = Folder::new();
    let waits = row(1, Kind::Sms);
    let mut over = row(2, Kind::Sms);
    (over.progress.state, over.progress.attempt) = (WireState::Sent, 1);
    over.progress.ended = Some(UnixMs(9));
    let added = [&waits, &over].map(|row| Change::MessageAdded(Box::new(row.clone())));
    folder.after(&added);
    let (mut journal, _) = Journal::open(&folder.path()).unwrap();
    let other = MessageRef {
        ep: 2,
        ..over.message
    };
    assert_eq!(journal.message_over(waits.message).unwrap(), None);
    assert_eq!(journal.message_over(other).unwrap(), None);
    over.progress.ended = None;
    assert_eq!(
        journal.message_over(over.message).unwrap(),
        Some(over.clone())
    );
    let again = Change::MessageMoved {
        message: over.message,
        progress: over.progress.clone(),
    };
    journal.commit(&[again]).unwrap();
    drop(journal);
    let (journal, snapshot) = Journal::open(&folder.path()).unwrap();
    assert_eq!(
        (snapshot.messages, snapshot.ended),
        (vec![waits, over.clone()], vec![])
    );
    assert_eq!(journal.message_over(over.message).unwrap(), None);
}
