//! `admin unfreeze`: gives up phones that do not answer after a restore.

use crate::admin::Admin;
use crate::admin::args::UnfreezeArgs;
use hub_app::data_folder::error::CommandError;
use hub_app::operator;
use serde_json::json;

pub(super) fn run(admin: &Admin, args: UnfreezeArgs) -> Result<(), CommandError> {
    let freed = admin.write(move |work| operator::unfreeze(work, args.phone))?;
    let ids: Vec<_> = freed.iter().map(|device| device.id).collect();
    admin
        .out
        .show(&json!({"devices": ids}), || match ids.len() {
            0 => "nothing was frozen".to_owned(),
            1 => "1 device was given up: what it held is unknown".to_owned(),
            count => format!("{count} devices were given up: what they held is unknown"),
        });
    Ok(())
}
