//! Ids, texts and addresses as strings, slots and times as numbers.

use postrider_link::frame::{Address, Bytes};
use postrider_model::{
    BootMs, DeviceId, MessageId, MessageText, PhoneId, PhoneNumber, SimSlot, UnixMs,
};

/// Says that a slot is above the highest.
#[derive(Debug, thiserror::Error)]
#[error("a SIM slot is 0 to {}", SimSlot::MAX)]
pub(crate) struct InvalidSlot;

uniffi::custom_type!(SimSlot, u8, {
    remote,
    try_lift: |slot| SimSlot::new(slot).ok_or_else(|| InvalidSlot.into()),
    lower: |slot| slot.get(),
});
uniffi::custom_type!(MessageId, String, {
    remote,
    try_lift: |id| Ok(id.parse()?),
    lower: |id| id.to_string(),
});
uniffi::custom_type!(DeviceId, String, {
    remote,
    try_lift: |id| Ok(id.parse()?),
    lower: |id| id.to_string(),
});
uniffi::custom_type!(PhoneId, String, {
    remote,
    try_lift: |id| Ok(id.parse()?),
    lower: |id| id.to_string(),
});
uniffi::custom_type!(PhoneNumber, String, {
    remote,
    try_lift: |number| Ok(number.parse()?),
    lower: |number| number.as_str().to_owned(),
});
uniffi::custom_type!(Address, String, {
    remote,
    try_lift: |address| Ok(Address::new(address)),
    lower: |address| address.as_str().to_owned(),
});
uniffi::custom_type!(MessageText, String, {
    remote,
    try_lift: |text| Ok(MessageText::new(text)),
    lower: |text| text.into_string(),
});
uniffi::custom_type!(Bytes, Vec<u8>, {
    remote,
    try_lift: |bytes| Ok(Bytes(bytes)),
    lower: |bytes| bytes.0,
});
uniffi::custom_type!(UnixMs, i64, {
    remote,
    try_lift: |ms| Ok(UnixMs(ms)),
    lower: |ms| ms.0,
});
uniffi::custom_type!(BootMs, u64, {
    remote,
    try_lift: |ms| Ok(BootMs(ms)),
    lower: |ms| ms.0,
});
