//! The network between phones and hub: connections that keep their order, and lose what they
//! carry.

use postrider_link::{
    close::CloseCode,
    frame::{HubFrame, PhoneFrame},
};

/// What a connection carries.
#[derive(Debug)]
pub enum Wire {
    /// A frame to the phone.
    ToPhone(Box<HubFrame>),
    /// A frame to the hub.
    ToHub(Box<PhoneFrame>),
    /// Bytes that are no frame.
    Noise,
    /// A frame of a later version that must be understood.
    Critical,
    /// The end; with a code where the other end could still say one.
    Close(Option<CloseCode>),
}

/// One direction of a connection.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lane {
    /// When the last thing arrives that was put in.
    pub last_at: u64,
    /// How many things were put in.
    pub count: u64,
    /// What would arrive later than this is lost.
    pub lost_after: Option<u64>,
}

/// One connection.
#[derive(Debug, Clone, Copy)]
pub struct Socket {
    /// The phone's number.
    pub phone: usize,
    /// The life of the phone's process that opened it.
    pub life: u64,
    /// Towards the phone.
    pub to_phone: Lane,
    /// Towards the hub.
    pub to_hub: Lane,
}

impl Socket {
    /// Makes a connection that a phone just opened.
    pub fn new(phone: usize, life: u64) -> Self {
        Self {
            phone,
            life,
            to_phone: Lane::default(),
            to_hub: Lane::default(),
        }
    }
}

impl Lane {
    /// Puts something in; returns when it arrives, or `None` when it is lost.
    pub fn put(&mut self, at: u64, delay_ms: u64) -> Option<u64> {
        self.count += 1;
        let arrives = self.last_at.max(at + delay_ms);
        self.last_at = arrives;
        let is_lost = self.lost_after.is_some_and(|after| arrives > after);
        (!is_lost).then_some(arrives)
    }
}
