//! The agent: every machine of the phone behind one interface.

use crate::{
    calls::{Line, Looks},
    change::Change,
    command::{Command, Refused},
    condition::Condition,
    config::{AgentConfig, PaceLimits, QUIET_SPELLS_MAX, Spell},
    counters::Counters,
    effect::Effect,
    event::Event,
    fact::RadioFact,
    frame_gate::FrameGate,
    health::Health,
    inbound::Inbound,
    late_results::LateResults,
    outbound::{Cx, Outbound, Pending},
    outputs::Outputs,
    scan::Scans,
    sims::KnownSims,
    snapshot::Snapshot,
    stamp::BootId,
    status::SimStatus,
    timers::{Deadline, Subject, Timer, Timers},
    wall::Wall,
};
use postrider_link::{
    close::CloseCode,
    codec::DecodeError,
    frame::{self, HubFrame, InstallId, SimInfo},
    session::phone::{HelloSnapshot, PhoneFact, PhoneSession, PhoneSettings},
};
use postrider_model::Now;

/// How many frames the hub may be ahead of this journal: the most that one commit has to accept.
pub(crate) const DOWN_WINDOW: u64 = 500;
/// The time between two rounds of erasing old content, in milliseconds.
pub(crate) const HOUSEKEEPING_MS: u64 = 3_600_000;

/// Decides everything for a phone.
///
/// Drain in this order after every call: changes, effects, events; then sleep until
/// `poll_timeout`. Commit the changes together and call `handle_committed`; only then the effects
/// that need them show. They may lead to further changes, so drain until nothing is left. When a
/// commit fails, drop the agent and make another one from the journal.
#[derive(Debug)]
pub struct Agent {
    pub(crate) boot_id: BootId,
    pub(crate) now: Now,
    pub(crate) wall: Wall,
    pub(crate) session: PhoneSession,
    pub(crate) was_open: bool,
    pub(crate) outbound: Outbound,
    pub(crate) frame_gate: FrameGate,
    pub(crate) late_results: LateResults,
    pub(crate) inbound: Inbound,
    pub(crate) scans: Scans,
    pub(crate) line: Line,
    pub(crate) looks: Looks,
    pub(crate) known_sims: KnownSims,
    pub(crate) health: Health,
    pub(crate) timers: Timers,
    pub(crate) pending: Pending,
    pub(crate) outputs: Outputs,
    counters: Counters,
}

impl Agent {
    /// Restores the agent from the journal, and wants to connect at once.
    ///
    /// `seed` is fresh for each start; the first start names the installation by it.
    pub fn new(config: AgentConfig, mut restored: Snapshot, seed: [u8; 32], now: Now) -> Self {
        let mut outputs = Outputs::default();
        let install = restored.install.take().unwrap_or_else(|| {
            let install = install_id(seed);
            outputs.change(Change::InstallSet(install.clone()));
            install
        });
        let (mut timers, mut pending) = (Timers::default(), Pending::default());
        let link = restored.link.clone();
        let inbound = Inbound::new(&restored.seen);
        let (scans, begun) = Scans::new(&restored.scans, &mut timers, now);
        pending.changes.extend(begun);
        let known_sims = KnownSims::new(std::mem::take(&mut restored.sims));
        let sims = config.sims.clone();
        let wall = Wall::recall(&restored, &config.boot_id, now);
        let mut cx = Cx {
            // `after_start` notices that the clock was set, and moves what is restored here.
            now: wall.as_told(now),
            timers: &mut timers,
            pending: &mut pending,
        };
        let outbound = Outbound::new(&config, restored, link.up_acked, &mut cx);
        timers.set(Timer::Housekeeping, Subject::Agent, now.boot);
        let condition = config.condition.clone();
        let settings = PhoneSettings {
            device: config.device,
            install,
            host: config.host,
            hub: config.hub,
            boot: config.boot_id.as_str().to_owned(),
            down_window: DOWN_WINDOW,
        };
        let session = PhoneSession::new(settings, &link);
        let mut agent = Self {
            boot_id: config.boot_id,
            now,
            wall,
            session,
            was_open: false,
            outbound,
            frame_gate: FrameGate::default(),
            late_results: LateResults::default(),
            inbound,
            scans,
            line: Line::default(),
            looks: Looks::default(),
            known_sims,
            health: Health::new(config.condition, config.limits, config.sims),
            timers,
            pending,
            outputs,
            counters: Counters::default(),
        };
        agent.set_condition(condition, now);
        agent.hold_changed_sims();
        agent.see_sims(&sims);
        agent.after_start(now);
        agent
    }

    /// Carries out a wish of the phone's owner.
    ///
    /// # Errors
    /// [`Refused`] says why not.
    pub fn handle_command(&mut self, command: Command, now: Now) -> Result<(), Refused> {
        match command {
            Command::SetPaused(paused) => {
                self.outbound.set_paused(paused);
                self.pending.changes.push(Change::PausedSet(paused));
            }
            Command::ReleaseSim(sim) if self.outbound.knows_sim(sim) => {
                let (outbound, mut cx) = self.outbound_cx(now);
                outbound.release(sim, &mut cx);
            }
            Command::ConfirmSim(sim) if self.outbound.knows_sim(sim) => {
                self.pending.changes.extend(self.known_sims.confirm(sim));
                self.hold_changed_sims();
            }
            Command::ReleaseSim(sim) | Command::ConfirmSim(sim) => {
                return Err(Refused::NoSuchSim(sim));
            }
            Command::SetLimits(limits) => self.set_limits(limits),
            Command::SetQuietHours(spells) => self.set_quiet_hours(spells)?,
            Command::SendTest { sim, to, text } => {
                // What counts towards a limit is stamped by the present clocks.
                self.watch_wall(now);
                let (outbound, mut cx) = self.outbound_cx(now);
                outbound.send_test(sim, to, text, &mut cx)?;
            }
            Command::SetShiftTables(languages) => self.outbound.set_shift_tables(languages),
            Command::SetReports(choices) => self.outbound.set_reports(&choices),
            Command::SetWaits(waits) if waits.is_sensible() => self.outbound.set_waits(waits),
            Command::SetWaits(_) => return Err(Refused::InvalidWaits),
            Command::AllowUssdCodes(allowed) => {
                self.outbound.allow_ussd_codes(allowed);
                self.pending.changes.push(Change::UssdCodesAllowed(allowed));
            }
        }
        self.after_call(now);
        Ok(())
    }

    /// Handles a fact of the radio or the platform.
    pub fn handle_radio(&mut self, fact: RadioFact, now: Now) {
        if let Some(fact) = self.put_late_aside(fact) {
            self.take_radio(fact, now);
        }
        self.after_call(now);
    }

    pub(crate) fn take_radio(&mut self, fact: RadioFact, now: Now) {
        let (outbound, mut cx) = self.outbound_cx(now);
        match fact {
            RadioFact::PartSent {
                token,
                part,
                of,
                code,
                cause,
            } => outbound.part_sent(token, part, of, (code, cause), &mut cx),
            RadioFact::ReportArrived {
                token,
                part,
                status,
                recipient,
            } => outbound.report_arrived(token, part, status, recipient.as_ref(), &mut cx),
            RadioFact::SentRowRead { token, rows } => {
                outbound.sent_row_read(token, &rows, &mut cx);
            }
            RadioFact::ServiceChanged { sim, in_service } => {
                outbound.service_changed(sim, in_service, &mut cx);
            }
            RadioFact::SmsReceived(sms) => {
                self.confirm(sms.receipt);
                self.receive_sms(sms, now);
            }
            RadioFact::DataReceived(data) => {
                self.confirm(data.receipt);
                self.receive_data(data, now);
            }
            RadioFact::MmsReceived(mms) => {
                self.confirm(mms.receipt);
                self.receive_mms(mms, now);
            }
            RadioFact::UssdAnswered { token, text } => self.ussd_answered(token, text, now),
            RadioFact::UssdFailed { token, code } => outbound.ussd_failed(token, code, &mut cx),
            RadioFact::CallRefused { token, why } => outbound.call_refused(token, why, &mut cx),
            RadioFact::CallState {
                sim,
                state,
                number,
                incoming,
            } => self.call_state((sim, state), number.as_ref(), incoming, now),
            RadioFact::LogChanged(log) => self.scans.changed(log, &mut self.timers, now),
            RadioFact::LogRead { page, complete } => self.log_read(page, complete, now),
            RadioFact::SimsChanged(sims) => self.set_sims(sims),
            RadioFact::ConditionChanged(condition) => self.set_condition(condition, now),
        }
    }

    /// Handles a frame of the present connection.
    pub fn handle_frame(&mut self, frame: HubFrame, now: Now) {
        self.queue_frame(frame, now);
        self.after_call(now);
    }

    /// Handles a frame of the present connection that could not be read.
    pub fn handle_bad_frame(&mut self, error: DecodeError, now: Now) {
        let conn = self.session.conn();
        self.session.handle_malformed(conn, error, now);
        self.after_call(now);
    }

    /// Says that the connection is open that `Connect` asked for.
    pub fn handle_connected(&mut self, now: Now) {
        let snapshot = HelloSnapshot {
            sims: self.health.sims().to_vec(),
            held: self.outbound.held(),
            features: Vec::new(),
        };
        self.known_sims.told_in_hello();
        self.session.connected(snapshot, now);
        self.after_call(now);
    }

    /// Says that there is no connection: it ended, or could not be made.
    pub fn handle_disconnected(&mut self, close: Option<CloseCode>, now: Now) {
        let conn = self.session.conn();
        self.session.closed(conn, close, now);
        self.session.dial_failed();
        self.after_call(now);
    }

    /// Accepts the delay that `PlanRedial` asked for.
    pub fn handle_redial(&mut self, delay_ms: u64, now: Now) {
        self.session.redial_after(delay_ms, now);
        self.after_call(now);
    }

    /// Accepts the signature that `SignHello` asked for.
    pub fn handle_signature(&mut self, signature: Vec<u8>, now: Now) {
        let conn = self.session.conn();
        self.session.signed(conn, signature, now);
        self.after_call(now);
    }

    /// Accepts the facts that `LoadFacts` asked for.
    pub fn handle_facts_loaded(&mut self, facts: Vec<PhoneFact>, now: Now) {
        self.session.facts_loaded(facts);
        self.after_call(now);
    }

    /// Accepts the incoming messages that `LoadInbound` asked for, and reports each again.
    pub fn handle_inbound_loaded(&mut self, messages: Vec<frame::Inbound>, now: Now) {
        for message in messages {
            self.session.put(PhoneFact::Inbound(message));
        }
        self.after_call(now);
    }

    /// Says that the phone is on another network: the link dials at once.
    pub fn handle_network_change(&mut self, now: Now) {
        self.session.network_changed();
        self.after_call(now);
    }

    /// Says that the phone has no network: the link waits for the next one, and for no timer.
    pub fn handle_network_lost(&mut self, now: Now) {
        self.session.network_lost();
        self.after_call(now);
    }

    /// Closes the connection in good order, before the app stops.
    pub fn handle_stop(&mut self, now: Now) {
        self.session.leave(now);
        self.after_call(now);
    }

    /// Says that every change polled so far is on disk.
    pub fn handle_committed(&mut self, now: Now) {
        if self.outputs.committed() {
            self.session.committed(now);
        }
        self.after_call(now);
    }

    /// Does what is due; early or twice is harmless.
    pub fn handle_timeout(&mut self, now: Now) {
        self.watch_wall(now);
        while let Some((timer, subject)) = self.timers.take_due(now.boot) {
            match timer {
                Timer::Link => self.session.handle_timeout(now),
                Timer::Housekeeping => self.keep_house(now),
                // `after_call` looks at the slots and at the health.
                Timer::NextSlot | Timer::NextUssd | Timer::NextCall | Timer::Health => {}
                Timer::LineStuck => self.free_line(now),
                Timer::CallLog => self.look_again(now),
                Timer::Scan => {
                    if let Subject::Log(log) = subject {
                        self.read_log(log, now);
                    }
                }
                Timer::Expiry
                | Timer::Retry
                | Timer::Silence
                | Timer::GiveUpOnResult
                | Timer::ReportWindow
                | Timer::LookAtSim
                | Timer::HandBack
                | Timer::LineSilent
                | Timer::TestGivenUp
                | Timer::PaceRecovers => {
                    let (outbound, mut cx) = self.outbound_cx(now);
                    outbound.handle_timer(timer, subject, &mut cx);
                }
            }
        }
        self.after_call(now);
    }

    /// Returns the next row to write.
    pub fn poll_change(&mut self) -> Option<Change> {
        self.outputs.poll_change()
    }

    /// Returns the next thing to do, once its rows are on disk.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        match self.outputs.poll_effect() {
            Some(effect) => Some(effect),
            None => self.poll_link_effect(),
        }
    }

    /// Returns the next thing to show.
    pub fn poll_event(&mut self) -> Option<Event> {
        let event = self.outputs.poll_event()?;
        self.counters.count(&event);
        Some(event)
    }

    /// Returns how often rare events have happened since the start.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Returns when to call `handle_timeout`, and why.
    pub fn poll_timeout(&self) -> Option<Deadline> {
        self.timers.next()
    }

    /// Returns when a sleeping phone must be woken, and why.
    ///
    /// Checks for missed events and housekeeping wait until the phone is awake for another reason;
    /// whoever runs the agent wakes it every quarter of an hour.
    pub fn poll_wake(&self) -> Option<Deadline> {
        self.timers.next_that(|timer, subject| match timer {
            Timer::Housekeeping | Timer::PaceRecovers => false,
            Timer::Scan => matches!(subject, Subject::Log(log) if self.scans.is_changed(log)),
            Timer::Link
            | Timer::Expiry
            | Timer::Retry
            | Timer::Silence
            | Timer::GiveUpOnResult
            | Timer::ReportWindow
            | Timer::LookAtSim
            | Timer::HandBack
            | Timer::NextSlot
            | Timer::NextUssd
            | Timer::NextCall
            | Timer::LineSilent
            | Timer::LineStuck
            | Timer::CallLog
            | Timer::TestGivenUp
            | Timer::Health => true,
        })
    }

    /// Tells whether the hub last said that it does not know this phone.
    pub fn is_not_known(&self) -> bool {
        self.session.is_not_known()
    }

    /// Returns how many messages wait on the phone.
    pub fn waiting(&self) -> usize {
        self.outbound.waiting()
    }

    /// Returns what waits for each SIM that is in use or has something waiting, in order of their
    /// slots, whether connected or not.
    pub fn slots(&self, now: Now) -> Vec<SimStatus> {
        let sims = self.outbound.sims_to_show();
        sims.map(|sim| self.outbound.status_of(sim, &self.timers, now))
            .collect()
    }

    pub(crate) fn outbound_cx(&mut self, now: Now) -> (&mut Outbound, Cx<'_>) {
        let cx = Cx {
            now,
            timers: &mut self.timers,
            pending: &mut self.pending,
        };
        (&mut self.outbound, cx)
    }

    fn set_sims(&mut self, sims: Vec<SimInfo>) {
        self.see_sims(&sims);
        self.outbound.set_sims(&sims);
        self.health.set_sims(sims);
    }

    fn see_sims(&mut self, sims: &[SimInfo]) {
        let (changes, others) = self.known_sims.see(sims);
        self.pending.changes.extend(changes);
        let shown = others.into_iter().map(|sim| Event::SimChanged { sim });
        self.pending.events.extend(shown);
        self.hold_changed_sims();
    }

    /// Stops slots with an unconfirmed SIM from sending, and reports which may send again.
    pub(crate) fn hold_changed_sims(&mut self) {
        let changed = self.known_sims.unconfirmed();
        let settled = self.outbound.set_changed_sims(changed).into_iter();
        let shown = settled.map(|sim| Event::SimConfirmed { sim });
        self.pending.events.extend(shown);
    }

    fn set_condition(&mut self, condition: Condition, now: Now) {
        self.session.power_changed(condition.charging == Some(true));
        self.session
            .battery_changed(condition.charging == Some(false));
        let (outbound, mut cx) = self.outbound_cx(now);
        outbound.set_permitted(condition.may_send, condition.may_call, &mut cx);
        self.health.set_condition(condition);
    }

    fn set_limits(&mut self, limits: PaceLimits) {
        self.outbound.set_limits(limits);
        self.health.set_limits(limits);
    }

    fn set_quiet_hours(&mut self, spells: Vec<Spell>) -> Result<(), Refused> {
        if spells.len() > QUIET_SPELLS_MAX {
            return Err(Refused::TooManySpells);
        }
        if spells.iter().any(|spell| spell.from >= spell.until) {
            return Err(Refused::EmptySpell);
        }
        self.outbound.set_quiet_hours(spells);
        Ok(())
    }

    fn keep_house(&mut self, now: Now) {
        let (outbound, mut cx) = self.outbound_cx(now);
        outbound.forget(&mut cx);
        self.forget_heard(now);
        let at = now.boot.plus_ms(HOUSEKEEPING_MS);
        self.timers.set(Timer::Housekeeping, Subject::Agent, at);
    }
}

/// Names an installation by the seed of its first start.
fn install_id(seed: [u8; 32]) -> InstallId {
    let digits: String = seed[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    digits.parse().expect("32 hex digits are a name")
}
