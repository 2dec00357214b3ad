//! `POST /projects/{project_id}/tasks`

use crate::contacts::{CONTACTS, read_numbers};
use crate::data_tables::ROWS;
use crate::members::{VARS, ids};
use crate::messages::LIST_OF;
use crate::tasks::{FILTER_TYPE, TABLE_ID, TASK, TASK_PARAMS, TASK_TYPE};
use crate::{ApiResult, Call, idempotency, operation, parse};
use hub_app::actor::Actor;
use hub_app::tasks::{self, Found, IDS_MAX, NewTask, TaskParams, TaskView, VIEW};
use hub_domain::FilterType;
use hub_store::list::{Filter, ListQuery};
use hub_web::{Answer, ApiError, Fields, Kind, Member, Object, Params};
use postrider_model::{DataViewId, IdKind, kind};

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
    /// Makes a task, which goes through what is there now and matches its filter, row by row. Needs the permission
    /// of the single operation, too, and that of looking at what its filter finds.
    CREATE = "createTask": Project(VIEW), create -> Object(&TASK);
    .takes(&[&[
        TASK_TYPE.required(),
        TASK_PARAMS,
        FILTER_TYPE.required(),
        FILTER_PARAMS.required(),
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
    let required = |name| move || params.get(name).refuse("is required");
    let task_type = params.get("task_type").named()?;
    let filter_type = params.get("filter_type").named()?;
    let filter_type = filter_type.ok_or_else(required("filter_type"))?;
    Ok(NewTask {
        task_type: task_type.ok_or_else(required("task_type"))?,
        params: task_params(params)?,
        found: Found {
            table: parse::id(&params.get("table_id"), "table")?,
            ..found(params, filter_type, region)?
        },
        vars: parse::vars(&params.get("vars"))?,
    })
}

fn task_params(params: &Params) -> Result<TaskParams, ApiError> {
    let Some(given) = params.get("task_params").object()? else {
        return Ok(TaskParams::default());
    };
    given.check()?;
    let value = given.get("value");
    Ok(TaskParams {
        variable: given.get("variable").string()?.map(str::to_owned),
        value: value.is_present().then(|| value.to_json()),
        group_id: parse::id(&given.get("group_id"), "group")?,
        label_id: parse::id(&given.get("label_id"), "label")?,
        send_blocked: given.get("send_blocked").boolean()?,
        conversation_status: given.get("conversation_status").named()?,
        route_id: parse::route_id(&given.get("route_id"))?,
    })
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
