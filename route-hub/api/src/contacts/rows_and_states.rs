//! `GET /projects/{project_id}/contacts/{contact_id}/rows` and `…/states`
//!
//! Data tables and services come later: a contact has no rows and no states yet, so that these
//! lists are read as they will be and are empty.

use crate::lists::{DEFAULT, Entry, List, MIN_MAX, TEXT, VARIABLES};
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::contacts::{self, VIEW};
use hub_app::hub::Hub;
use hub_app::listing::Listed;
use hub_store::list::{Column, Kind};
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
enum Nothing {}

impl Resource for Nothing {
    fn write(&self, _: &mut ObjectWriter<'_>) {
        match *self {}
    }
}

/// Answers a list of an existing contact that has no rows.
async fn empty(hub: &Hub, call: &Call, list: &List) -> ApiResult {
    let actor = enter(hub, call, VIEW).await?;
    let id = call.path_id("contact_id", "contact")?;
    contacts::find(&actor, id).await?;
    let asked = list.read(&call.params)?;
    Ok(asked.show(Listed::<Nothing>::none(&asked.request())))
}
