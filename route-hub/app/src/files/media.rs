//! Media that messages carry: addresses of somebody else, files of the project, and bytes that come
//! with a request and become files of it.

use crate::actor::Actor;
use crate::commands::new_message::Given;
use crate::failure::Failure;
use crate::files::create::{NewFile, keep_media};
use crate::unit_of_work::UnitOfWork;
use hub_domain::{FILENAME_LENGTH_MAX, FileCategory, FileHolder, FileSource, Medium};
use hub_media::{DataUri, MediaType, URI_BYTES_MAX};
use hub_store::{StoreError, Tx, files};
use hub_view::Refusal;
use postrider_model::{FileId, ProjectId};

/// Says whether an address is meant as bytes that come with it.
pub fn is_data_uri(text: &str) -> bool {
    DataUri::is_meant(text)
}

/// Says whether a text is a type as media have one: `image/png`, also with parameters.
pub fn is_type(text: &str) -> bool {
    MediaType::is_type(text)
}

/// Makes of what a request names what its messages carry: bytes become files, and of files is noted
/// what they are. Addresses are never fetched.
pub(crate) async fn keep(
    actor: &Actor,
    media: Option<&mut Given<Vec<Medium>>>,
) -> Result<(), Failure> {
    let Some(Given { param, value }) = media else {
        return Ok(());
    };
    for (index, medium) in value.iter_mut().enumerate() {
        let item = format!("{param}[{index}]");
        let at = |name: &str| match param.as_ref() {
            "media_urls" => item.clone(),
            _ => format!("{item}[{name}]"),
        };
        match (&medium.url, medium.file_id) {
            (_, Some(id)) => {
                let file = find(actor, id).await?;
                let rule = "is not the id of a file of this project";
                let none = || Refusal::invalid_param(at("file_id"), rule);
                *medium = file.ok_or_else(none)?;
            }
            (Some(url), None) if DataUri::is_meant(url) => {
                let declared = medium.media_type.as_deref().map(MediaType::declared);
                let declared = declared.transpose();
                let declared = declared.map_err(|rule| Refusal::invalid_param(at("type"), rule))?;
                let refused = |rule: String| Refusal::invalid_param(at("url"), rule);
                *medium = keep_uri(actor, medium, declared).await?.map_err(refused)?;
            }
            (Some(_), None) => {}
            (None, None) => {
                return Err(Refusal::invalid_param(at("url"), "is required, or file_id").into());
            }
        }
    }
    Ok(())
}

async fn find(actor: &Actor, id: FileId) -> Result<Option<Medium>, StoreError> {
    let project = actor.project.id;
    let share = actor.hub.store.of(project);
    let file = share.read(move |tx| files::get(tx, project, id)).await?;
    let media = file.filter(|file| file.category != FileCategory::TaskData);
    Ok(media.map(|file| file.to_medium()))
}

/// Makes a file of the bytes in an address, of the type that was declared beside it or its own.
async fn keep_uri(
    actor: &Actor,
    medium: &Medium,
    declared: Option<MediaType>,
) -> Result<Result<Medium, String>, Failure> {
    let url = medium.url.as_deref().unwrap_or_default();
    let uri = DataUri::read(url, declared, URI_BYTES_MAX);
    let uri = match uri {
        Ok(uri) => uri,
        Err(invalid) => return Ok(Err(invalid.to_string())),
    };
    let filename = medium.filename.as_deref();
    let filename = filename.map(|name| name.chars().take(FILENAME_LENGTH_MAX).collect());
    let new = NewFile {
        bytes: uri.bytes,
        media_type: uri.media_type.as_str().to_owned(),
        filename,
        description: None,
    };
    let kept = keep_media(actor, new, uri.media_type, FileSource::Message).await?;
    Ok(kept.map(|file| file.to_medium()))
}

/// Says whether files are still there, in the transaction that is to name them.
pub(crate) fn are_there(
    tx: &mut Tx<'_>,
    project: ProjectId,
    ids: &[FileId],
) -> Result<bool, StoreError> {
    for id in ids {
        if files::get(tx, project, *id)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Notes that something names these files, in place of what it named before.
pub(crate) fn name_by(
    work: &mut UnitOfWork<'_, '_>,
    by: (FileHolder, i64),
    ids: &[FileId],
) -> Result<(), Failure> {
    if files::name_instead(work.tx, work.project.id, by, ids, work.now.unix)? {
        Ok(())
    } else {
        Err(Refusal::invalid_param("media", "names a file that is gone").into())
    }
}
