//! `admin organization`.

use crate::admin::Admin;
use crate::admin::args::OrganizationCommand;
use crate::admin::output::table;
use hub_app::data_folder::error::CommandError;
use hub_app::failure::NotDone;
use hub_app::names;
use hub_app::organizations;
use hub_domain::Organization;
use hub_store::organizations::all;
use serde_json::{Value, json};
use std::convert::Infallible;

pub(super) fn run(admin: &Admin, command: OrganizationCommand) -> Result<(), CommandError> {
    match command {
        OrganizationCommand::Create { name } => {
            let name = names::name(&name)?;
            let made = admin.write(move |work| {
                Ok::<_, NotDone<Infallible>>(organizations::create(work, &name)?)
            })?;
            admin
                .out
                .show(&view(&made), || format!("made {} ({})", made.id, made.name));
        }
        OrganizationCommand::List => {
            let found = admin.read(all)?;
            let rows = found
                .iter()
                .map(|it| vec![it.id.to_string(), it.name.clone()]);
            let rows: Vec<_> = rows.collect();
            let json = found.iter().map(view).collect();
            admin.out.show(&json, || table(&["id", "name"], &rows));
        }
    }
    Ok(())
}

fn view(organization: &Organization) -> Value {
    json!({"id": organization.id, "name": organization.name})
}
