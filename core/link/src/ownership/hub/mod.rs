//! The hub's side: what a message's row holds, and what each fact does to it.
//!
//! # Life
//!
//! ```text
//!            Exposed fact                 reports
//!  Waiting --------------> Exposed --> OnPhone / Retrying / Submitting --> Sent, Failed, …
//!     ^  ^                    |                    |
//!     |  +---- R1, R2, R3 ----+--------------------+-- life over, phone lost --> Unknown
//!     +---------------------------- R4 ---------------------------------------------+
//! ```
//!
//! # How the dispatcher calls it
//!
//! In one transaction: read the row, find whose exposure a report is about with
//! [`Ownership::whose`], [`Ownership::apply`] the fact, store the row, insert
//! `outcome.replaced` into the past exposures, write `outcome.publish` as the message's status
//! with its webhook. After the commit: send the frame for `outcome.ask`, wake the queue when
//! `outcome.requeued`, answer the sender with `outcome.verdict`. A refused fact changes nothing:
//! a report is set aside, counted and acked.
//!
//! `life_end` is not kept here: [`Ownership::due_at`] turns it into the moment at which
//! [`Fact::LifeEnded`] is due.

mod apply;
mod report;
mod sender;
mod state;
#[cfg(test)]
mod tests;

pub use state::{Flags, HubState};

use crate::{
    frame::{Event, InstallId},
    limits::UNKNOWN_AFTER_LIFE_MS,
    mistake,
};
use postrider_model::{DeviceId, MessageStatus, UnixMs, WireState};
use std::fmt;

/// The peer that an exposure was committed to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Holder {
    /// The device.
    pub device: DeviceId,
    /// Its installation at the time.
    pub install: InstallId,
}

/// Ownership of one message, as its row stores it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ownership {
    /// Where the message is.
    pub state: HubState,
    /// The present exposure, or the last one while the message waits; 0 before the first.
    pub ep: u32,
    /// Whom `ep` was committed to. Stays while the message waits again, until a newer exposure
    /// replaces it, because a late truth of it still counts.
    pub holder: Option<Holder>,
    /// The present exposure's place in the device's downward sequence; `None` when it has none
    /// any more (the exposure ended, or the device's counters started again).
    pub s: Option<u64>,
    /// What else is remembered.
    pub flags: Flags,
    /// How often it was exposed, as the API shows it.
    pub send_attempts: u32,
}

/// What the sender wants when the outcome cannot be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum OnUnknown {
    /// Report it, and do nothing.
    #[default]
    Report,
    /// Send it again once, unless it has expired.
    Resend,
}

/// What a transition needs to know beside the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The sender's choice.
    pub on_unknown: OnUnknown,
    /// Whether the message's life has not ended.
    pub life_left: bool,
    /// Whether a phone that did not fail it yet could send it.
    pub other_route: bool,
}

/// What a phone reports of an exposure: a whole-message event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Report {
    /// The state reached.
    pub state: WireState,
    /// With `failed`: some parts went on the air.
    pub partial: bool,
    /// With `failed`: final, and provably no part went on the air (R3).
    pub unsent: bool,
}

/// Why a phone's row in a `held` page may count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// Nothing: the message never was this device's.
    Nothing,
    /// The message was routed to one of the device's phones or to a custom route with one of them,
    /// or this device held another exposure of it.
    Concerned,
    /// This very exposure is among the reporter's past ones.
    Held,
    /// The row carries the hub's own proof: this hub made the exposure, even if it forgot it.
    Proven,
}

impl Standing {
    /// Returns why a row may count, given whether it carries the hub's proof and whether the hub
    /// has the exposure as this device's. Asks `is_concerned` only otherwise.
    pub fn of<E>(
        is_proven: bool,
        is_known: bool,
        is_concerned: impl FnOnce() -> Result<bool, E>,
    ) -> Result<Self, E> {
        Ok(match (is_proven, is_known) {
            (true, _) => Self::Proven,
            (false, true) => Self::Held,
            (false, false) if is_concerned()? => Self::Concerned,
            (false, false) => Self::Nothing,
        })
    }
}

/// What happened to a message.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Fact<'a> {
    /// It is committed to `holder` at place `s`, under the next `ep`.
    Exposed {
        /// The peer.
        holder: Holder,
        /// The place in its downward sequence.
        s: u64,
    },
    /// An event about the present exposure came from `by`.
    Reported {
        /// The exposure that it names.
        ep: u32,
        /// Who sent it.
        by: &'a Holder,
        /// What it says.
        report: Report,
    },
    /// An event about an earlier exposure came; the caller found its holder among the past ones.
    PastReported {
        /// The exposure that it names.
        ep: u32,
        /// What it says.
        report: Report,
    },
    /// A row of `held` in hello, or of a `held` page.
    Shown {
        /// The exposure that it names.
        ep: u32,
        /// Who showed it.
        by: &'a Holder,
        /// Its state there.
        state: WireState,
        /// In a `held` page, why the row may count. A higher `ep` than ours may then
        /// be one that this hub forgot, and nothing else will report its end.
        page: Option<Standing>,
    },
    /// R2: hello of a newer connection of the holder showed that it never received the present
    /// exposure, and it is not written again there (a `void` fills its place).
    NeverReceived {
        /// Who showed it.
        by: &'a Holder,
        /// The highest downward number that it has.
        down: u64,
    },
    /// The holder's counters started again: the exposure's place means nothing any more.
    Renumbered,
    /// The message expired this long ago, in milliseconds.
    LifeEnded {
        /// Milliseconds since it expired.
        ago_ms: u64,
    },
    /// The holder is gone for good: removed, another install, or a journal that went back.
    HolderLost,
    /// The hub went back, and a phone that may have got the waiting message since then
    /// will never say: nobody can know whether it was sent.
    ExposureForgotten,
    /// The dispatcher wants it back, to give it to another phone.
    RevokeWanted,
    /// Its sender wants it cancelled.
    CancelAsked,
    /// Its sender wants it sent again.
    ResendAsked {
        /// Whether another route was named.
        new_route: bool,
    },
    /// Its sender deleted it.
    DeleteAsked,
}

/// Why a fact was refused; the row is unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Refused {
    /// It is not in the queue, was cancelled, or has expired.
    NotExposable,
    /// The reporter does not hold that exposure.
    NotHolder,
    /// No exposure of that number was made.
    NoSuchExposure,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotExposable => "the message may not be exposed",
            Self::NotHolder => "the reporter does not hold the exposure",
            Self::NoSuchExposure => "no exposure of that number was made",
        })
    }
}

impl std::error::Error for Refused {}

/// Why a message is shown as failed, if the hub knows better than the phone's event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// Nobody can know whether it was sent.
    UnknownOutcome,
    /// It expired before it was sent.
    Expired,
    /// A reported unknown was corrected: it was not sent.
    NeverSent,
    /// Some parts were sent and some failed.
    Partial,
    /// The event has its own `code` and `detail`.
    FromEvent,
}

impl ErrorCode {
    /// Returns the API's `error_code`; `None` when the event's own code counts.
    pub const fn as_str(self) -> Option<&'static str> {
        match self {
            Self::UnknownOutcome => Some("unknown_outcome"),
            Self::Expired => Some("expired"),
            Self::NeverSent => Some("never_sent"),
            Self::Partial => Some("partial"),
            Self::FromEvent => None,
        }
    }
}

/// The status to write with its webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Published {
    /// What the API shows from now on.
    pub status: MessageStatus,
    /// The error, with a failed status; `None` clears an earlier one.
    pub error: Option<ErrorCode>,
    /// Whether `time_sent` is set now, unless it is set already.
    pub sets_time_sent: bool,
    /// Whether a webhook goes out: not for a deleted message.
    pub webhook: bool,
}

/// What to ask the phone that holds the present exposure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ask {
    /// A `revoke` frame.
    Revoke,
    /// A `cancel` frame.
    Cancel,
}

/// The answer to a sender's request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It is cancelled.
    Cancelled,
    /// The phone was asked; wait for its answer, at most 2 s, then answer with the message as
    /// it is.
    Asked,
    /// It can no longer be cancelled.
    NotCancellable,
    /// Only the route changes; nothing else is done.
    RouteOnly,
    /// The same message is sent again, with a new lifetime.
    Requeued,
    /// It was sent: make a new message.
    NewMessage,
}

/// What the dispatcher must do about a fact, besides storing the row.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct Outcome {
    /// The status to write, when it changed.
    pub publish: Option<Published>,
    /// What to ask the holder after the commit; [`Ownership::asks`] repeats it on each
    /// connection.
    pub ask: Option<Ask>,
    /// Whether it is in the queue again.
    pub requeued: bool,
    /// The exposure that a newer one replaced, to be kept among the past ones.
    pub replaced: Option<(u32, Holder)>,
    /// The answer to a sender's request, also to one that waits for the phone's answer.
    pub verdict: Option<Verdict>,
    /// Whether an exposure got its result: the SIM that held it has room again.
    pub closed: bool,
    /// Whether it is not taken back any more and stays where it is: the phone that its sender named
    /// meanwhile does not get it.
    pub stays: bool,
}

/// Whose exposure a report is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Whose {
    /// The present one, held by the reporter: [`Fact::Reported`].
    Present,
    /// An earlier one: look for (`ep`, reporter) among the past exposures. If it is there,
    /// [`Fact::PastReported`], else set aside.
    LookUpPast,
    /// Not the reporter's, or never made: set aside.
    Stranger,
}

/// What an event is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Said<'a> {
    /// A message: this is the fact.
    OfMessage(Fact<'a>),
    /// One part of it, which the hub does not show: the message's own event follows.
    OfPart,
    /// Nothing that the reporter may speak of: set aside.
    OfNothing,
}

impl Fact<'_> {
    /// Returns what the end of the life of a message in this state means, so long ago, in
    /// milliseconds. `may_be_out` is asked whether one that waits may be on a phone after all, since
    /// the hub went backwards: then nobody can say that it was not sent.
    ///
    /// # Errors
    /// What `may_be_out` says.
    pub fn life_over<E>(
        state: HubState,
        ago_ms: u64,
        may_be_out: impl FnOnce() -> Result<bool, E>,
    ) -> Result<Self, E> {
        Ok(if state == HubState::Waiting && may_be_out()? {
            Self::ExposureForgotten
        } else {
            Self::LifeEnded { ago_ms }
        })
    }
}

impl Default for Ownership {
    fn default() -> Self {
        Self::new()
    }
}

impl Ownership {
    /// Makes the row of a new message: in the queue, never exposed.
    pub const fn new() -> Self {
        Self {
            state: HubState::Waiting,
            ep: 0,
            holder: None,
            s: None,
            flags: Flags::from_none(),
            send_attempts: 0,
        }
    }

    /// Says whether the dispatcher may expose the message now.
    pub const fn can_expose(&self, life_left: bool) -> bool {
        matches!(self.state, HubState::Waiting)
            && life_left
            && !self.flags.has(Flags::CANCEL_ASKED)
            && !self.flags.has(Flags::DELETED)
    }

    /// Returns whether an exposure that its phone has not received is written again with its
    /// number.
    ///
    /// Not if the phone has reported on it before: it did receive it, whatever it shows now.
    pub const fn is_wanted_again(&self, life_left: bool) -> bool {
        matches!(self.state, HubState::Exposed)
            && life_left
            && self.asks().is_none()
            && !self.flags.has(Flags::DELETED)
    }

    /// Returns whose exposure a report by `by` about `ep` is.
    pub fn whose(&self, ep: u32, by: &Holder) -> Whose {
        if ep == self.ep && self.is_held_by(by) {
            Whose::Present
        } else if ep <= self.ep {
            Whose::LookUpPast
        } else {
            Whose::Stranger
        }
    }

    /// Returns what an event by `by` is about. `was_held` is asked whether its exposure is among the
    /// past ones of `by`.
    ///
    /// # Errors
    /// What `was_held` says.
    pub fn said<'a, E>(
        &self,
        event: &Event,
        by: &'a Holder,
        was_held: impl FnOnce() -> Result<bool, E>,
    ) -> Result<Said<'a>, E> {
        let ep = event.ep;
        let report = Report {
            state: event.state,
            partial: event.partial,
            unsent: event.unsent,
        };
        Ok(match self.whose(ep, by) {
            Whose::Present | Whose::LookUpPast if event.part.is_some() => Said::OfPart,
            Whose::Present => Said::OfMessage(Fact::Reported { ep, by, report }),
            Whose::LookUpPast if was_held()? => Said::OfMessage(Fact::PastReported { ep, report }),
            Whose::LookUpPast | Whose::Stranger => Said::OfNothing,
        })
    }

    /// Says whether the last exposure was committed to `by`: the same device and installation.
    fn is_held_by(&self, by: &Holder) -> bool {
        let same = |holder: &Holder| {
            let install = holder.install == by.install || mistake::is("install_not_bound");
            holder.device == by.device && install
        };
        self.holder.as_ref().is_some_and(same)
    }

    /// Returns what must be asked of the holder on each new connection until it is answered.
    pub const fn asks(&self) -> Option<Ask> {
        if self.flags.has(Flags::REVOKE_ASKED) {
            Some(Ask::Revoke)
        } else if self.flags.has(Flags::CANCEL_ASKED) && self.state.is_open() {
            Some(Ask::Cancel)
        } else {
            None
        }
    }

    /// Returns when [`Fact::LifeEnded`] is due for a message that expires at `life_end`: at once
    /// for a waiting message, a minute later for an exposed one, never for one with a result.
    pub const fn due_at(&self, life_end: UnixMs) -> Option<UnixMs> {
        if matches!(self.state, HubState::Waiting) {
            Some(life_end)
        } else if self.state.is_open() {
            Some(life_end.plus_ms(UNKNOWN_AFTER_LIFE_MS.cast_signed()))
        } else {
            None
        }
    }

    /// Returns what the API shows: the status, and the error with a failed one.
    pub const fn shown(&self) -> (MessageStatus, Option<ErrorCode>) {
        let error = match self.state {
            HubState::Unknown => Some(ErrorCode::UnknownOutcome),
            HubState::Expired => Some(ErrorCode::Expired),
            HubState::Failed if self.flags.has(Flags::NEVER_SENT) => Some(ErrorCode::NeverSent),
            HubState::Failed if self.flags.has(Flags::PARTIAL) => Some(ErrorCode::Partial),
            HubState::Failed => Some(ErrorCode::FromEvent),
            _ => None,
        };
        (self.state.status(), error)
    }
}
