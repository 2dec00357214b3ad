//! What happens to a virtual phone from outside.

use crate::{
    inbox::{Content, InboxRow},
    phone::VirtualPhone,
    profile::Profile,
    seen::Seen,
    standard_input::{Incoming, IncomingData, IncomingMms, Input},
};
use postrider_agent::{Clock, Command, Log, RadioFact, SimInfo};
use postrider_link::frame::{Address, Data};
use postrider_model::{PhoneNumber, SimSlot};

/// How much later the repeating profile broadcasts it again, in milliseconds.
const AGAIN_MS: u64 = 300;
/// How often, in per cent, the flaky profile's platform does not broadcast at all.
const NOT_TOLD_PERCENT: u64 = 10;

impl VirtualPhone {
    /// Makes something happen to the phone; returns false when it has stopped, and will find
    /// incoming things at its next start.
    ///
    /// [`Input::Unpair`] only begins here: the phone then ends by itself, as
    /// [`VirtualPhone::closed`] tells.
    pub async fn take(&self, input: Input) -> bool {
        match input {
            Input::Sms(message) => self.receive(message),
            Input::Data(message) => self.receive_data(message),
            Input::Mms(message) => self.receive_mms(message),
            Input::Call(call) => self.radio.ring(&call).is_ok(),
            Input::SimChanged {
                sim,
                fingerprint,
                number,
            } => self.change_sim(sim, fingerprint, number.as_ref()),
            Input::SimRemoved { sim } => self.remove_sim(sim),
            Input::Service { in_service, sim } => self.set_service(sim, in_service),
            Input::Airplane { on } => self.set_airplane_mode(on).await,
            Input::Network { up, name } => self.set_network(up, name).await,
            Input::Battery { percent, charging } => self.set_battery(percent, charging),
            Input::Clock { by_ms, sleep_ms } => {
                self.clock.set_wall(by_ms);
                self.clock.sleep(sleep_ms);
                self.phone.wake().await;
                true
            }
            Input::Pause { on } => self.command(Command::SetPaused(on)).await,
            Input::Release { sim } => self.command(Command::ReleaseSim(sim)).await,
            Input::ConfirmSim { sim } => self.command(Command::ConfirmSim(sim)).await,
            Input::AllowUssdCodes { on } => self.command(Command::AllowUssdCodes(on)).await,
            Input::Unpair { within_s } => {
                let within = std::time::Duration::from_secs(within_s);
                self.phone.begin_unpairing(within).await.is_ok()
            }
        }
    }

    /// Makes a message come in; returns false when the phone has stopped.
    pub fn receive(&self, message: Incoming) -> bool {
        self.radio.watch(&Seen::Received {
            sim: message.sim,
            from: &message.from,
            text: &message.text,
        });
        let text = message.text;
        let row = self.store(message.sim, &message.from, Content::Sms { text });
        let is_told = row.is_some_and(|row| self.broadcast(&row));
        self.radio.tell_changed(Log::Sms);
        is_told
    }

    fn receive_data(&self, message: IncomingData) -> bool {
        self.show(message.sim, &message.from, "a data message");
        let data = Data {
            port: message.port,
            base64: message.base64,
        };
        let confirmed = false;
        let content = Content::Data { data, confirmed };
        let row = self.store(message.sim, &message.from, content);
        row.is_some_and(|row| self.radio.tell(0, row.broadcast()))
    }

    fn receive_mms(&self, message: IncomingMms) -> bool {
        self.show(message.sim, &message.from, "a multimedia message");
        let (subject, text) = (message.subject, message.text);
        let content = Content::Mms { subject, text };
        let row = self.store(message.sim, &message.from, content);
        let is_told = row.is_some_and(|row| self.broadcast(&row));
        self.radio.tell_changed(Log::Mms);
        is_told
    }

    fn store(&self, sim: SimSlot, from: &PhoneNumber, content: Content) -> Option<InboxRow> {
        let now = self.clock.now().unix;
        let stored = self.radio.inbox.add(now, sim, Address::from(from), content);
        if stored.is_err() {
            tracing::error!("an incoming message cannot be stored");
        }
        stored.ok()
    }

    /// The platform broadcasts once, twice, or not at all; then only the log has it.
    fn broadcast(&self, row: &InboxRow) -> bool {
        let profile = self.radio.profile;
        if profile == Profile::Flaky && self.radio.dice().in_percent(NOT_TOLD_PERCENT) {
            return true;
        }
        if profile == Profile::Repeat {
            self.radio.tell(AGAIN_MS, row.broadcast());
        }
        self.radio.tell(0, row.broadcast())
    }

    fn show(&self, sim: SimSlot, from: &PhoneNumber, what: &'static str) {
        self.radio.watch(&Seen::ReceivedOther { sim, from, what });
    }

    fn change_sim(&self, slot: SimSlot, fingerprint: String, number: Option<&PhoneNumber>) -> bool {
        let mut world = self.radio.world();
        let before = world.sims.iter().find(|sim| sim.slot == slot).cloned();
        world.sims.retain(|sim| sim.slot != slot);
        world.sims.push(SimInfo {
            slot,
            fingerprint: Some(fingerprint),
            number: number.map(Address::from),
            ..before.unwrap_or_default()
        });
        world.sims.sort_by_key(|sim| sim.slot);
        let sims = world.sims.clone();
        self.radio.tell(0, RadioFact::SimsChanged(sims))
    }

    fn remove_sim(&self, slot: SimSlot) -> bool {
        let mut world = self.radio.world();
        world.sims.retain(|sim| sim.slot != slot);
        let sims = world.sims.clone();
        self.radio.tell(0, RadioFact::SimsChanged(sims))
    }

    fn set_service(&self, sim: Option<SimSlot>, in_service: bool) -> bool {
        let slots: Vec<_> = {
            let mut world = self.radio.world();
            let all = world.sims.iter().map(|sim| sim.slot);
            let slots: Vec<_> = all
                .filter(|slot| sim.is_none_or(|sim| sim == *slot))
                .collect();
            for slot in &slots {
                world.set_service(*slot, in_service);
            }
            slots
        };
        self.tell_service(slots, in_service)
    }

    fn tell_service(&self, slots: Vec<SimSlot>, in_service: bool) -> bool {
        let fact = |sim| RadioFact::ServiceChanged { sim, in_service };
        let mut facts = slots.into_iter().map(fact);
        facts.all(|fact| self.radio.tell(0, fact))
    }

    async fn set_airplane_mode(&self, on: bool) -> bool {
        let with_service: Vec<_> = {
            let mut world = self.radio.world();
            world.set_airplane_mode(false);
            let slots = world.sims.iter().map(|sim| sim.slot);
            let free = slots.filter(|slot| world.obstacle(*slot).is_none());
            let with_service = free.collect();
            world.set_airplane_mode(on);
            with_service
        };
        self.tell_service(with_service, !on) && self.set_network(!on, None).await
    }

    async fn set_network(&self, up: bool, name: Option<String>) -> bool {
        if up {
            self.phone.network_changed().await
        } else {
            self.phone.network_lost().await
        }
        let Some(name) = name.filter(|_| up) else {
            return true;
        };
        let condition = {
            let mut world = self.radio.world();
            world.condition.network = Some(name);
            world.condition.clone()
        };
        self.radio.tell(0, RadioFact::ConditionChanged(condition))
    }

    fn set_battery(&self, percent: u8, charging: Option<bool>) -> bool {
        let mut world = self.radio.world();
        world.condition.battery = Some(percent.min(100));
        world.condition.charging = charging.or(world.condition.charging);
        let condition = world.condition.clone();
        self.radio.tell(0, RadioFact::ConditionChanged(condition))
    }

    async fn command(&self, command: Command) -> bool {
        match self.phone.command(command).await {
            Ok(()) => true,
            Err(refused) => {
                if let Some(refused) = &refused {
                    tracing::error!(%refused, "the phone refused a command");
                }
                refused.is_some()
            }
        }
    }
}
