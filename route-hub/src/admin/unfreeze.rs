//! `admin unfreeze`: the operator's word for phones that will not answer after a restore.

use crate::admin::Admin;
use crate::admin::args::UnfreezeArgs;
use hub_app::audit;
use hub_app::data_folder::error::CommandError;
use hub_app::devices::freeze;
use hub_domain::Device;
use hub_store::{StoreError, Tx, devices, phones, projects};
use postrider_model::PhoneId;
use serde_json::json;

pub(super) fn run(admin: &Admin, args: UnfreezeArgs) -> Result<(), CommandError> {
    let freed = admin.write(move |hub, tx, now| {
        let Some(concerned) = concerned(tx, args.phone)? else {
            return Ok(Err("there is no such phone"));
        };
        let frozen: Vec<Device> = concerned.into_iter().filter(|it| it.frozen).collect();
        for device in &frozen {
            let Some(project) = projects::get(tx, device.project_id)? else {
                continue;
            };
            let mut effects = freeze::gone(hub, tx, &project, device, now)?;
            effects.project(project.id);
            effects.note(tx)?;
            let line = audit::Line {
                organization_id: device.organization_id,
                project_id: Some(device.project_id),
                action: "device.unfreeze",
                target: device.id.to_string(),
            };
            audit::write(hub, tx, line, now)?;
        }
        Ok(Ok(frozen))
    })?;
    let ids: Vec<_> = freed.iter().map(|device| device.id).collect();
    admin
        .out
        .show(&json!({"devices": ids}), || match ids.len() {
            0 => "nothing was frozen".to_owned(),
            1 => "1 device is waited for no more: what it held is unknown".to_owned(),
            count => format!("{count} devices are waited for no more: what they held is unknown"),
        });
    Ok(())
}

fn concerned(tx: &mut Tx<'_>, phone: Option<PhoneId>) -> Result<Option<Vec<Device>>, StoreError> {
    let Some(phone) = phone else {
        return Ok(Some(devices::all(tx)?));
    };
    let device = phones::by_key(tx, phone)?.and_then(|phone| phone.device_id);
    match device {
        Some(id) => Ok(devices::get(tx, id)?.map(|device| vec![device])),
        None => Ok(None),
    }
}
