//! Installations whose place another one took: none of them is believed again.
//!
//! What such a one held is called unknown, and what came in there is counted under its name. Should
//! a journal of that name come back, it is an older copy: that it lacks a message proves nothing,
//! and its incoming messages would seem to be counted already.
//!
//! The key that the device had then is kept with it: so a phone that was replaced can still show
//! who it was, and is told that it is out of service. Whoever cannot show it is told nothing more
//! than that the hub does not know it.

use crate::devices::verify::DeviceKey;
use hub_domain::Device;
use hub_store::{StoreError, Tx, meta};
use postrider_model::{DeviceId, UnixMs};

/// Most lost installations that are remembered of one device, however old: a journal that was set
/// aside may come late, and no device has been wiped so often.
const LOST_MAX: usize = 100;

/// Remembers that an installation of a device was replaced, with the key that the device has had
/// until now, and forgets the oldest of too many.
pub fn lose(
    tx: &mut Tx<'_>,
    device: &Device,
    install: &str,
    now: UnixMs,
) -> Result<(), StoreError> {
    let key = DeviceKey::of(device);
    let kept = format!("{} {} {}", key.algorithm, key.public, now.0);
    meta::put(tx, &name(device.id, install), &kept)?;
    let mut lost = meta::beginning_with(tx, &name(device.id, ""))?;
    lost.sort_by_key(|(_, kept)| std::cmp::Reverse(moment(kept)));
    for (name, _) in lost.iter().skip(LOST_MAX) {
        meta::remove(tx, name)?;
    }
    Ok(())
}

/// Reads when an installation was lost; those of an earlier version do not say it, and are the oldest.
fn moment(kept: &str) -> Option<i64> {
    kept.split(' ').nth(2)?.parse().ok()
}

/// Says whether a device's installation was replaced before.
pub fn is_lost(tx: &mut Tx<'_>, device: DeviceId, install: &str) -> Result<bool, StoreError> {
    Ok(meta::get(tx, &name(device, install))?.is_some())
}

/// Returns the key of an installation that was replaced; `None` for others, and for those that
/// were replaced before keys were kept.
pub fn former_key(
    tx: &mut Tx<'_>,
    device: DeviceId,
    install: &str,
) -> Result<Option<DeviceKey>, StoreError> {
    let kept = meta::get(tx, &name(device, install))?;
    Ok(kept.as_deref().and_then(|kept| {
        let mut words = kept.split(' ');
        Some(DeviceKey {
            algorithm: words.next()?.to_owned(),
            public: words.next()?.to_owned(),
        })
    }))
}

fn name(device: DeviceId, install: &str) -> String {
    format!("lost_install {device} {install}")
}
