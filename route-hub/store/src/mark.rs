//! What a move notes in both databases, so that at most one of them is ever served.
//!
//! A mark is a text in `hub_meta`: its kind, the move's id, and the rest.

use crate::{StoreError, Tx, meta};

/// Under what name a database keeps it.
pub(crate) const NAME: &str = "move";
/// What stands for the run of a move that was taken back.
const TAKEN_BACK: &str = "taken_back";

/// Where a database stands in a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Its data have moved, or are moving: nobody serves it any more.
    Moved {
        id: String,
        /// The other database, in words that hold no password.
        to: String,
    },
    /// Data are moving into it.
    Unfinished {
        id: String,
        /// The id of the hub whose data they are.
        hub: String,
        /// The run that moves them: only the newest one writes.
        run: String,
    },
    /// Data were moving into it, or had moved, and that was taken back. Versions that do not know this read
    /// [`Mark::Unfinished`].
    TakenBack {
        id: String,
        /// The id of the hub whose data they are.
        hub: String,
    },
    /// All data are in it, and no hub has served it yet.
    Finished { id: String },
}

impl Mark {
    fn text(&self) -> String {
        match self {
            Self::Moved { id, to } => format!("moved {id} {to}"),
            Self::Unfinished { id, hub, run } => format!("unfinished {id} {hub} {run}"),
            Self::TakenBack { id, hub } => format!("unfinished {id} {hub} {TAKEN_BACK}"),
            Self::Finished { id } => format!("finished {id}"),
        }
    }

    fn read(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once(' ')?;
        let (id, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let id = id.to_owned();
        match kind {
            "moved" => Some(Self::Moved {
                id,
                to: rest.to_owned(),
            }),
            "unfinished" => {
                let (hub, run) = rest.split_once(' ')?;
                let (hub, run) = (hub.to_owned(), run.to_owned());
                Some(if run == TAKEN_BACK {
                    Self::TakenBack { id, hub }
                } else {
                    Self::Unfinished { id, hub, run }
                })
            }
            "finished" => Some(Self::Finished { id }),
            _ => None,
        }
    }
}

/// Returns a database's mark.
pub(crate) fn get(tx: &mut Tx<'_>) -> Result<Option<Mark>, StoreError> {
    let kept = meta::get(tx, NAME)?;
    let read = |text: String| Mark::read(&text).ok_or(StoreError::BadRow { column: 0 });
    kept.map(read).transpose()
}

/// Gives a database a mark in place of another.
pub(crate) fn put(tx: &mut Tx<'_>, mark: &Mark) -> Result<(), StoreError> {
    meta::put(tx, NAME, &mark.text())
}

/// Says whether a database still has a mark, which nobody can change until the transaction ends.
pub(crate) fn hold(tx: &mut Tx<'_>, mark: &Mark) -> Result<bool, StoreError> {
    let same = "UPDATE hub_meta SET value = $2 WHERE name = $1 AND value = $2";
    Ok(tx.execute(same, &crate::values![NAME, mark.text()])? == 1)
}

/// Takes a database's mark away.
pub(crate) fn remove(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    meta::remove(tx, NAME)
}

/// Refuses a database that is not to be used, by the text of its mark.
///
/// # Errors
/// [`StoreError::Refused`] with what to do instead.
pub(crate) fn check(kept: Option<&str>) -> Result<(), StoreError> {
    let Some(kept) = kept else {
        return Ok(());
    };
    let why = match Mark::read(kept) {
        Some(Mark::Finished { .. }) => return Ok(()),
        Some(Mark::Moved { to, .. }) => format!(
            "its data were moved to {to}: use that one, or take the move back with \
             route-hub migrate --from … --to … --undo"
        ),
        Some(Mark::Unfinished { .. }) => "data are being moved into it: finish that with the same \
             route-hub migrate --from … --to … again"
            .to_owned(),
        Some(Mark::TakenBack { .. }) => {
            "the move of data into it was taken back: use the database that they \
             came from, or move them again with route-hub migrate --from … --to …"
                .to_owned()
        }
        None => "it is part of a move that this version does not know".to_owned(),
    };
    Err(StoreError::Refused {
        why: format!("the database is refused: {why}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_reads_back_and_only_a_finished_target_is_used() {
        let [id, hub, run] = ["one", "HB1", "two"].map(str::to_owned);
        let to = "the database hub at db1, db2".to_owned();
        let marks = [
            (Mark::Moved { id: id.clone(), to }, false),
            (
                Mark::Unfinished {
                    id: id.clone(),
                    hub,
                    run,
                },
                false,
            ),
            (
                Mark::TakenBack {
                    id: id.clone(),
                    hub: "HB1".to_owned(),
                },
                false,
            ),
            (Mark::Finished { id }, true),
        ];
        for (mark, is_used) in marks {
            let text = mark.text();
            assert_eq!(Mark::read(&text).as_ref(), Some(&mark));
            assert_eq!(check(Some(&text)).is_ok(), is_used, "{text}");
        }
        let advice = check(Some("unfinished one HB1 taken_back")).unwrap_err();
        assert!(advice.to_string().contains("taken back"), "{advice}");
        assert!(check(None).is_ok());
        assert!(check(Some("of the future")).is_err());
    }
}
