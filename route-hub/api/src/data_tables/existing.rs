//! `GET /projects/{project_id}/tables`, of one table, and its `count_rows_by_value`.

use crate::data_tables::TABLE;
use crate::lists::{DEFAULT, Entry, List, TEXT};
use crate::messages::COUNT;
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::data_tables::{self, VIEW};
use hub_store::data_tables::by;
use hub_store::list::Sort;
use hub_web::{Answer, Fields, Kind, Member};
use serde_json::{Map, Value};

const TABLES: List = List {
    filters: &[Entry::text("name", by::NAME, TEXT)],
    sorts: &[DEFAULT, ("name", Sort::by(by::NAME))],
};
const VARIABLE: &[Member] = &[Member::new(
    "variable",
    Kind::Text(64),
    "The variable whose values are counted.",
)
.required()];

operation! {
    /// Lists the data tables of a project.
    LIST = "listDataTables": Project(VIEW), list -> List(&TABLES, &TABLE);
}

async fn list(actor: Actor, call: Call) -> ApiResult {
    let asked = call.list()?;
    let listed = data_tables::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Shows one data table.
    GET = "getDataTable": Project(VIEW), get -> Object(&TABLE);
}

async fn get(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("table_id", "table")?;
    let fields = Fields::read(&call.params)?;
    let table = data_tables::get(&actor, id).await?;
    Ok(Answer::object(&table, &fields))
}

operation! {
    /// Counts the rows that have each value of a variable, as it was written.
    /// With more than 10,000 different values it is refused.
    COUNT_ROWS_BY_VALUE = "countRowsByValue": Project(VIEW), count_rows_by_value
        -> Value(Kind::Map(&COUNT));
    .takes(&[VARIABLE])
    .example(r#"{"variable":"answer"}"#)
}

async fn count_rows_by_value(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("table_id", "table")?;
    let variable = call.params.get("variable").required_string()?.to_owned();
    let counted = data_tables::count_rows_by_value(&actor, id, variable).await?;
    let counted = counted
        .into_iter()
        .map(|(value, count)| (value, Value::from(count)));
    Ok(Answer::value(&counted.collect::<Map<_, _>>(), Fields::ALL)?)
}
