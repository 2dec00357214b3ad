//! Outgoing messages: from the hub's `send` to the last report.
//!
//! ```text
//!                    +--------- every part refused with proof ---------+
//!                    v                                                 |
//!  accept -> OnPhone / Retrying -- slot free --> Submitting -- results --> Sent -> Delivered
//!                    |                               |                 |      \-> NotDelivered
//!                    |                               |                 +-> Failed
//!                    +-> Revoked, Cancelled, Expired +-- silence --> Unknown -- late --^
//! ```
//!
//! - *On the phone* a message waits in its SIM's queue: higher priority first, then the older. One
//!   that waits for its own retry stands beside the queue and blocks nobody.
//! - *Submitting* is on disk before the radio is called, and nothing but the radio's own answer for
//!   every part leads back from it. A restart finds it and asks the platform's provider; what
//!   cannot be known becomes *unknown*.
//! - A held SIM (radio off, no service, …) uses up no tries, and its messages end only when they
//!   expire. One message at a time tries whether it sends again.
//! - An exposure is *over* when its last fact is acked and nothing more can come. Only its name is
//!   kept then, so that it is never sent again.

mod accept;
mod calls;
mod claims;
mod dial;
mod ended;
mod kinds;
mod lane;
mod leaving;
mod live;
mod message;
mod queue;
mod refusals;
mod reports;
mod results;
mod rules;
mod status;
mod submit;
mod trial;
mod ussd;

pub use calls::DIALLED_MS_MAX;
pub use claims::{SENT_ROWS_MAX, claims_to_keep};
pub use ended::{ENDED_FOLLOWS_MS, ENDED_MAX};
pub use reports::REPORTS_AWAITED_MAX;
pub use ussd::USSD_MS_MAX;

use ended::{ROW_MS, TEXT_MS};

use crate::{
    change::{Change, EndedRow, MessageRow, SpentRow},
    config::{AgentConfig, PaceLimits, QUIET_SPELLS_MAX, ReportChoice, Spell, WaitChoice, Waits},
    effect::Effect,
    event::Event,
    pacer::Pacer,
    snapshot::Snapshot,
    stamp::{BootId, Stamp},
    timers::{Subject, Timer, Timers},
    token::MessageRef,
};
use claims::Claims;
use ended::Ended;
use live::Live;
use message::Message;
use postrider_link::{
    frame::{self, Config, HeldRow, SimInfo},
    ownership::phone::{Claim, Step},
    proof::Proof,
};
use postrider_model::{BootMs, MessageId, Now, SimSlot, UnixMs, WireState};
use postrider_text::result_code::NOT_PERMITTED;
use queue::SimQueue;
use reports::ReportWindows;
use rules::Rules;
use std::collections::{BTreeMap, BTreeSet};
use submit::Waiting;

/// Most messages that wait on the phone for one SIM; further ones are given back as revoked.
pub const WAITING_MAX: usize = 500;

/// What every call gets: the time, the timers, and where to put its outputs.
pub(crate) struct Cx<'a> {
    pub(crate) now: Now,
    pub(crate) timers: &'a mut Timers,
    pub(crate) pending: &'a mut Pending,
}

/// The outputs of a call, in the order in which the agent passes them on.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// Exposures whose rows changed.
    pub(crate) dirty: BTreeSet<MessageRef>,
    /// Facts for the hub, without their numbers.
    pub(crate) facts: Vec<frame::Event>,
    /// Other changes.
    pub(crate) changes: Vec<Change>,
    /// Effects after all of these.
    pub(crate) effects: Vec<Effect>,
    /// Events for the screen and the log.
    pub(crate) events: Vec<Event>,
}

/// Every outgoing message of the phone.
#[derive(Debug)]
pub(crate) struct Outbound {
    boot_id: BootId,
    waits: WaitChoice,
    live: Live,
    ended: Ended,
    sims: BTreeMap<SimSlot, SimQueue>,
    ussd: ussd::Ussd,
    calls: calls::Calls,
    pacer: Pacer,
    claims: Claims,
    report_windows: ReportWindows,
    trial: Option<trial::Trial>,
    rules: Rules,
    /// The last fact of each live exposure, by its number, until it is acked.
    unacked: BTreeMap<u64, MessageRef>,
    next_arrived: u64,
    /// The owner unpairs: nothing is accepted any more.
    is_leaving: bool,
}

impl Outbound {
    /// Restores from the journal; `acked` is the highest fact that the hub acked.
    pub(crate) fn new(config: &AgentConfig, from: Snapshot, acked: u64, cx: &mut Cx<'_>) -> Self {
        let pace = from.pace.as_ref();
        let ended = from.ended.iter().map(|row| row.at).max();
        let mut outbound = Self {
            boot_id: config.boot_id.clone(),
            waits: config.waits,
            live: Live::default(),
            ended: Ended::new(from.ended),
            sims: BTreeMap::new(),
            ussd: ussd::Ussd::default(),
            calls: calls::Calls::default(),
            pacer: Pacer::new(config.limits, pace),
            claims: Claims::new(from.claims, ended),
            report_windows: ReportWindows::default(),
            trial: None,
            rules: Rules::default(),
            unacked: BTreeMap::new(),
            next_arrived: from.arrived_max + 1,
            is_leaving: false,
        };
        cx.pending
            .changes
            .extend(outdated(&from.spent, config, cx.now));
        outbound.rules.paused = from.paused;
        outbound.set_quiet_hours(config.quiet_hours.clone());
        outbound.ussd.codes_allowed = from.ussd_codes_allowed;
        outbound.set_sims(&config.sims);
        for config in from.configs {
            outbound.take_config(config);
        }
        outbound.pacer.take_up(&from.spent, &config.boot_id, cx.now);
        if let Some(pace) = pace.filter(|pace| pace.halvings > 0) {
            let at = pace
                .since
                .due_after(crate::pacer::HALVING_MS, &config.boot_id, cx.now);
            cx.timers.set(Timer::PaceRecovers, Subject::Agent, at);
        }
        for row in from.messages {
            outbound.restore(row, acked, cx);
        }
        outbound.resume_limit_holds(pace, cx);
        outbound.look_back(cx);
        outbound
    }

    fn restore(&mut self, row: MessageRow, acked: u64, cx: &mut Cx<'_>) {
        let message = row.message;
        let fact = row.progress.fact;
        let mut live = Message::new(row);
        live.acked = fact <= acked;
        if !live.acked {
            self.unacked.insert(fact, message);
        }
        let (state, sim) = (live.state(), live.row.sim);
        self.live.insert(message, live);
        match state {
            WireState::OnPhone | WireState::Retrying => {
                self.sims.entry(sim).or_default().waiting += 1;
                self.resume_waiting(message, cx);
            }
            WireState::Submitting => self.resume_submitting(message, cx),
            WireState::Unknown
            | WireState::Sent
            | WireState::Failed
            | WireState::NotDelivered
            | WireState::Delivered
            | WireState::Revoked
            | WireState::Cancelled
            | WireState::Expired => {
                self.watch_report_window(message, cx);
                self.end_if_over(message, cx);
            }
        }
    }

    /// Sets the slots that are in use now.
    pub(crate) fn set_sims(&mut self, sims: &[SimInfo]) {
        for queue in self.sims.values_mut() {
            queue.present = false;
        }
        for sim in sims {
            self.sims.entry(sim.slot).or_default().present = true;
        }
        self.apply_limits();
    }

    /// Applies the hub's settings.
    pub(crate) fn take_config(&mut self, config: Config) {
        if let Some(sim) = config.sim {
            self.pacer.set_hub_limit(sim, config.send_limit_max);
        }
        self.rules.set(config);
        self.apply_limits();
    }

    /// Sets the owner's limits.
    pub(crate) fn set_limits(&mut self, limits: PaceLimits) {
        self.pacer.set_limits(limits);
    }

    /// Sets the owner's own quiet hours; spells beyond the bound are left out.
    pub(crate) fn set_quiet_hours(&mut self, mut spells: Vec<Spell>) {
        spells.truncate(QUIET_SPELLS_MAX);
        self.rules.quiet = spells;
    }

    fn apply_limits(&mut self) {
        for sim in self.sims.keys() {
            let limit = self.rules.of(*sim).send_limit_max;
            self.pacer.set_hub_limit(*sim, limit);
        }
        self.pacer.set_hub_phone_limit(self.rules.device_limit());
    }

    /// Sets the owner's choice of delivery reports; SIMs that are not listed have none.
    pub(crate) fn set_reports(&mut self, choices: &[ReportChoice]) {
        let choices = choices.iter().map(|choice| (choice.sim, choice.wanted));
        self.rules.reports = choices.collect();
    }

    /// Sets the owner's choice of national shift tables, for messages from now on.
    pub(crate) fn set_shift_tables(&mut self, languages: Option<Vec<u8>>) {
        self.rules.shift_tables = languages;
    }

    /// Sets how long to wait, from the next hand-over on.
    pub(crate) fn set_waits(&mut self, waits: WaitChoice) {
        self.waits = waits;
    }

    /// Returns how long to wait for the results of a SIM's radio.
    fn waits_of(&self, sim: SimSlot) -> Waits {
        Waits::of(self.waits, self.rules.of(sim))
    }

    /// Sets what the owner lets the app do, if that is known.
    pub(crate) fn set_permitted(
        &mut self,
        may_send: Option<bool>,
        may_call: Option<bool>,
        cx: &mut Cx<'_>,
    ) {
        let was_sending = !self.rules.no_sending;
        self.rules.no_sending = may_send == Some(false);
        self.rules.no_calling = may_call == Some(false);
        if !was_sending && !self.rules.no_sending {
            self.lift_holds_for(NOT_PERMITTED, cx);
        }
    }

    /// Sets the owner's own pause.
    pub(crate) fn set_paused(&mut self, paused: bool) {
        self.rules.paused = paused;
    }

    /// Sets whether the hub last said that it does not know this phone: it may then give messages
    /// of this phone to another one.
    pub(crate) fn set_not_known(&mut self, not_known: bool) {
        self.rules.not_known = not_known;
    }

    /// Sets the slots in which another SIM waits to be confirmed.
    /// Returns the earlier ones that are no longer among them.
    pub(crate) fn set_changed_sims(&mut self, changed: BTreeSet<SimSlot>) -> Vec<SimSlot> {
        let before = std::mem::replace(&mut self.rules.changed, changed);
        before.difference(&self.rules.changed).copied().collect()
    }

    /// Tells whether a slot has ever been in use.
    pub(crate) fn knows_sim(&self, sim: SimSlot) -> bool {
        self.sims.contains_key(&sim)
    }

    /// Returns how many messages wait on the phone.
    pub(crate) fn waiting(&self) -> usize {
        self.sims.values().map(|queue| queue.waiting).sum()
    }

    /// Returns how many of them wait for a SIM.
    pub(crate) fn waiting_of_sim(&self, sim: SimSlot) -> usize {
        self.sims.get(&sim).map_or(0, |queue| queue.waiting)
    }

    /// Returns the slots that are in use or have something waiting.
    pub(crate) fn sims_to_show(&self) -> impl Iterator<Item = SimSlot> {
        let is_of_use = |queue: &SimQueue| queue.present || queue.waiting > 0;
        let sims = self.sims.iter();
        sims.filter(move |(_, queue)| is_of_use(queue))
            .map(|(sim, _)| *sim)
    }

    /// Notes that the wall clock moved against the boot clock: elapsed times are unchanged.
    /// Returns the change that remembers it.
    pub(crate) fn wall_moved(&mut self, by_ms: i64, now: UnixMs) -> Option<Change> {
        self.live.for_each_mut(|live| {
            let row = &mut live.row;
            row.received.move_wall(by_ms);
            if let Some((since, _)) = &mut row.progress.retry {
                since.move_wall(by_ms);
            }
        });
        self.ended.wall_moved(by_ms);
        let before = now.plus_ms(by_ms.saturating_neg());
        (by_ms < 0)
            .then(|| self.claims.set_back(before, now))
            .flatten()
    }

    /// Finds out at a start whether the wall clock was set back meanwhile: within a boot by its
    /// clock, across boots by a hand-over that seems to lie ahead.
    fn look_back(&mut self, cx: &mut Cx<'_>) {
        let mut before = cx.now.unix;
        for live in self.live.values() {
            let Some(at) = &live.row.progress.submitted else {
                continue;
            };
            self.claims.handed_over(at.unix);
            let since_ms = if at.is_of(&self.boot_id) {
                cx.now.boot.since_ms(at.boot)
            } else {
                0
            };
            before = before.max(at.unix.plus_ms(since_ms.cast_signed()));
        }
        if before > cx.now.unix.plus_ms(crate::wall::WALL_DRIFT_MS) {
            let passed = self.claims.set_back(UnixMs(i64::MAX), cx.now.unix);
            cx.pending.changes.extend(passed);
        }
    }

    /// Returns what hello shows: every exposure that may still be handed over, and every one whose last
    /// fact is not acked.
    pub(crate) fn held(&self) -> Vec<HeldRow> {
        let held = self
            .live
            .values()
            .filter(|message| message.claim().is_held(message.acked));
        held.map(|message| held_row(message.row.message, message.state(), None))
            .collect()
    }

    /// Returns what a hub that went back may have forgotten: exposures that came by a frame above
    /// `down_sent`, were reported by a fact above `up`, or are of an older generation.
    pub(crate) fn held_above(&self, down_sent: u64, up: u64) -> Vec<HeldRow> {
        let above = |s: u64, fact: u64| s == 0 || s > down_sent || fact > up;
        let live = self.live.values().map(|message| {
            let row = &message.row;
            let shown = held_row(row.message, row.progress.state, row.proof);
            (shown, row.s, row.progress.fact)
        });
        let is_over = |row: &&EndedRow| !self.live.contains_key(&row.message);
        let ended = self.ended.iter().filter(is_over);
        let ended = ended.map(|row| {
            let shown = held_row(row.message, row.state, row.proof);
            (shown, row.s, row.fact)
        });
        live.chain(ended)
            .filter(|(_, s, fact)| above(*s, *fact))
            .map(|(shown, _, _)| shown)
            .collect()
    }

    /// Tells whether memory has every ended exposure.
    pub(crate) fn has_all_ended(&self) -> bool {
        self.ended.has_all()
    }

    /// Tells whether memory has every ended exposure of a message.
    pub(crate) fn has_all_ended_of(&self, id: MessageId) -> bool {
        self.ended.has_all_of(id)
    }

    /// Accepts the journal's answer about these messages.
    pub(crate) fn recall_ended(&mut self, ids: BTreeSet<MessageId>, rows: Vec<EndedRow>) {
        self.ended.recall(ids, rows);
    }

    /// Notes the number of a fact about an exposure.
    pub(crate) fn fact_numbered(&mut self, message: MessageRef, s: u64) {
        let Some(live) = self.live.get_mut(&message) else {
            return;
        };
        if self.unacked.get(&live.row.progress.fact) == Some(&message) {
            self.unacked.remove(&live.row.progress.fact);
        }
        live.row.progress.fact = s;
        live.acked = false;
        self.unacked.insert(s, message);
    }

    /// Notes that the hub has every fact up to `acked`.
    pub(crate) fn facts_acked(&mut self, acked: u64, cx: &mut Cx<'_>) {
        while let Some((&s, &message)) = self.unacked.first_key_value() {
            if s > acked {
                return;
            }
            self.unacked.remove(&s);
            if let Some(live) = self.live.get_mut(&message) {
                live.acked = true;
            }
            self.end_if_over(message, cx);
        }
    }

    /// Notes that the link's counters start again: what came before belongs to an older
    /// generation, and every unacked fact sinks by `sinks_by`.
    pub(crate) fn restarted(&mut self, sinks_by: u64) {
        self.live.for_each_mut(|live| {
            live.row.s = 0;
            live.row.progress.fact = live.row.progress.fact.saturating_sub(sinks_by);
        });
        self.ended.restarted(sinks_by);
        let unacked = std::mem::take(&mut self.unacked);
        let sunk = unacked
            .into_iter()
            .map(|(s, message)| (s.saturating_sub(sinks_by), message));
        self.unacked = sunk.collect();
    }

    /// Returns the changes for the rows that changed.
    pub(crate) fn moved(&self, dirty: &BTreeSet<MessageRef>) -> impl Iterator<Item = Change> {
        let live = dirty.iter().filter_map(|message| self.live.get(message));
        live.map(Message::moved)
    }

    /// Handles a timer of this machine.
    pub(crate) fn handle_timer(&mut self, timer: Timer, subject: Subject, cx: &mut Cx<'_>) {
        match (timer, subject) {
            (Timer::Expiry, Subject::Message(message)) => self.expire(message, cx),
            (Timer::Retry, Subject::Message(message)) => self.make_ready(message),
            (Timer::HandBack, Subject::Message(message)) => self.hand_back(message, cx),
            (Timer::Silence, Subject::Message(message)) => self.fall_silent(message, cx),
            (Timer::GiveUpOnResult, Subject::Message(message)) => self.give_up(message, cx),
            (Timer::ReportWindow, Subject::Message(_)) => self.report_window_over(cx),
            (Timer::LineSilent, Subject::Message(message)) => self.line_silent(message, cx.now),
            (Timer::LookAtSim, Subject::Sim(sim)) => self.look_at(sim),
            (Timer::PaceRecovers, _) => self.recover_pace(cx),
            (Timer::TestGivenUp, _) => self.give_up_test(cx),
            _ => {}
        }
    }

    /// Erases texts and rows that are old enough.
    pub(crate) fn forget(&mut self, cx: &mut Cx<'_>) {
        let texts = UnixMs(cx.now.unix.0 - TEXT_MS);
        let rows = UnixMs(cx.now.unix.0 - ROW_MS);
        self.ended.forget(rows);
        cx.pending.changes.extend(self.claims.forget(cx.now.unix));
        cx.pending.changes.push(Change::TextsErased {
            ended_before: texts,
        });
        cx.pending
            .changes
            .push(Change::MessagesForgotten { ended_before: rows });
    }

    /// Takes an exposure one step further, if the ownership rules allow it.
    fn step(&mut self, message: MessageRef, step: Step, cx: &mut Cx<'_>) -> bool {
        let claim = self.live.get(&message).map(|live| live.claim().after(step));
        match claim {
            Some(Ok(claim)) => {
                self.write_claim(message, claim, cx);
                true
            }
            Some(Err(_)) | None => false,
        }
    }

    /// Writes the new state of an exposure, and shows it.
    fn write_claim(&mut self, message: MessageRef, claim: Claim, cx: &mut Cx<'_>) {
        let Some(live) = self.live.get_mut(&message) else {
            return;
        };
        let queue = self.sims.entry(live.row.sim).or_default();
        queue.waiting -= usize::from(live.claim().is_waiting());
        queue.waiting += usize::from(claim.is_waiting());
        live.set_claim(claim);
        cx.pending.dirty.insert(message);
        cx.pending.events.push(Event::MessageMoved {
            message,
            state: claim.state,
            code: live
                .row
                .progress
                .code
                .as_deref()
                .and_then(|code| code.parse().ok()),
        });
    }

    /// Tells the hub the present state of an exposure.
    fn tell(&mut self, message: MessageRef, cx: &mut Cx<'_>) {
        if let Some(live) = self.live.get(&message) {
            cx.pending.facts.push(live.fact(cx.now));
            cx.pending.dirty.insert(message);
        }
    }

    /// Ends an exposure whose last fact is acked and about which nothing more can come.
    pub(crate) fn end_if_over(&mut self, message: MessageRef, cx: &mut Cx<'_>) {
        let window_over = cx
            .timers
            .get(Timer::ReportWindow, Subject::Message(message))
            .is_none();
        let over = |live: &Message| live.acked && live.is_settled(window_over);
        if !self.live.get(&message).is_some_and(over) {
            return;
        }
        if let Some(mut live) = self.live.remove(&message) {
            self.forget_report_window(message, cx);
            cx.timers.stop_message(message);
            live.row.progress.ended = Some(cx.now.unix);
            cx.pending.dirty.remove(&message);
            cx.pending.changes.push(live.moved());
            self.ended.add(EndedRow::of(&live.row, cx.now.unix));
        }
    }

    fn stamp(&self, now: Now) -> Stamp {
        Stamp::new(&self.boot_id, now)
    }
}

/// Returns hand-overs that seem to lie ahead, because the wall clock went back while the phone was
/// off. They cannot be younger than this boot, so each counts from its start.
fn outdated(
    spent: &[SpentRow],
    config: &AgentConfig,
    now: Now,
) -> impl Iterator<Item = Change> + use<> {
    let boot_id = config.boot_id.clone();
    let is_ahead = |row: &&SpentRow| !row.at.is_of(&boot_id) && row.at.unix > now.unix;
    let ahead: Vec<SpentRow> = spent.iter().filter(is_ahead).cloned().collect();
    let start = Stamp {
        boot_id: config.boot_id.clone(),
        boot: BootMs(0),
        unix: UnixMs(now.unix.0.saturating_sub_unsigned(now.boot.0)),
    };
    ahead.into_iter().map(move |row| {
        let at = start.clone();
        Change::SpentAdded(SpentRow { at, ..row })
    })
}

fn held_row(message: MessageRef, state: WireState, proof: Option<Proof>) -> HeldRow {
    HeldRow {
        id: message.id,
        ep: message.ep,
        state,
        proof,
    }
}
