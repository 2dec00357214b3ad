//! What a phone takes over from a journal that its hub did not trust: once it has paired again.
//!
//! The outgoing messages of such a journal stay where they are: what became of them is unknown to
//! the hub, and must never be sent from here. What came in and was not acked is told under the new
//! installation; what was seen is not told twice; and what was sent still counts towards the
//! limits, and its rows at the platform are no proof of what is sent from here. All of it is one
//! commit with the new installation's name, so that a crash takes over everything or nothing.

use crate::pairing::{ASIDE_FILE, UNREADABLE_FILE, move_journal, remove_journal};
use postrider_link::{
    frame::InstallId,
    session::phone::{FactRange, LinkChange, PhoneFact},
};
use postrider_machine::{Change, Snapshot, claims_to_keep};
use postrider_model::UnixMs;
use postrider_store::{Journal, JournalError};
use std::{io, path::Path};

/// Facts read at once.
const PAGE: usize = 500;

/// Reads what a new installation takes over; nothing where no journal was set aside.
///
/// One that cannot be read is moved out of the way and kept: pairing goes on without it.
pub(crate) fn changes(folder: &Path) -> io::Result<Vec<Change>> {
    let path = folder.join(ASIDE_FILE);
    if !path.try_exists()? {
        return Ok(Vec::new());
    }
    match read(&path) {
        Ok(changes) => Ok(changes),
        Err(error) => {
            tracing::error!(%error, "what came in before cannot be taken over");
            let unreadable = folder.join(UNREADABLE_FILE);
            remove_journal(&unreadable)?;
            move_journal(&path, &unreadable)?;
            Ok(Vec::new())
        }
    }
}

/// Removes what was taken over.
pub(crate) fn discard(folder: &Path) -> io::Result<()> {
    remove_journal(&folder.join(ASIDE_FILE))
}

fn read(path: &Path) -> Result<Vec<Change>, JournalError> {
    let (journal, snapshot) = Journal::open(path)?;
    let inbound = inbound(&journal, snapshot.install.as_ref())?;
    let mut changes = memory(snapshot);
    changes.extend(inbound.into_iter().zip(1..).map(|(fact, s)| Change::Link {
        change: LinkChange::FactStored(fact.at_place(s)),
        at: UnixMs(0),
    }));
    Ok(changes)
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

/// Reads what came in and was not acked, in the order of its numbers: that is how a hub counts it.
///
/// Each names the installation that it came in under: the hub may have counted it there, with the
/// ack lost in the journal's past.
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
    use crate::{JOURNAL_FILE, Pairing, install_of};
    use postrider_link::frame::{Address, Inbound, Kind};
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

    fn stored(fact: PhoneFact, s: u64) -> Change {
        Change::Link {
            change: LinkChange::FactStored(fact.at_place(s)),
            at: UnixMs(0),
        }
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
        install_of(folder).unwrap();
        let (mut journal, _) = Journal::open(&folder.join(JOURNAL_FILE)).unwrap();
        let mut changes: Vec<_> = (1..=3).map(seen).collect();
        changes.extend((1..=3).map(|n| stored(received(n), n)));
        changes.push(Change::Link {
            change: LinkChange::FactsAcked { up_to: 1 },
            at: UnixMs(0),
        });
        journal.commit(&changes).unwrap();
        drop(journal);
        Pairing::set_aside(folder).unwrap();
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

    #[test]
    fn what_came_in_and_was_not_acked_begins_the_next_installation() {
        let folder = tempfile::tempdir().unwrap();
        set_aside(folder.path());
        install_of(folder.path()).unwrap();
        assert_eq!(told(folder.path()), [(1, 2), (2, 3)]);
        assert!(!folder.path().join(ASIDE_FILE).exists());
        let (_, snapshot) = Journal::open(&folder.path().join(JOURNAL_FILE)).unwrap();
        assert_eq!(snapshot.seen.len(), 3);
        assert_eq!((snapshot.link.up_acked, snapshot.link.up_highest), (0, 2));
    }

    #[test]
    fn a_crash_after_the_takeover_takes_nothing_over_twice() {
        let folder = tempfile::tempdir().unwrap();
        set_aside(folder.path());
        let aside = folder.path().join(ASIDE_FILE);
        let kept = std::fs::read(&aside).unwrap();
        let install = install_of(folder.path()).unwrap();
        std::fs::write(&aside, kept).unwrap();
        assert_eq!(install_of(folder.path()).unwrap(), install);
        assert_eq!(told(folder.path()), [(1, 2), (2, 3)]);
        assert!(!aside.exists());
    }

    #[test]
    fn what_was_taken_over_outlives_a_second_mistrust() {
        let folder = tempfile::tempdir().unwrap();
        set_aside(folder.path());
        let first = install_of(folder.path()).unwrap();
        Pairing::set_aside(folder.path()).unwrap();
        let second = install_of(folder.path()).unwrap();
        assert_ne!(first, second);
        assert_eq!(told(folder.path()), [(1, 2), (2, 3)]);
    }

    #[test]
    fn a_journal_that_cannot_be_read_is_kept_and_hinders_no_pairing() {
        let folder = tempfile::tempdir().unwrap();
        set_aside(folder.path());
        std::fs::write(folder.path().join(ASIDE_FILE), b"this is no journal at all").unwrap();
        install_of(folder.path()).unwrap();
        assert_eq!(told(folder.path()), []);
        let kept = std::fs::read(folder.path().join(UNREADABLE_FILE)).unwrap();
        assert_eq!(kept, b"this is no journal at all");
    }
}
