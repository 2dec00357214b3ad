//! Installations whose place another one took: none of them is believed again.
//!
//! What such a one held is called unknown, and what came in there is counted under its name. Should
//! a journal of that name come back, it is an older copy: that it lacks a message proves nothing,
//! and its incoming messages would seem to be counted already.
//!
//! The key that the device had then is kept with it: so a phone that was replaced can still show
//! who it was, and is told that it is out of service. Whoever cannot show it is told nothing more
//! than that the hub does not know it.

use super::verify::DeviceKey;
use hub_domain::Device;
use hub_store::{StoreError, Tx, meta};
use postrider_model::DeviceId;

/// Remembers that an installation of a device was replaced, with the key that the device has had
/// until now.
///
/// # Errors
/// What the database says.
pub fn lose(tx: &mut Tx<'_>, device: &Device, install: &str) -> Result<(), StoreError> {
    let key = DeviceKey::of(device);
    let kept = format!("{} {}", key.algorithm, key.public);
    meta::put(tx, &name(device.id, install), &kept)
}

/// Says whether a device's installation was replaced before.
///
/// # Errors
/// What the database says.
pub fn is_lost(tx: &mut Tx<'_>, device: DeviceId, install: &str) -> Result<bool, StoreError> {
    Ok(meta::get(tx, &name(device, install))?.is_some())
}

/// Returns the key of an installation that was replaced; `None` for others, and for those that
/// were replaced before keys were kept.
///
/// # Errors
/// What the database says.
pub fn former_key(
    tx: &mut Tx<'_>,
    device: DeviceId,
    install: &str,
) -> Result<Option<DeviceKey>, StoreError> {
    let kept = meta::get(tx, &name(device, install))?;
    Ok(kept.as_deref().and_then(|kept| {
        let (algorithm, public) = kept.split_once(' ')?;
        Some(DeviceKey {
            algorithm: algorithm.to_owned(),
            public: public.to_owned(),
        })
    }))
}

fn name(device: DeviceId, install: &str) -> String {
    format!("lost_install {device} {install}")
}
