//! The end of a run: the weather clears, and everything must come home.

use super::{Event, World, message_id};
use crate::{
    log::{Line, Who},
    phone::Input,
    plan::{Flaw, Route, Sort, Wanted},
};
use postrider_link::ownership::hub::HubState;
use postrider_machine::{Command, Log, RadioFact};
use postrider_model::{SimSlot, UnixMs};

const HOUR: u64 = 3_600_000;
/// When each phone is given a message that must go out, once all is whole again.
const PROBE_AFTER_MS: u64 = 2 * HOUR;
/// Within which time it must have gone: the longest window, and what the limits make of it.
const PROBE_MS: u64 = 6 * HOUR;
/// When lives are over and everything must have an end.
const END_AFTER_MS: u64 = 40 * HOUR;
/// The first number of those messages.
const PROBES_FROM: i64 = 1_000_000;

impl World {
    /// Everything that was broken is made whole.
    pub(super) fn become_calm(&mut self) {
        self.calm = true;
        self.note(Line::new(Who::World, "the weather clears"));
        self.hub.full_until = 0;
        self.hub.trap = None;
        self.hub.newer_until = (0, false);
        self.hub.wrong_name_until = 0;
        self.hub.newer = None;
        if !self.hub.up {
            self.push_in(10, Event::HubStarts);
        }
        for no in 0..self.phones.len() {
            self.make_whole(no);
        }
        self.push_in(60_000, Event::Settle(0));
    }

    fn make_whole(&mut self, no: usize) {
        let phone = &mut self.phones[no];
        phone.trap = None;
        phone.no_data_until = 0;
        phone.lag_until = 0;
        phone.slow_until = 0;
        phone.full_until = 0;
        phone.platform.airplane = false;
        phone.platform.dialog_until = 0;
        for sim in &mut phone.platform.sims {
            sim.present = true;
            sim.in_service = true;
        }
        let is_twin = no >= self.plan.fleet.sims.len();
        if is_twin {
            self.kill_quietly(no);
            self.phones[no].scrapped = true;
            self.phones[no].unpaired = None;
        }
    }

    /// Takes the calm one turn further; returns false when the run is over.
    pub(super) fn settle(&mut self, turn: u32) -> bool {
        match turn {
            0 => {
                for no in 0..self.plan.fleet.sims.len() {
                    self.owner_cares_for(no);
                }
                self.push_in(HOUR / 2, Event::Settle(1));
            }
            1 | 2 => {
                for no in 0..self.plan.fleet.sims.len() {
                    self.operator_cares_for(no);
                }
                self.push_in(HOUR / 2, Event::Settle(turn + 1));
            }
            3 => {
                self.push_in(PROBE_AFTER_MS, Event::Settle(4));
            }
            4 => {
                self.probe();
                self.push_in(PROBE_MS, Event::Settle(5));
            }
            5 => {
                self.judge_probes();
                self.push_in(END_AFTER_MS, Event::Settle(6));
            }
            _ => {
                self.judge_ends();
                return false;
            }
        }
        true
    }

    /// The owner starts the app, takes its pause back and looks at what is open.
    fn owner_cares_for(&mut self, no: usize) {
        if self.phones[no].powered {
            self.kill_quietly(no);
            self.start_app(no);
        }
        self.owner_releases(no);
    }

    fn owner_releases(&mut self, no: usize) {
        self.phone_input(no, Input::Command(Command::SetPaused(false)));
        for slot in 0..self.phones[no].platform.sims.len() {
            let sim = SimSlot::new(u8::try_from(slot).unwrap_or(0)).unwrap_or_default();
            self.phone_input(no, Input::Command(Command::ReleaseSim(sim)));
            self.phone_input(no, Input::Command(Command::ConfirmSim(sim)));
        }
    }

    /// The operator pairs what needs it, lifts pauses, and confirms SIMs.
    fn operator_cares_for(&mut self, no: usize) {
        let device = self.phones[no].device;
        let row = self.hub.rows.devices.get(&device);
        let key = self.phones[no].key;
        // One whose key the rows do not have is not known: they are older than its pairing.
        let is_known = row.is_some_and(|row| {
            row.state == postrider_link::dispatch::hello::Service::Open && row.key == key
        });
        if !is_known && self.phones[no].unpaired.is_none() {
            self.stop_for_pairing(no, postrider_link::close::CloseCode::NotPaired);
        }
        if self.phones[no].unpaired.is_some() {
            self.pair_again(no);
        }
        for slot in 0..self.phones[no].platform.sims.len() {
            let sim = u8::try_from(slot).unwrap_or(0);
            let route = Route { phone: no, sim };
            self.confirm_sim(route);
            self.sets(
                crate::hub::slot_of(route),
                crate::plan::Setting::Pause(false),
            );
            self.sets(crate::hub::slot_of(route), crate::plan::Setting::Limit(0));
            self.sets(
                crate::hub::slot_of(route),
                crate::plan::Setting::QuietFor(0),
            );
        }
        self.owner_releases(no);
        self.phone_input(no, Input::Fact(RadioFact::LogChanged(Log::Sms)));
    }

    /// A frozen device that is connected has shown what it holds; one that is not is no phone of
    /// the fleet any more.
    fn probe(&mut self) {
        let mut no = PROBES_FROM;
        for phone in 0..self.plan.fleet.sims.len() {
            for sim in 0..self.plan.fleet.sims[phone] {
                no += 1;
                let wanted = Wanted {
                    no,
                    sort: Sort::Text,
                    route: Route { phone, sim },
                    parts: 1,
                    text: no.unsigned_abs(),
                    priority: 2,
                    life_ms: 30 * HOUR,
                    resend_unknown: false,
                    movable: false,
                    flaw: Flaw::None,
                };
                self.accepts(&wanted);
                self.probes.insert(message_id(no));
            }
        }
    }

    fn judge_probes(&mut self) {
        for id in self.probes.clone() {
            let message = self.hub.rows.messages.get(&id);
            // What a phone lied of its own messages keeps its window full until their lives are over.
            if message.is_some_and(|message| self.is_liar(message.route.0)) {
                continue;
            }
            let state = message.map(|message| message.owner.state);
            if !state.is_some_and(HubState::went_out) {
                let text = format!("given to a whole phone 6 hours ago, it is {state:?}");
                return self.fail("a phone that is whole again sends", Some(id), text);
            }
        }
    }

    fn judge_ends(&mut self) {
        if let Some(id) = self.model.lost(&self.hub.rows.messages) {
            let text = "the hub has it no more".to_owned();
            return self.fail("what the hub accepted it keeps", Some(id), text);
        }
        let messages = self.hub.rows.messages.values();
        // A hub whose clock was set back ends lives that much later.
        let now = self.hub_now().unix;
        let is_over = |message: &&crate::hub::Message| {
            let due = message.owner.due_at(UnixMs(message.life_end));
            due.is_some_and(|due| due < now)
        };
        let stuck = messages
            .filter(is_over)
            .filter(|message| {
                message.owner.state.is_open() || message.owner.state == HubState::Waiting
            })
            .map(|message| (message.id, message.owner.state));
        if let Some((id, state)) = stuck.into_iter().next() {
            let text = format!("its life is over, and it is {state:?}");
            return self.fail("every message comes to an end", Some(id), text);
        }
        for no in 0..self.plan.fleet.sims.len() {
            let rows = self.phones[no].disk.rows();
            let link = &rows.rest().link;
            if link.up_acked != link.up_highest {
                let text = format!(
                    "phone {no} has {} of {} facts acked",
                    link.up_acked, link.up_highest
                );
                return self.fail("every fact comes to the hub", None, text);
            }
        }
        let found = self.model.judge_incoming(&self.hub.rows.incoming);
        self.judge(found);
    }
}
