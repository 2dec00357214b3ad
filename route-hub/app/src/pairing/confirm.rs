//! The operator says whether the six digits agree: the device joins, or does not.

use crate::alerts::{self, About};
use crate::devices::sims;
use crate::dispatch::freeze;
use crate::failure::NotDone;
use crate::hub_work::HubWork;
use crate::pairing::claim::Claimant;
use crate::pairing::request::SimDescription;
use crate::stored_caps::{Cap, Reached};
use crate::unit_of_work::UnitOfWork;
use hub_domain::numbers::{self, Names};
use hub_domain::{AlertKind, Device, DeviceState, Pairing, PairingState, Phone, Project};
use hub_store::{StoreError, Tx, devices, lost_installs, pairings, phones, projects};
use postrider_link::frame::SimInfo;
use postrider_model::PairingId;
use thiserror::Error;

/// What a device is called that neither the operator nor the phone has a name for.
const NAMELESS: &str = "Phone";

/// Why a pairing cannot be confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ConfirmRefused {
    /// There is no such pairing.
    #[error("there is no such pairing")]
    NoSuchPairing,
    /// No phone has used the code yet.
    #[error("no phone has used the code yet")]
    NotClaimed,
    /// The code has expired.
    #[error("the code has expired")]
    Expired,
    /// It was refused, or the code ended by wrong tries or another key.
    #[error("the code was ended: by wrong tries, by a phone with another key, or by refusing it")]
    Ended,
    /// The project, or the device to be replaced, is gone.
    #[error("the project, or the device to be replaced, is gone")]
    Gone,
    /// The project has as many phones as it may have.
    #[error("the phone {0}")]
    Full(Reached),
}

impl From<ConfirmRefused> for NotDone<ConfirmRefused> {
    fn from(reason: ConfirmRefused) -> Self {
        Self::Refused(reason)
    }
}

/// A device that joined.
#[derive(Debug, Clone)]
pub struct Joined {
    /// The device.
    pub device: Device,
    /// Its Phones in the order of their slots.
    pub phones: Vec<Phone>,
}

/// Lets the phone that claimed a pairing join; confirming twice changes nothing more.
pub fn confirm(
    work: &mut HubWork<'_, '_>,
    id: PairingId,
) -> Result<Joined, NotDone<ConfirmRefused>> {
    let pairing = pairings::get(work.tx, id)?.ok_or(ConfirmRefused::NoSuchPairing)?;
    match pairing.state {
        PairingState::Open | PairingState::Committed => {
            return Err(ConfirmRefused::NotClaimed.into());
        }
        PairingState::Ended => return Err(ConfirmRefused::Ended.into()),
        PairingState::Confirmed => return confirmed_before(work.tx, &pairing),
        PairingState::Claimed if pairing.time_expires <= work.now.unix => {
            return Err(ConfirmRefused::Expired.into());
        }
        PairingState::Claimed => {}
    }
    let project = projects::get(work.tx, pairing.project_id)?.ok_or(ConfirmRefused::Gone)?;
    let claimant = Claimant::of(&pairing).ok_or(ConfirmRefused::Gone)?;
    if pairing.device_id.is_none()
        && let Some(reached) = Cap::Phones.reached(work.tx, project.id)?
    {
        return Err(ConfirmRefused::Full(reached).into());
    }
    work.within(&project, |work| join(work, pairing, claimant))
}

fn join(
    work: &mut UnitOfWork<'_, '_>,
    pairing: Pairing,
    claimant: Claimant,
) -> Result<Joined, NotDone<ConfirmRefused>> {
    let mut joining = Joining {
        work,
        pairing,
        claimant,
    };
    let (device, action) = joining.device()?;
    let phones = joining.phones(&device)?;
    joining.default_route(&phones)?;
    joining.finish(&device, action)?;
    let project = joining.work.project.id;
    joining.work.effects.rows(project);
    joining.work.effects.device(project, device.id);
    Ok(Joined { device, phones })
}

/// Ends a pairing whose digits did not agree; says whether there was one to end.
pub fn refuse(tx: &mut Tx<'_>, id: PairingId) -> Result<bool, StoreError> {
    let Some(mut pairing) = pairings::get(tx, id)? else {
        return Ok(false);
    };
    match pairing.state {
        PairingState::Confirmed | PairingState::Ended => Ok(false),
        PairingState::Open | PairingState::Committed | PairingState::Claimed => {
            pairing.state = PairingState::Ended;
            pairings::update(tx, &pairing)?;
            Ok(true)
        }
    }
}

fn confirmed_before(tx: &mut Tx<'_>, pairing: &Pairing) -> Result<Joined, NotDone<ConfirmRefused>> {
    let id = pairing.device_id.ok_or(ConfirmRefused::Gone)?;
    let device = devices::get(tx, id)?.ok_or(ConfirmRefused::Gone)?;
    let phones = phones::of_device(tx, id)?;
    Ok(Joined { device, phones })
}

struct Joining<'j, 'w, 't> {
    work: &'j mut UnitOfWork<'w, 't>,
    pairing: Pairing,
    claimant: Claimant,
}

impl Joining<'_, '_, '_> {
    /// Stores the device, new or with its new key, and says what is written down of it.
    fn device(&mut self) -> Result<(Device, &'static str), NotDone<ConfirmRefused>> {
        let Some(id) = self.pairing.device_id else {
            let device = self.fresh_device();
            devices::insert(self.work.tx, &device)?;
            return Ok((device, "device.pair"));
        };
        let before = devices::get(self.work.tx, id)?.ok_or(ConfirmRefused::Gone)?;
        let device = self.replacement(before)?;
        devices::update(self.work.tx, &device)?;
        Ok((device, "device.replace"))
    }

    fn fresh_device(&mut self) -> Device {
        let names = [&self.pairing.name, &self.claimant.device.name];
        let name = names.into_iter().find(|name| !name.trim().is_empty());
        let mut device = Device {
            id: self.work.id(),
            organization_id: self.work.project.organization_id,
            project_id: self.work.project.id,
            name: name.map_or(NAMELESS, |name| name.trim()).to_owned(),
            public_key: String::new(),
            key_algorithm: String::new(),
            install: String::new(),
            conn: 0,
            gen_seen: 0,
            gen_own: 0,
            down_sent: 0,
            down_acked: 0,
            up: 0,
            state: DeviceState::Active,
            frozen: false,
            time_paired: self.work.now.unix,
            time_last_seen: None,
            facts: None,
            offline_since: None,
            connected_to: None,
        };
        self.take_key(&mut device);
        device
    }

    /// Another installation knows nothing of the old one's counters, and what the old one was
    /// exposed can never be answered for.
    fn replacement(&mut self, mut device: Device) -> Result<Device, StoreError> {
        if device.install != self.claimant.install.as_str() {
            freeze::gone(self.work, &device)?;
            let now = self.work.now.unix;
            lost_installs::insert(self.work.tx, &device, &device.install, now)?;
            device.frozen = false;
            device.conn = 0;
            (device.gen_seen, device.gen_own) = (0, 0);
            device.down_sent = 0;
            device.down_acked = 0;
            device.up = 0;
            device.connected_to = None;
        }
        let name = self.pairing.name.trim();
        if !name.is_empty() {
            name.clone_into(&mut device.name);
        }
        device.state = DeviceState::Active;
        device.time_paired = self.work.now.unix;
        self.take_key(&mut device);
        Ok(device)
    }

    fn take_key(&self, device: &mut Device) {
        let pairing = &self.pairing;
        device.public_key = pairing.public_key.clone().unwrap_or_default();
        device.key_algorithm = pairing.key_algorithm.clone().unwrap_or_default();
        self.claimant
            .install
            .as_str()
            .clone_into(&mut device.install);
    }

    /// Stores a Phone for each slot that has none yet; those that are there keep their ids.
    fn phones(&mut self, device: &Device) -> Result<Vec<Phone>, StoreError> {
        let known = phones::of_device(self.work.tx, device.id)?;
        for sim in &self.claimant.device.sims {
            match known.iter().find(|phone| phone.sim == Some(sim.slot)) {
                None => {
                    let mut phone = sims::fresh(self.work, device, &informed(sim));
                    if let Some(country) = region(sim) {
                        phone.country = Some(country);
                    }
                    phone.phone_number = number(sim, phone.country.as_deref());
                    self.describe(&mut phone);
                    phones::insert(self.work.tx, &phone)?;
                }
                Some(phone) => {
                    let mut phone = phone.clone();
                    self.describe(&mut phone);
                    phones::update(self.work.tx, &phone)?;
                }
            }
        }
        phones::of_device(self.work.tx, device.id)
    }

    fn describe(&self, phone: &mut Phone) {
        let device = &self.claimant.device;
        let said = |text: &String| (!text.is_empty()).then(|| text.clone());
        phone.manufacturer = said(&device.manufacturer);
        phone.model = said(&device.model);
        phone.app_version = said(&device.app_version);
        phone.android_sdk = device.android_sdk.map(i64::from);
    }

    /// The first phone of a project sends what names no route, until somebody says otherwise.
    fn default_route(&mut self, phones: &[Phone]) -> Result<(), StoreError> {
        let before = self.work.project;
        let (None, Some(first)) = (before.default_route_id, phones.first()) else {
            return Ok(());
        };
        let project = Project {
            default_route_id: Some(first.id.into()),
            ..before.clone()
        };
        projects::update(self.work.tx, &project)?;
        Ok(())
    }

    fn finish(&mut self, device: &Device, action: &'static str) -> Result<(), StoreError> {
        self.pairing.device_id = Some(device.id);
        self.pairing.state = PairingState::Confirmed;
        let work = &mut *self.work;
        pairings::update(work.tx, &self.pairing)?;
        alerts::clear(work, About::Device(device.id), AlertKind::PhoneCloned)?;
        work.note(action, device.id)
    }
}

fn informed(sim: &SimDescription) -> SimInfo {
    SimInfo {
        slot: sim.slot,
        carrier: sim.carrier.clone(),
        mccmnc: sim.mccmnc.clone(),
        ..SimInfo::default()
    }
}

fn region(sim: &SimDescription) -> Option<String> {
    let country = sim.country.as_deref()?.trim();
    let formed = country.len() == 2 && country.bytes().all(|b| b.is_ascii_alphabetic());
    formed.then(|| country.to_ascii_uppercase())
}

fn number(sim: &SimDescription, region: Option<&str>) -> Option<postrider_model::PhoneNumber> {
    numbers::parse(sim.number.as_ref()?.as_str(), region, Names::Refused).ok()
}
