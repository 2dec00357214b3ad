//! `admin device`.

use crate::admin::Admin;
use crate::admin::args::DeviceCommand;
use crate::admin::output::{or_dash, table};
use hub_app::data_folder::error::CommandError;
use hub_app::operator;
use hub_domain::Device;
use hub_store::{Tx, devices};
use postrider_model::{DeviceId, UnixMs};
use serde_json::{Value, json};

pub(super) fn run(admin: &Admin, command: DeviceCommand) -> Result<(), CommandError> {
    match command {
        DeviceCommand::List => list(admin),
        DeviceCommand::Revoke { device } => revoke(admin, device),
    }
}

fn list(admin: &Admin) -> Result<(), CommandError> {
    let all = admin.read(|tx: &mut Tx<'_>| devices::all(tx))?;
    let row = |device: &Device| {
        vec![
            device.id.to_string(),
            device.project_id.to_string(),
            device.name.clone(),
            device.state.to_string(),
            or_dash(device.time_last_seen.map(UnixMs::seconds)),
        ]
    };
    let rows: Vec<_> = all.iter().map(row).collect();
    let heading = ["id", "project", "name", "state", "last seen"];
    let json = all.iter().map(view).collect();
    admin.out.show(&json, || table(&heading, &rows));
    Ok(())
}

fn revoke(admin: &Admin, id: DeviceId) -> Result<(), CommandError> {
    let find = move |tx: &mut Tx<'_>| Ok(devices::get(tx, id)?.map(|device| device.project_id));
    admin.write_in(find, move |work| operator::revoke_device(work, id))?;
    admin.out.show(&json!({"id": id, "state": "revoked"}), || {
        format!("{id} is revoked")
    });
    Ok(())
}

fn view(device: &Device) -> Value {
    json!({
        "id": device.id,
        "project_id": device.project_id,
        "name": device.name,
        "state": device.state.as_str(),
        "frozen": device.frozen,
        "time_paired": device.time_paired.seconds(),
        "time_last_seen": device.time_last_seen.map(UnixMs::seconds),
        "offline_since": device.offline_since.map(UnixMs::seconds),
    })
}
