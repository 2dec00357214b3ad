//! The journal in memory against the real one: the same commits, deaths and readings give the same
//! content, whatever the disk makes of a power failure.
#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test stops the test where it cannot go on"
)]

mod commits;

use postrider_link::{frame::Inbound, session::phone::FactRange};
use postrider_machine::{
    EndedAsked, MessageRef,
    change::{EndedRow, MessageRow},
};
use postrider_simulation::{
    journal::{Disk, RealJournal, Rows},
    random::Seeded,
};
use std::collections::BTreeMap;

const SEEDS: std::ops::Range<u64> = 0..6;
/// Commits of each seed.
const COMMITS: u64 = 60;

/// What was reached, and how often.
#[derive(Debug, Default)]
struct Reached(BTreeMap<&'static str, u64>);

impl Reached {
    fn mark(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }
}

#[test]
fn the_journal_in_memory_and_the_real_one_hold_the_same_after_each_reopening() {
    let mut reached = Reached::default();
    for seed in SEEDS {
        let mut random = Seeded::keyed(seed, &[1]);
        let mut disk = Disk::new(Some(RealJournal::new()));
        for nth in 0..COMMITS {
            let changes = commits::draw(disk.rows(), &mut random);
            for change in &changes {
                reached.mark(commits::kind(change));
            }
            disk.write(changes);
            end(&mut disk, &mut random, &mut reached);
            assert_eq!(read(&disk, seed, nth), read_rows(disk.rows(), seed, nth));
        }
    }
    let expected = commits::KINDS.iter().chain(ENDS);
    let missing: Vec<_> = expected
        .filter(|what| !reached.0.contains_key(*what))
        .collect();
    assert!(missing.is_empty(), "never reached: {missing:?}");
}

const ENDS: &[&str] = &[
    "synced",
    "reopened",
    "killed before the sync",
    "power failed, kept",
    "power failed, lost",
];

/// Lets a commit end in one of the ways that there are, and reopens what has to be.
fn end(disk: &mut Disk, random: &mut Seeded, reached: &mut Reached) {
    let what = match random.below(10) {
        0..4 => {
            disk.sync();
            return reached.mark("synced");
        }
        4 => {
            disk.sync();
            "reopened"
        }
        5 | 6 => {
            disk.process_died();
            "killed before the sync"
        }
        _ if disk.power_failed(random) => "power failed, kept",
        _ => "power failed, lost",
    };
    reached.mark(what);
    assert_eq!(disk.snapshot(), disk.rows().snapshot(), "{what}");
}

/// Everything that a machine reads of a journal beside its snapshot.
#[derive(Debug, PartialEq)]
struct Readings {
    facts: Vec<postrider_link::session::phone::PhoneFact>,
    inbound: Vec<Inbound>,
    ended: Vec<EndedRow>,
    over: Vec<Option<MessageRow>>,
}

fn read(disk: &Disk, seed: u64, nth: u64) -> Readings {
    let (range, asked) = questions(disk.rows(), seed, nth);
    let ended = asked.iter().flat_map(|asked| disk.ended(asked)).collect();
    let messages = disk.rows().messages().map(|row| row.message);
    let over = messages.map(|message| disk.message_over(message)).collect();
    readings(disk.facts(range), disk.inbound(), ended, over)
}

fn read_rows(rows: &Rows, seed: u64, nth: u64) -> Readings {
    let (range, asked) = questions(rows, seed, nth);
    let ended = asked.iter().flat_map(|asked| rows.ended(asked)).collect();
    let messages = rows.messages().map(|row| row.message);
    let over = messages.map(|message| rows.message_over(message)).collect();
    readings(rows.facts(range), rows.inbound(), ended, over)
}

fn questions(rows: &Rows, seed: u64, nth: u64) -> (FactRange, [EndedAsked; 2]) {
    let mut random = Seeded::keyed(seed, &[2, nth]);
    let range = FactRange {
        above: random.below(20),
        count_max: usize::try_from(random.between(1, 12)).unwrap(),
    };
    let messages = rows.messages().map(|row| row.message.id);
    let some = EndedAsked::Of(messages.filter(|_| random.percent(50)).collect());
    let (down, up) = (random.below(30), random.below(30));
    (range, [some, EndedAsked::Above { down, up }])
}

/// In one order, where there is none; and without the place of what will be told at another one.
fn readings(
    facts: Vec<postrider_link::session::phone::PhoneFact>,
    mut inbound: Vec<Inbound>,
    mut ended: Vec<EndedRow>,
    over: Vec<Option<MessageRow>>,
) -> Readings {
    inbound.iter_mut().for_each(|inbound| inbound.s = 0);
    let order = |row: &EndedRow| -> MessageRef { row.message };
    ended.sort_by_key(order);
    Readings {
        facts,
        inbound,
        ended,
        over,
    }
}
