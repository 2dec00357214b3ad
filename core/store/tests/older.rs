//! A journal of the first version opens, and loses nothing.
#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test stops the test where it cannot go on"
)]

use postrider_link::{
    frame::{Kind, PhoneFrame},
    session::phone::{FactRange, PhoneFact},
};
use postrider_machine::{Change, Source};
use postrider_model::{UnixMs, WireState};
use postrider_store::{APPLICATION_ID, Journal};
use refinery::{Migration, Runner};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Rows as the first version wrote them.
const ROWS: &str = r#"
    INSERT INTO message (arrived, id, ep, s, sim, recipient, text, parts_expected, report,
        priority, movable, ttl_ms, received_boot, received_mono, received_wall, state, attempt,
        tries, submitted_boot, submitted_mono, submitted_wall, spent, parts, code, partial,
        unsent, fact, ended)
    VALUES
        (1, 11, 1, 4, 0, '+15005550001', 'come at noon', 1, 1, 0, 0, 60000, 'boot-1', 10, 1010,
            'submitting', 1, 0, 'boot-1', 12, 1012, 3, '?', NULL, 0, 0, 0, NULL),
        (2, 12, 1, 5, 1, '+15005550002', 'come at one', 1, 0, 2, 1, 60000, 'boot-1', 11, 1011,
            'on_phone', 0, 0, NULL, NULL, NULL, NULL, '', NULL, 0, 0, 6, NULL),
        (3, 13, 2, 6, 0, '+15005550003', 'late', 1, 0, 0, 0, 60000, 'boot-0', 1, 1001,
            'sent', 1, 0, 'boot-0', 2, 1002, 2, '+', NULL, 0, 0, 5, 2000),
        (4, 14, 1, 7, 0, '', NULL, 1, 0, 0, 0, 60000, 'boot-0', 1, 1001,
            'failed', 0, 0, NULL, NULL, NULL, NULL, '', 'unsupported', 0, 1, 4, 1500);
    INSERT INTO spent VALUES (3, 0, 1, 1, 'boot-1', 12, 1012);
    INSERT INTO pace VALUES (1, 2, 'boot-1', 9, 1009);
    INSERT INTO seen VALUES (8, x'000102030405060708090a0b0c0d0e0f', 41, 1005);
    INSERT INTO seen VALUES (9, x'ff0102030405060708090a0b0c0d0e0f', NULL, 1006);
    INSERT INTO config VALUES (0, '{"s":3,"sim":0,"pause":true,"send_delay_ms":5,"quiet":[]}');
    INSERT INTO owner VALUES (1, 1);
    INSERT INTO link VALUES (1, 'install-000000000001', 4, 2, 7, 5, 7);
    INSERT INTO fact VALUES (6, NULL,
        '{"t":"event","s":6,"id":"SM000000000000000c","ep":1,"state":"on_phone","wall":1,"mono":2}');
    INSERT INTO fact VALUES (7, 9,
        '{"t":"inbound","s":7,"n":9,"kind":"sms","sim":0,"from":"+15005550009","text":"yes","wall":1,"mono":2}');
    INSERT INTO inbound VALUES (8,
        '{"t":"inbound","s":3,"n":8,"kind":"sms","sim":0,"from":"+15005550009","text":"no","wall":1,"mono":2}',
        1900);
"#;

fn first_version(path: &Path) {
    let mut file = Connection::open(path).unwrap();
    file.pragma_update(None, "application_id", APPLICATION_ID)
        .unwrap();
    let sql = include_str!("../migrations/V1__first.sql");
    let first = Migration::unapplied("V1__first", sql).unwrap();
    Runner::new(&[first]).run(&mut file).unwrap();
    file.execute_batch(ROWS).unwrap();
}

fn journal(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("journal.db");
    first_version(&path);
    path
}

#[test]
fn every_row_of_the_first_version_is_still_there() {
    let folder = TempDir::new().unwrap();
    let (journal, found) = Journal::open(&journal(&folder)).unwrap();
    let messages: Vec<_> = found
        .messages
        .iter()
        .map(|row| (row.message.id.get(), row.progress.state, row.kind.clone()))
        .collect();
    assert_eq!(
        messages,
        [
            (11, WireState::Submitting, Kind::Sms),
            (12, WireState::OnPhone, Kind::Sms)
        ]
    );
    let second = &found.messages[1];
    assert_eq!(second.to.as_str(), "+15005550002");
    assert_eq!(second.text.as_ref().unwrap().as_str(), "come at one");
    assert_eq!((&second.data, second.progress.call), (&None, None));
    let ended: Vec<_> = found.ended.iter().map(|row| row.message.id.get()).collect();
    assert_eq!(ended, [14, 13]);
    assert_eq!((found.arrived_max, found.spent.len()), (4, 1));
    assert_eq!(found.pace.unwrap().halvings, 2);
    assert_eq!((found.paused, found.ussd_codes_allowed), (true, false));
    assert!(found.configs[0].pause);
    assert_eq!(found.install.unwrap().as_str(), "install-000000000001");
    assert_eq!((found.link.conn, found.link.up_highest), (4, 7));
    let all = FactRange {
        above: 0,
        count_max: 10,
    };
    let facts = journal.facts(all).unwrap();
    assert_eq!(facts.iter().map(PhoneFact::s).collect::<Vec<_>>(), [6, 7]);
    assert!(matches!(
        facts[1].clone().into_frame(),
        PhoneFrame::Inbound(fact) if fact.n == 9
    ));
    assert_eq!(journal.inbound().unwrap()[0].n, 8);
}

#[test]
fn what_it_remembers_of_incoming_messages_is_dated_when_it_was_heard() {
    let folder = TempDir::new().unwrap();
    let (_, found) = Journal::open(&journal(&folder)).unwrap();
    let seen: Vec<_> = found
        .seen
        .iter()
        .map(|row| (row.no, row.provider_row, row.source, row.dated))
        .collect();
    assert_eq!(
        seen,
        [
            (8, Some(41), Source::Sms, UnixMs(1_005)),
            (9, None, Source::Sms, UnixMs(1_006))
        ]
    );
    assert!(found.scans.is_empty() && found.sims.is_empty());
}

#[test]
fn it_can_be_written_and_opened_again() {
    let folder = TempDir::new().unwrap();
    let path = journal(&folder);
    let erased = Change::TextsErased {
        ended_before: UnixMs(i64::MAX),
    };
    let (mut open, _) = Journal::open(&path).unwrap();
    open.commit(&[Change::UssdCodesAllowed(true), erased])
        .unwrap();
    drop(open);
    let (_, found) = Journal::open(&path).unwrap();
    assert!(found.paused && found.ussd_codes_allowed);
    assert_eq!((found.messages.len(), found.ended.len()), (2, 2));
    drop(found);
    let file = Connection::open(&path).unwrap();
    let sql = "SELECT COUNT(*) FROM message WHERE ended IS NOT NULL AND recipient <> ''";
    let left: i64 = file.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
}

#[test]
fn it_is_not_touched_when_its_new_schema_cannot_be_made() {
    let folder = TempDir::new().unwrap();
    let path = journal(&folder);
    let file = Connection::open(&path).unwrap();
    file.execute_batch("CREATE TABLE sim (in_the_way INTEGER)")
        .unwrap();
    drop(file);
    assert!(Journal::open(&path).is_err());
    let file = Connection::open(&path).unwrap();
    file.execute_batch("DROP TABLE sim").unwrap();
    drop(file);
    let (_, found) = Journal::open(&path).unwrap();
    assert_eq!(found.messages.len(), 2);
}
