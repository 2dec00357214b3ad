//! The phone's side: one row per exposure of a message, and its possible states.
//!
//! ```text
//!  (send) -> on_phone <--> submitting -> sent -> delivered / not_delivered
//!               |   \__ retrying __/ \-> unknown (-> sent, failed)
//!               |            |        \-> failed
//!               +-- revoked, cancelled, expired, failed (never submitted)
//! ```
//!
//! `submitting` is on disk before the radio call, and nothing that may have been submitted is
//! ever submitted again: the only ways back from it, [`Step::HeldBack`] and [`Step::Retry`], need
//! a radio that answered for every part with proof. After its end an exposure stays as a
//! tombstone until the hub has acked it and 30 days have passed. Rows are kept per (message, `ep`):
//! the caller passes all rows of one message, in any order.

use crate::mistake;
use postrider_model::WireState;
use std::fmt;

/// One exposure of a message in the phone's journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Claim {
    /// Which exposure.
    pub ep: u32,
    /// What became of it so far.
    pub state: WireState,
    /// With `failed`: some parts went on the air.
    pub partial: bool,
    /// With `failed`: provably no part went on the air.
    pub unsent: bool,
}

/// What the phone does with a `send` frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Offer {
    /// It is new: store `claim` and put it in the queue. An earlier exposure that was still
    /// waiting, `supersedes`, becomes `revoked` in the same commit, and both are reported.
    Accepted {
        /// The new row.
        claim: Claim,
        /// The exposure that it replaces, if one was waiting.
        supersedes: Option<u32>,
    },
    /// It is here already: only its present state is reported.
    Known(Claim),
    /// It will not be sent: store `claim` (a failure with proof) and report it with `code`.
    Refused {
        /// The row to store.
        claim: Claim,
        /// The event's `code`.
        code: &'static str,
    },
}

/// The event's `code` when an earlier exposure of the message is in the radio's hands.
pub const CODE_ATTEMPT_OPEN: &str = "attempt_open";
/// The event's `code` when the network accepted an earlier exposure of the message.
pub const CODE_ALREADY_SENT: &str = "already_sent";
/// The event's `code` when the phone cannot do what the frame asks for.
pub const CODE_UNSUPPORTED: &str = "unsupported";
/// The event's `code` when a newer exposure of the message is here.
pub const CODE_SUPERSEDED: &str = "superseded";

/// What `revoke` and `cancel` do: always answered by an event with the row's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Answer {
    /// The row to report, and to store when `changed`.
    pub claim: Claim,
    /// Whether the row is new or differs from before.
    pub changed: bool,
}

/// What happens to an exposure on the phone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// It goes to the radio: committed before the call.
    Submit,
    /// The radio proved that nothing went out, and the message waits for its SIM again.
    HeldBack,
    /// The radio proved that nothing went out, and the message is tried again later.
    Retry,
    /// Nobody can know any more what the radio did.
    Lost,
    /// Every part was accepted by the network.
    Sent,
    /// It failed for good.
    Failed {
        /// Some parts went on the air.
        partial: bool,
        /// Provably no part went on the air.
        unsent: bool,
    },
    /// The network gave up.
    NotDelivered,
    /// All parts were delivered.
    Delivered,
    /// It expired before it was submitted.
    Expire,
}

/// A step that the rules do not allow from where the exposure is; the row is unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NotAllowed {
    /// Where the exposure is.
    pub state: WireState,
    /// What was tried.
    pub step: Step,
}

impl fmt::Display for NotAllowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not allowed from `{}`", self.step, self.state)
    }
}

impl std::error::Error for NotAllowed {}

impl Claim {
    const fn at(ep: u32, state: WireState) -> Self {
        Self {
            ep,
            state,
            partial: false,
            unsent: false,
        }
    }

    const fn never_submitted(ep: u32) -> Self {
        Self {
            ep,
            state: WireState::Failed,
            partial: false,
            unsent: true,
        }
    }

    /// Decides about a `send` of exposure `ep`, given every row of its message.
    ///
    /// `supported` says whether the phone can do what the frame asks for. A higher `ep` is
    /// accepted once the phone's own attempt has ended, even in `unknown` (the sender chose to
    /// send again); not while the radio has one, and not after the network accepted one.
    pub fn offer(rows: &[Self], ep: u32, supported: bool) -> Offer {
        let rows = if mistake::is("early_purge") {
            &[]
        } else {
            rows
        };
        if let Some(known) = rows.iter().find(|row| row.ep == ep)
            && !mistake::is("no_dedupe")
        {
            return Offer::Known(*known);
        }
        let refuse = |code| Offer::Refused {
            claim: Self::never_submitted(ep),
            code,
        };
        let any = |test: fn(WireState) -> bool| rows.iter().any(|row| test(row.state));
        if rows.iter().any(|row| row.ep > ep) && !mistake::is("older_after_newer") {
            refuse(CODE_SUPERSEDED)
        } else if any(|state| state == WireState::Submitting) && !mistake::is("no_phone_guard") {
            refuse(CODE_ATTEMPT_OPEN)
        } else if any(went_out) && !mistake::is("sent_is_no_guard") {
            refuse(CODE_ALREADY_SENT)
        } else if !supported {
            refuse(CODE_UNSUPPORTED)
        } else {
            let waits = |row: &&Self| row.is_waiting() && !mistake::is("older_left_waiting");
            let waiting = rows.iter().find(waits);
            Offer::Accepted {
                claim: Self::at(ep, WireState::OnPhone),
                supersedes: waiting.map(|row| row.ep),
            }
        }
    }

    /// Takes exposure `ep` back for the hub: `row` is its row, if there is one.
    ///
    /// What waits becomes `revoked`; what was submitted stays as it is. Without a row a
    /// tombstone is made, so that the exposure is never accepted afterwards.
    pub fn revoke(row: Option<Self>, ep: u32) -> Answer {
        Self::take_back(row, ep, WireState::Revoked)
    }

    /// Cancels exposure `ep` for the sender: as [`Claim::revoke`], but ends as `cancelled`.
    pub fn cancel(row: Option<Self>, ep: u32) -> Answer {
        Self::take_back(row, ep, WireState::Cancelled)
    }

    fn take_back(row: Option<Self>, ep: u32, end: WireState) -> Answer {
        match row {
            Some(claim) if !claim.is_waiting() && !mistake::is("revoked_in_the_radio") => Answer {
                claim,
                changed: false,
            },
            Some(_) | None => Answer {
                claim: Self::at(ep, end),
                changed: row.is_some() || !mistake::is("no_tombstone"),
            },
        }
    }

    /// Returns the row after `step`.
    ///
    /// # Errors
    /// [`NotAllowed`] when the rules forbid the step here: above all, nothing is submitted
    /// twice without proof in between, and a rank never falls.
    pub fn after(self, step: Step) -> Result<Self, NotAllowed> {
        let refused = NotAllowed {
            state: self.state,
            step,
        };
        let to = |state| Ok(Self::at(self.ep, state));
        match step {
            Step::Submit if mistake::is("mark_after_submit") => Ok(self),
            Step::Submit if self.is_waiting() => to(WireState::Submitting),
            Step::HeldBack if self.state == WireState::Submitting => to(WireState::OnPhone),
            Step::Retry if self.state == WireState::Submitting => to(WireState::Retrying),
            Step::Lost if mistake::is("resend_on_restart") => to(WireState::OnPhone),
            Step::Lost if self.state == WireState::Submitting => to(WireState::Unknown),
            Step::Expire if self.is_waiting() => to(WireState::Expired),
            Step::Sent if self.awaits_result() => to(WireState::Sent),
            Step::Failed { partial, unsent } if self.may_fail(partial, unsent) => Ok(Self {
                ep: self.ep,
                state: WireState::Failed,
                partial,
                unsent: unsent && !partial,
            }),
            Step::NotDelivered if self.may_be_reported(WireState::NotDelivered) => {
                to(WireState::NotDelivered)
            }
            Step::Delivered if self.may_be_reported(WireState::Delivered) => {
                to(WireState::Delivered)
            }
            _ => Err(refused),
        }
    }

    /// Says whether the exposure waits on the phone: not submitted, or given back with proof.
    pub const fn is_waiting(self) -> bool {
        matches!(self.state, WireState::OnPhone | WireState::Retrying)
    }

    /// Says whether the exposure has ended: its row is a tombstone.
    pub const fn has_ended(self) -> bool {
        !matches!(
            self.state,
            WireState::OnPhone
                | WireState::Retrying
                | WireState::Submitting
                | WireState::Unknown
                | WireState::Sent
        )
    }

    /// Returns whether hello lists the exposure, given whether its last fact was acked: everything
    /// that the phone may still hand over, and everything whose last fact the hub may lack. So
    /// there are never more of them than the windows and the unacked facts.
    pub const fn is_held(self, last_fact_acked: bool) -> bool {
        let is_told = !self.is_waiting() && !matches!(self.state, WireState::Submitting);
        !(is_told && last_fact_acked)
    }

    const fn awaits_result(self) -> bool {
        matches!(self.state, WireState::Submitting | WireState::Unknown)
    }

    /// What was never submitted fails only with proof; otherwise the rank decides.
    const fn may_fail(self, partial: bool, unsent: bool) -> bool {
        if self.is_waiting() {
            unsent && !partial
        } else {
            self.awaits_result()
        }
    }

    /// A delivery report counts for whatever was submitted, by rank, unless it is proven that
    /// nothing was sent.
    fn may_be_reported(self, end: WireState) -> bool {
        let submitted = self.awaits_result()
            || went_out(self.state)
            || (self.state == WireState::Failed && !self.unsent);
        submitted && self.state.rank() < end.rank()
    }
}

const fn went_out(state: WireState) -> bool {
    matches!(
        state,
        WireState::Sent | WireState::NotDelivered | WireState::Delivered
    )
}

#[cfg(test)]
mod tests;
