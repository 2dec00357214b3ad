//! A message's row as ownership reads it, and back.

use hub_domain::{Message, OnUnknown, OwnershipRow};
use hub_store::StoreError;
use postrider_link::ownership::hub::{
    Flags, Holder, HubState, OnUnknown as LinkOnUnknown, Ownership, Rules,
};
use postrider_model::UnixMs;

/// Where `state` stands among a message's columns.
const STATE_COLUMN: usize = 29;

/// Reads ownership out of a message's row.
///
/// # Errors
/// [`StoreError::Damaged`] for a row that no version of the hub wrote.
pub fn of(message: &Message) -> Result<Ownership, StoreError> {
    let row = &message.ownership;
    let damaged = || StoreError::BadRow {
        column: STATE_COLUMN,
    };
    let holder = match (row.device_id, &row.install) {
        (Some(device), Some(install)) => {
            let install = install.parse().map_err(|_| damaged())?;
            Some(Holder { device, install })
        }
        _ => None,
    };
    Ok(Ownership {
        state: HubState::from_code(row.state).ok_or_else(damaged)?,
        ep: row.ep,
        holder,
        s: row.down_s,
        flags: Flags::from_code(row.flags),
        send_attempts: message.send_attempts,
    })
}

/// Writes ownership into a message's row.
pub fn put(message: &mut Message, ownership: &Ownership) {
    let holder = ownership.holder.as_ref();
    message.ownership = OwnershipRow {
        state: ownership.state.code(),
        ep: ownership.ep,
        device_id: holder.map(|holder| holder.device),
        install: holder.map(|holder| holder.install.as_str().to_owned()),
        down_s: ownership.s,
        flags: ownership.flags.code(),
    };
    message.send_attempts = ownership.send_attempts;
}

/// Returns what the transitions of a message go by at `now`.
pub fn rules(message: &Message, now: UnixMs) -> Rules {
    Rules {
        on_unknown: match message.on_unknown {
            OnUnknown::Report => LinkOnUnknown::Report,
            OnUnknown::Resend => LinkOnUnknown::Resend,
        },
        life_left: message.life_end.is_none_or(|end| now < end),
        other_route: false,
    }
}
