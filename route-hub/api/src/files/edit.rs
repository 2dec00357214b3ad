//! `POST /projects/{project_id}/files`, and `POST` and `DELETE` of one file.

use crate::files::{DESCRIPTION, FILE, FILENAME, TYPE};
use crate::members::read_only;
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::files::{self, FilePatch, GivenBytes, NewFile, PERMISSION, Sheet};
use hub_web::{Answer, ApiError, Field, Fields, Kind, Member, SheetBody};

/// The fields that a caller may read but not write.
const READ_ONLY: &[Member] = &read_only([
    "id",
    "type",
    "size",
    "category",
    "source",
    "message_id",
    "sha256",
    "time_created",
    "user_id",
    "url",
    "thumbnail_url",
    "project_id",
]);
const DATA: Member = Member::new(
    "data",
    Kind::Text(usize::MAX),
    "The bytes in base64, or a data URI; at most 5 MiB decoded. Required, unless the body is text/csv.",
);

operation! {
    /// Keeps a file. One of the same content and type is the one that is there. A body of the content type
    /// text/csv is itself a file, for a task to import: at most 20 MiB, with the other parameters in the URL.
    CREATE = "createFile": Project(PERMISSION), create -> Object(&FILE);
    .takes(&[&[DATA, FILENAME, TYPE, DESCRIPTION]])
    .with_media_or_sheet(&[FILENAME, DESCRIPTION])
    .example(r#"{"data":"data:image/gif;base64,R0lGODlhAQABAAAAACw=","filename":"dot.gif"}"#)
}

async fn create(actor: Actor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    if let Some(body) = call.sheet() {
        return take_sheet(&actor, &call, body, &fields).await;
    }
    let data = call.params.get("data");
    let media_type = text(&call.params.get("type"))?.flatten();
    let given = GivenBytes::read(data.required_string()?, media_type.as_deref())?;
    let new = NewFile {
        bytes: given.bytes,
        media_type: given.media_type,
        filename: text(&call.params.get("filename"))?.flatten(),
        description: text(&call.params.get("description"))?.flatten(),
    };
    let file = files::create(&actor, new).await?;
    Ok(Answer::object(&file, &fields))
}

async fn take_sheet(actor: &Actor, call: &Call, body: &SheetBody, fields: &Fields) -> ApiResult {
    for name in ["data", "type"] {
        let other = call.params.get(name);
        if other.is_given() {
            return Err(other
                .refuse("cannot be given beside a body of text/csv")
                .into());
        }
    }
    let sheet = Sheet {
        filename: text(&call.params.get("filename"))?.flatten(),
        description: text(&call.params.get("description"))?.flatten(),
    };
    let file = files::keep_sheet(actor, sheet, body.bytes()?).await??;
    Ok(Answer::object(&file, fields))
}

operation! {
    /// Changes what a file is called and what is said about it.
    UPDATE = "updateFile": Project(PERMISSION), update -> Object(&FILE);
    .takes(&[&[FILENAME, DESCRIPTION], READ_ONLY])
    .example(r#"{"filename":"house.gif"}"#)
}

async fn update(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("file_id", "file")?;
    let fields = Fields::read(&call.params)?;
    let patch = FilePatch {
        filename: text(&call.params.get("filename"))?,
        description: text(&call.params.get("description"))?,
    };
    let file = files::update(&actor, id, patch).await?;
    Ok(Answer::object(&file, &fields))
}

operation! {
    /// Removes a file that nothing names.
    DELETE = "deleteFile": Project(PERMISSION), delete -> Nothing;
}

async fn delete(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("file_id", "file")?;
    files::delete(&actor, id).await?;
    Ok(Answer::void())
}

/// Reads a text; `null` and an empty one are an inner `None`.
fn text(field: &Field<'_>) -> Result<Option<Option<String>>, ApiError> {
    let text = field.string()?.filter(|text| !text.is_empty());
    Ok(field.is_present().then(|| text.map(str::to_owned)))
}
