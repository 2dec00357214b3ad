//! `admin alerts`.

use crate::admin::Admin;
use crate::admin::args::{AlertsArgs, AlertsCommand};
use crate::admin::output::table;
use hub_app::data_folder::error::CommandError;
use hub_app::operator;
use hub_domain::Alert;
use hub_store::{Tx, alerts};
use postrider_model::{AlertId, UnixMs};
use serde_json::{Value, json};

/// Most alerts listed, newest first.
const LISTED_MAX: u32 = 1_000;

pub(super) fn run(admin: &Admin, args: AlertsArgs) -> Result<(), CommandError> {
    match args.command {
        None | Some(AlertsCommand::List) => list(admin, args.all),
        Some(AlertsCommand::Clear { alert }) => clear(admin, alert),
    }
}

fn list(admin: &Admin, cleared_too: bool) -> Result<(), CommandError> {
    let all = admin.read(move |tx: &mut Tx<'_>| alerts::latest(tx, cleared_too, LISTED_MAX))?;
    let row = |alert: &Alert| {
        let phone = alert.phone_id.map(|id| id.to_string());
        let device = alert.device_id.map(|id| id.to_string());
        let about = phone.or(device).unwrap_or_default();
        let ended = if alert.time_cleared.is_some() {
            "ended"
        } else {
            ""
        };
        vec![
            alert.id.to_string(),
            alert.kind.to_string(),
            about,
            alert.detail.clone(),
            ended.to_owned(),
        ]
    };
    let rows: Vec<_> = all.iter().map(row).collect();
    let json = all.iter().map(view).collect();
    admin.out.show(&json, || {
        table(&["id", "kind", "about", "detail", ""], &rows)
    });
    Ok(())
}

fn clear(admin: &Admin, id: AlertId) -> Result<(), CommandError> {
    // A running hub finds the webhook in its outbox.
    let find = move |tx: &mut Tx<'_>| Ok(alerts::get(tx, id)?.map(|alert| alert.project_id));
    admin.write_in(find, move |work| operator::clear_alert(work, id))?;
    admin.out.show(&json!({"id": id, "cleared": true}), || {
        format!("{id} is cleared")
    });
    Ok(())
}

fn view(alert: &Alert) -> Value {
    json!({
        "id": alert.id,
        "project_id": alert.project_id,
        "phone_id": alert.phone_id,
        "device_id": alert.device_id,
        "kind": alert.kind.as_str(),
        "detail": alert.detail,
        "time_created": alert.time_created.seconds(),
        "time_cleared": alert.time_cleared.map(UnixMs::seconds),
    })
}
