//! The operator's word on the six digits: the device joins, or does not.

use crate::alerts;
use crate::audit;
use crate::devices::{freeze, installs, sims};
use crate::dispatch::effects::Effects;
use crate::dispatch::unit_of_work::UnitOfWork;
use crate::hub::Hub;
use crate::pairing::claim::Claimant;
use crate::pairing::wire::SimDescription;
use crate::stored_caps::{Cap, Reached};
use hub_domain::numbers::{self, Names};
use hub_domain::{AlertKind, Device, DeviceState, Pairing, PairingState, Phone, Project};
use hub_store::{StoreError, Tx, devices, pairings, phones, projects};
use postrider_link::frame::SimInfo;
use postrider_model::{Now, PairingId};
use std::fmt;

/// What a device is called that neither the operator nor the phone has a name for.
const NAMELESS: &str = "Phone";

/// Why a pairing cannot be confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfirmRefused {
    /// There is no such pairing.
    NoSuchPairing,
    /// No phone has used the code yet.
    NotClaimed,
    /// The code has run out.
    Expired,
    /// It was refused, or the code ended by wrong tries or another key.
    Ended,
    /// The project, or the device to be replaced, is gone.
    Gone,
    /// The project has as many phones as it may have.
    Full(Reached),
}

impl fmt::Display for ConfirmRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Full(reached) => return write!(f, "the phone {reached}"),
            Self::NoSuchPairing => "there is no such pairing",
            Self::NotClaimed => "no phone has used the code yet",
            Self::Expired => "the code has run out",
            Self::Ended => {
                "the code was ended: by wrong tries, by a phone with another key, or by refusing it"
            }
            Self::Gone => "the project, or the device to be replaced, is gone",
        };
        f.write_str(text)
    }
}

/// A device that joined.
#[derive(Debug, Clone)]
pub struct Joined {
    /// The device.
    pub device: Device,
    /// Its Phones in the order of their slots.
    pub phones: Vec<Phone>,
    /// What follows the commit.
    pub effects: Effects,
}

/// Lets the phone that claimed a pairing join; confirming twice changes nothing more.
pub fn confirm(
    hub: &Hub,
    tx: &mut Tx<'_>,
    id: PairingId,
    now: Now,
) -> Result<Result<Joined, ConfirmRefused>, StoreError> {
    let Some(pairing) = pairings::get(tx, id)? else {
        return Ok(Err(ConfirmRefused::NoSuchPairing));
    };
    match pairing.state {
        PairingState::Open | PairingState::Committed => {
            return Ok(Err(ConfirmRefused::NotClaimed));
        }
        PairingState::Ended => return Ok(Err(ConfirmRefused::Ended)),
        PairingState::Confirmed => return confirmed_before(tx, &pairing),
        PairingState::Claimed if pairing.time_expires <= now.unix => {
            return Ok(Err(ConfirmRefused::Expired));
        }
        PairingState::Claimed => {}
    }
    let (Some(project), Some(claimant)) = (
        projects::get(tx, pairing.project_id)?,
        Claimant::of(&pairing),
    ) else {
        return Ok(Err(ConfirmRefused::Gone));
    };
    if pairing.device_id.is_none()
        && let Some(reached) = Cap::Phones.reached(tx, project.id)?
    {
        return Ok(Err(ConfirmRefused::Full(reached)));
    }
    let mut joining = Joining {
        hub,
        project,
        pairing,
        claimant,
        now,
        effects: Effects::default(),
    };
    let Some((device, action)) = joining.device(tx)? else {
        return Ok(Err(ConfirmRefused::Gone));
    };
    let phones = joining.phones(tx, &device)?;
    joining.default_route(tx, &phones)?;
    joining.settle(tx, &device, action)?;
    joining.effects.rows(joining.project.id);
    joining.effects.device(joining.project.id, device.id);
    Ok(Ok(Joined {
        device,
        phones,
        effects: joining.effects,
    }))
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

fn confirmed_before(
    tx: &mut Tx<'_>,
    pairing: &Pairing,
) -> Result<Result<Joined, ConfirmRefused>, StoreError> {
    let device = match pairing.device_id {
        Some(id) => devices::get(tx, id)?,
        None => None,
    };
    let Some(device) = device else {
        return Ok(Err(ConfirmRefused::Gone));
    };
    let phones = phones::of_device(tx, device.id)?;
    Ok(Ok(Joined {
        device,
        phones,
        effects: Effects::default(),
    }))
}

struct Joining<'h> {
    hub: &'h Hub,
    project: Project,
    pairing: Pairing,
    claimant: Claimant,
    now: Now,
    effects: Effects,
}

impl Joining<'_> {
    /// Stores the device, new or with its new key; `None` when the one to be replaced is gone.
    fn device(&mut self, tx: &mut Tx<'_>) -> Result<Option<(Device, &'static str)>, StoreError> {
        match self.pairing.device_id {
            None => {
                let device = self.fresh_device();
                devices::insert(tx, &device)?;
                Ok(Some((device, "device.pair")))
            }
            Some(id) => {
                let Some(before) = devices::get(tx, id)? else {
                    return Ok(None);
                };
                let device = self.replacement(tx, before)?;
                devices::update(tx, &device)?;
                Ok(Some((device, "device.replace")))
            }
        }
    }

    fn fresh_device(&self) -> Device {
        let names = [&self.pairing.name, &self.claimant.device.name];
        let name = names.into_iter().find(|name| !name.trim().is_empty());
        let mut device = Device {
            id: self.hub.id(self.now),
            organization_id: self.project.organization_id,
            project_id: self.project.id,
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
            time_paired: self.now.unix,
            time_last_seen: None,
            facts: None,
            offline_since: None,
        };
        self.take_key(&mut device);
        device
    }

    /// Another installation knows nothing of the old one's counters, and what the old one was
    /// exposed can never be answered for.
    fn replacement(&mut self, tx: &mut Tx<'_>, mut device: Device) -> Result<Device, StoreError> {
        if device.install != self.claimant.install.as_str() {
            let gone = freeze::gone(self.hub, tx, &self.project, &device, self.now)?;
            self.effects.merge(gone);
            installs::lose(tx, &device, &device.install, self.now.unix)?;
            device.frozen = false;
            device.conn = 0;
            (device.gen_seen, device.gen_own) = (0, 0);
            device.down_sent = 0;
            device.down_acked = 0;
            device.up = 0;
        }
        let name = self.pairing.name.trim();
        if !name.is_empty() {
            name.clone_into(&mut device.name);
        }
        device.state = DeviceState::Active;
        device.time_paired = self.now.unix;
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
    fn phones(&mut self, tx: &mut Tx<'_>, device: &Device) -> Result<Vec<Phone>, StoreError> {
        let known = phones::of_device(tx, device.id)?;
        let work = UnitOfWork::new(self.hub, tx, &self.project, self.now);
        for sim in &self.claimant.device.sims {
            match known.iter().find(|phone| phone.sim == Some(sim.slot)) {
                None => {
                    let mut phone = sims::fresh(&work, device, &informed(sim));
                    if let Some(country) = region(sim) {
                        phone.country = Some(country);
                    }
                    phone.phone_number = number(sim, phone.country.as_deref());
                    self.describe(&mut phone);
                    phones::insert(work.tx, &phone)?;
                }
                Some(phone) => {
                    let mut phone = phone.clone();
                    self.describe(&mut phone);
                    phones::update(work.tx, &phone)?;
                }
            }
        }
        phones::of_device(work.tx, device.id)
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
    fn default_route(&mut self, tx: &mut Tx<'_>, phones: &[Phone]) -> Result<(), StoreError> {
        let (None, Some(first)) = (self.project.default_route_id, phones.first()) else {
            return Ok(());
        };
        self.project.default_route_id = Some(first.id.into());
        projects::update(tx, &self.project)?;
        Ok(())
    }

    fn settle(
        &mut self,
        tx: &mut Tx<'_>,
        device: &Device,
        action: &'static str,
    ) -> Result<(), StoreError> {
        self.pairing.device_id = Some(device.id);
        self.pairing.state = PairingState::Confirmed;
        pairings::update(tx, &self.pairing)?;
        let cloned = AlertKind::PhoneCloned;
        let (hub, project) = (self.hub, &self.project);
        if alerts::clear_for_device(hub, tx, project, device.id, cloned, self.now)? {
            self.effects.webhooks();
        }
        let line = audit::Line {
            organization_id: self.project.organization_id,
            project_id: Some(self.project.id),
            action,
            target: device.id.to_string(),
        };
        audit::write(self.hub, tx, line, self.now)
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
