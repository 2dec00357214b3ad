//! `admin unfreeze`: gives up phones that do not answer after a restore.

use crate::admin::Admin;
use crate::admin::args::UnfreezeArgs;
use hub_app::data_folder::error::CommandError;
use hub_app::failure::NotDone;
use hub_app::hub_work::HubWork;
use hub_app::operator::{self, NoSuchPhone};
use hub_store::Tx;
use serde_json::json;
use std::convert::Infallible;

pub(super) fn run(admin: &Admin, args: UnfreezeArgs) -> Result<(), CommandError> {
    let phone = args.phone;
    let frozen = admin.read(move |tx: &mut Tx<'_>| operator::frozen(tx, phone))?;
    let frozen = frozen.ok_or_else(|| CommandError::new(NoSuchPhone.to_string()))?;
    let mut ids = Vec::new();
    // One project after the other: a job changes the rows of one.
    for device in frozen {
        let (id, project) = (device.id, device.project_id);
        let job = move |work: &mut HubWork<'_, '_>| {
            Ok::<_, NotDone<Infallible>>(operator::unfreeze(work, id)?)
        };
        if admin.write_in(move |_| Ok(Some(project)), job)? {
            ids.push(id);
        }
    }
    admin
        .out
        .show(&json!({"devices": ids}), || match ids.len() {
            0 => "nothing was frozen".to_owned(),
            1 => "1 device was given up: what it held is unknown".to_owned(),
            count => format!("{count} devices were given up: what they held is unknown"),
        });
    Ok(())
}
