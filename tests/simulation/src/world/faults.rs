//! Faults of the radio, of journals and of the hub, and their ends.

use super::{Event, Over, World};
use crate::{
    hub::slot_of,
    log::{Line, Who},
    phone::Phone,
    plan::{Action, HubPoint, Route},
};
use postrider_link::{close::CloseCode, dispatch::hello::Service, session::hub::DeviceLink};
use postrider_model::MessageId;

impl World {
    /// A fault of a phone's radio begins.
    pub(super) fn radio_fault(&mut self, action: &Action) {
        match *action {
            Action::PullSim(route, while_ms) => {
                if let Some(sim) = self.phones[route.phone].platform.sim_mut(route.sim) {
                    sim.present = false;
                }
                self.coverage.mark("fault", "a SIM is pulled", "");
                self.note(Line::new(Who::Phone(route.phone), "a SIM is pulled"));
                self.tell_sims(route.phone);
                self.push_in(while_ms, Event::Over(Over::SimPulled(route)));
            }
            Action::ChangeSim(route, while_ms) => {
                if let Some(sim) = self.phones[route.phone].platform.sim_mut(route.sim) {
                    sim.fingerprint += 1;
                }
                self.coverage.mark("fault", "another SIM is put in", "");
                self.note(Line::new(Who::Phone(route.phone), "another SIM is put in"));
                self.tell_sims(route.phone);
                self.push_in(while_ms, Event::Over(Over::SimConfirmed(route)));
            }
            Action::Airplane(no, while_ms) => {
                self.coverage.mark("fault", "airplane mode", "");
                self.note(Line::new(Who::Phone(no), "airplane mode"));
                self.phones[no].platform.airplane = true;
                if let Some(socket) = self.phones[no].socket {
                    self.cut(socket, true);
                }
                self.push_in(while_ms, Event::Over(Over::Airplane(no)));
            }
            Action::NoService(route, while_ms, told) => {
                if let Some(sim) = self.phones[route.phone].platform.sim_mut(route.sim) {
                    sim.in_service = false;
                }
                self.coverage.mark(
                    "fault",
                    "no service",
                    if told { "told" } else { "not told" },
                );
                self.note(Line::new(Who::Phone(route.phone), "no service"));
                if told {
                    self.tell_service(route, false);
                }
                self.push_in(while_ms, Event::Over(Over::NoService(route, told)));
            }
            Action::Dialog(no, while_ms) => {
                self.coverage.mark("fault", "a dialog is open", "");
                self.phones[no].platform.dialog_until = self.at + while_ms;
            }
            _ => {}
        }
    }

    /// A fault is over.
    pub(super) fn is_over(&mut self, over: Over) {
        match over {
            Over::SimPulled(route) => {
                if let Some(sim) = self.phones[route.phone].platform.sim_mut(route.sim) {
                    sim.present = true;
                }
                self.tell_sims(route.phone);
            }
            Over::SimConfirmed(route) => self.confirm_sim(route),
            Over::Airplane(no) => {
                self.phones[no].platform.airplane = false;
                for slot in 0..self.phones[no].platform.sims.len() {
                    let sim = u8::try_from(slot).unwrap_or(0);
                    self.tell_service(Route { phone: no, sim }, true);
                }
            }
            Over::NoService(route, told) => {
                if let Some(sim) = self.phones[route.phone].platform.sim_mut(route.sim) {
                    sim.in_service = true;
                }
                if told {
                    self.tell_service(route, true);
                }
            }
            Over::Unpaired(no) => self.pair_again(no),
            Over::Joins(no) => self.joins(no),
            Over::OlderThan(older) => self.mends(older),
        }
    }

    /// The operator confirms the SIM that is in a slot.
    pub(super) fn confirm_sim(&mut self, route: Route) {
        if !self.hub.up {
            return self.push_in(5_000, Event::Over(Over::SimConfirmed(route)));
        }
        let sims = &self.phones[route.phone].platform.sims;
        let fingerprint = sims
            .iter()
            .find(|sim| sim.slot == route.sim)
            .map(|sim| format!("sim-{}", sim.fingerprint));
        let slot = slot_of(route);
        let sim = self.hub.rows.sims.entry(slot).or_default();
        sim.sim_changed = false;
        sim.fingerprint = fingerprint;
        let mut effects = crate::hub::Effects::default();
        effects.settings(slot);
        self.wake(effects);
    }

    /// A phone's journal becomes another one.
    pub(super) fn journal_fault(&mut self, action: &Action) {
        match *action {
            Action::CopyJournal(no) => {
                self.phones[no].copy = Some(self.phones[no].disk.rows().clone());
            }
            Action::RollBack(no, _) => {
                let Some(copy) = self.phones[no].copy.take() else {
                    return;
                };
                if self.phones[no].disk.is_real() || self.phones[no].unpaired.is_some() {
                    return;
                }
                self.coverage
                    .mark("fault", "a journal is an older copy", "");
                self.note(Line::new(Who::Phone(no), "its journal is an older copy"));
                self.kill_quietly(no);
                self.taint_journals(no, &[]);
                self.phones[no].disk.roll_back(copy);
                self.phones[no].platform.journal_is_gone();
                self.taint_journals(no, &[]);
                self.model.forget_pace(no);
                self.start_app(no);
            }
            Action::Clone(no) => {
                if self.phones[no].disk.is_real() || self.phones[no].unpaired.is_some() {
                    return;
                }
                self.coverage
                    .mark("fault", "two phones with one identity", "");
                self.note(Line::new(Who::Phone(no), "there is a second one of it"));
                self.taint_journals(no, &[]);
                let twin = self.phones.len();
                let fleet = self.plan.fleet.clone();
                let clone = Phone::clone_of(&self.phones[no], twin, self.at, &fleet);
                self.phones.push(clone);
                self.start_app(twin);
            }
            Action::Reinstall(no) => {
                if self.phones[no].unpaired.is_some() {
                    return;
                }
                self.coverage.mark("fault", "installed anew", "");
                self.note(Line::new(Who::Phone(no), "is installed anew"));
                self.kill_quietly(no);
                self.phones[no].platform.intents += 1;
                self.model.journal_lost(self.phones[no].device, no);
                self.succeeds(self.phones[no].device);
                let keeps_key = self.draw(&[14, self.at]).percent(50);
                self.phones[no].install_anew();
                self.phones[no].platform.journal_is_gone();
                if keeps_key {
                    self.coverage.mark("fault", "a journal was set aside", "");
                    self.start_app(no);
                } else {
                    self.stop_for_pairing(no, CloseCode::NotPaired);
                }
            }
            _ => {}
        }
    }

    /// Nothing can be promised of what a copied journal holds.
    fn taint_journals(&mut self, no: usize, more: &[MessageId]) {
        let rows = self.phones[no].disk.rows();
        let held = rows.messages().map(|row| row.message.id);
        let held: Vec<MessageId> = held.chain(more.iter().copied()).collect();
        let device = self.phones[no].device;
        // What the hub has given it since the copy comes under suspicion, too.
        let given = self.hub.rows.held(device);
        let held = held.into_iter().chain(given).collect();
        self.model.taint(device, no, held);
    }

    /// The operator pairs a phone again: a new installation, a new key.
    pub(super) fn pair_again(&mut self, no: usize) {
        if self.phones[no].scrapped || self.phones[no].unpaired.is_none() {
            return;
        }
        if no >= self.plan.fleet.sims.len() {
            // Of two phones with one identity the first is the one that goes on.
            self.phones[no].scrapped = true;
            return;
        }
        if !self.phones[no].joined {
            return self.joins(no);
        }
        if !self.hub.up || self.hub.full_until > self.at {
            return self.push_in(5_000, Event::Over(Over::Unpaired(no)));
        }
        let device = self.phones[no].device;
        self.kill_quietly(no);
        self.scrap_twins(no);
        self.coverage.mark("link", "paired again", "");
        self.note(Line::new(Who::Phone(no), "is paired again"));
        self.model.journal_lost(device, no);
        self.succeeds(device);
        let phone = &mut self.phones[no];
        phone.unpaired = None;
        phone.key += 1_000;
        phone.life += 1;
        phone.install_anew();
        phone.platform.journal_is_gone();
        let key = phone.key;
        let install = phone.disk.rows().rest().install.clone();
        let was = self.hub.rows.devices.get(&device).map(|row| row.state);
        let effects = self.device_gone(device, was.unwrap_or(Service::Ended));
        match (self.hub.rows.devices.get_mut(&device), install) {
            (Some(row), Some(install)) => {
                let lost = std::mem::replace(&mut row.link, DeviceLink::new(install));
                self.hub.rows.lost.insert((device, lost.install), row.key);
                row.state = Service::Open;
                row.key = key;
                (row.frozen, row.alone, row.own_generation) = (false, false, 0);
            }
            (None, Some(install)) => {
                let sims = self.plan.fleet.sims[no];
                self.hub.rows.joins(&self.phones[no], install, sims);
            }
            (_, None) => {}
        }
        self.wake(effects);
        self.close_links(no, CloseCode::Replaced);
        self.start_app(no);
    }

    /// Of several phones with one identity only one goes on.
    fn scrap_twins(&mut self, no: usize) {
        let device = self.phones[no].device;
        for twin in 0..self.phones.len() {
            if twin != no && self.phones[twin].device == device {
                self.kill_quietly(twin);
                self.phones[twin].scrapped = true;
                self.phones[twin].unpaired = None;
            }
        }
    }

    /// Closes the connections of a phone's device at the hub.
    fn close_links(&mut self, no: usize, code: CloseCode) {
        let device = self.phones[no].device;
        let links = self.hub.links.iter_mut();
        let own = links.filter(|(_, link)| link.device() == Some(device));
        let mut closed = Vec::new();
        for (socket, link) in own {
            link.of.session.close(code);
            closed.push(*socket);
        }
        for socket in closed {
            self.outputs(socket);
        }
    }

    /// A fault of the hub begins.
    pub(super) fn hub_fault(&mut self, action: &Action) {
        match *action {
            Action::KillHub(HubPoint::Idle) if self.hub.up => self.kill_hub(HubPoint::Idle),
            Action::KillHub(HubPoint::Idle) => {}
            Action::KillHub(point) => self.hub.trap = Some(point),
            Action::HubDiskFull(while_ms) => self.hub.full_until = self.at + while_ms,
            Action::NewerHub(while_ms, by_frame) => {
                self.hub.newer_until = (self.at + while_ms, by_frame);
            }
            Action::Backup if self.hub.up => {
                self.coverage.mark("fault", "backup", "");
                self.hub.backups.push(self.hub.rows.clone());
            }
            Action::Restore(raised) => self.restore(raised),
            Action::Joins(no) => self.joins(no),
            Action::RestoreOlder(older) => self.restore_older(older),
            Action::WrongName(while_ms) => self.starts_with_another_name(while_ms),
            Action::HubWallJump(by) => self.sets_hub_wall(by),
            Action::Drain if self.hub.up => self.drain(),
            Action::Unfreeze(no) if self.hub.up => self.unfreeze(no),
            Action::Remove(no) if self.hub.up => self.remove(no),
            _ => {}
        }
    }

    /// The operator starts the hub again, with a name that no phone was paired with.
    fn starts_with_another_name(&mut self, while_ms: u64) {
        self.coverage.mark("fault", "the hub has another name", "");
        self.note(Line::new(Who::Hub, "is started with another name"));
        self.hub.wrong_name_until = self.at + while_ms;
        if self.hub.up {
            self.hub_down(false);
            self.push_in(1_000, Event::HubStarts);
        }
    }

    /// Springs the hub's trap, if this is its moment; returns whether the process is dead.
    pub(crate) fn hub_dies_at(&mut self, point: HubPoint) -> bool {
        if self.hub.trap != Some(point) {
            return false;
        }
        self.hub.trap = None;
        self.kill_hub(point);
        true
    }

    fn kill_hub(&mut self, point: HubPoint) {
        let word = match point {
            HubPoint::Idle => "between two jobs",
            HubPoint::BeforeCommit => "before a commit",
            HubPoint::AfterCommit => "after a commit",
        };
        self.coverage.mark("fault", "the hub is killed", word);
        self.note(Line::new(Who::Hub, "is killed {w}").word(word));
        self.hub_down(false);
        let away_ms = self.draw(&[15, self.at]).between(500, 300_000);
        self.push_in(away_ms, Event::HubStarts);
    }

    pub(super) fn hub_down(&mut self, half: bool) {
        let sockets: Vec<u64> = self.hub.links.keys().copied().collect();
        self.hub.forget();
        self.hub.up = false;
        for socket in sockets {
            self.cut(socket, half);
        }
    }

    /// The hub's process starts.
    pub(super) fn hub_starts(&mut self) {
        self.hub.up = true;
        self.hub.life += 1;
        self.note(Line::new(Who::Hub, "starts"));
        self.sweep();
    }

    fn drain(&mut self) {
        self.coverage.mark("fault", "drain", "");
        self.note(Line::new(Who::Hub, "drains its links"));
        let now = self.hub_now();
        let sockets: Vec<u64> = self.hub.links.keys().copied().collect();
        for socket in sockets {
            let retry_ms = self.draw(&[17, socket]).below(30_000);
            if let Some(link) = self.hub.links.get_mut(&socket) {
                link.of.session.drain(retry_ms, now);
            }
            self.outputs(socket);
        }
    }

    /// The operator's word for a phone that will not answer after a restore.
    fn unfreeze(&mut self, no: usize) {
        let device = self.phones[no].device;
        let row = self.hub.rows.devices.get(&device);
        if let Some(row) = row.filter(|row| row.frozen) {
            let was = row.state;
            self.coverage
                .mark("link", "the operator gives a phone up", "");
            let effects = self.device_gone(device, was);
            self.wake(effects);
        }
    }

    fn remove(&mut self, no: usize) {
        let device = self.phones[no].device;
        self.coverage.mark("fault", "a phone is removed", "");
        self.note(Line::new(Who::Hub, "removes a phone"));
        let Some(row) = self.hub.rows.devices.get_mut(&device) else {
            return;
        };
        let was = std::mem::replace(&mut row.state, Service::Ended);
        let effects = self.device_gone(device, was);
        self.wake(effects);
        self.close_links(no, CloseCode::NotPaired);
    }

    /// The hub's clock is set.
    pub(super) fn sets_hub_wall(&mut self, by: i64) {
        let word = if by > 0 { "forward" } else { "back" };
        self.coverage.mark("fault", "the hub's clock is set", word);
        self.note(Line::new(Who::Hub, "its clock is set {w}").word(word));
        self.hub.wall += by;
        self.look_at_lives();
        self.sweep();
    }
}
