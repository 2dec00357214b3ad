//! What a phone takes over from a journal that was set aside, once it has paired again.
//!
//! Outgoing messages stay there: the hub does not know their outcome, and they must never be sent
//! from here. Incoming messages without an ack are uploaded under the new installation. What was
//! seen is not uploaded twice. What was sent still counts towards the limits, and its rows at the
//! platform prove nothing about what is sent from here. All of it is one commit; after a crash
//! before the aside is erased, it is not repeated.

use crate::{
    install_error::InstallError,
    journal_files::{UNREADABLE_FILE, move_journal, remove_journal},
    pairing::{self, Pairing},
};
use postrider_link::{
    frame::{Inbound, InstallId},
    session::phone::{FactRange, LinkChange, PhoneFact},
};
use postrider_machine::{Change, Snapshot, claims_to_keep};
use postrider_model::UnixMs;
use postrider_store::{Journal, JournalError};
use std::{collections::BTreeSet, io, path::Path};

/// Facts read at once.
const PAGE: usize = 500;

/// Copies what was set aside for this hub and project into the journal of a phone that has just
/// joined. Other asides stay where they are.
///
/// One that cannot be read is moved out of the way and kept: pairing goes on without it.
pub(crate) fn take_over(
    folder: &Path,
    journal: &mut Journal,
    joined: &Pairing,
) -> Result<(), InstallError> {
    for slot in pairing::asides_of(folder, joined)? {
        let path = pairing::aside_of(folder, slot);
        match Journal::open(&path).and_then(|(aside, snapshot)| {
            Ok((inbound(&aside, snapshot.install.as_ref())?, snapshot))
        }) {
            Ok((inbound, snapshot)) => {
                let changes = changes(journal, inbound, snapshot)?;
                journal.commit(&changes)?;
            }
            Err(error) => put_away(folder, &path, &error)?,
        }
        pairing::erase_aside(folder, slot)?;
    }
    Ok(())
}

fn put_away(folder: &Path, path: &Path, error: &JournalError) -> io::Result<()> {
    tracing::error!(%error, "an earlier journal cannot be read: its messages are not taken over");
    let unreadable = folder.join(UNREADABLE_FILE);
    remove_journal(&unreadable)?;
    move_journal(path, &unreadable)
}

/// Returns what a journal takes over, less what it took over before a crash.
fn changes(
    journal: &Journal,
    inbound: Vec<PhoneFact>,
    aside: Snapshot,
) -> Result<Vec<Change>, JournalError> {
    let before = journal.load()?;
    let range = FactRange {
        above: 0,
        count_max: 1,
    };
    let has_facts = !journal.facts(range)?.is_empty();
    let has_memory = has_facts || !before.seen.is_empty() || !before.spent.is_empty();
    let mut changes = if has_memory {
        Vec::new()
    } else {
        memory(aside)
    };
    let known = told_under(journal)?;
    let inbound = inbound.into_iter().filter(|fact| match fact {
        PhoneFact::Inbound(message) => !known.contains(&(message.install.clone(), message.n)),
        PhoneFact::Event(_) | PhoneFact::Health(_) => false,
    });
    changes.extend(inbound.zip(before.link.up_highest + 1..).map(stored));
    Ok(changes)
}

fn stored((fact, s): (PhoneFact, u64)) -> Change {
    Change::Link {
        change: LinkChange::FactStored(fact.at_place(s)),
        at: UnixMs(0),
    }
}

/// Returns what a journal already has of earlier installations.
fn told_under(journal: &Journal) -> Result<BTreeSet<(Option<InstallId>, u64)>, JournalError> {
    let facts = inbound(journal, None)?.into_iter();
    Ok(facts
        .filter_map(|fact| match fact {
            PhoneFact::Inbound(message) => Some((message.install, message.n)),
            PhoneFact::Event(_) | PhoneFact::Health(_) => None,
        })
        .collect())
}

/// Copies incoming messages without an ack to another place, with what identifies them; does
/// nothing without a journal.
///
/// A journal that cannot be read is moved as it is.
pub(crate) fn keep_incoming(from: &Path, to: &Path) -> io::Result<()> {
    match incoming_of(from) {
        Ok(changes) if changes.is_empty() => Ok(()),
        Ok(changes) => {
            let draft = to.with_extension("draft");
            remove_journal(&draft)?;
            let written = Journal::open(&draft)
                .and_then(|(mut journal, _)| journal.commit(&changes))
                .map_err(io::Error::other);
            written?;
            remove_journal(to)?;
            move_journal(&draft, to)
        }
        Err(error) => {
            tracing::error!(%error, "an earlier journal cannot be read: it is kept as it is");
            move_journal(from, to)
        }
    }
}

fn incoming_of(path: &Path) -> Result<Vec<Change>, JournalError> {
    let (journal, snapshot) = Journal::open(path)?;
    let inbound = inbound(&journal, snapshot.install.as_ref())?;
    if inbound.is_empty() {
        return Ok(Vec::new());
    }
    let mut changes: Vec<_> = snapshot
        .install
        .map(Change::InstallSet)
        .into_iter()
        .collect();
    changes.extend(snapshot.seen.into_iter().map(Change::SeenAdded));
    changes.extend(inbound.into_iter().zip(1..).map(stored));
    Ok(changes)
}

/// The first number of an aside's messages at a hub that they were not made for: above all numbers
/// of this installation.
const ELSEWHERE: u64 = 1 << 40;

/// Returns the messages of an aside for a hub that the owner chose.
///
/// If the aside names another hub, no message of it was counted here, so they get new numbers.
/// Otherwise the numbers stay, in case it is the same hub after all.
pub(crate) fn for_another(folder: &Path, slot: u8) -> Result<Vec<Inbound>, InstallError> {
    let path = pairing::aside_of(folder, slot);
    if !path.try_exists()? {
        return Err(io::Error::from(io::ErrorKind::NotFound).into());
    }
    let (journal, snapshot) = Journal::open(&path)?;
    let is_elsewhere = pairing::has_known_origin(folder, slot)?;
    let facts = inbound(&journal, snapshot.install.as_ref())?.into_iter();
    let messages = facts.filter_map(|fact| match fact {
        PhoneFact::Inbound(message) => Some(message),
        PhoneFact::Event(_) | PhoneFact::Health(_) => None,
    });
    let moved = messages.map(|mut message| {
        if is_elsewhere {
            message.n += ELSEWHERE * (1 + u64::from(slot));
        }
        message
    });
    Ok(moved.collect())
}

/// Returns what the owner set, what was seen and read, and what still counts towards the limits.
fn memory(snapshot: Snapshot) -> Vec<Change> {
    let mut changes = claims_to_keep(&snapshot);
    changes.extend(snapshot.paused.then_some(Change::PausedSet(true)));
    let codes_allowed = snapshot.ussd_codes_allowed;
    changes.extend(codes_allowed.then_some(Change::UssdCodesAllowed(true)));
    changes.extend(snapshot.sims.into_iter().map(Change::SimSeen));
    changes.extend(snapshot.spent.into_iter().map(Change::SpentAdded));
    changes.extend(snapshot.pace.map(Change::PaceSet));
    changes.extend(snapshot.scans.into_iter().map(Change::ScanMoved));
    changes.extend(snapshot.seen.into_iter().map(Change::SeenAdded));
    changes
}

/// Reads incoming messages without an ack, in the order of their numbers, in which a hub counts.
///
/// Each names the installation that it came in under: the hub may have counted it there, if the
/// ack was lost.
fn inbound(journal: &Journal, install: Option<&InstallId>) -> Result<Vec<PhoneFact>, JournalError> {
    let mut inbound = Vec::new();
    let mut above = 0;
    loop {
        let range = FactRange {
            above,
            count_max: PAGE,
        };
        let page = journal.facts(range)?;
        let Some(last) = page.last() else { break };
        above = last.s();
        inbound.extend(
            page.into_iter()
                .filter_map(|fact| of_inbound(fact, install)),
        );
    }
    inbound.sort_by_key(|(n, _)| *n);
    Ok(inbound.into_iter().map(|(_, fact)| fact).collect())
}

fn of_inbound(fact: PhoneFact, install: Option<&InstallId>) -> Option<(u64, PhoneFact)> {
    match fact {
        PhoneFact::Inbound(mut inbound) => {
            inbound.install = inbound.install.or_else(|| install.cloned());
            Some((inbound.n, PhoneFact::Inbound(inbound)))
        }
        PhoneFact::Event(_) | PhoneFact::Health(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JOURNAL_FILE, adopt_pairing, install_of};
    use postrider_link::frame::{Address, Kind};
    use postrider_machine::{Fingerprint, Source, change::SeenRow};
    use postrider_model::{MessageText, SimSlot};

    fn received(n: u64) -> PhoneFact {
        PhoneFact::Inbound(Inbound {
            s: 0,
            n,
            install: None,
            kind: Kind::Sms,
            sim: SimSlot::default(),
            from: Address::new("+15005550199"),
            to: None,
            text: Some(MessageText::new(format!("text {n}"))),
            data: None,
            parts: Some(1),
            sent_at: None,
            duration_s: None,
            ring_s: None,
            wall: 1_000,
            mono: 10,
            boot: Some("boot-1".to_owned()),
        })
    }

    const ASIDE_FILE: &str = "set-aside-journal.db";

    fn joined(project: &str) -> Pairing {
        Pairing {
            device_id: "DV0000000000000007".parse().unwrap(),
            host: "hub.example.org".to_owned(),
            link_url: "wss://hub.example.org/link".to_owned(),
            hub_id: "HB0000000000000001".parse().ok(),
            project_id: project.parse().ok(),
            phones: Vec::new(),
            pins: Vec::new(),
        }
    }

    const OURS: &str = "PJ0000000000000001";
    const THEIRS: &str = "PJ0000000000000002";

    fn join(folder: &Path, project: &str) -> InstallId {
        let install = install_of(folder).unwrap();
        adopt_pairing(folder, install.clone(), &joined(project)).unwrap();
        install
    }

    fn seen(no: u64) -> Change {
        Change::SeenAdded(SeenRow {
            no,
            fingerprint: Fingerprint(u128::from(no)),
            provider_row: None,
            at: UnixMs(1_000),
            source: Source::Sms,
            dated: UnixMs(1_000),
        })
    }

    /// Makes a journal of three messages, the first of them acked, and sets it aside.
    fn set_aside(folder: &Path) {
        let made = end_with(folder, Pairing::set_aside);
        assert!(made.is_some());
    }

    fn end_with(
        folder: &Path,
        end: fn(&Path) -> Result<(), crate::RecordError>,
    ) -> Option<InstallId> {
        let install = join(folder, OURS);
        let (mut journal, _) = Journal::open(&folder.join(JOURNAL_FILE)).unwrap();
        let mut changes: Vec<_> = (1..=3).map(seen).collect();
        changes.extend((1..=3).map(|n| stored((received(n), n))));
        changes.push(Change::Link {
            change: LinkChange::FactsAcked { up_to: 1 },
            at: UnixMs(0),
        });
        journal.commit(&changes).unwrap();
        drop(journal);
        end(folder).unwrap();
        Some(install)
    }

    fn told(folder: &Path) -> Vec<(u64, u64)> {
        let (journal, _) = Journal::open(&folder.join(JOURNAL_FILE)).unwrap();
        let range = FactRange {
            above: 0,
            count_max: 100,
        };
        let facts = journal.facts(range).unwrap();
        let numbers = facts.into_iter().filter_map(|fact| {
            let s = fact.s();
            of_inbound(fact, None).map(|(n, _)| (s, n))
        });
        numbers.collect()
    }

    fn snapshot(folder: &Path) -> Snapshot {
        Journal::open(&folder.join(JOURNAL_FILE)).unwrap().1
    }

    #[test]
    fn what_came_in_and_was_not_acked_begins_the_next_installation() {
        let folder = tempfile::tempdir().unwrap();
        set_aside(folder.path());
        join(folder.path(), OURS);
        assert_eq!(told(folder.path()), [(1, 2), (2, 3)]);
        assert!(!folder.path().join(ASIDE_FILE).exists());
        let snapshot = snapshot(folder.path());
        assert_eq!(snapshot.seen.len(), 3);
        assert_eq!((snapshot.link.up_acked, snapshot.link.up_highest), (0, 2));
    }

    #[test]
    fn a_phone_that_was_taken_out_of_service_keeps_what_came_in_and_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let install = end_with(folder.path(), Pairing::keep_incoming);
        let (journal, kept) = Journal::open(&folder.path().join(ASIDE_FILE)).unwrap();
        assert_eq!((kept.install, kept.seen.len()), (install, 3));
        assert_eq!(inbound(&journal, None).unwrap().len(), 2);
        assert!(kept.messages.is_empty() && kept.spent.is_empty());
        drop(journal);
        join(folder.path(), OURS);
        assert_eq!(told(folder.path()), [(1, 2), (2, 3)]);
    }

    #[test]
    fn nothing_is_set_aside_where_nothing_came_in() {
        let folder = tempfile::tempdir().unwrap();
        join(folder.path(), OURS);
        Pairing::keep_incoming(folder.path()).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn another_project_gets_nothing_and_the_own_one_later_all() {
        let folder = tempfile::tempdir().unwrap();
        set_aside(folder.path());
        join(folder.path(), THEIRS);
        assert_eq!(told(folder.path()), []);
        assert!(snapshot(folder.path()).seen.is_empty());
        let kept = pairing::asides(folder.path(), UnixMs(0)).unwrap();
        assert_eq!(kept.len(), 1);
        Pairing::keep_incoming(folder.path()).unwrap();
        join(folder.path(), OURS);
        assert_eq!(told(folder.path()), [(1, 2), (2, 3)]);
        assert_eq!(pairing::asides(folder.path(), UnixMs(0)).unwrap(), []);
    }

    #[test]
    fn what_the_owner_gives_to_another_hub_has_numbers_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        set_aside(folder.path());
        let given = for_another(folder.path(), 0).unwrap();
        let numbers: Vec<_> = given.iter().map(|message| message.n).collect();
        assert_eq!(numbers, [ELSEWHERE + 2, ELSEWHERE + 3]);
        std::fs::remove_file(folder.path().join("set-aside-origin.json")).unwrap();
        let given = for_another(folder.path(), 0).unwrap();
        let numbers: Vec<_> = given.iter().map(|message| message.n).collect();
        assert_eq!(numbers, [2, 3], "it may be the same hub");
    }

    #[test]
    fn a_crash_after_the_takeover_takes_nothing_over_twice() {
        let folder = tempfile::tempdir().unwrap();
        set_aside(folder.path());
        let files = [ASIDE_FILE, "set-aside-origin.json"].map(|name| folder.path().join(name));
        let kept = files.clone().map(|path| std::fs::read(path).unwrap());
        let install = join(folder.path(), OURS);
        for (path, kept) in files.iter().zip(kept) {
            std::fs::write(path, kept).unwrap();
        }
        std::fs::remove_file(folder.path().join("pairing.json")).unwrap();
        assert_eq!(join(folder.path(), OURS), install);
        assert_eq!(told(folder.path()), [(1, 2), (2, 3)]);
        assert!(files.iter().all(|path| !path.exists()));
    }

    #[test]
    fn what_was_taken_over_outlives_a_second_mistrust() {
        let folder = tempfile::tempdir().unwrap();
        set_aside(folder.path());
        let first = join(folder.path(), OURS);
        Pairing::set_aside(folder.path()).unwrap();
        let second = join(folder.path(), OURS);
        assert_ne!(first, second);
        assert_eq!(told(folder.path()), [(1, 2), (2, 3)]);
    }

    #[test]
    fn a_journal_that_cannot_be_read_is_kept_and_hinders_no_pairing() {
        let folder = tempfile::tempdir().unwrap();
        set_aside(folder.path());
        std::fs::write(folder.path().join(ASIDE_FILE), b"this is no journal at all").unwrap();
        join(folder.path(), OURS);
        assert_eq!(told(folder.path()), []);
        let kept = std::fs::read(folder.path().join(UNREADABLE_FILE)).unwrap();
        assert_eq!(kept, b"this is no journal at all");
    }
}
