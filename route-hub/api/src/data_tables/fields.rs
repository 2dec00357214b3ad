//! `GET` and `POST /projects/{project_id}/tables/{table_id}/fields`, and `POST` of one field.

use crate::fields::{self, MANY_TABLE, TABLE, TABLE_FIELD};
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::data_tables::{PERMISSION, VIEW};
use hub_domain::FieldOwner;
use hub_web::ApiError;

fn owner(call: &Call) -> Result<FieldOwner, ApiError> {
    Ok(FieldOwner::Table(call.path_id("table_id", "table")?))
}

operation! {
    /// Lists the fields of a table's rows, all in one array.
    FIELDS = "listDataTableFields": Project(VIEW), list -> Array(&TABLE_FIELD);
}

async fn list(actor: Actor, call: Call) -> ApiResult {
    fields::list(&actor, &call, owner(&call)?).await
}

operation! {
    /// Says how a variable of a table's rows is shown.
    CHANGE_FIELD = "updateDataTableField": Project(PERMISSION), change -> Object(&TABLE_FIELD);
    .takes(&[TABLE])
    .example(r#"{"name":"Answer"}"#)
}

async fn change(actor: Actor, call: Call) -> ApiResult {
    fields::change(&actor, &call, owner(&call)?).await
}

operation! {
    /// Says how up to a hundred variables of a table's rows are shown, or removes them, and lists all
    /// fields.
    CHANGE_FIELDS = "updateDataTableFields": Project(PERMISSION), change_many -> Array(&TABLE_FIELD);
    .takes(&[MANY_TABLE])
    .example(r#"{"metadata":[{"variable":"answer","name":"Answer"}]}"#)
}

async fn change_many(actor: Actor, call: Call) -> ApiResult {
    fields::change_many(&actor, &call, owner(&call)?).await
}
