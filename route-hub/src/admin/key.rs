//! `admin key`.

use crate::admin::Admin;
use crate::admin::args::KeyCommand;
use crate::admin::output::{or_dash, table};
use hub_app::api_keys::{self, NewApiKey, Reach};
use hub_app::data_folder::error::CommandError;
use hub_app::hub_work::HubWork;
use hub_app::names;
use hub_domain::{ApiKey, Permission, Permissions};
use hub_store::Tx;
use postrider_model::{ApiKeyId, UnixMs};
use serde_json::{Value, json};

pub(super) fn run(admin: &Admin, command: KeyCommand) -> Result<(), CommandError> {
    match command {
        KeyCommand::Create {
            project,
            organization,
            name,
            permissions,
            rate_per_s,
            rate_burst,
            expires_days,
        } => {
            let reach = match (project, organization) {
                (Some(project), _) => Reach::Project(project),
                (None, Some(organization)) => Reach::Organization(organization),
                (None, None) => {
                    return Err(CommandError::new("say which --project or --organization"));
                }
            };
            let expires_after = |days: u32| admin.hub.now().unix.plus_ms(i64::from(days) * DAY_MS);
            create(
                admin,
                NewApiKey {
                    reach,
                    name: names::name(&name)?,
                    permissions: permitted(&permissions)?,
                    rate_per_s,
                    rate_burst,
                    time_expires: expires_days.map(expires_after),
                },
            )
        }
        KeyCommand::List => list(admin),
        KeyCommand::Revoke { key } => revoke(admin, key),
    }
}

const DAY_MS: i64 = 24 * 3_600_000;

fn permitted(names: &[String]) -> Result<Permissions, CommandError> {
    if names.is_empty() {
        return Ok(Permissions::all());
    }
    let read = |name: &String| {
        name.parse::<Permission>().map_err(|_| {
            let all: Vec<&str> = Permission::ALL.iter().map(|it| it.as_str()).collect();
            CommandError::new(format!("--permission must be one of {}", all.join(", ")))
        })
    };
    names.iter().map(read).collect()
}

fn create(admin: &Admin, command: NewApiKey) -> Result<(), CommandError> {
    let reach = command.reach;
    let job = move |work: &mut HubWork<'_, '_>| api_keys::create(work, &command);
    let (key, text) = match reach {
        Reach::Project(id) => admin.write_in(move |_| Ok(Some(id)), job),
        Reach::Organization(id) => admin.write_for(id, job),
    }?;
    let mut json = view(&key);
    json["api_key"] = Value::from(text.as_str());
    admin.out.show(&json, || {
        format!(
            "made {} ({})\n{}\nThe key is shown only once.",
            key.id,
            key.name,
            text.as_str()
        )
    });
    Ok(())
}

fn list(admin: &Admin) -> Result<(), CommandError> {
    let all = admin.read(api_keys::all)?;
    let now = admin.hub.now().unix;
    let row = |key: &ApiKey| {
        let reach = key.project_id.map(|id| id.to_string());
        let state = if key.is_live(now) { "live" } else { "ended" };
        vec![
            key.id.to_string(),
            reach.unwrap_or_else(|| key.organization_id.to_string()),
            key.name.clone(),
            state.to_owned(),
            or_dash(key.time_last_used.map(UnixMs::seconds)),
        ]
    };
    let rows: Vec<_> = all.iter().map(row).collect();
    let heading = ["id", "for", "name", "state", "last used"];
    let json = all.iter().map(view).collect();
    admin.out.show(&json, || table(&heading, &rows));
    Ok(())
}

fn revoke(admin: &Admin, id: ApiKeyId) -> Result<(), CommandError> {
    let known = admin.read(move |tx: &mut Tx<'_>| hub_store::api_keys::get(tx, id))?;
    let job = move |work: &mut HubWork<'_, '_>| api_keys::revoke(work, id);
    match known {
        Some(key) => admin.write_for(key.organization_id, job),
        None => admin.write(job),
    }?;
    admin.out.show(&json!({"id": id, "revoked": true}), || {
        format!("{id} is revoked")
    });
    Ok(())
}

fn view(key: &ApiKey) -> Value {
    let permissions: Vec<&str> = key.permissions.iter().map(Permission::as_str).collect();
    json!({
        "id": key.id,
        "organization_id": key.organization_id,
        "project_id": key.project_id,
        "name": key.name,
        "permissions": permissions,
        "rate_per_s": key.rate_per_s,
        "rate_burst": key.rate_burst,
        "time_created": key.time_created.seconds(),
        "time_last_used": key.time_last_used.map(UnixMs::seconds),
        "time_expires": key.time_expires.map(UnixMs::seconds),
        "time_revoked": key.time_revoked.map(UnixMs::seconds),
    })
}
