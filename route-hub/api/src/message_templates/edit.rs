//! `POST /projects/{project_id}/message_templates`, and `POST` and `DELETE` of one template.

use crate::members::{VARS, read_only};
use crate::message_templates::{CONTENT, NAME, TEMPLATE, TRACK_CLICKS};
use crate::messages::{links, patch};
use crate::{ApiResult, Call, operation, parse};
use hub_app::actor::Actor;
use hub_app::commands::new_message::Given;
use hub_app::commands::stored_message::MessagePatch;
use hub_app::message_templates::{self, PERMISSION, TemplatePatch};
use hub_web::{Answer, ApiError, Field, Fields, Member, Params};
use serde_json::json;

/// The fields that a caller may read but not write.
const READ_ONLY: &[Member] = &read_only([
    "id",
    "readonly",
    "waba_id",
    "whatsapp_template",
    "time_created",
    "time_updated",
    "project_id",
]);
const ATTACHMENTS: Member = Member {
    name: "attachments",
    about: "Media that go with its text.",
    ..links::MEDIA
};
/// What may be given besides name and text.
const OTHERS: &[Member] = &[
    TRACK_CLICKS,
    patch::SHORT_LINK_PARAMS,
    ATTACHMENTS,
    patch::ROUTE_PARAMS,
    VARS,
];

operation! {
    /// Makes a message template.
    CREATE = "createMessageTemplate": Project(PERMISSION), create -> Object(&TEMPLATE);
    .takes(&[&[NAME.required(), CONTENT.required()], OTHERS])
    .with_media()
    .example(r#"{"name":"Reminder","content":"See you tomorrow, [[contact.name]]!"}"#)
}

async fn create(actor: Actor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    let field = call.params.get("name");
    let name = parse::name(&field)?.ok_or_else(|| field.refuse("is required"))?;
    let template = message_templates::create(&actor, name, read(&call.params)?).await?;
    Ok(Answer::object(&template, &fields))
}

operation! {
    /// Changes what is given of a message template.
    UPDATE = "updateMessageTemplate": Project(PERMISSION), update -> Object(&TEMPLATE);
    .takes(&[&[NAME, CONTENT], OTHERS, READ_ONLY])
    .with_media()
    .example(r#"{"content":"See you soon, [[contact.name]]!"}"#)
}

async fn update(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("template_id", "message template")?;
    let fields = Fields::read(&call.params)?;
    let template = message_templates::update(&actor, id, read(&call.params)?).await?;
    Ok(Answer::object(&template, &fields))
}

operation! {
    /// Removes a message template.
    DELETE = "deleteMessageTemplate": Project(PERMISSION), delete -> Nothing;
}

async fn delete(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("template_id", "message template")?;
    message_templates::delete(&actor, id).await?;
    Ok(Answer::void())
}

fn read(params: &Params) -> Result<TemplatePatch, ApiError> {
    let track_clicks = params.get("track_clicks");
    let clicks = track_clicks.boolean()?;
    Ok(TemplatePatch {
        name: parse::name(&params.get("name"))?,
        message: message(params)?,
        track_clicks: track_clicks.is_present().then_some(clicks.unwrap_or(false)),
        short_link_params: short_link_params(&params.get("short_link_params"))?,
        vars: parse::vars(&params.get("vars"))?,
    })
}

fn message(params: &Params) -> Result<MessagePatch, ApiError> {
    let field = params.get("attachments");
    let media = links::items(&field)?;
    let media = Some(media).filter(|media| !media.is_empty());
    let media = media.map(|media| Given::new("attachments", media));
    Ok(MessagePatch {
        content: patch::given(params, "content", patch::content)?,
        payload: patch::given(params, "route_params", patch::payload)?,
        media: field.is_present().then_some(media),
        ..MessagePatch::default()
    })
}

/// Reads how links are to be made, as JSON; nothing is an inner `None`.
fn short_link_params(field: &Field<'_>) -> Result<Option<Option<String>>, ApiError> {
    let params = patch::short_links(field)?;
    let params =
        params.map(|it| json!({ "domain": it.domain, "expiration_sec": it.expiration_sec }));
    Ok(field
        .is_present()
        .then(|| params.map(|params| params.to_string())))
}
