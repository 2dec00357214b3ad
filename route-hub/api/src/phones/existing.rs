//! `GET /projects/{project_id}/phones`, and what there is of one of them.

use crate::lists::{DEFAULT, Entry, List, MIN_MAX_EXISTS, TEXT};
use crate::messages::{LIST_OF, MESSAGE, list_within};
use crate::phones::PHONE;
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::messages::{VIEW as VIEW_MESSAGES, existing::Within};
use hub_app::phones;
use hub_domain::Permission;
use hub_store::list::Sort;
use hub_store::phones::by;
use hub_web::{Answer, Fields};

const PHONES: List = List {
    filters: &[
        Entry::text("name", by::NAME, TEXT),
        Entry::text("phone_number", by::PHONE_NUMBER, TEXT),
        Entry::time("last_active_time", by::LAST_ACTIVE_TIME, MIN_MAX_EXISTS),
    ],
    sorts: &[
        DEFAULT,
        ("name", Sort::by(by::NAME)),
        ("phone_number", Sort::by(by::PHONE_NUMBER)),
    ],
};

operation! {
    /// Lists the phones of a project.
    LIST = "listPhones": Project(Permission::ViewRoutes), list -> List(&PHONES, &PHONE);
}

async fn list(actor: Actor, call: Call) -> ApiResult {
    let asked = call.list()?;
    let listed = phones::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Shows one phone.
    GET = "getPhone": Project(Permission::ViewRoutes), get -> Object(&PHONE);
}

async fn get(actor: Actor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    let id = call.path_id("phone_id", "phone")?;
    let view = phones::get(&actor, id).await?;
    Ok(Answer::object(&view, &fields))
}

operation! {
    /// Lists the messages of one phone.
    MESSAGES = "listPhoneMessages": Project(VIEW_MESSAGES), messages -> List(&LIST_OF, &MESSAGE);
}

async fn messages(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("phone_id", "phone")?;
    phones::find(&actor, id).await?;
    list_within(&actor, &call, Within::Phone(id)).await
}

operation! {
    /// Removes a test route or a phone at a provider, whose secret is erased; its messages stay.
    DELETE = "deletePhone": Project(phones::PERMISSION), delete -> Nothing;
}

async fn delete(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("phone_id", "phone")?;
    phones::delete(&actor, id).await?;
    Ok(Answer::void())
}

operation! {
    /// Lets what waits in the present quiet hours of a phone go: the word that mode `confirm` waits for.
    ///
    /// It holds until these hours end. Outside of them there is nothing to release.
    RELEASE_QUIET_HOURS = "releaseQuietHours": Project(phones::PERMISSION), release_quiet_hours -> Nothing;
}

async fn release_quiet_hours(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("phone_id", "phone")?;
    phones::release_quiet_hours(&actor, id).await?;
    Ok(Answer::void())
}

operation! {
    /// Begins a phone's count anew; one that its limit paused sends again.
    RESET_SENT_MESSAGE_COUNT = "resetSentMessageCount": Project(phones::PERMISSION), reset_sent_message_count -> Nothing;
}

async fn reset_sent_message_count(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("phone_id", "phone")?;
    phones::reset_sent_count(&actor, id).await?;
    Ok(Answer::void())
}
