//! The steps of a plan, as they happen.

use super::{World, message_id};
use crate::{
    hub::slot_of,
    log::{Line, Who},
    net::Wire,
    phone::Input,
    plan::{Action, Point, Route},
};
use postrider_machine::{Command, RadioFact};
use postrider_model::SimSlot;
use std::sync::Arc;

/// What is over is kept for 30 days of the wall clock.
const KEPT_MS: i64 = 29 * 86_400_000;

impl World {
    /// Does a step of the plan.
    pub(super) fn act(&mut self, index: usize) {
        let plan = Arc::clone(&self.plan);
        let Some(step) = plan.steps.get(index) else {
            return;
        };
        match &step.action {
            Action::Send(_)
            | Action::Cancel(_)
            | Action::Resend(..)
            | Action::Delete(_)
            | Action::Set(..)
                if !self.hub.up || self.hub.full_until > self.at =>
            {
                self.push_in(5_000, super::Event::Action(index));
            }
            Action::Send(wanted) => self.accepts(wanted),
            Action::Cancel(no) => {
                self.note(Line::new(Who::Sender, "cancels").of(message_id(*no)));
                self.cancels(message_id(*no));
            }
            Action::Resend(no, to) => {
                self.note(Line::new(Who::Sender, "sends again").of(message_id(*no)));
                self.resends(message_id(*no), to.map(slot_of));
            }
            Action::Delete(no) => {
                self.note(Line::new(Who::Sender, "deletes").of(message_id(*no)));
                self.deletes(message_id(*no));
            }
            Action::Set(route, setting) => self.sets(slot_of(*route), *setting),
            Action::OwnerPause(phone, paused) => {
                self.coverage
                    .mark("setting", "the owner pauses or goes on", "");
                self.phone_input(*phone, Input::Command(Command::SetPaused(*paused)));
            }
            Action::OwnerLooks(route) => {
                let slot = SimSlot::new(route.sim).unwrap_or_default();
                self.phone_input(route.phone, Input::Command(Command::ReleaseSim(slot)));
            }
            Action::OwnerLimits(phone, limits) => self.owner_limits(*phone, *limits),
            Action::OwnerUnpairs(phone, within_ms) => self.owner_unpairs(*phone, *within_ms),
            Action::Incoming(route, sort, copies, telling) => {
                self.comes_in(*route, *sort, index as u64 + 1, *copies, *telling);
            }
            action => self.fault(action),
        }
    }

    fn fault(&mut self, action: &Action) {
        match action {
            Action::Die(no, death, Point::Idle, _) => {
                if self.phones[*no].agent.is_some() {
                    self.die(*no, *death, Point::Idle);
                }
            }
            Action::Die(no, death, point, nth) => {
                self.phones[*no].trap = Some((*death, *point, *nth));
            }
            Action::Update(no) => {
                self.coverage.mark("fault", "the app is updated", "");
                if self.phones[*no].agent.is_some() {
                    self.phones[*no].trap = None;
                    self.end_process(*no);
                    self.start_app(*no);
                }
            }
            Action::SlowDisk(no, ms, while_ms) => {
                let until = self.at + while_ms;
                let phone = &mut self.phones[*no];
                (phone.slow_ms, phone.slow_until) = (*ms, until);
            }
            Action::NoData(no, while_ms) => {
                let until = self.at + while_ms;
                self.coverage.mark("fault", "no data", "");
                self.note(Line::new(Who::Phone(*no), "has no data"));
                self.phones[*no].no_data_until = until;
                if let Some(socket) = self.phones[*no].socket {
                    self.cut(socket, true);
                }
            }
            Action::NetworkChange(no) => {
                self.coverage.mark("fault", "another network", "");
                self.phone_input(*no, Input::NetworkChanged);
            }
            Action::Lag(no, ms, while_ms) => {
                let until = self.at + while_ms;
                self.coverage.mark("fault", "frames are late", "");
                let phone = &mut self.phones[*no];
                (phone.lag_ms, phone.lag_until) = (*ms, until);
            }
            Action::Cut(no, half) => {
                if let Some(socket) = self.phones[*no].socket {
                    let word = if *half { "half open" } else { "cut" };
                    self.coverage.mark("fault", "the link is", word);
                    self.note(
                        Line::new(Who::World, "the link of phone {} is {w}")
                            .with([*no as u64, 0, 0])
                            .word(word),
                    );
                    self.cut(socket, *half);
                }
            }
            Action::Noise(no, at_phone) => {
                if let Some(socket) = self.phones[*no].socket {
                    self.coverage.mark("fault", "noise", "");
                    self.carry(socket, *at_phone, Wire::Noise);
                }
            }
            Action::WallJump(no, by) => self.sets_wall(*no, *by),
            Action::Condition(no, charging) => {
                self.phones[*no].charging = *charging;
                let condition = self.phones[*no].condition();
                let fact = RadioFact::ConditionChanged(condition);
                self.phone_input(*no, Input::Fact(fact));
            }
            Action::PullSim(..)
            | Action::ChangeSim(..)
            | Action::Airplane(..)
            | Action::NoService(..)
            | Action::Dialog(..) => self.radio_fault(action),
            Action::CopyJournal(_)
            | Action::RollBack(..)
            | Action::Clone(_)
            | Action::Reinstall(_) => self.journal_fault(action),
            action => self.hub_fault(action),
        }
    }

    fn sets_wall(&mut self, no: usize, by: i64) {
        let word = if by > 0 { "forward" } else { "back" };
        self.coverage.mark("fault", "a phone's clock is set", word);
        if by.unsigned_abs() > 300 * 86_400_000 {
            self.coverage
                .mark("fault", "a phone's clock is set by almost a year", word);
        }
        self.note(
            Line::new(Who::Phone(no), "its clock is set {w} by {} s")
                .with([by.unsigned_abs() / 1_000, 0, 0])
                .word(word),
        );
        let phone = &mut self.phones[no];
        phone.wall += by;
        phone.wall_untold = true;
        phone.forgets |= by > KEPT_MS && phone.agent.is_none();
        self.model.uncounted(no);
        self.model.wall_set(no, by);
    }

    /// Tells a phone which SIMs it has now.
    pub(super) fn tell_sims(&mut self, no: usize) {
        let fact = RadioFact::SimsChanged(self.phones[no].sims());
        self.phone_input(no, Input::Fact(fact));
    }

    /// Tells a phone whether a SIM has service.
    pub(super) fn tell_service(&mut self, route: Route, in_service: bool) {
        let sim = SimSlot::new(route.sim).unwrap_or_default();
        let fact = RadioFact::ServiceChanged { sim, in_service };
        self.phone_input(route.phone, Input::Fact(fact));
    }

    /// Ends a process at once, whatever it does.
    pub(super) fn kill_quietly(&mut self, no: usize) {
        if self.phones[no].agent.is_some() {
            self.phones[no].trap = None;
            self.phones[no].disk.process_died();
            self.end_process(no);
        }
    }
}
