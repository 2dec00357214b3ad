//! A stored file, and what messages carry.

use crate::actor::Actor;
use crate::hub::files::Addresses;
use hub_domain::{Medium, StoredFile};
use hub_media::MediaType;
use hub_view::{ObjectWriter, Resource};
use serde_json::{Value as Json, json};

/// A stored file with the addresses that it has now.
#[derive(Debug, Clone)]
pub struct FileView {
    file: StoredFile,
    addresses: Addresses,
    /// Whether whoever looks may fetch it.
    is_open: bool,
}

impl FileView {
    /// Shows a file.
    pub(crate) fn of(file: StoredFile, actor: &Actor) -> Self {
        let is_open = file.needed().all(|needed| actor.who.may(needed));
        let addresses = actor.addresses();
        Self {
            file,
            addresses,
            is_open,
        }
    }

    /// Returns the file.
    pub fn file(&self) -> &StoredFile {
        &self.file
    }
}

/// The value of what no file can have yet.
const NOTHING: Option<&str> = None;

impl Resource for FileView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let file = &self.file;
        let thumbnail = file.thumbnail_size;
        let thumbnail = thumbnail.map(|_| self.addresses.of_thumbnail(file.id));
        out.put("id", &file.id);
        out.put("filename", &file.filename);
        out.put("type", &file.media_type);
        out.put("size", &file.size);
        out.put("description", &file.description);
        out.put("category", file.category.as_str());
        out.put("source", file.source.as_str());
        out.put("message_id", &file.message_id);
        out.put("sha256", &file.sha256);
        out.put("time_created", &file.time_created.seconds());
        out.put("user_id", &NOTHING);
        let url = self.is_open.then(|| self.addresses.of_file(file.id));
        out.put("url", &url);
        out.put("thumbnail_url", &thumbnail);
        out.put("project_id", &file.project_id);
    }
}

/// Returns media as they are shown; `with_file` also names the stored file.
pub(crate) fn media(media: &[Medium], addresses: &Addresses, with_file: bool) -> Vec<Json> {
    let shown = media.iter().map(|medium| {
        let own = medium.file_id.map(|id| addresses.of_file(id));
        let by_name = || MediaType::of_name(medium.url.as_deref()?);
        let by_name = || by_name().map(|it| it.as_str().to_owned());
        let mut shown = json!({
            "url": own.as_ref().or(medium.url.as_ref()),
            "type": medium.media_type.clone().or_else(by_name),
            "filename": medium.filename,
            "size": medium.size,
        });
        if with_file {
            shown["file_id"] = json!(medium.file_id);
        }
        shown
    });
    shown.collect()
}
