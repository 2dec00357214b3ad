//! Installations whose place another one took: none of them is believed again.
//!
//! What such a one held is called unknown, and what came in there is counted under its name. Should
//! a journal of that name come back, it is an older copy: that it lacks a message proves nothing,
//! and its incoming messages would seem to be counted already.

use hub_store::{StoreError, Tx, meta};
use postrider_model::DeviceId;

/// Remembers that a device's installation was replaced.
///
/// # Errors
/// What the database says.
pub fn lose(tx: &mut Tx<'_>, device: DeviceId, install: &str) -> Result<(), StoreError> {
    meta::put(tx, &name(device, install), "")
}

/// Says whether a device's installation was replaced before.
///
/// # Errors
/// What the database says.
pub fn is_lost(tx: &mut Tx<'_>, device: DeviceId, install: &str) -> Result<bool, StoreError> {
    Ok(meta::get(tx, &name(device, install))?.is_some())
}

fn name(device: DeviceId, install: &str) -> String {
    format!("lost_install {device} {install}")
}
