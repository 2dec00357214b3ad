//! A device's SIM slots as its phones: made when a slot is first used, paused when another SIM
//! was put in.

use crate::alerts::{self, About};
use crate::devices::words;
use crate::stored_caps::Cap;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{AlertKind, Device, Phone, PhoneType, networks};
use hub_store::{StoreError, phones};
use postrider_link::frame::SimInfo;
use postrider_model::UnixMs;

/// Brings a device's phones in line with the slots that it has in use; says whether one was made.
pub fn sync(
    work: &mut UnitOfWork<'_, '_>,
    device: &Device,
    sims: &[SimInfo],
) -> Result<bool, StoreError> {
    let mut known = phones::of_device(work.tx, device.id)?;
    let mut made = false;
    for sim in sims {
        let Some(before) = known.iter().find(|phone| phone.sim == Some(sim.slot)) else {
            if Cap::Phones.reached(work.tx, work.project.id)?.is_some() {
                tracing::warn!(device = %device.id, "a SIM is no phone: its project has as many as it may");
                continue;
            }
            let phone = fresh(work, device, sim);
            phones::insert(work.tx, &phone)?;
            // A slot that is named twice is one phone.
            known.push(phone);
            made = true;
            continue;
        };
        let mut phone = before.clone();
        take_in(&mut phone, sim, work.now.unix);
        if phone != *before {
            phones::update(work.tx, &phone)?;
        }
        if phone.sim_changed != before.sim_changed {
            other_sim(work, &phone)?;
        }
    }
    Ok(made)
}

/// Tells everybody that another SIM is in the slot, or that the known one is back.
fn other_sim(work: &mut UnitOfWork<'_, '_>, phone: &Phone) -> Result<(), StoreError> {
    let (about, kind) = (About::Phone(phone), AlertKind::SimChanged);
    if phone.sim_changed {
        alerts::raise(work, about, kind)?;
    } else {
        alerts::clear(work, about, kind)?;
    }
    work.effects.settings(phone.id);
    Ok(())
}

/// Makes the phone of a slot that was not in use before; it is in the country of its network, else
/// in the project's.
pub fn fresh(work: &mut UnitOfWork<'_, '_>, device: &Device, sim: &SimInfo) -> Phone {
    let name = match sim.slot.get() {
        0 => device.name.clone(),
        slot => format!("{} (SIM {})", device.name, slot + 1),
    };
    let now = work.now.unix;
    let id = work.id();
    let mut phone = Phone::new(id, device.project_id, name, PhoneType::Android, now);
    phone.device_id = Some(device.id);
    phone.sim = Some(sim.slot);
    take_in(&mut phone, sim, now);
    let of_network = phone.mccmnc.as_deref().and_then(networks::country);
    let country = of_network.map(str::to_owned);
    phone.country = country.or_else(|| work.project.country.clone());
    phone
}

/// Takes in what a device says about a slot.
pub fn take_in(phone: &mut Phone, sim: &SimInfo, now: UnixMs) {
    if phone.phone_number.is_none() {
        phone.phone_number = sim.number.as_ref().and_then(|number| number.number());
    }
    if let Some(code) = sim.mccmnc.as_deref().filter(|code| words::is_network(code)) {
        phone.mccmnc = Some(code.to_owned());
    }
    if let Some(carrier) = &sim.carrier {
        phone.carrier = Some(words::clipped(carrier));
    }
    if sim.send_limit.is_some() {
        phone.send_limit = sim.send_limit;
    }
    if let Some(seen) = &sim.fingerprint {
        let seen = words::clipped(seen);
        match &phone.sim_fingerprint {
            Some(known) if *known != seen => phone.sim_changed = true,
            Some(_) => phone.sim_changed = false,
            None => phone.sim_fingerprint = Some(seen),
        }
    }
    phone.last_active_time = Some(now);
}
