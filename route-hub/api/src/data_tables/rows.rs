//! `…/tables/{table_id}/rows`, of one row, of a view, and of a contact.

use crate::data_tables::TABLE_ID;
use crate::lists::{DEFAULT, EQUAL, Entry, List, MIN_MAX, VARIABLES};
use crate::members::{PHONE_NUMBER, PROJECT_ID, TIME_CREATED, VARS, own_id, read_only};
use crate::messages::TEXT;
use crate::{ApiResult, Call, operation, parse};
use hub_app::actor::Actor;
use hub_app::data_tables::rows::{self, RowPatch};
use hub_app::data_tables::{PERMISSION, VIEW};
use hub_domain::Address;
use hub_store::data_rows::by;
use hub_web::{Answer, ApiError, ErrorCode, Field, Fields, Kind, Member, Shape};
use postrider_model::kind;

pub(crate) const ROWS: List = List {
    filters: &[
        Entry::time("time_created", by::TIME_CREATED, MIN_MAX),
        Entry::id::<kind::Contact>("contact_id", by::CONTACT, EQUAL),
        Entry::variables(VARIABLES),
    ],
    sorts: &[DEFAULT],
};
const ROWS_OF_CONTACT: List = List {
    filters: &[Entry::time("time_created", by::TIME_CREATED, MIN_MAX)],
    sorts: &[DEFAULT],
};

const CONTACT_ID: Member =
    Member::id::<kind::Contact>("contact_id", "The contact that it is about.");
/// What can be said of a row.
pub(super) const TAKES: &[Member] = &[
    CONTACT_ID,
    Member::new("from_number", PHONE_NUMBER, "The number that it came from."),
    VARS,
];
/// The fields that a caller may read but not write.
const READ_ONLY: &[Member] = &read_only([
    "id",
    "time_created",
    "time_updated",
    "table_id",
    "project_id",
]);

const ROW: Shape = Shape {
    name: "DataRow",
    about: "A row of a data table.",
    members: &[
        own_id::<kind::DataRow>(),
        CONTACT_ID.nullable(),
        Member::new("from_number", TEXT, "The number that it came from.").nullable(),
        VARS,
        TIME_CREATED,
        Member::new("time_updated", Kind::Time, "When it last changed."),
        TABLE_ID,
        PROJECT_ID,
    ],
};

/// Reads what is said of a row, whose parameters `get` finds.
pub(super) fn patch<'a>(get: impl Fn(&'static str) -> Field<'a>) -> Result<RowPatch, ApiError> {
    let (contact, number) = (get("contact_id"), get("from_number"));
    let contact_id = parse::id(&contact, "contact")?;
    let from_number = number.string()?.and_then(Address::new);
    Ok(RowPatch {
        contact_id: contact.is_present().then_some(contact_id),
        from_number: number.is_present().then_some(from_number),
        vars: parse::vars(&get("vars"))?,
    })
}

operation! {
    /// Lists the rows of a table.
    LIST_ROWS = "listDataRows": Project(VIEW), list -> List(&ROWS, &ROW);
}

async fn list(actor: Actor, call: Call) -> ApiResult {
    let table = call.path_id("table_id", "table")?;
    let asked = call.list()?;
    let listed = rows::list(&actor, table, None, asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Lists the rows that a view has now.
    LIST_ROWS_OF_VIEW = "listDataViewRows": Project(VIEW), list_of_view -> List(&ROWS, &ROW);
}

async fn list_of_view(actor: Actor, call: Call) -> ApiResult {
    let table = call.path_id("table_id", "table")?;
    let view = call.path_id("view_id", "view")?;
    let asked = call.list()?;
    let listed = rows::list(&actor, table, Some(view), asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Lists the rows of every table that are about a contact.
    LIST_ROWS_OF_CONTACT = "listContactRows": Project(VIEW), list_of_contact
        -> List(&ROWS_OF_CONTACT, &ROW);
}

async fn list_of_contact(actor: Actor, call: Call) -> ApiResult {
    let contact = call.path_id("contact_id", "contact")?;
    let asked = call.list()?;
    let listed = rows::of_contact(&actor, contact, asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Adds a row to a table.
    CREATE_ROW = "createDataRow": Project(PERMISSION), create -> Object(&ROW);
    .takes(&[TAKES])
    .errors(&[ErrorCode::LimitExceeded])
    .example(r#"{"from_number":"+15005550101","vars":{"answer":"yes"}}"#)
}

async fn create(actor: Actor, call: Call) -> ApiResult {
    let table = call.path_id("table_id", "table")?;
    let fields = Fields::read(&call.params)?;
    let patch = patch(|name| call.params.get(name))?;
    let row = rows::create(&actor, table, patch).await?;
    Ok(Answer::object(&row, &fields))
}

operation! {
    /// Shows one row.
    GET_ROW = "getDataRow": Project(VIEW), get -> Object(&ROW);
}

async fn get(actor: Actor, call: Call) -> ApiResult {
    let table = call.path_id("table_id", "table")?;
    let id = call.path_id("row_id", "row")?;
    let fields = Fields::read(&call.params)?;
    let row = rows::get(&actor, table, id).await?;
    Ok(Answer::object(&row, &fields))
}

operation! {
    /// Changes what is given of one row.
    UPDATE_ROW = "updateDataRow": Project(PERMISSION), update -> Object(&ROW);
    .takes(&[TAKES, READ_ONLY])
    .example(r#"{"vars":{"answer":"no"}}"#)
}

async fn update(actor: Actor, call: Call) -> ApiResult {
    let table = call.path_id("table_id", "table")?;
    let id = call.path_id("row_id", "row")?;
    let fields = Fields::read(&call.params)?;
    let patch = patch(|name| call.params.get(name))?;
    let row = rows::update(&actor, table, id, patch).await?;
    Ok(Answer::object(&row, &fields))
}

operation! {
    /// Removes a row.
    DELETE_ROW = "deleteDataRow": Project(PERMISSION), delete -> Nothing;
}

async fn delete(actor: Actor, call: Call) -> ApiResult {
    let table = call.path_id("table_id", "table")?;
    let id = call.path_id("row_id", "row")?;
    rows::delete(&actor, table, id).await?;
    Ok(Answer::void())
}
