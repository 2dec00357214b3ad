//! `POST /projects/{project_id}/tables/{table_id}/import_rows`

use crate::data_tables::rows::{self, patch};
use crate::{ApiResult, Call, operation, parse};
use hub_app::actor::Actor;
use hub_app::data_tables::PERMISSION;
use hub_app::data_tables::rows::{Lookup, NewRow, import};
use hub_domain::{VarValue, is_variable};
use hub_web::{Answer, ApiError, ErrorCode, Field, Fields, Kind, Member, Object, Shape};
use postrider_model::{DataRowId, kind};
use serde::Serialize;

/// Most rows of an import.
const ROWS_MAX: usize = 200;

const ITEM: &[Member] = &[
    Member::id::<kind::DataRow>("id", "The row that is meant, with lookup_key id."),
    rows::TAKES[0],
    rows::TAKES[1],
    rows::TAKES[2],
];
const TAKES: &[Member] = &[
    Member::new(
        "rows",
        Kind::Array(&Kind::Object(ITEM), ROWS_MAX),
        "The rows.",
    )
    .required(),
    Member::new(
        "lookup_key",
        Kind::Text(64),
        "What finds rows: id, contact_id, vars.NAME, or none for new ones.",
    )
    .or("\"none\""),
];

const IMPORTED: Shape = Shape {
    name: "ImportedRows",
    about: "The rows, in the order of the request.",
    members: &[Member::new(
        "rows",
        Kind::Array(
            &Kind::Object(&[Member::id::<kind::DataRow>("id", "Its id.")]),
            ROWS_MAX,
        ),
        "The rows.",
    )],
};

operation! {
    /// Finds or makes up to 200 rows, all of them or none, and answers in their order.
    /// Of several rows with one key the oldest is meant.
    IMPORT_ROWS = "importRows": Project(PERMISSION), import_rows -> Object(&IMPORTED);
    .takes(&[TAKES])
    .errors(&[ErrorCode::LimitExceeded])
    .example(r#"{"rows":[{"vars":{"answer":"yes"}},{"vars":{"answer":"no"}}]}"#)
}

async fn import_rows(actor: Actor, call: Call) -> ApiResult {
    let table = call.path_id("table_id", "table")?;
    let fields = Fields::read(&call.params)?;
    let key = Key::read(&call.params.get("lookup_key"))?;
    let field = call.params.get("rows");
    let items = field.array()?.ok_or_else(|| field.refuse("is required"))?;
    let rows = items.iter().map(|item| key.row(item));
    let ids = import(&actor, table, rows.collect::<Result<_, _>>()?).await?;
    let rows = ids.into_iter().map(|id| Imported { id }).collect();
    Ok(Answer::value(&Import { rows }, &fields)?)
}

#[derive(Serialize)]
struct Import {
    rows: Vec<Imported>,
}

#[derive(Serialize)]
struct Imported {
    id: DataRowId,
}

/// What rows are looked up by: `lookup_key`.
enum Key {
    /// Nothing: each is new.
    Nothing,
    /// The id.
    Id,
    /// The contact that it is about.
    Contact,
    /// A variable.
    Variable(String),
}

impl Key {
    fn read(field: &Field<'_>) -> Result<Self, ApiError> {
        let text = field.string()?.unwrap_or_default();
        match (text, text.strip_prefix("vars.")) {
            ("" | "none", _) => Ok(Self::Nothing),
            ("id", _) => Ok(Self::Id),
            ("contact_id", _) => Ok(Self::Contact),
            (_, Some(variable)) if is_variable(variable) => Ok(Self::Variable(variable.to_owned())),
            _ => Err(field.refuse("must be id, contact_id, none or vars.NAME")),
        }
    }

    fn row(&self, item: &Field<'_>) -> Result<NewRow, ApiError> {
        let object = item
            .object()?
            .ok_or_else(|| item.refuse("must be an object"))?;
        let patch = patch(|name| object.get(name))?;
        let lookup = match self {
            Self::Nothing => None,
            Self::Id => id(&object)?.map(Lookup::Id),
            Self::Contact => patch.contact_id.flatten().map(Lookup::Contact),
            Self::Variable(name) => {
                let value = patch.vars.get(name).filter(|value| !is_empty(value));
                value.map(|value| Lookup::Variable(name.clone(), value.clone()))
            }
        };
        if !matches!(self, Self::Id) {
            id(&object)?;
        }
        Ok(NewRow {
            lookup: lookup.unwrap_or(Lookup::Nothing),
            patch,
        })
    }
}

fn id(object: &Object<'_>) -> Result<Option<DataRowId>, ApiError> {
    parse::id(&object.get("id"), "row")
}

fn is_empty(value: &VarValue) -> bool {
    matches!(value, VarValue::Text(text) if text.is_empty())
}
