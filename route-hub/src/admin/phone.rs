//! `admin phone`.

use crate::admin::Admin;
use crate::admin::args::PhoneCommand;
use crate::admin::output::{or_dash, table};
use hub_app::alerts;
use hub_app::audit;
use hub_app::data_folder::error::CommandError;
use hub_app::hub::Hub;
use hub_app::setup;
use hub_domain::{AlertKind, Phone, Project, QuietMode};
use hub_store::changes::{self, Scope};
use hub_store::{StoreError, Tx, phones, projects};
use postrider_model::{Now, PhoneId, ProjectId};
use serde_json::{Value, json};

pub(super) fn run(admin: &Admin, command: PhoneCommand) -> Result<(), CommandError> {
    match command {
        PhoneCommand::List { project } => list(admin, project),
        PhoneCommand::AddTest {
            project,
            name,
            number,
        } => {
            let made = admin.write(move |hub, tx, now| {
                changes::raise(tx, Scope::Rows(project))?;
                setup::test_phone(hub, tx, project, &name, number.as_ref(), now)
            })?;
            admin
                .out
                .show(&view(&made), || format!("made {} ({})", made.id, made.name));
            Ok(())
        }
        PhoneCommand::Set { phone, window } => set(admin, phone, window),
        PhoneCommand::ConfirmSim { phone } => confirm_sim(admin, phone),
        PhoneCommand::ReleaseQuietHours { phone } => release_quiet_hours(admin, phone),
    }
}

fn list(admin: &Admin, project: Option<ProjectId>) -> Result<(), CommandError> {
    let all = admin.read(move |tx: &mut Tx<'_>| match project {
        Some(project) => phones::of_project(tx, project),
        None => phones::all(tx),
    })?;
    let row = |phone: &Phone| {
        vec![
            phone.id.to_string(),
            phone.phone_type.to_string(),
            or_dash(phone.device_id),
            or_dash(phone.phone_number.as_ref().map(|it| it.as_str())),
            phone.name.clone(),
            remarks(phone),
        ]
    };
    let rows: Vec<_> = all.iter().map(row).collect();
    let heading = ["id", "type", "device", "number", "name", ""];
    let json = all.iter().map(view).collect();
    admin.out.show(&json, || table(&heading, &rows));
    Ok(())
}

fn remarks(phone: &Phone) -> String {
    let remarks = [
        (phone.send_paused, "paused"),
        (phone.sim_changed, "SIM changed"),
    ];
    let said = remarks.iter().filter(|(is, _)| *is).map(|(_, text)| *text);
    said.collect::<Vec<_>>().join(", ")
}

/// Changes what an operator decides about a phone.
fn set(admin: &Admin, id: PhoneId, window: u32) -> Result<(), CommandError> {
    let (phone, ()) = change(admin, id, "phone.set", move |change| {
        change.phone.window_size = Some(window);
        Ok(Ok(()))
    })?;
    admin.out.show(&view(&phone), || {
        format!("{id} holds {window} unsent messages of a priority at most")
    });
    Ok(())
}

/// The next word of the phone says which SIM is the right one from now on.
fn confirm_sim(admin: &Admin, id: PhoneId) -> Result<(), CommandError> {
    let (phone, ()) = change(admin, id, "phone.confirm_sim", |change| {
        let Change {
            hub,
            tx,
            project,
            phone,
            now,
        } = change;
        phone.sim_changed = false;
        phone.sim_fingerprint = None;
        alerts::clear_for_phone(hub, tx, project, phone, AlertKind::SimChanged, *now)?;
        Ok(Ok(()))
    })?;
    admin.out.show(&view(&phone), || {
        format!("{id} sends from the SIM that is in it now")
    });
    Ok(())
}

/// Lets a phone send in its present quiet hours; outside of them there is nothing to release.
fn release_quiet_hours(admin: &Admin, id: PhoneId) -> Result<(), CommandError> {
    let (phone, released) = change(admin, id, "phone.release_quiet_hours", |change| {
        if change.phone.quiet_mode != QuietMode::Confirm {
            return Ok(Err("the phone's quiet_mode is not confirm"));
        }
        let zone = &change.project.timezone_id;
        Ok(Ok(change.phone.release_quiet(zone, change.now.unix)))
    })?;
    admin.out.show(&view(&phone), || match released {
        true => format!("{id} sends until its quiet hours end, and keeps the next ones"),
        false => format!("{id} keeps no quiet hours at this moment"),
    });
    Ok(())
}

/// A phone that is being changed, and where.
struct Change<'a, 'tx> {
    hub: &'a Hub,
    tx: &'a mut Tx<'tx>,
    project: &'a Project,
    phone: &'a mut Phone,
    now: Now,
}

/// Changes a phone and writes that down, unless it is as it was before.
fn change<T, F>(
    admin: &Admin,
    id: PhoneId,
    action: &'static str,
    mut job: F,
) -> Result<(Phone, T), CommandError>
where
    F: FnMut(&mut Change<'_, '_>) -> Result<Result<T, &'static str>, StoreError> + Send + 'static,
    T: Send + 'static,
{
    admin.write(move |hub, tx, now| {
        let found = phones::by_key(tx, id)?.filter(|phone| !phone.removed);
        let Some(mut phone) = found else {
            return Ok(Err("there is no such phone"));
        };
        let Some(project) = projects::get(tx, phone.project_id)? else {
            return Ok(Err("there is no such phone"));
        };
        let before = phone.clone();
        let done = job(&mut Change {
            hub,
            tx,
            project: &project,
            phone: &mut phone,
            now,
        })?;
        let done = match done {
            Ok(done) => done,
            Err(refused) => return Ok(Err(refused)),
        };
        if phone != before {
            phones::update(tx, &phone)?;
            changes::raise(tx, Scope::Phone(id))?;
            let line = audit::Line {
                organization_id: project.organization_id,
                project_id: Some(project.id),
                action,
                target: id.to_string(),
            };
            audit::write(hub, tx, line, now)?;
        }
        Ok(Ok((phone, done)))
    })
}

pub(super) fn view(phone: &Phone) -> Value {
    json!({
        "id": phone.id,
        "project_id": phone.project_id,
        "device_id": phone.device_id,
        "sim": phone.sim.map(|sim| sim.get()),
        "name": phone.name,
        "phone_type": phone.phone_type.as_str(),
        "phone_number": phone.phone_number.as_ref().map(|it| it.as_str()),
        "send_paused": phone.send_paused,
        "sim_changed": phone.sim_changed,
        "window": phone.window_size,
    })
}
