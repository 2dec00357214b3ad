//! Drawing a code: the first step of a pairing.

use crate::audit;
use crate::hub::Hub;
use crate::pairing::code::NewCode;
use hub_domain::{Pairing, PairingState};
use hub_store::{StoreError, Tx, devices, pairings, projects};
use postrider_model::{DeviceId, Now, ProjectId, UnixMs};
use std::fmt;

/// How long a code lives.
pub const CODE_LIFE_MS: i64 = 10 * 60_000;
/// How long a pairing is kept after its code ran out, so that a phone that missed the operator's
/// word, or comes too late, is told what became of it.
pub const KEPT_MS: i64 = 24 * 3_600_000;

/// Under which name the hub keeps where phones reach it, for codes that other processes draw.
pub const BASE_URL: &str = "base_url";

/// What a code is for.
#[derive(Debug, Clone)]
pub enum Purpose {
    /// A new device joins a project.
    Join(ProjectId),
    /// Another phone takes the place of a device, whose Phones keep their ids.
    Replace(DeviceId),
}

/// Why no code was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenRefused {
    /// There is no such project.
    NoSuchProject,
    /// There is no such device.
    NoSuchDevice,
}

impl fmt::Display for OpenRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSuchProject => "there is no such project",
            Self::NoSuchDevice => "there is no such device",
        })
    }
}

/// Draws a code and stores what it is for; `name` is what the device will be called, its own name
/// when empty.
pub fn open(
    hub: &Hub,
    tx: &mut Tx<'_>,
    purpose: &Purpose,
    name: &str,
    now: Now,
) -> Result<Result<(Pairing, NewCode), OpenRefused>, StoreError> {
    let (project_id, device_id) = match purpose {
        Purpose::Join(project_id) => (*project_id, None),
        Purpose::Replace(device_id) => match devices::get(tx, *device_id)? {
            Some(device) => (device.project_id, Some(device.id)),
            None => return Ok(Err(OpenRefused::NoSuchDevice)),
        },
    };
    let Some(project) = projects::get(tx, project_id)? else {
        return Ok(Err(OpenRefused::NoSuchProject));
    };
    let code = draw(hub, tx, now.unix)?;
    let pairing = Pairing {
        id: hub.id(now),
        project_id,
        device_id,
        name: name.to_owned(),
        code_name: code.name.clone(),
        code_hash: code.typed_hash(),
        full_hash: code.full_hash(),
        wrong_tries: 0,
        commitment: None,
        hub_number: None,
        public_key: None,
        key_algorithm: None,
        device_json: None,
        digits: None,
        state: PairingState::Open,
        time_created: now.unix,
        time_expires: now.unix.plus_ms(CODE_LIFE_MS),
    };
    pairings::purge(tx, kept_since(now.unix))?;
    pairings::insert(tx, &pairing)?;
    let line = audit::Line {
        organization_id: project.organization_id,
        project_id: Some(project.id),
        action: "pairing.open",
        target: pairing.id.to_string(),
    };
    audit::write(hub, tx, line, now)?;
    Ok(Ok((pairing, code)))
}

/// Returns the moment after which a code must have run out for its pairing to be kept still.
pub(crate) fn kept_since(now: UnixMs) -> UnixMs {
    now.plus_ms(-KEPT_MS)
}

/// Draws until the name is nobody's: a name stands for one code as long as that is kept.
fn draw(hub: &Hub, tx: &mut Tx<'_>, now: UnixMs) -> Result<NewCode, StoreError> {
    loop {
        let code = NewCode::draw(&hub.random);
        if pairings::by_code_name(tx, &code.name, kept_since(now))?.is_none() {
            return Ok(code);
        }
    }
}
