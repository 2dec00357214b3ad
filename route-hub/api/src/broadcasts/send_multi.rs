//! `POST /projects/{project_id}/send_multi`

use crate::broadcasts::read::{TITLE_TEXT, title};
use crate::messages::{STATUSES, TEXT, patch};
use crate::{ApiResult, Call, idempotency, operation, parse};
use hub_app::actor::Actor;
use hub_app::broadcasts::PERMISSION;
use hub_app::broadcasts::multi::{self, PartOf, SentMessages, WantedMessages};
use hub_app::commands::new_message::{MessageItem, To};
use hub_app::commands::stored_message::MessagePatch;
use hub_web::{Answer, ApiError, ErrorCode, Fields, Kind, Member, Params, Shape};
use postrider_model::kind;

/// Most messages of one request.
const MESSAGES_MAX: usize = 100;

const TAKES: &[Member] = &[
    Member::new(
        "messages",
        Kind::Array(&Kind::Object(patch::ITEM), MESSAGES_MAX),
        "The messages.",
    )
    .required(),
    Member::id::<kind::Broadcast>("broadcast_id", "The broadcast that they are to be of."),
    Member::new(
        "broadcast_title",
        TITLE_TEXT,
        "The title of a new broadcast for them.",
    ),
];

const SENT: Shape = Shape {
    name: "SentMessages",
    about: "What became of each message, in the order of the request.",
    members: &[
        Member::new(
            "messages",
            Kind::Array(&Kind::Of(&SENT_ONE), usize::MAX),
            "The messages.",
        ),
        Member::id::<kind::Broadcast>("broadcast_id", "Their broadcast.").optional(),
    ],
};

const SENT_ONE: Shape = Shape {
    name: "SentMessage",
    about: "What became of one message.",
    members: &[
        Member::id::<kind::Message>("id", "Its id, if it was made.").nullable(),
        Member::new("status", Kind::Word(STATUSES), "How far it is.").nullable(),
        Member::new("error_message", TEXT, "Why it was not made.").optional(),
    ],
};

operation! {
    /// Sends up to a hundred messages, all of them or none, and answers in their order.
    SEND_MULTI = "sendMulti": Project(PERMISSION), send_multi -> Object(&SENT);
    .takes(&[TAKES, patch::SHARED])
    .with_media()
    .repeatable()
    .errors(&[ErrorCode::LimitExceeded])
    .example(r#"{"messages":[{"to_number":"+15005550101","content":"Hello!"}]}"#)
}

async fn send_multi(actor: Actor, call: Call) -> ApiResult {
    let repeat = idempotency::read(&call, "send_multi")?;
    let fields = Fields::read(&call.params)?;
    let command = read(&call.params)?;
    let show =
        move |sent: SentMessages| Answer::value(&sent, &fields).unwrap_or_else(|_| Answer::void());
    let text = idempotency::text(show.clone());
    let done = multi::send(&actor, command, repeat, text).await?;
    Ok(idempotency::shown(done, show))
}

fn read(params: &Params) -> Result<WantedMessages, ApiError> {
    let shared = patch::of_all(params)?;
    Ok(WantedMessages {
        part_of: part_of(params)?,
        messages: messages(params, &shared)?,
        shared,
    })
}

/// Reads `broadcast_id`, or without it `broadcast_title`.
fn part_of(params: &Params) -> Result<Option<PartOf>, ApiError> {
    let title = title(params, "broadcast_title")?;
    if let Some(id) = parse::id(&params.get("broadcast_id"), "broadcast")? {
        return Ok(Some(PartOf::Existing(id)));
    }
    let Some(title) = title else {
        return Ok(None);
    };
    let message = patch::of_all(params)?;
    Ok(Some(PartOf::New { title, message }))
}

fn messages(params: &Params, all: &MessagePatch) -> Result<Vec<(To, MessageItem)>, ApiError> {
    let field = params.get("messages");
    let items = field.array()?.unwrap_or_default();
    if items.is_empty() {
        return Err(field.refuse("must have at least one message"));
    }
    let messages = items.iter().map(|item| {
        let object = item.object()?;
        let object = object.ok_or_else(|| item.refuse("must be an object"))?;
        object.check()?;
        let to = patch::to(|name| object.get(name))?;
        Ok((to, patch::item(&object, all)?))
    });
    messages.collect()
}
