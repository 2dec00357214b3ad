//! Moving a hub to another database.
//!
//! ```text
//! target   unfinished        rows, table by table         compared   finished
//! source               moved
//! ```
//!
//! From its mark on nobody serves the source; before `finished` nobody serves the target. A move that
//! is broken off is begun anew by the same command, into the emptied target. The source's rows are
//! only read.
//!
//! Each step is a transaction of its own, and each write to the target checks its mark: of two moves
//! into it only the newest goes on.

mod end;
mod table;

pub use self::end::Place;

use self::end::{End, another_runs};
use self::table::{Digest, PAGE, Table};
use crate::mark::{self, Mark};
use crate::tx::Access;
use crate::{StoreError, Tx, devices, meta};
use postrider_model::UnixMs;

/// Why a move came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum MoveError {
    /// Something is wrong with the source.
    #[error("--from")]
    From(#[source] StoreError),
    /// Something is wrong with the target.
    #[error("--to")]
    To(#[source] StoreError),
    /// The two do not belong together.
    #[error("{0}")]
    Refused(String),
    /// A table came out different.
    #[error("the rows of {0} came out different: run the same command again")]
    Differs(String),
    /// Whoever was told of a step wants no more.
    #[error("it was broken off")]
    BrokenOff,
}

/// What a move has done; all of it is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Nobody serves the target before it is finished.
    TargetMarked,
    /// Nobody serves the source.
    SourceMarked,
    /// Some rows of a table are in the target.
    Rows {
        /// The table.
        table: String,
        /// How many there are so far.
        rows: u64,
    },
    /// All rows of a table are in the target.
    Copied {
        /// The table.
        table: String,
        /// How many they are.
        rows: u64,
    },
    /// The table is the same in both.
    Compared {
        /// The table.
        table: String,
        /// SHA-256 of its rows.
        sha256: Vec<u8>,
    },
    /// The target may be served.
    Finished,
    /// It was finished before.
    WasFinished,
}

/// What a move is called.
#[derive(Debug, Clone)]
pub struct Names {
    /// The id of a new move.
    pub id: String,
    /// The id of this run.
    pub run: String,
    /// The moment since which no phone is connected.
    pub now: UnixMs,
}

/// Is told of each step; `false` breaks the move off.
pub type Told<'f> = &'f mut dyn FnMut(Step) -> bool;

/// Moves all rows of a hub into an empty database, or what is left of an earlier try.
///
/// # Errors
/// [`MoveError`]; the same call does it again.
pub fn run(from: &Place, to: &Place, names: &Names, told: Told<'_>) -> Result<(), MoveError> {
    let mut source = open_source(from)?;
    let (was, hub) = source.work(Access::Read, known).map_err(MoveError::From)?;
    let hub = hub.ok_or_else(|| refused("the database of --from has no hub in it"))?;
    let target = End::open(to, true).map_err(MoveError::To)?;
    let mut target = target.ok_or_else(|| refused("there is no database at --to"))?;
    if source.tables != target.tables {
        return Err(refused("the two databases have different tables"));
    }
    let goal = target
        .work(Access::Read, mark::get)
        .map_err(MoveError::To)?;
    let is_new = goal.is_none();
    let Some(id) = decide(was.as_ref(), goal.as_ref(), &hub, names)? else {
        told(Step::WasFinished);
        return Ok(());
    };
    if is_new && !target.is_empty().map_err(MoveError::To)? {
        return Err(refused("the database of --to is not empty"));
    }
    let mark = Mark::Unfinished {
        id: id.clone(),
        hub,
        run: names.run.clone(),
    };
    mark_end(&mut target, goal.as_ref(), &mark).map_err(MoveError::To)?;
    tell(told, Step::TargetMarked)?;
    if !matches!(was, Some(Mark::Moved { .. })) {
        let to = to.to_string();
        let moved = Mark::Moved { id: id.clone(), to };
        mark_end(&mut source, was.as_ref(), &moved).map_err(MoveError::From)?;
    }
    tell(told, Step::SourceMarked)?;
    if !is_new {
        target.clear(&mark).map_err(MoveError::To)?;
    }
    copy(&mut source, &mut target, &mark, told)?;
    finish(&mut target, &mark, id, names.now).map_err(MoveError::To)?;
    tell(told, Step::Finished)
}

/// Takes a move back: the source may be served again, and the target may not.
///
/// # Errors
/// [`MoveError::Refused`] when the target has been served since.
pub fn undo(from: &Place, to: &Place) -> Result<(), MoveError> {
    let mut source = open_source(from)?;
    let (was, hub) = source.work(Access::Read, known).map_err(MoveError::From)?;
    let Some(Mark::Moved { id, to: named }) = was else {
        return Err(refused("the database of --from was not moved"));
    };
    let target = End::open(to, false).map_err(MoveError::To)?;
    let is_gone = match target {
        None => true,
        Some(mut target) => !close(&mut target, &id, hub)?,
    };
    if is_gone && named != to.to_string() {
        return Err(refused(&format!(
            "the database of --to is empty, and --from was moved to {named}"
        )));
    }
    source.work_alone(mark::remove).map_err(MoveError::From)
}

/// Notes that the data are served: a move to them is not taken back any more.
///
/// # Errors
/// What the database says.
pub fn served(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    mark::remove(tx)
}

/// Notes in the target that the move was taken back; `false` where it has nothing at all.
fn close(target: &mut End, id: &str, hub: Option<String>) -> Result<bool, MoveError> {
    let goal = target
        .work(Access::Read, mark::get)
        .map_err(MoveError::To)?;
    match &goal {
        Some(
            Mark::Finished { id: of }
            | Mark::Unfinished { id: of, .. }
            | Mark::TakenBack { id: of, .. },
        ) if of == id => {
            let mark = Mark::TakenBack {
                id: id.to_owned(),
                hub: hub.unwrap_or_default(),
            };
            let marked = mark_end(target, goal.as_ref(), &mark);
            marked.map(|()| true).map_err(MoveError::To)
        }
        None if target.is_empty().map_err(MoveError::To)? => Ok(false),
        _ => Err(refused(
            "the database of --to has been served since, or is another one: nothing was taken back",
        )),
    }
}

fn open_source(from: &Place) -> Result<End, MoveError> {
    let source = End::open(from, false).map_err(MoveError::From)?;
    source.ok_or_else(|| refused("there is no database at --from"))
}

/// Returns a database's mark, and the id of its hub.
fn known(tx: &mut Tx<'_>) -> Result<(Option<Mark>, Option<String>), StoreError> {
    let hub = meta::hub_id(tx)?;
    Ok((mark::get(tx)?, hub.map(|hub| hub.to_string())))
}

/// Returns the id of the move that the two marks allow; `None` for one that is finished.
fn decide(
    source: Option<&Mark>,
    target: Option<&Mark>,
    hub: &str,
    names: &Names,
) -> Result<Option<String>, MoveError> {
    match (source, target) {
        (None | Some(Mark::Finished { .. }), None) => Ok(Some(names.id.clone())),
        // A move that was taken back, or broken off before it marked the source.
        (
            None | Some(Mark::Finished { .. }),
            Some(Mark::Unfinished { hub: of, .. } | Mark::TakenBack { hub: of, .. }),
        ) if of == hub => Ok(Some(names.id.clone())),
        (
            Some(Mark::Moved { id, .. }),
            Some(Mark::Unfinished { id: of, .. } | Mark::TakenBack { id: of, .. }),
        ) if id == of => Ok(Some(id.clone())),
        (Some(Mark::Moved { id, .. }), Some(Mark::Finished { id: of })) if id == of => Ok(None),
        (Some(Mark::Moved { to, .. }), _) => Err(refused(&format!(
            "the database of --from was moved to {to}: use that one, or take the move back with --undo"
        ))),
        (Some(Mark::Unfinished { .. }), _) => Err(refused(
            "the database of --from is itself the unfinished target of a move",
        )),
        (Some(Mark::TakenBack { .. }), _) => Err(refused(
            "the database of --from is itself the target of a move that was taken back",
        )),
        (_, Some(_)) => Err(refused("the database of --to is not empty")),
    }
}

/// Gives a database a mark in place of the one that it was seen to have.
fn mark_end(end: &mut End, was: Option<&Mark>, mark: &Mark) -> Result<(), StoreError> {
    end.work_alone(|tx| {
        if mark::get(tx)?.as_ref() != was {
            return Err(another_runs());
        }
        mark::put(tx, mark)
    })
}

fn copy(source: &mut End, target: &mut End, mark: &Mark, told: Told<'_>) -> Result<(), MoveError> {
    let tables = source.tables.clone();
    let mut sums = Vec::new();
    for table in &tables {
        let mut digest = Digest::new();
        let mut rows = 0;
        let each = &mut |page: Vec<_>| {
            let copies: Vec<_> = page.into_iter().flat_map(|row| table.copies(row)).collect();
            rows += copies.len() as u64;
            for copies in copies.chunks(PAGE) {
                let inserted = target.insert(table, copies, mark);
                inserted.map_err(MoveError::To)?;
            }
            let table = table.name.clone();
            tell(told, Step::Rows { table, rows })
        };
        walk(source, table, &mut digest, MoveError::From, each)?;
        sums.push(digest.finish());
        let table = table.name.clone();
        tell(told, Step::Copied { table, rows })?;
    }
    for (table, sum) in tables.iter().zip(sums) {
        let mut digest = Digest::new();
        walk(target, table, &mut digest, MoveError::To, &mut |_| Ok(()))?;
        let table = table.name.clone();
        if digest.finish() != sum {
            return Err(MoveError::Differs(table));
        }
        let sha256 = sum.1;
        tell(told, Step::Compared { table, sha256 })?;
    }
    Ok(())
}

/// What is done with some rows.
type EachPage<'f> = &'f mut dyn FnMut(Vec<Vec<crate::Value<'static>>>) -> Result<(), MoveError>;

/// Reads all rows of a table, page by page.
fn walk(
    end: &mut End,
    table: &Table,
    digest: &mut Digest,
    failed: impl Fn(StoreError) -> MoveError,
    each: EachPage<'_>,
) -> Result<(), MoveError> {
    let mut after: Option<Vec<_>> = None;
    loop {
        let page = end.page(table, after.as_deref()).map_err(&failed)?;
        let Some(last) = page.last() else {
            return Ok(());
        };
        after = Some(table.key_of(last).to_vec());
        page.iter().for_each(|row| digest.add(row));
        each(page)?;
    }
}

fn finish(target: &mut End, mark: &Mark, id: String, now: UnixMs) -> Result<(), StoreError> {
    target.work_alone(|tx| {
        if !mark::hold(tx, mark)? {
            return Err(another_runs());
        }
        devices::all_left(tx, now)?;
        mark::put(tx, &Mark::Finished { id })
    })
}

fn tell(told: Told<'_>, step: Step) -> Result<(), MoveError> {
    if told(step) {
        Ok(())
    } else {
        Err(MoveError::BrokenOff)
    }
}

fn refused(why: &str) -> MoveError {
    MoveError::Refused(why.to_owned())
}
