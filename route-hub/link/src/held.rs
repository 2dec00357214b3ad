//! One phone's messages, as the rules of [`postrider_link::dispatch::held`] and
//! [`postrider_link::dispatch::hello`] read and write them.

use hub_app::alerts::{self, About};
use hub_app::damage;
use hub_app::devices::sims;
use hub_app::dispatch::expose;
use hub_app::dispatch::freeze;
use hub_app::dispatch::transitions::Detail;
use hub_app::hub::proofs::Proofs;
use hub_app::messages::waiting::quiet_until;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::{AlertKind, Device, Message, Phone};
use hub_store::devices::{self, LinkCounters};
use hub_store::{StoreError, lost_installs, messages, past_exposures, phones, projects};
use postrider_link::dispatch::freeze::Freeze;
use postrider_link::dispatch::held::{PageRows, Rows};
use postrider_link::dispatch::hello;
use postrider_link::frame::{Address, HeldRow, InstallId, Send, SimInfo};
use postrider_link::ownership::hub::{Fact, Holder, Outcome, Ownership};
use postrider_link::session::hub::DeviceLink;
use postrider_model::MessageId;

/// The messages that a phone may hold.
pub(crate) struct Held<'w, 't> {
    pub work: UnitOfWork<'w, 't>,
    pub device: Device,
    pub by: Holder,
    /// Its SIM slots in use.
    pub on: Vec<Phone>,
}

/// One day.
const DAY_MS: i64 = 24 * 3_600_000;

impl Rows for Held<'_, '_> {
    type Error = StoreError;
    type Message = Message;

    fn message(&mut self, id: MessageId) -> Result<Option<Message>, StoreError> {
        let project = self.work.project.id;
        let found = damage::message(&mut self.work, id)?;
        Ok(found.filter(|message| message.project_id == project))
    }

    fn placed_above(&mut self, down: u64) -> Result<Vec<Message>, StoreError> {
        let found = messages::on_device(self.work.tx, self.by.device, down)?;
        damage::readable(&mut self.work, found)
    }

    fn owned(&self, message: &Message) -> Result<Ownership, StoreError> {
        Ok(message.ownership.clone().unwrap_or_default())
    }

    fn is_alive(&self, message: &Message) -> bool {
        let now = self.work.now.unix;
        message.life_end.is_none_or(|end| now < end)
    }

    fn apply(
        &mut self,
        message: &mut Message,
        fact: Fact<'_>,
    ) -> Result<Option<Outcome>, StoreError> {
        self.work.apply(message, fact, &Detail::default())
    }

    fn frame_again(&mut self, message: &Message, s: u64) -> Result<Option<Send>, StoreError> {
        let phone = self.on.iter().find(|phone| phone.id == message.phone_id);
        let (project, now) = (self.work.project, self.work.now.unix);
        // The phone may not know of these quiet hours: it hears of its settings only after this frame.
        let is_quiet = |phone: &Phone| quiet_until(project, message, phone, now).is_some();
        let may_send =
            |phone: &&Phone| !expose::is_held_back(&self.work, phone) && !is_quiet(phone);
        let phone = phone.filter(may_send).filter(|_| !message.hidden);
        let (Some(phone), Some(to)) = (phone, &message.to_number) else {
            return Ok(None);
        };
        let Some(sim) = phone.sim else {
            return Ok(None);
        };
        let by = (sim, phone.delivery_reports);
        let frame = expose::frame(&self.work, message, s, Address::from(to), by);
        let movable = expose::is_movable(&mut self.work, message)?;
        Ok(Some(Send { movable, ..frame }))
    }

    fn freeze(&mut self) -> Result<Option<Freeze>, StoreError> {
        projects::freeze(self.work.tx, self.work.project.id)
    }

    fn key(&self, message: &Message) -> i64 {
        message.id.get()
    }
}

impl PageRows for Held<'_, '_> {
    fn is_proven(&self, row: &HeldRow) -> bool {
        let Holder { device, install } = &self.by;
        let own = || self.work.hub.proofs.of(*device, install, row.id, row.ep);
        row.proof
            .is_some_and(|shown| Proofs::is_own(&shown, &own()))
    }

    fn is_kept(&self, row: &HeldRow) -> bool {
        let days = self.work.project.message_retention_days;
        let kept_ms = days.map_or(i64::MAX, |days| i64::from(days) * DAY_MS);
        let age_ms = self
            .work
            .now
            .unix
            .0
            .saturating_sub(row.id.key().made_at_ms());
        age_ms < kept_ms
    }

    fn is_for_phones(&self, message: &Message) -> bool {
        message.ownership.is_some() && !message.simulated
    }

    fn was_held(&mut self, row: &HeldRow) -> Result<bool, StoreError> {
        let past = past_exposures::get(self.work.tx, row.id, row.ep)?;
        Ok(past.is_some_and(|past| {
            past.device_id == self.by.device && past.install == self.by.install.as_str()
        }))
    }

    /// It is routed to one of its Phones or to a custom route that one of them is in, or this phone
    /// held an exposure of it.
    fn is_concerned(&mut self, message: &Message) -> Result<bool, StoreError> {
        if self.on.iter().any(|phone| phone.id == message.phone_id) {
            return Ok(true);
        }
        let (hub, tx) = (self.work.hub, &mut *self.work.tx);
        let route = match message.route_id {
            Some(id) => hub.cache.route_in(tx, id)?,
            None => None,
        };
        let offered = route.map(|route| route.actions.phones());
        let is_offered = |phone: &Phone| offered.as_ref().is_some_and(|of| of.contains(&phone.id));
        Ok(self.on.iter().any(is_offered)
            || past_exposures::any_of_device(tx, message.id, self.by.device)?)
    }
}

impl hello::Rows for Held<'_, '_> {
    fn lose(&mut self, install: &InstallId) -> Result<(), StoreError> {
        let work = &mut self.work;
        lost_installs::insert(work.tx, &self.device, install.as_str(), work.now.unix)?;
        freeze::gone(work, &self.device)
    }

    fn answered(&mut self) -> Result<(), StoreError> {
        freeze::answered(&mut self.work, &self.device)
    }

    fn went_backwards(&mut self) -> Result<(), StoreError> {
        freeze::shown_by(&mut self.work, &self.device)
    }

    fn admit(&mut self, link: &DeviceLink, gen_own: u64) -> Result<(), StoreError> {
        let (work, device) = (&mut self.work, &mut self.device);
        link.install.as_str().clone_into(&mut device.install);
        (device.gen_own, device.connected_to) = (gen_own, Some(work.hub.process));
        devices::admit(work.tx, device, &counters(link), work.now.unix)?;
        alerts::clear(work, About::Device(device.id), AlertKind::PhoneOffline)
    }

    fn sync_sims(&mut self, seen: &[SimInfo]) -> Result<(), StoreError> {
        if sims::sync(&mut self.work, &self.device, seen)? {
            self.work.effects.rows(self.work.project.id);
        }
        self.on = phones::of_device(self.work.tx, self.device.id)?;
        Ok(())
    }
}

/// Returns the link's part of a device's row; `None` when its installation is no name.
pub(crate) fn link_of(device: &Device) -> Option<DeviceLink> {
    Some(DeviceLink {
        install: device.install.parse::<InstallId>().ok()?,
        conn: device.conn,
        generation: device.gen_seen,
        down_sent: device.down_sent,
        down_acked: device.down_acked,
        up: device.up,
    })
}

/// Returns a link's counters as they are stored.
pub(crate) fn counters(link: &DeviceLink) -> LinkCounters {
    LinkCounters {
        conn: link.conn,
        gen_seen: link.generation,
        down_sent: link.down_sent,
        down_acked: link.down_acked,
        up: link.up,
    }
}
