//! `admin project`.

use crate::admin::Admin;
use crate::admin::args::{ProjectCommand, ProjectSettings};
use crate::admin::output::{or_dash, table};
use crate::admin::project_settings;
use hub_app::data_folder::error::CommandError;
use hub_app::failure::NotDone;
use hub_app::hub_work::HubWork;
use hub_app::names;
use hub_app::projects::{self, NewProject, ProjectRefused};
use hub_domain::Project;
use hub_store::{Tx, organizations, projects as rows};
use postrider_model::{OrganizationId, ProjectId};
use serde_json::{Value, json};

pub(super) fn run(admin: &Admin, command: ProjectCommand) -> Result<(), CommandError> {
    match command {
        ProjectCommand::Create {
            organization,
            name,
            settings,
        } => create(admin, organization, name, &settings),
        ProjectCommand::List => list(admin),
        ProjectCommand::Show { project } => show(admin, project),
        ProjectCommand::Set {
            project,
            name,
            settings,
        } => set(admin, project, name, &settings),
    }
}

fn create(
    admin: &Admin,
    organization: Option<OrganizationId>,
    name: String,
    settings: &ProjectSettings,
) -> Result<(), CommandError> {
    let settings = project_settings::read(settings)?;
    if settings.default_route_id.is_some() {
        let text = "a new project has no phones yet: set --default-route later";
        return Err(CommandError::new(text));
    }
    let organization_id = match organization {
        Some(organization) => organization,
        None => the_only_organization(admin)?,
    };
    let command = NewProject {
        organization_id,
        name: names::name(&name)?,
        settings,
    };
    let made = admin.write_for(organization_id, move |work| projects::make(work, &command))?;
    admin
        .out
        .show(&view(&made), || format!("made {} ({})", made.id, made.name));
    Ok(())
}

fn the_only_organization(admin: &Admin) -> Result<OrganizationId, CommandError> {
    let all = admin.read(organizations::all)?;
    match all.as_slice() {
        [only] => Ok(only.id),
        [] => Err(CommandError::new(
            "there is no organization: make one first",
        )),
        _ => Err(CommandError::new(
            "there are several organizations: give one with --organization",
        )),
    }
}

fn list(admin: &Admin) -> Result<(), CommandError> {
    let all = admin.read(|tx: &mut Tx<'_>| rows::all(tx))?;
    let row = |it: &Project| {
        let stopped = if it.stopped { "stopped" } else { "" };
        let organization = it.organization_id.to_string();
        vec![
            it.id.to_string(),
            organization,
            it.name.clone(),
            stopped.to_owned(),
        ]
    };
    let rows: Vec<_> = all.iter().map(row).collect();
    let json = all.iter().map(view).collect();
    admin
        .out
        .show(&json, || table(&["id", "organization", "name", ""], &rows));
    Ok(())
}

fn show(admin: &Admin, id: ProjectId) -> Result<(), CommandError> {
    let found = admin.read(move |tx: &mut Tx<'_>| rows::get(tx, id))?;
    let project =
        found.ok_or_else(|| CommandError::new(ProjectRefused::NoSuchProject.to_string()))?;
    print(admin, &project);
    Ok(())
}

fn set(
    admin: &Admin,
    id: ProjectId,
    name: Option<String>,
    settings: &ProjectSettings,
) -> Result<(), CommandError> {
    let mut patch = project_settings::read(settings)?;
    patch.name = name.as_deref().map(names::name).transpose()?;
    let job = move |work: &mut HubWork<'_, '_>| projects::change(work, id, &patch).map_err(by_flag);
    let changed = admin.write_in(move |_| Ok(Some(id)), job);
    print(admin, &changed?);
    Ok(())
}

/// Names the flag that gave a route of another project.
fn by_flag(error: NotDone<ProjectRefused>) -> NotDone<String> {
    match error {
        NotDone::Refused(ProjectRefused::NoSuchRoute) => {
            NotDone::Refused("--default-route is not a phone of the project".to_owned())
        }
        NotDone::Refused(reason) => NotDone::Refused(reason.to_string()),
        NotDone::Store(error) => NotDone::Store(error),
    }
}

fn print(admin: &Admin, project: &Project) {
    let json = view(project);
    admin.out.show(&json, || {
        let members = json.as_object().into_iter().flatten();
        let text = |value: &Value| match value {
            Value::Null => or_dash(None::<&str>),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let line = |(name, value): (&String, &Value)| format!("{name}: {}\n", text(value));
        members.map(line).collect()
    });
}

/// A project as the admin commands show it; of a secret only whether it is set.
fn view(project: &Project) -> Value {
    json!({
        "id": project.id,
        "organization_id": project.organization_id,
        "name": project.name,
        "country": project.country,
        "timezone": project.timezone_id,
        "default_route": project.default_route_id,
        "incoming_url": project.incoming_url,
        "incoming_secret_set": project.incoming_secret.is_some(),
        "status_url": project.status_url,
        "status_secret_set": project.status_secret.is_some(),
        "alert_url": project.alert_url,
        "alert_secret_set": project.alert_secret.is_some(),
        "message_life_h": project.message_life_ms / 3_600_000,
        "queue_cap": project.queue_cap,
        "auto_create_contacts": project.auto_create_contacts,
        "stopped": project.stopped,
    })
}
