//! A file for a task to read: rows as text, taken as they come.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::files::PERMISSION;
use crate::files::written::{TaskFile, Writing, remove_unused};
use crate::transaction::run;
use crate::views::file::FileView;
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use hub_domain::FileSource;
use hub_store::{StoreError, files};
use hub_view::Refusal;
use std::pin::pin;

/// How workbooks and archives begin.
const NO_TEXT: &[&[u8]] = &[
    b"PK\x03\x04",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    b"\x1f\x8b",
];

/// What is said of a file that comes as it is.
#[derive(Debug, Clone, Default)]
pub struct Sheet {
    /// What it is called.
    pub filename: Option<String>,
    /// What its giver says about it.
    pub description: Option<String>,
}

/// Keeps a file of rows, bit by bit. What its bytes fail with is an inner error.
pub async fn keep_sheet<E>(
    actor: &Actor,
    sheet: Sheet,
    bytes: impl Stream<Item = Result<Bytes, E>> + Send,
) -> Result<Result<FileView, E>, Failure> {
    actor.require(PERMISSION)?;
    let mut bytes = pin!(bytes);
    let mut writing = Writing::begin(actor).await?;
    while let Some(piece) = bytes.next().await {
        let written = match piece {
            Ok(piece) if writing.size() == 0 && is_no_text(&piece) => {
                let rule = "is a workbook or an archive: save it as CSV";
                Err(Refusal::invalid_param("data", rule).into())
            }
            Ok(piece) => writing.write(piece).await,
            Err(error) => {
                writing.give_up().await;
                return Ok(Err(error));
            }
        };
        if let Err(failure) = written {
            writing.give_up().await;
            return Err(failure);
        }
    }
    if writing.size() == 0 {
        writing.give_up().await;
        return Err(Refusal::invalid_param("data", "is empty").into());
    }
    let of = TaskFile {
        filename: sheet.filename,
        description: sheet.description,
        media_type: "text/csv",
        served_type: "text/csv",
        source: FileSource::Import,
        needs: None,
    };
    let file = writing.finish(actor, of).await?;
    loop {
        let row = file.clone();
        // The bytes came once: what changed meanwhile elsewhere is seen by asking anew.
        let now = Actor {
            basis: actor.hub.store.basis(),
            ..actor.clone()
        };
        let kept = run(&now, move |work| files::insert(work.tx, &row)).await;
        match kept {
            Ok(()) => return Ok(Ok(FileView::of(file, actor))),
            Err(StoreError::Stale) => {}
            Err(error) => {
                remove_unused(actor, file.id).await;
                return Err(error.into());
            }
        }
    }
}

fn is_no_text(start: &[u8]) -> bool {
    NO_TEXT.iter().any(|known| start.starts_with(known))
}
