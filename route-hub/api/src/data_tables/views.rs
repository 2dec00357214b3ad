//! `…/tables/{table_id}/views`, and of one view.

use crate::data_tables::TABLE_ID;
use crate::lists::{DEFAULT, Entry, List, TEXT};
use crate::members::{PROJECT_ID, URL, own_id, read_only};
use crate::messages::COUNT;
use crate::{ApiResult, Call, conditions, operation, parse};
use hub_app::actor::Actor;
use hub_app::data_tables::{PERMISSION, VIEW as LOOK, views};
use hub_domain::ViewFilters;
use hub_store::data_views::by;
use hub_store::list::Sort;
use hub_web::{Answer, ApiError, Field, Fields, Kind, Member, Shape};
use postrider_model::kind;

const VIEWS: List = List {
    filters: &[Entry::text("name", by::NAME, TEXT)],
    sorts: &[DEFAULT, ("name", Sort::by(by::NAME))],
};

const NAME: Member = Member::new(
    "name",
    Kind::Text(64),
    "The view's name, unique in its table.",
)
.never_null();
const FILTERS: Member = Member::new(
    "filters",
    Kind::Map(&Kind::Any),
    "What its rows have in common: a value, or operators with values, by field.",
);
/// The fields that a caller may read but not write.
const READ_ONLY: &[Member] =
    &read_only(["id", "num_rows", "filters", "table_id", "project_id", "url"]);

const VIEW: Shape = Shape {
    name: "DataView",
    about: "Those rows of a table that meet some filters, whenever one looks.",
    members: &[
        own_id::<kind::DataView>(),
        NAME,
        Member::new(
            "num_rows",
            COUNT,
            "How many rows it has now; null where counting takes too long.",
        )
        .nullable(),
        FILTERS,
        TABLE_ID,
        PROJECT_ID,
        URL,
    ],
};

operation! {
    /// Lists the views of a table.
    LIST_VIEWS = "listDataViews": Project(LOOK), list -> List(&VIEWS, &VIEW);
}

async fn list(actor: Actor, call: Call) -> ApiResult {
    let table = call.path_id("table_id", "table")?;
    let asked = call.list()?;
    let listed = views::list(&actor, table, asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Makes a view of a table; its filters stay as they are.
    CREATE_VIEW = "createDataView": Project(PERMISSION), create -> Object(&VIEW);
    .takes(&[&[NAME.required(), FILTERS.required()]])
    .example(r#"{"name":"Said yes","filters":{"vars.answer":"yes"}}"#)
}

async fn create(actor: Actor, call: Call) -> ApiResult {
    let table = call.path_id("table_id", "table")?;
    let fields = Fields::read(&call.params)?;
    let field = call.params.get("name");
    let name = parse::name(&field)?.ok_or_else(|| field.refuse("is required"))?;
    let filters = filters(&call.params.get("filters"))?;
    let view = views::create(&actor, table, name, filters).await?;
    Ok(Answer::object(&view, &fields))
}

fn filters(field: &Field<'_>) -> Result<ViewFilters, ApiError> {
    if !field.is_given() {
        return Err(field.refuse("is required"));
    }
    conditions::read(field, ViewFilters::parse)
}

operation! {
    /// Shows one view.
    GET_VIEW = "getDataView": Project(LOOK), get -> Object(&VIEW);
}

async fn get(actor: Actor, call: Call) -> ApiResult {
    let table = call.path_id("table_id", "table")?;
    let id = call.path_id("view_id", "view")?;
    let fields = Fields::read(&call.params)?;
    let view = views::get(&actor, table, id).await?;
    Ok(Answer::object(&view, &fields))
}

operation! {
    /// Changes the name of a view.
    UPDATE_VIEW = "updateDataView": Project(PERMISSION), update -> Object(&VIEW);
    .takes(&[&[NAME], READ_ONLY])
    .example(r#"{"name":"Agreed"}"#)
}

async fn update(actor: Actor, call: Call) -> ApiResult {
    let table = call.path_id("table_id", "table")?;
    let id = call.path_id("view_id", "view")?;
    let fields = Fields::read(&call.params)?;
    let name = parse::name(&call.params.get("name"))?;
    let view = views::update(&actor, table, id, name).await?;
    Ok(Answer::object(&view, &fields))
}

operation! {
    /// Removes a view; its rows stay.
    DELETE_VIEW = "deleteDataView": Project(PERMISSION), delete -> Nothing;
}

async fn delete(actor: Actor, call: Call) -> ApiResult {
    let table = call.path_id("table_id", "table")?;
    let id = call.path_id("view_id", "view")?;
    views::delete(&actor, table, id).await?;
    Ok(Answer::void())
}
