//! `GET /projects/{project_id}/contacts`, and `…/contacts/{contact_id}/messages`

use crate::contacts::CONTACT;
use crate::lists::{
    Asked, DEFAULT, Entry, List, MIN_MAX, MIN_MAX_EXISTS, NE_MIN_MAX, TEXT, TEXT_EXISTS, VARIABLES,
};
use crate::messages::{LIST_OF, MESSAGE, list_within};
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::contacts::{self, VIEW};
use hub_app::messages::existing::Within;
use hub_domain::{Address, Permission, numbers};
use hub_store::contacts::by;
use hub_store::list::{Filter, ListQuery, Op, Operand, Sort};
use hub_web::ApiError;
use postrider_model::kind;

pub(crate) const CONTACTS: List = List {
    filters: &[
        Entry::within::<kind::Group>("group_id", by::GROUP),
        Entry::text("name", by::NAME, TEXT),
        Entry::address("phone_number", by::PHONE_NUMBER, TEXT_EXISTS),
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

operation! {
    /// Lists the contacts of a project.
    LIST = "listContacts": Project(VIEW), list -> List(&CONTACTS, &CONTACT);
}

async fn list(actor: Actor, call: Call) -> ApiResult {
    let asked = asked(&call, actor.project.country.as_deref())?;
    let listed = contacts::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Lists the messages of one contact.
    MESSAGES = "listContactMessages": Project(Permission::ViewMessages), messages -> List(&LIST_OF, &MESSAGE);
}

async fn messages(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("contact_id", "contact")?;
    contacts::find(&actor, id).await?;
    list_within(&actor, &call, Within::Contact(id)).await
}

/// Reads what is asked of a list of contacts.
pub(crate) fn asked(call: &Call, region: Option<&str>) -> Result<Asked, ApiError> {
    let mut asked = call.list()?;
    read_numbers(&mut asked.query, region);
    Ok(asked)
}

/// Reads the numbers that contacts are compared with as theirs were read.
pub(crate) fn read_numbers(query: &mut ListQuery, region: Option<&str>) {
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
