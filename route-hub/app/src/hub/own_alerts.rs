//! The alerts of this process that stand, known also while the database takes no rows.

use hub_domain::HubAlertKind;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// What was said last of each kind of alert. A process begins without any.
#[derive(Debug, Default)]
pub struct OwnAlerts(Mutex<BTreeMap<HubAlertKind, Said>>);

#[derive(Debug, Clone, Copy)]
struct Said {
    stands: bool,
    is_stored: bool,
}

/// What is left to do after an alert was said to stand, or not to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    /// Nothing: it was said and stored before.
    Nothing,
    /// The database is to be told again.
    Store,
    /// It is news: the log and the database are to be told.
    TellAndStore,
}

impl OwnAlerts {
    /// Says whether an alert stands.
    pub fn stands(&self, kind: HubAlertKind) -> bool {
        self.with(|all| all.get(&kind).is_some_and(|said| said.stands))
    }

    /// Takes down whether an alert stands.
    pub(crate) fn say(&self, kind: HubAlertKind, stands: bool) -> Left {
        self.with(|all| {
            let before = all.get(&kind).copied();
            match before {
                Some(said) if said.stands == stands && said.is_stored => Left::Nothing,
                Some(said) if said.stands == stands => Left::Store,
                None if !stands => Left::Nothing,
                _ => {
                    let is_stored = false;
                    all.insert(kind, Said { stands, is_stored });
                    Left::TellAndStore
                }
            }
        })
    }

    /// Notes that the database has what was said, unless something else was said since.
    pub(crate) fn stored(&self, kind: HubAlertKind, stands: bool) {
        self.with(|all| {
            if let Some(said) = all.get_mut(&kind).filter(|said| said.stands == stands) {
                said.is_stored = true;
            }
        });
    }

    fn with<T>(&self, work: impl FnOnce(&mut BTreeMap<HubAlertKind, Said>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
