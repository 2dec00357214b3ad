//! `GET /projects/{project_id}/webhooks`, and of one webhook object.

use crate::lists::{DEFAULT, List};
use crate::webhooks::WEBHOOK;
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::webhook_objects::{self, PERMISSION};
use hub_web::{Answer, Fields};

const WEBHOOKS: List = List {
    filters: &[],
    sorts: &[DEFAULT],
};

operation! {
    /// Lists the webhook objects of a project.
    LIST = "listWebhooks": Project(PERMISSION), list -> List(&WEBHOOKS, &WEBHOOK);
}

async fn list(actor: Actor, call: Call) -> ApiResult {
    let asked = call.list()?;
    let listed = webhook_objects::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Shows one webhook object.
    GET = "getWebhook": Project(PERMISSION), get -> Object(&WEBHOOK);
}

async fn get(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("webhook_id", "webhook")?;
    let fields = Fields::read(&call.params)?;
    let webhook = webhook_objects::get(&actor, id).await?;
    Ok(Answer::object(&webhook, &fields))
}
