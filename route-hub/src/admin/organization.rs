//! `admin organization`.

use crate::admin::Admin;
use crate::admin::args::OrganizationCommand;
use crate::admin::output::table;
use hub_app::data_folder::error::CommandError;
use hub_app::setup;
use hub_domain::Organization;
use hub_store::organizations;
use serde_json::{Value, json};

pub(super) fn run(admin: &Admin, command: OrganizationCommand) -> Result<(), CommandError> {
    match command {
        OrganizationCommand::Create { name } => {
            let made = admin.write(move |hub, tx, now| setup::organization(hub, tx, &name, now))?;
            admin
                .out
                .show(&view(&made), || format!("made {} ({})", made.id, made.name));
        }
        OrganizationCommand::List => {
            let all = admin.read(organizations::all)?;
            let rows = all
                .iter()
                .map(|it| vec![it.id.to_string(), it.name.clone()]);
            let rows: Vec<_> = rows.collect();
            let json = all.iter().map(view).collect();
            admin.out.show(&json, || table(&["id", "name"], &rows));
        }
    }
    Ok(())
}

fn view(organization: &Organization) -> Value {
    json!({"id": organization.id, "name": organization.name})
}
