//! A turn of a phone's process, in the ring's order: rows, sync, then the world.

use super::{Decided, Input, Phone, Written};
use crate::{
    hub::which,
    log::{Line, Who},
    mistakes,
    plan::Point,
    world::{Event, World},
};
use postrider_link::{
    close::CloseCode,
    frame::HubFrame,
    mistake,
    session::phone::{LinkChange, PhoneFact},
};
use postrider_machine::{
    Change, Command, Event as Shown, MessageRef, SendToken, change::MessageRow,
};
use postrider_model::WireState;
use std::collections::BTreeMap;

/// Inputs that one turn takes at most.
const TURN_MAX: usize = 256;

impl World {
    /// Hands something to a phone's process; it waits while a commit runs.
    pub(crate) fn phone_input(&mut self, no: usize, input: Input) {
        if self.phones[no].agent.is_none() {
            return;
        }
        self.phones[no].inbox.push_back(input);
        if !self.phones[no].committing {
            self.turns(no);
        }
    }

    /// Takes turns until nothing waits.
    fn turns(&mut self, no: usize) {
        while self.violation.is_none() && !self.phones[no].committing {
            if self.dies_at(no, Point::Idle) {
                return;
            }
            let ready = self.phones[no].ready(TURN_MAX);
            if ready == 0 || self.phones[no].agent.is_none() {
                break;
            }
            for _ in 0..ready {
                if let Some(input) = self.phones[no].inbox.pop_front() {
                    self.take(no, input);
                }
            }
            self.end_turn(no);
        }
    }

    fn take(&mut self, no: usize, input: Input) {
        self.step();
        let input = match input {
            Input::Fact(fact) => match self.hears(no, fact) {
                Some(fact) => Input::Fact(fact),
                None => return,
            },
            input => input,
        };
        if let Input::Frame(_, frame) = &input
            && let HubFrame::Send(send) = &**frame
        {
            self.is_offered(no, send);
        }
        let at = self.at;
        let misses_acks = mistake::is("misses_acks");
        let misses_unpairing = mistake::is("misses_its_unpairing");
        let misses_pause = mistake::is("misses_its_pause");
        let misses_not_known = mistake::is("misses_that_it_is_not_known");
        let phone = &mut self.phones[no];
        let now = phone.now(at);
        let Some(agent) = &mut phone.agent else {
            return;
        };
        let is_present = |socket: u64| phone.socket == Some(socket);
        match &input {
            Input::Closed(socket, Some(CloseCode::NotKnown)) if is_present(*socket) => {
                phone.told_not_known = Some(true);
            }
            Input::Frame(socket, frame)
                if is_present(*socket) && matches!(**frame, HubFrame::Welcome(_)) =>
            {
                phone.told_not_known = Some(false);
            }
            _ => {}
        }
        match input {
            Input::Closed(socket, Some(CloseCode::NotKnown))
                if misses_not_known && is_present(socket) =>
            {
                phone.socket = None;
                agent.handle_disconnected(None, now);
            }
            Input::Frame(_, frame) if misses_acks && matches!(*frame, HubFrame::Ack(_)) => {}
            Input::Command(Command::SetPaused(true)) if misses_pause => {
                phone.disk.write(vec![Change::PausedSet(true)]);
                phone.disk.sync();
            }
            Input::Frame(socket, frame) if is_present(socket) => agent.handle_frame(*frame, now),
            Input::Bad(socket, error) if is_present(socket) => agent.handle_bad_frame(error, now),
            Input::Closed(socket, code) if is_present(socket) => {
                phone.socket = None;
                agent.handle_disconnected(code, now);
            }
            Input::Frame(..) | Input::Bad(..) | Input::Closed(..) => {}
            Input::Connected(socket) => {
                phone.socket = Some(socket);
                phone.offered.clear();
                agent.handle_connected(now);
            }
            Input::NoConnection => agent.handle_disconnected(None, now),
            Input::Fact(fact) => agent.handle_radio(fact, now),
            Input::Unpair => {
                let until = phone.leaving.unwrap_or(at);
                phone.give_back(until, now, !misses_unpairing);
            }
            Input::Command(command) => {
                let limits = match &command {
                    Command::SetLimits(limits) => Some(*limits),
                    _ => None,
                };
                // A wish that is refused changes nothing, and nobody waits for the answer here.
                let _refused = agent.handle_command(command, now);
                if let Some(limits) = limits {
                    phone.keep_limits(limits, at);
                }
            }
            Input::NetworkChanged => agent.handle_network_change(now),
            Input::Due => agent.handle_timeout(now),
        }
    }

    /// Commits what the machine changed, then does what it asks for, until it asks for nothing.
    pub(crate) fn end_turn(&mut self, no: usize) {
        loop {
            let Some(agent) = &mut self.phones[no].agent else {
                return;
            };
            let mut changes: Vec<Change> = std::iter::from_fn(|| agent.poll_change()).collect();
            mistakes::lose_rows(&mut changes);
            let has_changes = !changes.is_empty();
            if has_changes {
                self.look_at(no, &changes);
                if self.dies_at(no, Point::BeforeWrite) {
                    return;
                }
                let at = self.at;
                let phone = &mut self.phones[no];
                phone.disk.write(changes);
                if self.dies_at(no, Point::BeforeSync) {
                    return;
                }
                let phone = &mut self.phones[no];
                if phone.slow_until > at {
                    phone.committing = true;
                    let (life, slow_ms) = (phone.life, phone.slow_ms);
                    self.coverage.mark("fault", "slow disk", "");
                    return self.push_in(slow_ms, Event::Synced { phone: no, life });
                }
                if !self.on_disk(no) {
                    return;
                }
            }
            if !self.do_effects(no) && !has_changes {
                break;
            }
        }
        let phone = &mut self.phones[no];
        if let Some(told) = phone.told_not_known.take() {
            phone.not_known = told;
        }
        self.show_events(no);
        self.plan_deadline(no);
        self.leaves_when_told(no);
    }

    /// Takes it that a slow commit is synced, and goes on with the turn.
    pub(crate) fn synced(&mut self, no: usize) {
        self.phones[no].committing = false;
        if self.on_disk(no) && self.phones[no].agent.is_some() {
            self.do_effects(no);
            self.end_turn(no);
            self.turns(no);
        }
    }

    /// Syncs, and tells the machine; returns false when the process died over it.
    fn on_disk(&mut self, no: usize) -> bool {
        let at = self.at;
        self.phones[no].disk.sync();
        self.keep_written(no);
        if self.dies_at(no, Point::AfterSync) {
            return false;
        }
        self.step();
        let phone = &mut self.phones[no];
        let now = phone.now(at);
        if let Some(agent) = &mut phone.agent {
            agent.handle_committed(now);
        }
        true
    }

    /// Remembers what the rows say that are on disk now.
    pub(crate) fn keep_written(&mut self, no: usize) {
        let phone = &mut self.phones[no];
        let written = std::mem::take(&mut phone.written);
        for decided in written.decided {
            phone.decided_at.insert(decided.token, decided.at);
        }
        for (slot, is_limited) in written.limits {
            if is_limited {
                phone.limited_since.entry(slot).or_insert(written.at);
            } else {
                phone.limited_since.remove(&slot);
            }
        }
        phone.wall_untold &= !written.tells_wall;
        phone.stored.extend(written.came_in);
    }

    /// Looks at rows before they are written: what is submitted must be allowed.
    fn look_at(&mut self, no: usize, changes: &[Change]) {
        let at = self.at;
        let mut rules = Allowed::of(&self.phones[no], at);
        let mut decided = Vec::new();
        let (mut limits, mut tells_wall) = (Vec::new(), false);
        let mut came_in = Vec::new();
        let mut forbidden = None;
        // A message may be added and submitted in one commit: no row of it is on disk then.
        let mut added: BTreeMap<MessageRef, &MessageRow> = BTreeMap::new();
        for change in changes {
            match change {
                Change::Link {
                    change: LinkChange::FactStored(PhoneFact::Inbound(inbound)),
                    ..
                } => {
                    let (sort, group) = which(inbound);
                    came_in.push((sort, group.unwrap_or(0)));
                }
                Change::Link {
                    change: LinkChange::NotKnown(not_known),
                    ..
                } => rules.not_known = *not_known,
                Change::ConfigSet(config) => {
                    rules.set(config.clone());
                    let slot = config.sim.map_or(0, |slot| slot.get());
                    let is_limited = config.send_limit_max.is_some();
                    limits.push((slot, is_limited));
                }
                Change::WallMoved { .. } => tells_wall = true,
                Change::PausedSet(paused) => rules.paused = *paused,
                Change::MessageMoved { message, progress } => {
                    let name = progress.state.as_str();
                    self.coverage.mark("state on the phone", name, "");
                    let row = self.phones[no].disk.rows().message(*message);
                    let row = row.or_else(|| added.get(message).copied());
                    let attempts = row.map_or(0, |row| row.progress.attempt);
                    let is_new =
                        progress.state == WireState::Submitting && progress.attempt > attempts;
                    if let (true, Some(row)) = (is_new, row) {
                        let token = SendToken {
                            message: *message,
                            attempt: progress.attempt,
                        };
                        decided.push(Decided { token, at });
                        if let Some(why) = rules.forbids(row.sim.get()) {
                            forbidden = Some((token, why));
                        }
                    }
                }
                Change::MessageAdded(row) => {
                    let name = row.progress.state.as_str();
                    self.coverage.mark("state on the phone", name, "");
                    added.insert(row.message, row);
                }
                _ => {}
            }
        }
        self.phones[no].written = Written {
            at,
            decided,
            limits,
            tells_wall,
            came_in,
        };
        if let Some((token, why)) = forbidden {
            let id = Some(token.message.id);
            let text = format!("phone {no} submits {token} while {why}");
            let rule = match why {
                NOT_KNOWN => "a phone that its hub does not know hands nothing over",
                _ => "nothing is submitted while paused or in quiet hours",
            };
            self.fail(rule, id, text);
        }
    }

    fn show_events(&mut self, no: usize) {
        let mut shown = Vec::new();
        if let Some(agent) = &mut self.phones[no].agent {
            shown.extend(std::iter::from_fn(|| agent.poll_event()));
        }
        for event in shown {
            let word = word_of(&event);
            self.coverage.mark("shown on the phone", word, "");
            let line = Line::new(Who::Phone(no), "{w}").word(word);
            match event {
                Shown::MessageMoved { message, state, .. } => {
                    let moved = Line::new(Who::Phone(no), "exposure {} is {w}");
                    self.note(moved.of_exposure(message).word(state.as_str()));
                }
                Shown::MessageAccepted { message, .. } => {
                    let taken = Line::new(Who::Phone(no), "has exposure {} on its disk");
                    self.note(taken.of_exposure(message));
                }
                Shown::PairingNeeded { close } => {
                    self.coverage.mark("pairing needed", close.reason(), "");
                    self.note(line);
                    self.stop_for_pairing(no, close);
                }
                Shown::MessageSubmitted { .. } | Shown::MessageReceived { .. } => {}
                _ => self.note(line),
            }
        }
    }

    /// Has the machine called again when it wants to be.
    pub(crate) fn plan_deadline(&mut self, no: usize) {
        let at = self.at;
        let phone = &mut self.phones[no];
        let Some(agent) = &phone.agent else {
            return;
        };
        let due = agent.poll_timeout().map(|due| phone.moment(due.at.0));
        let leaving = phone.leaving.filter(|_| phone.gives_back);
        let Some(due_at) = due.into_iter().chain(leaving).min() else {
            return;
        };
        let due_at = due_at.max(at);
        if phone
            .due_at
            .is_none_or(|planned| planned > due_at || planned < at)
        {
            phone.due_at = Some(due_at);
            let life = phone.life;
            self.push(due_at, Event::Due { phone: no, life });
        }
    }

    /// A deadline has come, unless it was moved.
    pub(crate) fn phone_due(&mut self, no: usize, life: u64) {
        let at = self.at;
        let phone = &mut self.phones[no];
        if phone.life != life || phone.due_at != Some(at) {
            return;
        }
        phone.due_at = None;
        self.phone_input(no, Input::Due);
        if !self.phones[no].committing {
            self.plan_deadline(no);
        }
    }
}

/// Why a phone may hand nothing over that was told so by its hub.
const NOT_KNOWN: &str = "its hub does not know it";

/// What owner and hub allow, as far as the phone knows.
struct Allowed {
    not_known: bool,
    paused: bool,
    configs: Vec<postrider_link::frame::Config>,
    unix: i64,
}

impl Allowed {
    fn of(phone: &Phone, at: u64) -> Self {
        let rest = phone.disk.rows().rest();
        Self {
            not_known: phone.not_known,
            paused: rest.paused,
            configs: rest.configs.clone(),
            unix: phone.now(at).unix.0,
        }
    }

    fn set(&mut self, config: postrider_link::frame::Config) {
        self.configs
            .retain(|other| config.sim.is_some() && other.sim != config.sim);
        self.configs.push(config);
    }

    fn forbids(&self, sim: u8) -> Option<&'static str> {
        let own = |config: &&postrider_link::frame::Config| {
            config.sim.is_some_and(|slot| slot.get() == sim)
        };
        let all = || self.configs.iter().find(|config| config.sim.is_none());
        let config = self.configs.iter().find(own).or_else(all);
        let is_quiet = |(from, to): &(i64, i64)| (*from..*to).contains(&self.unix);
        match config {
            _ if self.not_known => Some(NOT_KNOWN),
            _ if self.paused => Some("its owner paused it"),
            Some(config) if config.pause => Some("the hub paused it"),
            Some(config) if config.quiet.iter().any(is_quiet) => Some("hours are quiet"),
            Some(_) | None => None,
        }
    }
}

fn word_of(event: &Shown) -> &'static str {
    match event {
        Shown::LinkUp => "link up",
        Shown::LinkDown => "link down",
        Shown::NotKnownHere => "not known here",
        Shown::PairingNeeded { .. } => "pairing needed",
        Shown::UpdateNeeded => "update needed",
        Shown::LinkFailing => "link failing",
        Shown::LinkReplaced => "link replaced",
        Shown::MessageAccepted { .. } => "message accepted",
        Shown::MessageSubmitted { .. } => "message submitted",
        Shown::MessageMoved { .. } => "message moved",
        Shown::TestMoved { .. } => "test moved",
        Shown::MessageReceived { .. } => "message received",
        Shown::SimHeld { .. } => "SIM held",
        Shown::SimReleased { .. } => "SIM released",
        Shown::SimChanged { .. } => "SIM changed",
        Shown::SimConfirmed { .. } => "SIM confirmed",
        Shown::LookAtPhone { .. } => "look at the phone",
        Shown::PaceHalved { .. } => "pace halved",
        Shown::StrayResult { .. } => "stray result",
        Shown::ReportMismatched { .. } => "report of somebody else",
    }
}
