//! `GET /projects/{project_id}/contacts`, and the contacts of a group.

use crate::lists::{
    DEFAULT, Entry, List, MIN_MAX, MIN_MAX_EXISTS, NE_MIN_MAX, TEXT, TEXT_EXISTS, VARIABLES,
};
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::contacts::view::ContactView;
use hub_app::hub::Hub;
use hub_domain::{Address, Permission, Project, numbers};
use hub_store::contacts::{self, by};
use hub_store::list::{Filter, ListQuery, Op, Operand, Sort};
use postrider_model::{GroupId, kind};

const LIST: List = List {
    filters: &[
        Entry::within::<kind::Group>("group_id", by::GROUP),
        Entry::text("name", by::NAME, TEXT),
        Entry::text("phone_number", by::PHONE_NUMBER, TEXT_EXISTS),
        Entry::time("time_created", by::TIME_CREATED, MIN_MAX),
        Entry::time("last_message_time", by::LAST_MESSAGE_TIME, MIN_MAX_EXISTS),
        Entry::time(
            "last_incoming_message_time",
            by::LAST_INCOMING_MESSAGE_TIME,
            MIN_MAX_EXISTS,
        ),
        Entry::time(
            "last_outgoing_message_time",
            by::LAST_OUTGOING_MESSAGE_TIME,
            MIN_MAX_EXISTS,
        ),
        Entry::number(
            "incoming_message_count",
            by::INCOMING_MESSAGE_COUNT,
            NE_MIN_MAX,
        ),
        Entry::number(
            "outgoing_message_count",
            by::OUTGOING_MESSAGE_COUNT,
            NE_MIN_MAX,
        ),
        Entry::flag("send_blocked", by::SEND_BLOCKED),
        Entry::variables(VARIABLES),
    ],
    sorts: &[
        DEFAULT,
        ("name", Sort::by(by::NAME)),
        ("phone_number", Sort::by(by::PHONE_NUMBER)),
        ("last_message_time", Sort::by(by::LAST_MESSAGE_TIME)),
    ],
};

/// Lists the contacts of a project.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewContacts).await?;
    list_within(&hub, &call, &project, None).await
}

/// Lists contacts, all of them or those of a group.
pub(crate) async fn list_within(
    hub: &Hub,
    call: &Call,
    project: &Project,
    group: Option<GroupId>,
) -> ApiResult {
    let mut asked = LIST.read(&call.params)?;
    read_numbers(&mut asked.query, project.country.as_deref());
    let within = group.map(|id| Filter::within(by::GROUP, id.get()));
    asked.query.filters.extend(within);
    let id = project.id;
    asked
        .answer(
            hub.store.of(id),
            move |tx, query| contacts::list(tx, id, query),
            move |tx, query| contacts::count(tx, id, query),
            |tx, rows| {
                let views = rows.into_iter();
                views
                    .map(|contact| ContactView::read(tx, contact))
                    .collect()
            },
        )
        .await
}

/// Reads the numbers that contacts are compared with as theirs were read.
fn read_numbers(query: &mut ListQuery, region: Option<&str>) {
    for filter in &mut query.filters {
        if let Filter::Compare {
            column,
            op: Op::Eq | Op::Ne,
            operand: Operand::Text(text),
        } = filter
            && *column == by::PHONE_NUMBER
            && let Ok(number) = numbers::parse(text, region, numbers::Names::Allowed)
        {
            *text = Address::from(number).as_str().to_owned();
        }
    }
}
