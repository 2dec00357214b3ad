//! A hub that went backwards: what waits, and for whose word. The rules are those of
//! [`postrider_link::dispatch::freeze`]; here are the tables that they read and write, and the alerts.

use crate::alerts::{self, About};
use crate::damage;
use crate::dispatch::device_lost;
use crate::dispatch::transitions::Detail;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{AlertKind, Device, DeviceState, Message};
use hub_store::{StoreError, Tx, devices, messages, meta, phones, projects};
use postrider_link::dispatch::freeze::{self as rules, Freeze, Frozen, Queues};
use postrider_link::ownership::hub::Fact;
use postrider_model::{DeviceId, ProjectId};

/// Returns a device as the rules of a freeze see it.
pub fn seen_by_rules(device: &Device) -> rules::Device {
    rules::Device {
        id: device.id,
        frozen: device.frozen,
        in_service: device.state == DeviceState::Active,
        gen_seen: device.gen_seen,
        gen_own: device.gen_own,
    }
}

/// A project's rows, as the rules of a freeze read and write them.
struct Rows<'r, 'w, 't>(&'r mut UnitOfWork<'w, 't>);

impl rules::Rows for Rows<'_, '_, '_> {
    type Error = StoreError;

    fn generation(&mut self) -> Result<u64, StoreError> {
        meta::generation(self.0.tx)
    }

    fn newest_key(&mut self) -> Result<i64, StoreError> {
        Ok(self.0.key().get())
    }

    fn freeze(&mut self) -> Result<Option<Freeze>, StoreError> {
        projects::freeze(self.0.tx, self.0.project.id)
    }

    fn put_freeze(&mut self, freeze: Option<Freeze>) -> Result<(), StoreError> {
        projects::set_freeze(self.0.tx, self.0.project.id, freeze)
    }

    fn devices(&mut self) -> Result<Vec<rules::Device>, StoreError> {
        let devices = devices::of_project(self.0.tx, self.0.project.id)?;
        Ok(devices.iter().map(seen_by_rules).collect())
    }

    fn frozen(&mut self) -> Result<Frozen, StoreError> {
        let waits = devices::any_frozen(self.0.tx, self.0.project.id)?;
        let any = waits || devices::any_frozen_at_all(self.0.tx, self.0.project.id)?;
        Ok(Frozen { waits, any })
    }

    fn freeze_device(&mut self, id: DeviceId, gen_own: u64) -> Result<(), StoreError> {
        devices::freeze(self.0.tx, id, gen_own)
    }

    fn thaw_device(&mut self, id: DeviceId) -> Result<(), StoreError> {
        devices::set_frozen(self.0.tx, id, false)
    }

    fn put_alone(&mut self, id: DeviceId, alone: bool) -> Result<(), StoreError> {
        devices::set_frozen_alone(self.0.tx, id, alone)
    }

    fn forget_exposures(&mut self, of: Queues, up_to: i64) -> Result<(), StoreError> {
        let phones = match of {
            Queues::OfProject => phones::of_project(self.0.tx, self.0.project.id)?,
            Queues::OfDevice(device) => phones::of_device(self.0.tx, device)?,
        };
        for phone in phones {
            let waiting = messages::waiting_up_to(self.0.tx, phone.id, up_to)?;
            for mut message in damage::readable(self.0, waiting)? {
                let fact = Fact::ExposureForgotten;
                self.0.apply(&mut message, fact, &Detail::default())?;
            }
        }
        Ok(())
    }
}

/// Returns the key above which a project's messages may be exposed; 0 lets all of them.
pub fn exposable_above(tx: &mut Tx<'_>, project: ProjectId) -> Result<i64, StoreError> {
    let freeze = projects::freeze(tx, project)?;
    Ok(freeze.and_then(Freeze::holds_up_to).unwrap_or(0))
}

/// Says whether a queued message may be on a phone that has not answered: nobody can say of it
/// that it was not sent.
pub fn may_be_out(tx: &mut Tx<'_>, message: &Message) -> Result<bool, StoreError> {
    let freeze = projects::freeze(tx, message.project_id)?;
    let Some(freeze) = freeze.filter(|_| !message.simulated) else {
        return Ok(false);
    };
    freeze.may_be_out(message.id.get(), || {
        Ok(own_device(tx, message)?.is_some_and(|device| device.frozen))
    })
}

/// Says whether its own phone, frozen and waited for by nobody else, may have a queued message:
/// then it goes to another one by its sender's choice alone (R4).
pub fn may_be_with_its_phone(tx: &mut Tx<'_>, message: &Message) -> Result<bool, StoreError> {
    let freeze = projects::freeze(tx, message.project_id)?;
    let Some(freeze) = freeze.filter(|_| !message.simulated) else {
        return Ok(false);
    };
    let own = own_device(tx, message)?.as_ref().map(seen_by_rules);
    Ok(own.is_some_and(|own| freeze.may_be_with_its_phone(message.id.get(), own)))
}

fn own_device(tx: &mut Tx<'_>, message: &Message) -> Result<Option<Device>, StoreError> {
    let phone = phones::by_key(tx, message.phone_id)?;
    let device = phone.and_then(|phone| phone.device_id);
    Ok(device.map(|id| devices::get(tx, id)).transpose()?.flatten())
}

/// The devices of a project that are to answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ToAnswer {
    /// How many they are.
    pub all: usize,
    /// How many of them were to answer before.
    pub before: usize,
}

/// Freezes a project, each of its phones until it has answered: to the hub's generation, or to one
/// of its own where it has answered to that before.
pub fn whole_project(work: &mut UnitOfWork<'_, '_>) -> Result<ToAnswer, StoreError> {
    let mut devices = devices::of_project(work.tx, work.project.id)?;
    devices.retain(|device| device.state != DeviceState::Revoked);
    let to_answer = ToAnswer {
        all: devices.len(),
        before: devices.iter().filter(|device| device.frozen).count(),
    };
    if rules::freeze_all(&mut Rows(work))? {
        alerts::raise(work, About::Project, AlertKind::HubFrozen)?;
        work.effects.project(work.project.id);
    }
    Ok(to_answer)
}

/// A phone's numbers show that the hub went backwards: it waits for its own word, and nobody else
/// does.
pub fn shown_by(work: &mut UnitOfWork<'_, '_>, device: &Device) -> Result<(), StoreError> {
    tracing::warn!(device = %device.id, "a phone shows more than this hub knows of");
    rules::freeze_alone(&mut Rows(work), seen_by_rules(device))?;
    alerts::raise(work, About::Device(device.id), AlertKind::HubFrozen)
}

/// A phone that was frozen by its numbers has shown an exposure that this hub made and does not
/// know: the whole project waits, for any of its messages may have gone to another phone since.
pub fn proven_by(work: &mut UnitOfWork<'_, '_>, device: &Device) -> Result<(), StoreError> {
    if !devices::is_frozen_alone(work.tx, device.id)? {
        return Ok(());
    }
    tracing::warn!(device = %device.id, project = %work.project.id,
        "a phone shows the hub's own proof of what it has forgotten: the project is frozen");
    whole_project(work).map(drop)
}

/// A phone has shown all that it holds, or was never given anything: it is sent to again.
pub fn answered(work: &mut UnitOfWork<'_, '_>, device: &Device) -> Result<(), StoreError> {
    let ended = rules::answered(&mut Rows(work), seen_by_rules(device))?;
    thawed(work, device, ended)
}

/// Tells what follows when a phone is not waited for any more, and perhaps its whole project
/// waits for nobody.
fn thawed(work: &mut UnitOfWork<'_, '_>, device: &Device, ended: bool) -> Result<(), StoreError> {
    if device.frozen {
        alerts::clear(work, About::Device(device.id), AlertKind::HubFrozen)?;
    }
    if ended {
        alerts::clear(work, About::Project, AlertKind::HubFrozen)?;
        work.effects.project(work.project.id);
    }
    Ok(())
}

/// A phone will never say what it holds: it was removed, replaced, has a journal that went back, or
/// the operator gave it up. `device` is its row as it was until then.
///
/// What it was exposed is unknown. So is, while it is frozen, what waits and may have been given to
/// it: what its Phones had queued when the hub went backwards, and all that the project had queued
/// where everything waits for its word.
pub fn gone(work: &mut UnitOfWork<'_, '_>, device: &Device) -> Result<(), StoreError> {
    device_lost::device_lost(work, device.id)?;
    let ended = rules::gone(&mut Rows(work), seen_by_rules(device))?;
    thawed(work, device, ended)
}
