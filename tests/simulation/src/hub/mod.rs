//! The hub's side: production sessions and ownership around rows in memory.
//!
//! What it does is the production dispatcher's (`postrider_link::dispatch`); here are the rows that
//! it reads and writes, and the jobs that run it. Rows survive the process, and only them: sessions,
//! jobs under way and wake-ups do not.

mod apply;
mod freeze;
mod held;
mod identify;
mod link;
mod proof;
mod rows;
mod sender;
mod turn;

pub use apply::{Detail, Effects};
pub use link::{Answer, HubLink, Job};
pub use rows::{Device, Incoming, Message, Rows, Sim, Slot};
pub(crate) use turn::which;

use crate::{
    phone::Phone,
    plan::{Fleet, HubPoint, Route},
};
use postrider_link::{
    dispatch::{hello::Service, newest::Newest},
    frame::InstallId,
    ownership::hub::Flags,
    session::hub::DeviceLink,
};
use postrider_model::{DeviceId, Key, MessageId, SimSlot};
use std::collections::{BTreeMap, BTreeSet};

/// The hub.
#[derive(Debug)]
pub struct Hub {
    /// What is on its disk.
    pub rows: Rows,
    /// Its connections, while the process lives.
    pub links: BTreeMap<u64, HubLink>,
    /// Counts the lives of the process.
    pub life: u64,
    /// Whether the process lives.
    pub up: bool,
    /// How far its wall clock is off, in milliseconds.
    pub wall: i64,
    /// Its backups.
    pub backups: Vec<Rows>,
    /// The rows whose place a backup from before a pairing took by mistake.
    pub newer: Option<Rows>,
    /// When its disk has room again.
    pub full_until: u64,
    /// Until when it is started with a name that no phone was paired with.
    pub wrong_name_until: u64,
    /// Until when it speaks a newer version; whether by a frame.
    pub newer_until: (u64, bool),
    /// The fault that waits for its moment.
    pub trap: Option<HubPoint>,
    /// Exposures without a result, of each slot and priority.
    pub window: u64,
    /// Since the rows were put back behind its back: which phones were given each message then and
    /// have not come back yet.
    pub awaited: BTreeMap<MessageId, BTreeSet<DeviceId>>,
    /// Whether one of them has shown the hub's proof of what it forgot: from then on everybody waits.
    pub proof_came: bool,
    /// The newest connection of each device, by its socket, while the process lives.
    newest: Newest<u64>,
    nonces: u64,
}

/// Returns the slot that a route is.
pub fn slot_of(route: Route) -> Slot {
    let device = DeviceId::new(Key::new(route.phone as i64 + 1).unwrap_or_default());
    (device, SimSlot::new(route.sim).unwrap_or_default())
}

impl Rows {
    /// Takes in a phone that was just paired.
    pub fn joins(&mut self, phone: &Phone, install: InstallId, sims: u8) {
        let device = Device {
            link: DeviceLink::new(install),
            state: Service::Open,
            frozen: false,
            alone: false,
            own_generation: 0,
            key: phone.key,
        };
        self.devices.insert(phone.device, device);
        for sim in 0..sims {
            let route = Route {
                phone: phone.no,
                sim,
            };
            self.sims.entry(slot_of(route)).or_default();
        }
    }

    /// Returns whether a phone's hello is signed with the key that is kept of its device.
    pub fn knows(&self, phone: &Phone) -> bool {
        let row = self.devices.get(&phone.device);
        row.is_some_and(|row| row.key == phone.key)
    }
}

impl Hub {
    /// Makes the hub of a fleet that is paired.
    pub fn new(phones: &[Phone], fleet: &Fleet) -> Self {
        let mut rows = Rows {
            generation: 1,
            ..Rows::default()
        };
        for phone in phones.iter().filter(|phone| phone.joined) {
            let Some(install) = phone.disk.rows().rest().install.clone() else {
                continue;
            };
            rows.joins(phone, install, fleet.sims[phone.no]);
        }
        Self {
            rows,
            links: BTreeMap::new(),
            life: 0,
            up: true,
            wall: 0,
            backups: Vec::new(),
            newer: None,
            full_until: 0,
            newer_until: (0, false),
            wrong_name_until: 0,
            trap: None,
            window: fleet.window,
            awaited: BTreeMap::new(),
            proof_came: false,
            newest: Newest::default(),
            nonces: 0,
        }
    }

    /// Returns whether the process lives.
    pub const fn is_up(&self) -> bool {
        self.up
    }

    /// Returns whether a life of the process is the present one.
    pub const fn is_alive(&self, life: u64) -> bool {
        self.up && self.life == life
    }

    /// Returns the present exposure of a message when what the API shows of it says that nothing
    /// went out.
    pub fn claims_unsent(&self, message: MessageId) -> Option<u32> {
        let message = self.rows.messages.get(&message);
        message
            .filter(|message| message.claims_unsent())
            .filter(|message| !message.owner.flags.has(Flags::REVOKE_ASKED))
            .map(|message| message.owner.ep)
    }

    /// Forgets everything that is not on disk.
    pub fn forget(&mut self) {
        self.life += 1;
        self.links.clear();
        self.newest = Newest::default();
    }
}
