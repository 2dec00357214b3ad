//! `GET /projects/{project_id}/message_templates`, and of one template.

use crate::lists::{DEFAULT, EQUAL, Entry, List, TEXT};
use crate::message_templates::TEMPLATE;
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::message_templates::{self, VIEW};
use hub_store::list::Sort;
use hub_store::message_templates::by;
use hub_web::{Answer, Fields};

const TEMPLATES: List = List {
    filters: &[
        Entry::text("name", by::NAME, TEXT),
        Entry::text("waba_id", by::WABA_ID, EQUAL),
    ],
    sorts: &[DEFAULT, ("name", Sort::by(by::NAME))],
};

operation! {
    /// Lists the message templates of a project.
    LIST = "listMessageTemplates": Project(VIEW), list -> List(&TEMPLATES, &TEMPLATE);
}

async fn list(actor: Actor, call: Call) -> ApiResult {
    let asked = call.list()?;
    let listed = message_templates::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Shows one message template.
    GET = "getMessageTemplate": Project(VIEW), get -> Object(&TEMPLATE);
}

async fn get(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("template_id", "message template")?;
    let fields = Fields::read(&call.params)?;
    let template = message_templates::get(&actor, id).await?;
    Ok(Answer::object(&template, &fields))
}
