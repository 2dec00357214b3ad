//! `admin project`.

use crate::admin::Admin;
use crate::admin::args::{ProjectCommand, ProjectSettings};
use crate::admin::output::{or_dash, table};
use crate::admin::project_settings::Changes;
use hub_app::audit;
use hub_app::data_folder::error::CommandError;
use hub_app::setup::{self, SetupRefused};
use hub_domain::Project;
use hub_store::changes::{self, Scope};
use hub_store::{Tx, organizations, projects};
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
    let changes = Changes::read(settings)?;
    if changes.default_route.is_some() {
        let text = "a new project has no phones yet: set --default-route later";
        return Err(CommandError::new(text));
    }
    let organization = match organization {
        Some(organization) => organization,
        None => the_only_organization(admin)?,
    };
    let made = admin.write(move |hub, tx, now| {
        let adjust = |project: &mut Project| changes.apply(project);
        setup::project(hub, tx, organization, &name, adjust, now)
    })?;
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
        _ => Err(CommandError::new("say which --organization it is for")),
    }
}

fn list(admin: &Admin) -> Result<(), CommandError> {
    let all = admin.read(|tx: &mut Tx<'_>| projects::all(tx))?;
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
    let found = admin.read(move |tx: &mut Tx<'_>| projects::get(tx, id))?;
    let project =
        found.ok_or_else(|| CommandError::new(SetupRefused::NoSuchProject.to_string()))?;
    print(admin, &project);
    Ok(())
}

fn set(
    admin: &Admin,
    id: ProjectId,
    name: Option<String>,
    settings: &ProjectSettings,
) -> Result<(), CommandError> {
    let changes = Changes::read(settings)?;
    let name = name.as_deref().map(setup::name).transpose();
    let name = name.map_err(|refused| CommandError::new(refused.to_string()))?;
    let project = admin.write(move |hub, tx, now| {
        let Some(mut project) = projects::get(tx, id)? else {
            return Ok(Err(SetupRefused::NoSuchProject.to_string()));
        };
        if let Some(name) = &name {
            let named = projects::by_name(tx, project.organization_id, name)?;
            if named.is_some_and(|other| other.id != id) {
                return Ok(Err(SetupRefused::NameTaken.to_string()));
            }
            project.name.clone_from(name);
        }
        if let Err(refused) = changes.check_route(tx, &project)? {
            return Ok(Err(refused.to_owned()));
        }
        let before = project.clone();
        changes.apply(&mut project);
        projects::update(tx, &project)?;
        changes::raise(tx, scope_of(&before, &project))?;
        let line = audit::Line {
            organization_id: project.organization_id,
            project_id: Some(id),
            action: "project.set",
            target: id.to_string(),
        };
        audit::write(hub, tx, line, now)?;
        Ok(Ok(project))
    })?;
    print(admin, &project);
    Ok(())
}

/// Says whom a change of a project concerns: its phones go by its zone, by whether it is stopped, and by
/// whether a program waits for what comes in.
fn scope_of(before: &Project, after: &Project) -> Scope {
    let told = |project: &Project| {
        let is_waited_for = project.incoming_url.is_some();
        (project.timezone_id.clone(), project.stopped, is_waited_for)
    };
    match told(before) == told(after) {
        true => Scope::Rows(after.id),
        false => Scope::Project(after.id),
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

/// A project as the admin commands show it; secrets only as whether they are set.
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
