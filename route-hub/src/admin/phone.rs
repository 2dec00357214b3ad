//! `admin phone`.

use crate::admin::Admin;
use crate::admin::args::PhoneCommand;
use crate::admin::output::{or_dash, table};
use hub_app::data_folder::error::CommandError;
use hub_app::hub_work::HubWork;
use hub_app::names;
use hub_app::phones;
use hub_domain::Phone;
use hub_store::phones::{all, by_key, of_project};
use hub_store::{StoreError, Tx};
use postrider_model::{PhoneId, ProjectId};
use serde_json::{Value, json};

pub(super) fn run(admin: &Admin, command: PhoneCommand) -> Result<(), CommandError> {
    match command {
        PhoneCommand::List { project } => list(admin, project),
        PhoneCommand::AddTest {
            project,
            name,
            number,
        } => {
            let name = names::name(&name)?;
            let job = move |work: &mut HubWork<'_, '_>| {
                phones::add_test_phone(work, project, &name, number.as_ref())
            };
            let made = admin.write_in(move |_| Ok(Some(project)), job)?;
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
        Some(project) => of_project(tx, project),
        None => all(tx),
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

/// Finds the project of a phone.
fn holder(id: PhoneId) -> impl FnMut(&mut Tx<'_>) -> Result<Option<ProjectId>, StoreError> {
    move |tx| Ok(by_key(tx, id)?.map(|phone| phone.project_id))
}

/// Changes what an operator decides about a phone.
fn set(admin: &Admin, id: PhoneId, window: u32) -> Result<(), CommandError> {
    let phone = admin.write_in(holder(id), move |work| phones::set_window(work, id, window))?;
    admin.out.show(&view(&phone), || {
        format!("{id} holds at most {window} unsent messages of each priority")
    });
    Ok(())
}

/// The phone's next report says which SIM is right from now on.
fn confirm_sim(admin: &Admin, id: PhoneId) -> Result<(), CommandError> {
    let phone = admin.write_in(holder(id), move |work| phones::confirm_sim(work, id))?;
    admin.out.show(&view(&phone), || {
        format!("{id} sends from the SIM that is in it now")
    });
    Ok(())
}

/// Lets a phone send in its present quiet hours; at other times there is nothing to release.
fn release_quiet_hours(admin: &Admin, id: PhoneId) -> Result<(), CommandError> {
    let (phone, released) = admin.write_in(holder(id), move |work| {
        phones::release_by_operator(work, id)
    })?;
    admin.out.show(&view(&phone), || {
        if released {
            format!("{id} sends until its quiet hours end, and keeps the next ones")
        } else {
            format!("{id} has no quiet hours now")
        }
    });
    Ok(())
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
