//! Ownership as a message's row keeps it.

use crate::StoreError;
use crate::row::Cursor;
use hub_domain::Message;
use postrider_link::ownership::hub::{Flags, Holder, HubState, Ownership};
use postrider_model::DeviceId;

/// What `state` says of a message that came in.
const INCOMING: i64 = 0;

/// The columns of a message that ownership is kept in.
#[derive(Default)]
pub(super) struct OwnershipRow<'m> {
    pub(super) send_attempts: u32,
    pub(super) state: i64,
    pub(super) ep: u32,
    pub(super) device_id: Option<DeviceId>,
    pub(super) install: Option<&'m str>,
    pub(super) down_s: Option<u64>,
    pub(super) flags: i64,
}

impl<'m> OwnershipRow<'m> {
    pub(super) fn of(message: &'m Message) -> Self {
        let Some(owned) = &message.ownership else {
            return Self {
                state: INCOMING,
                ..Self::default()
            };
        };
        let holder = owned.holder.as_ref();
        Self {
            send_attempts: owned.send_attempts,
            state: owned.state.code(),
            ep: owned.ep,
            device_id: holder.map(|holder| holder.device),
            install: holder.map(|holder| holder.install.as_str()),
            down_s: owned.s,
            flags: owned.flags.code(),
        }
    }
}

/// Reads the columns from `send_attempts` to `flags`.
pub(super) fn read(columns: &mut Cursor<'_>) -> Result<Option<Ownership>, StoreError> {
    let send_attempts = columns.count()?;
    let state = columns.coded(|code| match code {
        INCOMING => Some(None),
        code => HubState::from_code(code).map(Some),
    })?;
    let ep = columns.count()?;
    let device: Option<DeviceId> = columns.opt_id()?;
    let install = columns.opt_parsed(|text| text.parse().ok())?;
    let s = columns.opt_count()?;
    let flags = Flags::from_code(columns.int()?);
    Ok(state.map(|state| Ownership {
        state,
        ep,
        holder: device
            .zip(install)
            .map(|(device, install)| Holder { device, install }),
        s,
        flags,
        send_attempts,
    }))
}
