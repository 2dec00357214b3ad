//! `POST /projects/{project_id}/tables`, and `POST` and `DELETE` of one table.

use crate::data_tables::{NAME, SHOW_ADD_ROW, SHOW_CONTACT_COLUMNS, SHOW_STATS, TABLE};
use crate::members::{VARS, read_only};
use crate::{ApiResult, Call, operation, parse};
use hub_app::actor::Actor;
use hub_app::data_tables::{self, PERMISSION, TablePatch};
use hub_web::{Answer, ErrorCode, Fields, Member};

/// The fields that a caller may read but not write.
const READ_ONLY: &[Member] = &read_only(["id", "num_rows", "project_id", "url"]);

operation! {
    /// Finds the table of a name, or makes it.
    GET_OR_CREATE = "createDataTable": Project(PERMISSION), get_or_create -> Object(&TABLE);
    .takes(&[&[NAME.required()]])
    .errors(&[ErrorCode::LimitExceeded])
    .example(r#"{"name":"Visits"}"#)
}

async fn get_or_create(actor: Actor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    let field = call.params.get("name");
    let name = parse::name(&field)?.ok_or_else(|| field.refuse("is required"))?;
    let table = data_tables::get_or_create(&actor, name).await?;
    Ok(Answer::object(&table, &fields))
}

operation! {
    /// Changes what is given of one table.
    UPDATE = "updateDataTable": Project(PERMISSION), update -> Object(&TABLE);
    .takes(&[&[NAME, SHOW_ADD_ROW, SHOW_STATS, SHOW_CONTACT_COLUMNS, VARS], READ_ONLY])
    .example(r#"{"show_stats":false}"#)
}

async fn update(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("table_id", "table")?;
    let fields = Fields::read(&call.params)?;
    let patch = TablePatch {
        name: parse::name(&call.params.get("name"))?,
        show_add_row: call.params.get("show_add_row").boolean()?,
        show_stats: call.params.get("show_stats").boolean()?,
        show_contact_columns: call.params.get("show_contact_columns").boolean()?,
        vars: parse::vars(&call.params.get("vars"))?,
    };
    let table = data_tables::update(&actor, id, patch).await?;
    Ok(Answer::object(&table, &fields))
}

operation! {
    /// Removes a table with its rows and views.
    DELETE = "deleteDataTable": Project(PERMISSION), delete -> Nothing;
}

async fn delete(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("table_id", "table")?;
    data_tables::delete(&actor, id).await?;
    Ok(Answer::void())
}
