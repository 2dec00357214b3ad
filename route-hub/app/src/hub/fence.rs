//! Which connection a commit is for: refused as soon as the device has another one.

use hub_domain::Device;
use postrider_link::frame::InstallId;
use postrider_model::{DeviceId, ProjectId};

/// One connection of one installation of a device.
///
/// The number alone does not tell: another installation counts its connections anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// The device.
    pub device: DeviceId,
    /// Its project, whose share of the store its commits take.
    pub project: ProjectId,
    /// Its installation.
    pub install: InstallId,
    /// The connection's number.
    pub conn: u64,
}

impl Fence {
    /// Says whether this is the newest connection of the device as it is stored.
    pub fn admits(&self, stored: &Device) -> bool {
        stored.id == self.device
            && stored.conn == self.conn
            && stored.install == self.install.as_str()
    }
}
