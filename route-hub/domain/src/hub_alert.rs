//! Alerts of the hub itself: what needs the operator and concerns no project.

use crate::code::coded;
use postrider_model::{AlertId, UnixMs};

coded! {
    /// What an alert of the hub is about.
    HubAlertKind {
        /// The clock of the process's machine is off the database's.
        ClockOff = "clock_off" / 1,
        /// A certificate could not be renewed for two weeks, or has ended.
        CertificateNotRenewed = "certificate_not_renewed" / 2,
    }
}

impl HubAlertKind {
    /// Returns more, for people.
    pub const fn detail(self) -> &'static str {
        match self {
            Self::ClockOff => {
                "The clock of the hub's machine is a second or more off the database's."
            }
            Self::CertificateNotRenewed => {
                "A certificate could not be renewed for two weeks, or has ended: the log says why."
            }
        }
    }
}

/// One alert of the hub.
#[derive(Debug, Clone, PartialEq)]
pub struct HubAlert {
    /// Its id.
    pub id: AlertId,
    /// The number of the process that it is about.
    pub process: u8,
    /// What it is about.
    pub kind: HubAlertKind,
    /// More, for people.
    pub detail: String,
    /// When it was raised.
    pub time_created: UnixMs,
    /// When its cause went away, its process ended, or somebody cleared it.
    pub time_cleared: Option<UnixMs>,
}
