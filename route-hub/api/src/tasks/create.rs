//! `POST /projects/{project_id}/tasks`

use crate::contacts::{CONTACTS, read_numbers};
use crate::data_tables::ROWS;
use crate::members::{VARS, ids};
use crate::messages::LIST_OF;
use crate::tasks::{
    COLUMN_NAME_LENGTH_MAX, FILTER_TYPE, PLACE_MAX, TABLE_ID, TASK, TASK_PARAMS, TASK_TYPE,
};
use crate::{ApiResult, Call, idempotency, operation, parse};
use hub_app::actor::Actor;
use hub_app::tasks::{
    self, ColumnRef, Found, IDS_MAX, NewTask, TaskParams, TaskView, Through, VIEW,
};
use hub_domain::FilterType;
use hub_store::list::{Filter, ListQuery};
use hub_web::{Answer, ApiError, Field, Fields, Kind, Member, Object, Params};
use postrider_model::{DataTableId, DataViewId, GroupId, IdKind, kind};
use serde_json::Value as Json;
use std::collections::BTreeMap;

const ALL: &str = "all";
const VIEW_ID: &str = "view_id";

pub(crate) const FILTER_PARAMS: Member = Member::new(
    "filter_params",
    Kind::Object(&[
        Member::new(ALL, Kind::Boolean, "True: everything, without a filter."),
        ids::<kind::Contact>("contact_ids", IDS_MAX, "The contacts (contact_ids)."),
        ids::<kind::DataRow>("row_ids", IDS_MAX, "The rows (row_ids)."),
        Member::id::<kind::DataView>(VIEW_ID, "The view whose rows they are (query_rows)."),
        ids::<kind::Message>("message_ids", IDS_MAX, "The messages (message_ids)."),
    ]),
    "The filters of the list of contacts, rows or messages, all, or ids.",
);

operation! {
    /// Makes a task, which goes through what is there now and matches its filter, row by row; an import goes through
    /// a file instead. Needs the permission of the single operation, too, and that of looking at what its filter
    /// finds.
    CREATE = "createTask": Project(VIEW), create -> Object(&TASK);
    .takes(&[&[
        TASK_TYPE.required(),
        TASK_PARAMS,
        FILTER_TYPE,
        FILTER_PARAMS,
        VARS,
        TABLE_ID,
    ]])
    .repeatable()
    .example(r#"{"task_type":"add_group_members","task_params":{"group_id":"CG0000000000000001"},"filter_type":"query_contacts","filter_params":{"all":true}}"#)
}

async fn create(actor: Actor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    let repeat = idempotency::read(&call, "create_task")?;
    let command = new_task(&call.params, actor.project.country.as_deref())?;
    let show = move |view: TaskView| Answer::object(&view, &fields);
    let text = idempotency::text(show.clone());
    let done = tasks::create(&actor, command, repeat, text).await?;
    Ok(idempotency::shown(done, show))
}

fn new_task(params: &Params, region: Option<&str>) -> Result<NewTask, ApiError> {
    let task_type = params.get("task_type");
    let named = task_type.named()?;
    let filter_type = params.get("filter_type");
    let table = parse::id(&params.get("table_id"), "table")?;
    Ok(NewTask {
        task_type: named.ok_or_else(|| task_type.refuse("is required"))?,
        params: task_params(params)?,
        through: match filter_type.named()? {
            Some(filter_type) => Through::Found(Found {
                table,
                ..found(params, filter_type, region)?
            }),
            None => through_file(params, table)?,
        },
        vars: parse::vars(&params.get("vars"))?,
    })
}

/// Without a type of filter there is none.
fn through_file(params: &Params, table: Option<DataTableId>) -> Result<Through, ApiError> {
    let filter = params.get("filter_params");
    if filter.is_empty() {
        Ok(Through::File(table))
    } else {
        Err(params
            .get("filter_type")
            .refuse("is required with filter_params"))
    }
}

fn task_params(params: &Params) -> Result<TaskParams, ApiError> {
    let Some(given) = params.get("task_params").object()? else {
        return Ok(TaskParams::default());
    };
    given.check()?;
    let value = given.get("value");
    Ok(TaskParams {
        variable: text(&given, "variable")?,
        value: value.is_present().then(|| value.to_json()),
        group_id: parse::id(&given.get("group_id"), "group")?,
        label_id: parse::id(&given.get("label_id"), "label")?,
        send_blocked: given.get("send_blocked").boolean()?,
        conversation_status: given.get("conversation_status").named()?,
        route_id: parse::route_id(&given.get("route_id"))?,
        filename: text(&given, "filename")?,
        column_ids: column_ids(&given.get("column_ids"))?,
        file_id: parse::id(&given.get("file_id"), "file")?,
        columns: columns(&given.get("columns"))?,
        has_header: given.get("has_header").boolean()?,
        lookup_key: text(&given, "lookup_key")?,
        add_group_ids: group_ids(&given.get("add_group_ids"))?,
        remove_group_ids: group_ids(&given.get("remove_group_ids"))?,
        dry_run: given.get("dry_run").boolean()?,
    })
}

fn text(given: &Object<'_>, name: &'static str) -> Result<Option<String>, ApiError> {
    Ok(given.get(name).string()?.map(str::to_owned))
}

fn column_ids(field: &Field<'_>) -> Result<Option<Vec<String>>, ApiError> {
    let Some(items) = field.array()? else {
        return Ok(None);
    };
    let names = items
        .iter()
        .map(|item| item.required_string().map(str::to_owned));
    names.collect::<Result<_, _>>().map(Some)
}

/// Reads by field the name or the place of a column.
fn columns(field: &Field<'_>) -> Result<Option<BTreeMap<String, ColumnRef>>, ApiError> {
    let Some(given) = field.object()? else {
        return Ok(None);
    };
    let read = |(name, column): (&str, Field<'_>)| {
        let read = match column.to_json() {
            Json::String(text)
                if !text.is_empty() && text.chars().count() <= COLUMN_NAME_LENGTH_MAX =>
            {
                ColumnRef::Name(text)
            }
            Json::Number(number) => {
                let place = number
                    .as_u64()
                    .filter(|it| (1..=PLACE_MAX.unsigned_abs()).contains(it));
                let place = place.and_then(|it| u32::try_from(it).ok());
                ColumnRef::Place(place.ok_or_else(|| column.refuse(COLUMN))?)
            }
            _ => return Err(column.refuse(COLUMN)),
        };
        Ok((name.to_owned(), read))
    };
    given
        .members()
        .map(read)
        .collect::<Result<_, _>>()
        .map(Some)
}

const COLUMN: &str = "must be the name of a column, or its place from 1";

fn group_ids(field: &Field<'_>) -> Result<Option<Vec<GroupId>>, ApiError> {
    let Some(items) = field.array()? else {
        return Ok(None);
    };
    let ids = items.iter().map(|item| {
        let id = parse::id(item, "group")?;
        id.ok_or_else(|| parse::no_such(item, "group"))
    });
    ids.collect::<Result<_, _>>().map(Some)
}

/// Reads which rows are wanted: everything only where that is said.
pub(crate) fn found(
    params: &Params,
    filter_type: FilterType,
    region: Option<&str>,
) -> Result<Found, ApiError> {
    let field = params.get("filter_params");
    let object = field.object()?;
    let given = object.ok_or_else(|| field.refuse("is required"))?;
    let mut view = None;
    let filters = match filter_type {
        FilterType::QueryContacts => {
            let mut query = ListQuery {
                filters: CONTACTS.within(&given, ALL)?,
                ..ListQuery::default()
            };
            read_numbers(&mut query, region);
            query.filters
        }
        FilterType::QueryRows => {
            view = view_of(&given)?;
            match view {
                Some(_) => Vec::new(),
                None => ROWS.within(&given, ALL)?,
            }
        }
        FilterType::RowIds => of_ids::<kind::DataRow>(&given, "row_ids", "row")?,
        FilterType::QueryMessages => LIST_OF.within(&given, ALL)?,
        FilterType::ContactIds => of_ids::<kind::Contact>(&given, "contact_ids", "contact")?,
        FilterType::MessageIds => of_ids::<kind::Message>(&given, "message_ids", "message")?,
    };
    Ok(Found {
        filter_type,
        table: None,
        view,
        params: field.to_json().to_string(),
        filters,
    })
}

/// Reads the view whose rows are wanted; it has filters of its own.
fn view_of(given: &Object<'_>) -> Result<Option<DataViewId>, ApiError> {
    let id = parse::id(&given.get(VIEW_ID), "view")?;
    match given.members().find(|(name, _)| *name != VIEW_ID) {
        Some((_, other)) if id.is_some() => {
            Err(other.refuse(format_args!("cannot be given with {VIEW_ID}")))
        }
        _ => Ok(id),
    }
}

fn of_ids<K: IdKind>(
    given: &Object<'_>,
    name: &'static str,
    what: &str,
) -> Result<Vec<Filter>, ApiError> {
    if let Some((_, other)) = given.members().find(|(other, _)| *other != name) {
        return Err(other.refuse("cannot be given with this filter_type"));
    }
    let field = given.get(name);
    let items = field.array()?.filter(|items| !items.is_empty());
    let items = items.ok_or_else(|| field.refuse("is required"))?;
    let ids = items.iter().map(|item| {
        let id = parse::id::<K>(item, what)?;
        Ok(id.ok_or_else(|| parse::no_such(item, what))?.get())
    });
    Ok(vec![Filter::Ids(ids.collect::<Result<_, ApiError>>()?)])
}
