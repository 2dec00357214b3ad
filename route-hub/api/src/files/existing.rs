//! `GET /projects/{project_id}/files`, and of one file.

use crate::files::FILE;
use crate::lists::{DEFAULT, EQUAL, Entry, List, MIN_MAX, TEXT, code};
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::files::{self, VIEW};
use hub_domain::{FileCategory, FileSource};
use hub_store::files::by;
use hub_store::list::Sort;
use hub_web::{Answer, Fields};
use postrider_model::kind;

const FILES: List = List {
    filters: &[
        Entry::text("filename", by::FILENAME, TEXT),
        Entry::media_type("type", by::TYPE),
        Entry::one_of("category", FileCategory::NAMES, by::CATEGORY, |value| {
            code(value, |name| {
                name.parse::<FileCategory>().ok().map(FileCategory::code)
            })
        }),
        Entry::one_of("source", FileSource::NAMES, by::SOURCE, |value| {
            code(value, |name| {
                name.parse::<FileSource>().ok().map(FileSource::code)
            })
        }),
        Entry::number("size", by::SIZE, MIN_MAX),
        Entry::time("time_created", by::TIME_CREATED, MIN_MAX),
        Entry::id::<kind::Message>("message_id", by::MESSAGE_ID, EQUAL),
        Entry::text("sha256", by::SHA256, EQUAL),
    ],
    sorts: &[
        DEFAULT,
        ("filename", Sort::by(by::FILENAME)),
        ("size", Sort::by(by::SIZE)),
        ("time_created", Sort::BY_ID),
    ],
};

operation! {
    /// Lists the files of a project.
    LIST = "listFiles": Project(VIEW), list -> List(&FILES, &FILE);
}

async fn list(actor: Actor, call: Call) -> ApiResult {
    let asked = call.list()?;
    let listed = files::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Shows one file.
    GET = "getFile": Project(VIEW), get -> Object(&FILE);
}

async fn get(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("file_id", "file")?;
    let fields = Fields::read(&call.params)?;
    let file = files::get(&actor, id).await?;
    Ok(Answer::object(&file, &fields))
}
