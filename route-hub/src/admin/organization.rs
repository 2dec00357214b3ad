//! `admin organization`.

use crate::admin::Admin;
use crate::admin::args::OrganizationCommand;
use crate::admin::output::table;
use crate::admin::plan;
use hub_app::data_folder::error::CommandError;
use hub_app::failure::NotDone;
use hub_app::names;
use hub_app::operator::{NoSuchOrganization, set_plan};
use hub_app::organizations;
use hub_domain::Organization;
use hub_store::Tx;
use hub_store::organizations::{all, get};
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
        OrganizationCommand::Plan { organization } => {
            let found = admin.read(move |tx: &mut Tx<'_>| get(tx, organization))?;
            let found = found.ok_or_else(|| CommandError::new(NoSuchOrganization.to_string()))?;
            admin.out.show(&plan::view(&found), || plan::text(&found));
        }
        OrganizationCommand::SetPlan { organization, plan } => {
            let patch = plan::read(&plan)?;
            let changed = admin.write_for(organization, move |work| {
                set_plan(work, organization, &patch)
            })?;
            admin
                .out
                .show(&plan::view(&changed), || plan::text(&changed));
        }
    }
    Ok(())
}

fn view(organization: &Organization) -> Value {
    json!({"id": organization.id, "name": organization.name})
}
