//! The state of the model: one message, two phones, small enough to be copied and hashed.

use postrider_link::{
    frame::InstallId,
    ownership::{
        hub::{Flags, Holder, HubState, Ownership},
        phone::Claim,
    },
};
use postrider_model::{DeviceId, Key, WireState};

/// Phones in the model.
pub const PHONES: usize = 2;
/// Most exposures in any run.
pub const EPS: usize = 3;

/// The state of everything: hub, phones, radios and what is in transit between them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct World {
    pub hub: Hub,
    pub phones: [Phone; PHONES],
    /// Whether the message has not expired.
    pub life_left: bool,
    /// How often it was sent.
    pub air: u8,
}

/// The hub's rows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Hub {
    pub state: HubState,
    pub ep: u8,
    pub s: u8,
    pub flags: Flags,
    /// Who was given each exposure: 0 nobody, else phone * 2 + install.
    pub holders: [u8; EPS],
    /// The status says failed, and the phone proved that nothing was sent.
    pub said_unsent: bool,
    pub cancel_used: bool,
}

/// One phone: its journal, its radio, the hub's row of it, and the frames in transit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Phone {
    /// Journal: connection number, installation, highest place received, exposures.
    pub conn: u8,
    pub install: u8,
    pub down: u8,
    pub claims: [Option<Claim>; EPS],
    /// Between the write-ahead and the radio call: the exposure, or 0.
    pub calling: u8,
    /// The exposure in the radio's queue, and the one on the air without a result yet.
    pub queued: u8,
    pub aired: u8,
    /// Bit sets by exposure: provider rows, sent intents that have not fired.
    pub provider: u8,
    pub intents: u8,
    /// The hub's row: highest connection and installation admitted; the live connection or 0.
    pub link_conn: u8,
    pub link_install: u8,
    pub live: u8,
    /// Bit sets by exposure: frames to the phone.
    pub sends: u8,
    pub revokes: u8,
    pub cancels: u8,
    /// The latest fact about each exposure that is in transit.
    pub facts: [Option<Claim>; EPS],
    /// A hello in transit, of the present connection.
    pub hello: Option<Hello>,
}

/// What a hello shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Hello {
    pub down: u8,
    pub claims: [Option<Claim>; EPS],
}

pub const fn bit(ep: u8) -> u8 {
    1 << ep
}

pub fn at(ep: u8) -> usize {
    usize::from(ep) - 1
}

impl World {
    pub fn new() -> Self {
        let phone = Phone {
            conn: 0,
            install: 0,
            down: 0,
            claims: [None; EPS],
            calling: 0,
            queued: 0,
            aired: 0,
            provider: 0,
            intents: 0,
            link_conn: 0,
            link_install: 0,
            live: 0,
            sends: 0,
            revokes: 0,
            cancels: 0,
            facts: [None; EPS],
            hello: None,
        };
        Self {
            hub: Hub {
                state: HubState::Waiting,
                ep: 0,
                s: 0,
                flags: Flags::default(),
                holders: [0; EPS],
                said_unsent: false,
                cancel_used: false,
            },
            phones: [phone; PHONES],
            life_left: true,
            air: 0,
        }
    }

    /// Returns which promise is broken, if any.
    pub fn broken(&self) -> Option<&'static str> {
        let resends = u8::from(self.hub.flags.has(Flags::RESENT_FOR_UNKNOWN));
        if self.air > 1 + resends {
            return Some("handed to the radio twice without the sender's word");
        }
        let state = self.hub.state;
        if state.went_out() && self.air == 0 {
            return Some("said sent, and nothing went out");
        }
        let never = state == HubState::Failed && self.hub.flags.has(Flags::NEVER_SENT);
        let unsent = self.hub.said_unsent
            || never
            || matches!(state, HubState::Expired | HubState::Cancelled);
        let in_radio = self.phones.iter().any(|p| p.queued != 0 || p.aired != 0);
        if unsent && (self.air > 0 || in_radio) {
            return Some("said not sent, and it went out");
        }
        None
    }
}

/// The peers of the model, made once.
pub struct Peers(Vec<Holder>);

impl Peers {
    pub fn new() -> Self {
        let peer = |phone: i64, install: u8| Holder {
            device: DeviceId::new(Key::new(phone).unwrap()),
            install: format!("install-{install:08}").parse().unwrap(),
        };
        Self(vec![peer(0, 0), peer(0, 1), peer(1, 0), peer(1, 1)])
    }

    pub fn code(phone: usize, install: u8) -> u8 {
        u8::try_from(phone).unwrap() * 2 + install + 1
    }

    pub fn of(&self, code: u8) -> &Holder {
        &self.0[usize::from(code) - 1]
    }

    pub fn install(&self, phone: usize, install: u8) -> InstallId {
        self.of(Self::code(phone, install)).install.clone()
    }

    /// Returns the production row of the hub.
    pub fn row(&self, hub: &Hub) -> Ownership {
        let holder = (hub.ep > 0).then(|| self.of(hub.holders[at(hub.ep)]).clone());
        Ownership {
            state: hub.state,
            ep: u32::from(hub.ep),
            holder,
            s: (hub.s > 0).then(|| u64::from(hub.s)),
            flags: hub.flags,
            send_attempts: 0,
        }
    }
}

impl Phone {
    pub fn rows(&self) -> Vec<Claim> {
        self.claims.iter().flatten().copied().collect()
    }

    pub fn claim(&self, ep: u8) -> Option<Claim> {
        self.claims[at(ep)]
    }

    pub fn set(&mut self, claim: Claim) {
        let ep = u8::try_from(claim.ep).unwrap();
        self.claims[at(ep)] = Some(claim);
    }

    pub fn is(&self, ep: u8, state: WireState) -> bool {
        self.claim(ep).is_some_and(|claim| claim.state == state)
    }
}
