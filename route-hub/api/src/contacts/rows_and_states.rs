//! `GET /projects/{project_id}/contacts/{contact_id}/rows` and `…/states`
//!
//! Data tables and services come later: a contact has no rows and no states yet, so that these
//! lists are read as they will be and are empty.

use crate::contacts::found;
use crate::lists::{DEFAULT, Entry, List, MIN_MAX, TEXT, VARIABLES};
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_store::contacts;
use hub_store::list::{Column, Kind, Page};
use hub_web::{ObjectWriter, Resource};

const ROWS: List = List {
    filters: &[Entry::time("time_created", TIME_CREATED, MIN_MAX)],
    sorts: &[DEFAULT],
};
const STATES: List = List {
    filters: &[
        Entry::text("id", STATE_ID, TEXT),
        Entry::variables(VARIABLES),
    ],
    sorts: &[DEFAULT],
};
const TIME_CREATED: Column = Column::new("time_created", Kind::TimeMade);
const STATE_ID: Column = Column::new("id", Kind::Text);

/// Lists the rows of data tables that belong to a contact: none.
pub async fn rows(State(hub): State<Hub>, call: Call) -> ApiResult {
    empty(&hub, &call, &ROWS).await
}

/// Lists the states that a contact has in services: none.
pub async fn states(State(hub): State<Hub>, call: Call) -> ApiResult {
    empty(&hub, &call, &STATES).await
}

/// What an empty list has items of.
#[derive(Clone)]
enum Nothing {}

impl Resource for Nothing {
    fn write(&self, _: &mut ObjectWriter<'_>) {
        match *self {}
    }
}

/// Answers a list of an existing contact that has no rows.
async fn empty(hub: &Hub, call: &Call, list: &List) -> ApiResult {
    let project = enter(hub, call, Permission::ViewContacts).await?;
    let (project_id, id) = (project.id, call.path_id("contact_id", "contact")?);
    let reading = hub
        .store
        .of(project_id)
        .read(move |tx| contacts::get(tx, project_id, id));
    found(reading.await?)?;
    let asked = list.read(&call.params)?;
    let page = Page {
        rows: Vec::new(),
        truncated: false,
        next_marker: None,
    };
    asked
        .answer(
            hub.store.of(project_id),
            move |_, _| Ok(page.clone()),
            |_, _| Ok(0),
            |_, rows: Vec<Nothing>| Ok(rows),
        )
        .await
}
