//! `admin alerts`.

use crate::admin::Admin;
use crate::admin::args::{AlertsArgs, AlertsCommand};
use crate::admin::output::table;
use hub_app::data_folder::error::CommandError;
use hub_app::operator;
use hub_domain::{Alert, HubAlert};
use hub_store::{StoreError, Tx, alerts, hub_alerts};
use postrider_model::{AlertId, DeviceId, PhoneId, ProjectId, UnixMs};
use serde_json::{Value, json};
use std::cmp::Reverse;

/// Most alerts listed, newest first.
const LISTED_MAX: u32 = 1_000;

pub(super) fn run(admin: &Admin, args: AlertsArgs) -> Result<(), CommandError> {
    match args.command {
        None | Some(AlertsCommand::List) => list(admin, args.all),
        Some(AlertsCommand::Clear { alert }) => clear(admin, alert),
    }
}

/// An alert of a project, or of the hub.
#[derive(Debug)]
struct Listed {
    id: AlertId,
    project_id: Option<ProjectId>,
    phone_id: Option<PhoneId>,
    device_id: Option<DeviceId>,
    process: Option<u8>,
    kind: &'static str,
    detail: String,
    time_created: UnixMs,
    time_cleared: Option<UnixMs>,
}

impl From<Alert> for Listed {
    fn from(alert: Alert) -> Self {
        Self {
            id: alert.id,
            project_id: Some(alert.project_id),
            phone_id: alert.phone_id,
            device_id: alert.device_id,
            process: None,
            kind: alert.kind.as_str(),
            detail: alert.detail,
            time_created: alert.time_created,
            time_cleared: alert.time_cleared,
        }
    }
}

impl From<HubAlert> for Listed {
    fn from(alert: HubAlert) -> Self {
        Self {
            id: alert.id,
            project_id: None,
            phone_id: None,
            device_id: None,
            process: Some(alert.process),
            kind: alert.kind.as_str(),
            detail: alert.detail,
            time_created: alert.time_created,
            time_cleared: alert.time_cleared,
        }
    }
}

impl Listed {
    fn row(&self) -> Vec<String> {
        let phone = self.phone_id.map(|id| id.to_string());
        let device = self.device_id.map(|id| id.to_string());
        let process = self.process.map(|number| format!("hub process {number}"));
        let about = phone.or(device).or(process).unwrap_or_default();
        let ended = self.time_cleared.map_or("", |_| "ended");
        vec![
            self.id.to_string(),
            self.kind.to_owned(),
            about,
            self.detail.clone(),
            ended.to_owned(),
        ]
    }

    fn view(&self) -> Value {
        json!({
            "id": self.id,
            "project_id": self.project_id,
            "phone_id": self.phone_id,
            "device_id": self.device_id,
            "process": self.process,
            "kind": self.kind,
            "detail": self.detail,
            "time_created": self.time_created.seconds(),
            "time_cleared": self.time_cleared.map(UnixMs::seconds),
        })
    }
}

fn list(admin: &Admin, cleared_too: bool) -> Result<(), CommandError> {
    let all = admin.read(move |tx| latest(tx, cleared_too))?;
    let rows: Vec<_> = all.iter().map(Listed::row).collect();
    let json = all.iter().map(Listed::view).collect();
    admin.out.show(&json, || {
        table(&["id", "kind", "about", "detail", ""], &rows)
    });
    Ok(())
}

fn latest(tx: &mut Tx<'_>, cleared_too: bool) -> Result<Vec<Listed>, StoreError> {
    let of_projects = alerts::latest(tx, cleared_too, LISTED_MAX)?;
    let of_hub = hub_alerts::latest(tx, cleared_too, LISTED_MAX)?;
    let of_projects = of_projects.into_iter().map(Listed::from);
    let mut all: Vec<_> = of_projects
        .chain(of_hub.into_iter().map(Listed::from))
        .collect();
    all.sort_by_key(|alert| Reverse(alert.id));
    all.truncate(LISTED_MAX as usize);
    Ok(all)
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
