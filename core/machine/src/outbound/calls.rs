//! Placed calls: one at a time on the whole phone; the call log says what became of each.
//!
//! ```text
//!  OnPhone -- line free --> Submitting -- its row in the log --> Sent, with its length
//!                               |  \-- refused --> Failed, nothing was dialled
//!                               +-- no row --> Unknown -- a late row --> Sent
//! ```
//!
//! The platform reports how the line is, but not which call it is about, and a call may come in
//! beside the placed one. So the line only says when to look; the row says what happened. Each row
//! is claimed by one call: same SIM, same number, begun soon after the hand-over.

use super::{Cx, Message, Outbound, Waiting, lane::Lane, queue::Place, ussd::wake};
use crate::{
    change::CallLength,
    effect::Effect,
    fact::{CallRefusal, CallState},
    log::{CallKind, CallLogRow},
    numbers::is_same_line,
    timers::{Subject, Timer, Timers},
    token::{MessageRef, SendToken},
};
use postrider_link::{
    frame::{Kind, WaitingFor},
    ownership::phone::Step,
};
use postrider_model::{BootMs, Now, SimSlot, WireState};

/// How long the line may stay unchanged after a call was placed before the log is asked, in
/// milliseconds.
pub const DIALLED_MS_MAX: u64 = 60_000;
/// How long a start waits to hear whether an earlier call still runs, in milliseconds: the shell
/// reports the state of each line when it starts.
pub(super) const LINE_TOLD_MS: u64 = 10_000;
/// How long before its hand-over a call's row may begin, in milliseconds.
const BEGINS_EARLY_MS: i64 = 5_000;
/// How long after its hand-over a call's row may begin, in milliseconds.
const BEGINS_LATE_MS: i64 = 120_000;

/// The calls that wait, and the one that is placed.
#[derive(Debug, Default)]
pub(super) struct Calls {
    pub(super) lane: Lane,
    is_line_busy: bool,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    message: MessageRef,
    /// Whether this process placed it, and so saw all of it.
    is_whole: bool,
    off_hook_at: Option<BootMs>,
    over_at: Option<BootMs>,
}

impl Open {
    fn new(message: MessageRef, is_whole: bool) -> Self {
        Self {
            message,
            is_whole,
            off_hook_at: None,
            over_at: None,
        }
    }

    /// Returns how long it was dialled and rang, if the line was observed.
    fn ring_s(&self, spoken_s: i64) -> Option<i64> {
        if !self.is_whole {
            return None;
        }
        let busy_ms = self.over_at?.since_ms(self.off_hook_at?);
        let busy_s = i64::try_from((busy_ms + 500) / 1_000).ok()?;
        Some((busy_s - spoken_s).max(0))
    }
}

impl Calls {
    /// Nothing more is expected about a call.
    pub(super) fn closed(&mut self, message: MessageRef) {
        if self
            .open
            .as_ref()
            .is_some_and(|open| open.message == message)
        {
            self.open = None;
        }
    }
}

impl Outbound {
    /// Places the next call, if it may be placed now.
    pub(super) fn pump_calls(&mut self, cx: &mut Cx<'_>) {
        let mut next: Option<Place> = None;
        for sim in self.calls.lane.sims() {
            self.expire_calls(sim, cx);
            let Some(place) = self.calls.lane.first(sim) else {
                continue;
            };
            match self.call_waits(sim, cx.timers, cx.now) {
                None => next = Some(next.map_or(place, |best| best.min(place))),
                Some(waiting) => wake(waiting, Timer::NextCall, sim, cx),
            }
        }
        if let Some(place) = next {
            self.place_call(place.message, cx);
        }
    }

    fn expire_calls(&mut self, sim: SimSlot, cx: &mut Cx<'_>) {
        while let Some(next) = self.calls.lane.next(sim)
            && self.has_expired(next, cx)
        {
            self.expire(next, cx);
        }
    }

    /// Returns what the next call of a SIM waits for.
    pub(super) fn call_waits(&self, sim: SimSlot, timers: &Timers, now: Now) -> Option<Waiting> {
        if self.calls.open.is_some() || self.calls.is_line_busy {
            return Some(Waiting {
                until: None,
                waiting_for: WaitingFor::LineBusy.as_str(),
            });
        }
        self.dial_waits(sim, timers, now)
    }

    fn place_call(&mut self, message: MessageRef, cx: &mut Cx<'_>) {
        let Some((token, sim, to)) = self.begin(message, cx) else {
            return;
        };
        self.calls.open = Some(Open::new(message, true));
        let at = cx.now.boot.plus_ms(DIALLED_MS_MAX);
        cx.timers
            .set(Timer::LineSilent, Subject::Message(message), at);
        cx.pending
            .effects
            .push(Effect::PlaceCall { token, sim, to });
    }

    /// Continues with a call that was placed before the process ended.
    pub(super) fn resume_call(&mut self, message: MessageRef, cx: &mut Cx<'_>) {
        if let Some(older) = self.calls.open.replace(Open::new(message, false)) {
            self.reach(older.message, Step::Lost, cx);
        }
        let at = cx.now.boot.plus_ms(LINE_TOLD_MS);
        cx.timers
            .set(Timer::LineSilent, Subject::Message(message), at);
    }

    /// Notes that a line changed, and whether any is busy now.
    pub(crate) fn line_changed(
        &mut self,
        sim: SimSlot,
        state: CallState,
        is_busy: bool,
        cx: &mut Cx<'_>,
    ) {
        self.calls.is_line_busy = is_busy;
        let Some(open) = &mut self.calls.open else {
            return;
        };
        let is_its_sim = self
            .live
            .get(&open.message)
            .is_some_and(|live| live.row.sim == sim);
        if is_its_sim && state == CallState::OffHook && open.over_at.is_none() {
            open.off_hook_at.get_or_insert(cx.now.boot);
            cx.timers
                .stop(Timer::LineSilent, Subject::Message(open.message));
        } else if !is_busy && open.off_hook_at.is_some() {
            open.over_at.get_or_insert(cx.now.boot);
        }
    }

    /// The line stayed silent: the placed call is over, or never began.
    pub(super) fn line_silent(&mut self, message: MessageRef, now: Now) {
        if let Some(open) = &mut self.calls.open
            && open.message == message
        {
            open.over_at.get_or_insert(now.boot);
        }
    }

    /// Tells whether the outcome of a call must come from the log.
    pub(crate) fn awaits_call_log(&self) -> bool {
        let open = self.calls.open.as_ref();
        open.is_some_and(|open| open.over_at.is_some())
    }

    /// Handles a row of the log; returns whether a placed call claims it.
    pub(crate) fn call_logged(&mut self, row: &CallLogRow, cx: &mut Cx<'_>) -> bool {
        let Some(message) = self.claimant(row) else {
            return false;
        };
        let open = self
            .calls
            .open
            .as_ref()
            .filter(|open| open.message == message);
        let ring_s = open.and_then(|open| open.ring_s(row.duration_s));
        let is_answered = row.duration_s > 0;
        let length = CallLength {
            duration_s: if is_answered { row.duration_s } else { -1 },
            ring_s: ring_s.unwrap_or(-1),
        };
        if let Some(live) = self.live.get_mut(&message) {
            live.row.progress.call = Some(length);
        }
        self.reach(message, Step::Sent, cx);
        true
    }

    /// Returns the call that a row is about: the one handed over nearest to its beginning.
    fn claimant(&self, row: &CallLogRow) -> Option<MessageRef> {
        if row.kind != CallKind::Outgoing {
            return None;
        }
        let number = row.number.as_ref()?;
        let begun_ms = |live: &Message| {
            let awaits = matches!(live.state(), WireState::Submitting | WireState::Unknown);
            let is_it = awaits
                && live.row.kind == Kind::Call
                && live.row.sim == row.sim
                && is_same_line(number, &live.row.to);
            if !is_it {
                return None;
            }
            let submitted = live.row.progress.submitted.as_ref()?;
            let after_ms = row.started_at.0.saturating_sub(submitted.unix.0);
            (-BEGINS_EARLY_MS..=BEGINS_LATE_MS)
                .contains(&after_ms)
                .then_some(after_ms.abs())
        };
        let candidate = |live: &Message| Some((begun_ms(live)?, live.row.message));
        let nearest = self.live.values().filter_map(candidate).min();
        nearest.map(|(_, message)| message)
    }

    /// The log has no row of the placed call.
    pub(crate) fn call_not_logged(&mut self, cx: &mut Cx<'_>) {
        if self.awaits_call_log()
            && let Some(open) = &self.calls.open
        {
            self.reach(open.message, Step::Lost, cx);
        }
    }

    /// A call was refused: nothing was dialled.
    pub(crate) fn call_refused(&mut self, token: SendToken, why: CallRefusal, cx: &mut Cx<'_>) {
        let Some(live) = self.in_radio(token, &Kind::Call, cx) else {
            return;
        };
        live.row.progress.code = Some(why.as_str().to_owned());
        let step = Step::Failed {
            partial: false,
            unsent: true,
        };
        self.reach(token.message, step, cx);
    }
}

impl CallRefusal {
    /// Returns the stable word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotPermitted => "call_not_permitted",
            Self::NoAccount => "call_no_account",
            Self::Other => "call_refused",
        }
    }
}
