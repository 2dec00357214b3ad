//! Files that a project keeps, and the media that messages carry.

use crate::Permission;
use crate::code::coded;
use postrider_model::{FileId, MessageId, ProjectId, UnixMs};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Longest name of a file, in characters.
pub const FILENAME_LENGTH_MAX: usize = 127;
/// Longest description of a file, in characters.
pub const DESCRIPTION_LENGTH_MAX: usize = 1_000;
/// Most media of a message.
pub const MEDIA_MAX: usize = 10;

coded! {
    /// What a file is for.
    FileCategory {
        /// Media that messages carry out.
        OutgoingMedia = "outgoing_media" / 1,
        /// Media that came in.
        IncomingMedia = "incoming_media" / 2,
        /// What is heard in a call.
        CallAudio = "call_audio" / 3,
        /// A recording that somebody made to try it.
        TestRecording = "test_recording" / 4,
        /// Code of services.
        ScriptModule = "script_module" / 5,
        /// A picture of something.
        Icon = "icon" / 6,
        /// Rows that a task wrote or reads.
        TaskData = "task_data" / 7,
    }
}

coded! {
    /// How a file came to be.
    FileSource {
        /// A person gave it.
        Upload = "upload" / 1,
        /// A message brought it: it goes when nothing names it any more.
        Message = "message" / 2,
        /// A call was recorded.
        Recording = "recording" / 3,
        /// A program gave it, by the REST API.
        Api = "api" / 4,
        /// A task wrote it: it goes after a while.
        Export = "export" / 5,
        /// A program gave it for a task to read: it goes after a while.
        Import = "import" / 6,
    }
}

coded! {
    /// What may name a file.
    FileHolder {
        /// A message.
        Message = "message" / 1,
        /// A scheduled message.
        Scheduled = "scheduled" / 2,
        /// A relative scheduled message.
        RelativeScheduled = "relative_scheduled" / 3,
        /// A broadcast.
        Broadcast = "broadcast" / 4,
        /// A campaign.
        Campaign = "campaign" / 5,
        /// A message template.
        Template = "template" / 6,
        /// A task.
        Task = "task" / 7,
    }
}

/// A file of a project. Its bytes lie elsewhere, under its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// Its id.
    pub id: FileId,
    /// The project it is in.
    pub project_id: ProjectId,
    /// What it is called.
    pub filename: Option<String>,
    /// What it was declared as.
    pub media_type: String,
    /// What its bytes are: as which it is served.
    pub served_type: String,
    /// Its bytes.
    pub size: u64,
    /// What people say about it.
    pub description: Option<String>,
    /// What it is for.
    pub category: FileCategory,
    /// How it came to be.
    pub source: FileSource,
    /// The message that brought it.
    pub message_id: Option<MessageId>,
    /// SHA-256 of its bytes, in lower hex.
    pub sha256: String,
    /// The bytes of its thumbnail; `None`: it has none.
    pub thumbnail_size: Option<u64>,
    /// When it was made.
    pub time_created: UnixMs,
    /// When somebody gave it or let it go last.
    pub time_touched: UnixMs,
    /// What its making needed, besides what all files like it need ([`StoredFile::needed`]).
    pub needs: Option<Permission>,
}

impl StoredFile {
    /// Returns what whoever fetches it needs, besides looking at files: what tasks read and write tells of people
    /// and of rows.
    pub fn needed(&self) -> impl Iterator<Item = Permission> {
        let of_tasks: &[Permission] = match self.source {
            FileSource::Import => &[Permission::ViewContacts, Permission::ViewData],
            FileSource::Export => &[Permission::ViewContacts],
            _ => &[],
        };
        self.needs.into_iter().chain(of_tasks.iter().copied())
    }

    /// Returns it as something that a message carries.
    pub fn to_medium(&self) -> Medium {
        Medium {
            url: None,
            file_id: Some(self.id),
            media_type: Some(self.media_type.clone()),
            filename: self.filename.clone(),
            size: Some(self.size),
        }
    }
}

/// Something that a message carries beside its text: a stored file, or an address of somebody else.
///
/// What is nothing but an address is kept as a text, as older hubs did and read it.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "KeptMedium", into = "KeptMedium")]
pub struct Medium {
    /// An address of somebody else; none of a stored file.
    pub url: Option<String>,
    /// A stored file.
    pub file_id: Option<FileId>,
    /// What it is, where that is known.
    pub media_type: Option<String>,
    /// What it is called.
    pub filename: Option<String>,
    /// Its bytes, where they are known.
    pub size: Option<u64>,
}

/// Names the file; an address may be a secret.
impl fmt::Debug for Medium {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.file_id {
            Some(id) => write!(f, "<{id}>"),
            None => f.write_str("<an address>"),
        }
    }
}

impl Medium {
    /// Takes an address.
    pub fn of_url(url: impl Into<String>) -> Self {
        Self {
            url: Some(url.into()),
            ..Self::default()
        }
    }

    /// Reads what a message carries as it is kept.
    pub fn all_from_json(text: &str) -> Option<Vec<Self>> {
        serde_json::from_str(text).ok()
    }

    /// Writes what a message carries; `None` for nothing.
    pub fn all_to_json(media: &[Self]) -> Option<String> {
        match media {
            [] => None,
            media => serde_json::to_string(media).ok(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum KeptMedium {
    Url(String),
    Full {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file_id: Option<FileId>,
        #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
        media_type: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        filename: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        size: Option<u64>,
    },
}

impl From<KeptMedium> for Medium {
    fn from(kept: KeptMedium) -> Self {
        match kept {
            KeptMedium::Url(url) => Self::of_url(url),
            KeptMedium::Full {
                url,
                file_id,
                media_type,
                filename,
                size,
            } => Self {
                url,
                file_id,
                media_type,
                filename,
                size,
            },
        }
    }
}

impl From<Medium> for KeptMedium {
    fn from(medium: Medium) -> Self {
        match medium {
            Medium {
                url: Some(url),
                file_id: None,
                media_type: None,
                filename: None,
                size: None,
            } => Self::Url(url),
            Medium {
                url,
                file_id,
                media_type,
                filename,
                size,
            } => Self::Full {
                url,
                file_id,
                media_type,
                filename,
                size,
            },
        }
    }
}

/// Returns the files among media, each once.
pub fn files_of<'m>(media: impl IntoIterator<Item = &'m Medium>) -> Vec<FileId> {
    let mut files: Vec<_> = media.into_iter().filter_map(|it| it.file_id).collect();
    files.sort_unstable();
    files.dedup();
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_address_alone_is_kept_as_older_hubs_kept_it() {
        let media = vec![
            Medium::of_url("https://a.example/1"),
            Medium {
                file_id: "FI0000000000000001".parse().ok(),
                media_type: Some("image/png".to_owned()),
                size: Some(7),
                ..Medium::default()
            },
        ];
        let text = Medium::all_to_json(&media).unwrap();
        let expected = json!(["https://a.example/1",
            { "file_id": "FI0000000000000001", "type": "image/png", "size": 7 }]);
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            expected
        );
        assert_eq!(Medium::all_from_json(&text), Some(media.clone()));
        assert_eq!(files_of(media.iter().chain(&media)).len(), 1);
        assert_eq!(Medium::all_to_json(&[]), None);
    }
}
