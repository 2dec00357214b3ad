//! What a phone shows that it holds, in its hello and in its pages.
//!
//! It decides about the phone's exposures: some go out again with their numbers, others turn out never
//! to have been received.

#[cfg(test)]
pub(super) mod tests;

use super::freeze::Freeze;
use crate::{
    frame::{HeldRow, Send},
    mistake,
    ownership::hub::{Fact, Holder, Outcome, Ownership, Standing, Whose},
};
use postrider_model::{MessageId, WireState};

/// The messages that one phone may hold.
pub trait Rows {
    /// What the storage says when it fails.
    type Error;
    /// A message's row.
    type Message;

    /// Reads a message; `None` when it is not there.
    fn message(&mut self, id: MessageId) -> Result<Option<Self::Message>, Self::Error>;
    /// Reads the exposures to the phone, whichever installation it had, that are open or unknown
    /// and whose place is above `down`, in the order of their places.
    fn placed_above(&mut self, down: u64) -> Result<Vec<Self::Message>, Self::Error>;
    /// Returns who may send a message.
    fn owned(&self, message: &Self::Message) -> Result<Ownership, Self::Error>;
    /// Returns whether a message may still be sent: its life has not ended.
    fn is_alive(&self, message: &Self::Message) -> bool;
    /// Applies a fact, and does everything that follows from it; `None` when the message's state
    /// refuses the fact.
    fn apply(
        &mut self,
        message: &mut Self::Message,
        fact: Fact<'_>,
    ) -> Result<Option<Outcome>, Self::Error>;
    /// Makes the frame of the present exposure again, for its place `s`; `None` when its SIM may
    /// not send it now.
    fn frame_again(&mut self, message: &Self::Message, s: u64)
    -> Result<Option<Send>, Self::Error>;
    /// Returns how far the messages are frozen.
    fn freeze(&mut self) -> Result<Option<Freeze>, Self::Error>;
    /// Returns a message's key, as a freeze goes by it.
    fn key(&self, message: &Self::Message) -> i64;
}

/// What rows of pages need besides.
pub trait PageRows: Rows {
    /// Returns whether a row carries the hub's own proof of its exposure.
    fn is_proven(&self, row: &HeldRow) -> bool;
    /// Returns whether a message of that age is still kept: that an older one is not there shows
    /// nothing.
    fn is_kept(&self, _row: &HeldRow) -> bool {
        true
    }
    /// Returns whether a message is one that phones are given.
    fn is_for_phones(&self, _message: &Self::Message) -> bool {
        true
    }
    /// Returns whether a row's very exposure is among the past ones of the phone.
    fn was_held(&mut self, row: &HeldRow) -> Result<bool, Self::Error>;
    /// Returns whether a message went or may go to the phone.
    fn is_concerned(&mut self, message: &Self::Message) -> Result<bool, Self::Error>;
}

/// What came of a page.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Page {
    /// Whether a row carries the hub's own proof of an exposure that the hub does not know.
    pub proves_forgotten: bool,
    /// Rows whose message is not there.
    pub nowhere: Vec<HeldRow>,
    /// Rows that the phone may not speak of.
    pub refused: Vec<HeldRow>,
}

/// What became of a row.
enum Taken {
    /// It was applied, and is about an exposure that the hub knows.
    Known,
    /// It was applied, and proves an exposure that the hub does not know.
    Forgotten,
    /// Its message is not there; whether this hub once made it.
    Nowhere(bool),
    /// This phone may not speak of it.
    Refused,
}

/// Takes in the rows of a hello by `by`. Where its numbers prove what it never received, above
/// `never_received_above`, returns what goes out again; nothing does unless it `resumes`.
///
/// # Errors
/// What the storage says.
pub fn in_hello<R: Rows>(
    rows: &mut R,
    by: &Holder,
    shown: &[HeldRow],
    never_received_above: Option<u64>,
    resumes: bool,
) -> Result<Vec<Send>, R::Error> {
    for row in shown {
        let Some(mut message) = rows.message(row.id)? else {
            continue;
        };
        let fact = Fact::Shown {
            ep: row.ep,
            by,
            state: row.state,
            page: None,
        };
        rows.apply(&mut message, fact)?;
    }
    match never_received_above {
        Some(down) => resume(rows, by, down, resumes),
        None => Ok(Vec::new()),
    }
}

/// Takes in a page of `by`.
///
/// # Errors
/// What the storage says.
pub fn in_page<R: PageRows>(
    rows: &mut R,
    by: &Holder,
    shown: &[HeldRow],
) -> Result<Page, R::Error> {
    let mut page = Page::default();
    for row in shown {
        match take(rows, by, row)? {
            Taken::Known => {}
            Taken::Forgotten => page.proves_forgotten = true,
            Taken::Nowhere(is_proven) => {
                page.proves_forgotten |= is_proven;
                page.nowhere.push(*row);
            }
            Taken::Refused => page.refused.push(*row),
        }
    }
    Ok(page)
}

/// Every page of `by` came. Returns what goes out again; nothing does when the counters start over,
/// since its places mean nothing then.
///
/// # Errors
/// What the storage says.
pub fn all_came<R: Rows>(rows: &mut R, by: &Holder, restarts: bool) -> Result<Vec<Send>, R::Error> {
    if !restarts {
        return resume(rows, by, 0, true);
    }
    if mistake::is("old_places_kept") {
        return Ok(Vec::new());
    }
    for mut message in rows.placed_above(0)? {
        rows.apply(&mut message, Fact::Renumbered)?;
    }
    Ok(Vec::new())
}

/// Returns what the phone lacks and shall still get. The rest is free: the phone never received it.
fn resume<R: Rows>(
    rows: &mut R,
    by: &Holder,
    down: u64,
    resumes: bool,
) -> Result<Vec<Send>, R::Error> {
    let mut resume = Vec::new();
    for mut message in rows.placed_above(down)? {
        let owned = rows.owned(&message)?;
        if owned.holder.as_ref() != Some(by) && !mistake::is("install_not_bound") {
            continue;
        }
        let wanted = resumes && owned.is_wanted_again(rows.is_alive(&message));
        let frame = match owned.s.filter(|_| wanted) {
            Some(s) => rows.frame_again(&message, s)?,
            None => None,
        };
        if let Some(frame) = frame {
            resume.push(frame);
            continue;
        }
        let applied = rows.apply(&mut message, Fact::NeverReceived { by, down })?;
        if applied.is_some_and(|outcome| outcome.requeued) {
            freed(rows, &mut message)?;
        }
    }
    Ok(resume)
}

fn take<R: PageRows>(rows: &mut R, by: &Holder, row: &HeldRow) -> Result<Taken, R::Error> {
    let is_proven = rows.is_proven(row);
    let Some(mut message) = rows.message(row.id)? else {
        return Ok(Taken::Nowhere(is_proven && rows.is_kept(row)));
    };
    if !rows.is_for_phones(&message) {
        return Ok(Taken::Refused);
    }
    let is_known = match rows.owned(&message)?.whose(row.ep, by) {
        Whose::Present => true,
        Whose::LookUpPast => rows.was_held(row)?,
        Whose::Stranger => false,
    };
    let standing = Standing::of(is_proven, is_known, || rows.is_concerned(&message))?;
    let fact = Fact::Shown {
        ep: row.ep,
        by,
        state: row.state,
        page: Some(standing),
    };
    let Some(outcome) = rows.apply(&mut message, fact)? else {
        return Ok(Taken::Refused);
    };
    if row.state == WireState::Revoked && outcome.requeued {
        freed(rows, &mut message)?;
    }
    Ok(if is_proven && !is_known {
        Taken::Forgotten
    } else {
        Taken::Known
    })
}

/// A phone has proven that it did not send a message. If another phone that all waited for is lost,
/// the message may have been moved there: nobody knows what became of it.
fn freed<R: Rows>(rows: &mut R, message: &mut R::Message) -> Result<(), R::Error> {
    let (freeze, key) = (rows.freeze()?, rows.key(message));
    if freeze.is_some_and(|freeze| freeze.may_be_with_a_lost_phone(key)) {
        rows.apply(message, Fact::ExposureForgotten)?;
    }
    Ok(())
}
