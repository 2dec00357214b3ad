//! Alerts: what needs the operator.

use crate::code::coded;
use postrider_model::{AlertId, DeviceId, PhoneId, ProjectId, UnixMs};

coded! {
    /// What an alert is about.
    AlertKind {
        /// A phone is offline.
        PhoneOffline = "phone_offline" / 1,
        /// The radio gives no results: a dialog may be open on the phone.
        LookAtPhone = "look_at_phone" / 2,
        /// Another SIM is in the slot.
        SimChanged = "sim_changed" / 3,
        /// The battery is low.
        BatteryLow = "battery_low" / 4,
        /// A phone's journal was copied or went backwards.
        PhoneCloned = "phone_cloned" / 5,
        /// Many webhook events wait: near the cap, beyond which the oldest are ended.
        WebhooksWaiting = "webhooks_waiting" / 13,
        /// The hub went backwards and waits for phones.
        HubFrozen = "hub_frozen" / 6,
        /// A row of the database cannot be read.
        RowUnreadable = "row_unreadable" / 15,
        /// The owner of a phone does not let it forward what comes in, though a program waits for it.
        ForwardingOff = "forwarding_off" / 16,
        /// The clock of a hub's machine is off the database's.
        ClockOff = "clock_off" / 17,
    }
}

/// One alert.
#[derive(Debug, Clone, PartialEq)]
pub struct Alert {
    /// Its id.
    pub id: AlertId,
    /// The project it concerns.
    pub project_id: ProjectId,
    /// The phone it concerns.
    pub phone_id: Option<PhoneId>,
    /// The device it concerns.
    pub device_id: Option<DeviceId>,
    /// What it is about.
    pub kind: AlertKind,
    /// More, for people; never numbers or texts.
    pub detail: String,
    /// When it was raised.
    pub time_created: UnixMs,
    /// When its cause went away or somebody cleared it.
    pub time_cleared: Option<UnixMs>,
}
