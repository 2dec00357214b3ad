//! Files that projects keep, and who names them.
//!
//! A row stands for bytes that were kept before it, and goes before they go. What names a file does so
//! in the transaction that stores it, so that a file is never removed from under it.

use crate::list::{self, Column, Kind, ListQuery, Page, Scope, Table};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, usage, values};
use hub_domain::{FileCategory, FileHolder, FileSource, Permission, StoredFile, UsageType, fold};
use postrider_model::{FileId, MessageId, ProjectId, UnixMs};

/// The columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "id, project_id, filename, type, served_type, size, description, category, source, \
         message_id, sha256, thumbnail_size, time_created, time_touched, needs"
    };
}

/// What lists may be filtered and sorted by.
pub mod by {
    use super::{Column, Kind};

    /// The name, without regard to case.
    pub const FILENAME: Column = Column::new("filename_folded", Kind::Folded);
    /// The declared type.
    pub const TYPE: Column = Column::filled("type", Kind::Text);
    /// The code of the category.
    pub const CATEGORY: Column = Column::filled("category", Kind::Int);
    /// The code of the source.
    pub const SOURCE: Column = Column::filled("source", Kind::Int);
    /// The bytes.
    pub const SIZE: Column = Column::filled("size", Kind::Int);
    /// The message that brought it.
    pub const MESSAGE_ID: Column = Column::new("message_id", Kind::Int);
    /// The digest of its bytes.
    pub const SHA256: Column = Column::filled("sha256", Kind::Folded);
    /// When it was made.
    pub const TIME_CREATED: Column = Column::filled("time_created", Kind::TimeMade);
}

/// Within this time the moment at which a file was let go is not written again: where many messages with one
/// file go, its row is not changed for each.
const TOUCHED_WITHIN_MS: i64 = 60_000;

const TABLE: Table<StoredFile> = Table::plain("files", columns!(), read);

/// Stores a new file, whose bytes are kept.
///
/// # Errors
/// [`StoreError::Conflict`] when the project has media with this content and type.
pub fn insert(tx: &mut Tx<'_>, file: &StoredFile) -> Result<(), StoreError> {
    let size = i64::try_from(file.size).unwrap_or(i64::MAX);
    usage::count(
        tx,
        file.project_id,
        UsageType::StoredFileMb,
        size,
        file.time_created,
    )?;
    tx.run(
        concat!(
            "INSERT INTO files (",
            columns!(),
            ", filename_folded) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, \
             $14, $15, $16)"
        ),
        &values![
            file.id,
            file.project_id,
            &file.filename,
            &file.media_type,
            &file.served_type,
            i64::try_from(file.size).unwrap_or(i64::MAX),
            &file.description,
            file.category.code(),
            file.source.code(),
            file.message_id,
            &file.sha256,
            file.thumbnail_size
                .and_then(|size| i64::try_from(size).ok()),
            file.time_created,
            file.time_touched,
            file.needs.map(Permission::code),
            file.filename.as_deref().map(fold),
        ],
    )
}

/// Stores name and description.
pub fn update(tx: &mut Tx<'_>, file: &StoredFile) -> Result<(), StoreError> {
    tx.run(
        "UPDATE files SET filename = $3, filename_folded = $4, description = $5 \
         WHERE id = $1 AND project_id = $2",
        &values![
            file.id,
            file.project_id,
            &file.filename,
            file.filename.as_deref().map(fold),
            &file.description,
        ],
    )
}

/// Notes how many bytes a file's thumbnail has; `None`: there is none.
pub fn note_thumbnail(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: FileId,
    size: Option<u64>,
) -> Result<(), StoreError> {
    let size = size.and_then(|size| i64::try_from(size).ok());
    tx.run(
        "UPDATE files SET thumbnail_size = $3 WHERE id = $1 AND project_id = $2",
        &values![id, project_id, size],
    )
}

/// Notes which message brought these files: those that came as bytes of a message, the first one.
pub fn note_message(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    ids: &[FileId],
    message_id: MessageId,
) -> Result<(), StoreError> {
    for id in ids {
        tx.run(
            "UPDATE files SET message_id = $3 \
             WHERE id = $1 AND project_id = $2 AND source = $4 AND message_id IS NULL",
            &values![*id, project_id, message_id, FileSource::Message.code()],
        )?;
    }
    Ok(())
}

/// Notes that somebody gave a file again. `source` is what it is from now on: what a program keeps
/// does not go with the message that brought it first.
pub fn touch(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: FileId,
    source: FileSource,
    now: UnixMs,
) -> Result<(), StoreError> {
    tx.run(
        "UPDATE files SET time_touched = $3, source = $4 WHERE id = $1 AND project_id = $2",
        &values![id, project_id, now, source.code()],
    )
}

/// Returns a project's file.
pub fn get(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: FileId,
) -> Result<Option<StoredFile>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM files WHERE id = $1 AND project_id = $2"
        ),
        &values![id, project_id],
        read,
    )
}

/// Returns a file for whoever was given its address.
pub fn by_key(tx: &mut Tx<'_>, id: FileId) -> Result<Option<StoredFile>, StoreError> {
    tx.query_one(
        concat!("SELECT ", columns!(), " FROM files WHERE id = $1"),
        &values![id],
        read,
    )
}

/// Returns a project's media of this content and type.
pub fn by_content(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    sha256: &str,
    media_type: &str,
) -> Result<Option<StoredFile>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM files WHERE project_id = $1 AND sha256 = $2 AND type = $3 AND category = 1"
        ),
        &values![project_id, sha256, media_type],
        read,
    )
}

/// Returns what names a file: one kind of those that do.
pub fn holder(tx: &mut Tx<'_>, id: FileId) -> Result<Option<FileHolder>, StoreError> {
    tx.query_one(
        "SELECT holder_kind FROM file_uses WHERE file_id = $1 LIMIT 1",
        &values![id],
        |row| Cursor::new(row).coded(FileHolder::from_code),
    )
}

/// Removes a file that nothing names; says whether it was there.
pub fn delete(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: FileId,
    now: UnixMs,
) -> Result<bool, StoreError> {
    let removed = tx.query_one(
        "DELETE FROM files WHERE id = $1 AND project_id = $2 AND NOT EXISTS \
         (SELECT 1 FROM file_uses WHERE file_id = $1) RETURNING size",
        &values![id, project_id],
        |row| row.int(0),
    )?;
    if let Some(size) = removed {
        usage::count(tx, project_id, UsageType::StoredFileMb, -size, now)?;
    }
    Ok(removed.is_some())
}

/// Notes that something names these files, each once; says whether all of them are there.
pub fn name(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    by: (FileHolder, i64),
    files: &[FileId],
) -> Result<bool, StoreError> {
    let mut all = true;
    for file in files {
        let named = tx.execute(
            "INSERT INTO file_uses (holder_kind, holder, file_id, project_id) \
             SELECT $1, $2, id, project_id FROM files WHERE id = $3 AND project_id = $4 \
             ON CONFLICT (holder_kind, holder, file_id) DO UPDATE SET holder = excluded.holder",
            &values![by.0.code(), by.1, *file, project_id],
        )?;
        all &= named == 1;
    }
    Ok(all)
}

/// As [`name`], in place of what it named before.
pub fn name_instead(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    by: (FileHolder, i64),
    files: &[FileId],
    now: UnixMs,
) -> Result<bool, StoreError> {
    let_go(tx, by.0, by.1, now)?;
    name(tx, project_id, by, files)
}

/// Notes that something names no file any more. Files that messages brought stay for their time from then
/// on.
pub fn let_go(
    tx: &mut Tx<'_>,
    kind: FileHolder,
    holder: i64,
    now: UnixMs,
) -> Result<(), StoreError> {
    let files: Vec<FileId> = tx.query(
        "DELETE FROM file_uses WHERE holder_kind = $1 AND holder = $2 RETURNING file_id",
        &values![kind.code(), holder],
        |row| row.id(0),
    )?;
    let before = now.plus_ms(-TOUCHED_WITHIN_MS);
    for id in files {
        tx.run(
            "UPDATE files SET time_touched = $2 WHERE id = $1 AND source = $3 AND time_touched < $4",
            &values![id, now, FileSource::Message.code(), before],
        )?;
    }
    Ok(())
}

/// How long files stay that go by themselves.
#[derive(Debug, Clone, Copy)]
pub struct Passing {
    /// When they go.
    pub now: UnixMs,
    /// What messages brought and nothing names goes when it was touched before this.
    pub unnamed_before: UnixMs,
    /// What tasks wrote or read goes when it was touched before this.
    pub of_tasks_before: UnixMs,
}

/// What one look at files that go by themselves came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gone {
    /// The files whose rows went: their bytes may go.
    pub files: Vec<FileId>,
    /// Where the next look goes on; `None` at the end.
    pub next: Option<(UnixMs, i64)>,
}

/// Removes the rows of a project's files that have had their time and that nothing names, among the
/// next `limit` of those that go by themselves.
pub fn remove_passed(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    passing: Passing,
    after: (UnixMs, i64),
    limit: u32,
) -> Result<Gone, StoreError> {
    let newest = passing.unnamed_before.max(passing.of_tasks_before);
    let looked_at = tx.query(
        "SELECT id, source, time_touched FROM files WHERE project_id = $1 AND source IN (2, 5, 6) \
         AND time_touched < $2 AND (time_touched > $3 OR (time_touched = $3 AND id > $4)) \
         ORDER BY time_touched, id LIMIT $5",
        &values![project_id, newest, after.0, after.1, limit],
        |row| {
            let mut columns = Cursor::new(row);
            let id: FileId = columns.id()?;
            Ok((id, columns.coded(FileSource::from_code)?, columns.time()?))
        },
    )?;
    let mut gone = Gone::default();
    let is_full = looked_at.len() >= limit as usize;
    if let Some((id, _, touched)) = looked_at.last().filter(|_| is_full) {
        gone.next = Some((*touched, id.get()));
    }
    for (id, source, touched) in looked_at {
        let end = match source {
            FileSource::Message => passing.unnamed_before,
            _ => passing.of_tasks_before,
        };
        if touched < end && delete(tx, project_id, id, passing.now)? {
            gone.files.push(id);
        }
    }
    Ok(gone)
}

/// Returns those of these files that have no row.
pub fn missing(tx: &mut Tx<'_>, files: &[FileId]) -> Result<Vec<FileId>, StoreError> {
    let mut missing = Vec::new();
    for id in files {
        let found = tx.query_one("SELECT 1 FROM files WHERE id = $1", &values![*id], |_| {
            Ok(())
        })?;
        if found.is_none() {
            missing.push(*id);
        }
    }
    Ok(missing)
}

/// Returns the next files of all projects above a key, with whether they have a thumbnail.
pub fn after(tx: &mut Tx<'_>, above: i64, limit: u32) -> Result<Vec<(FileId, bool)>, StoreError> {
    tx.query(
        "SELECT id, thumbnail_size FROM files WHERE id > $1 ORDER BY id LIMIT $2",
        &values![above, limit],
        |row| Ok((row.id(0)?, row.opt_int(1)?.is_some())),
    )
}

/// Returns the bytes of all files of a project.
pub fn bytes(tx: &mut Tx<'_>, project_id: ProjectId) -> Result<u64, StoreError> {
    let sum = tx.query_one(
        "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM files WHERE project_id = $1",
        &values![project_id],
        |row| row.int(0),
    )?;
    Ok(sum.and_then(|sum| u64::try_from(sum).ok()).unwrap_or(0))
}

/// Returns a page of a project's files.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn list(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    query: &ListQuery,
) -> Result<Page<StoredFile>, StoreError> {
    list::page(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

/// Counts a project's files that a query lets through.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count(tx: &mut Tx<'_>, project_id: ProjectId, query: &ListQuery) -> Result<u64, StoreError> {
    list::count(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

fn read(row: &Row<'_>) -> Result<StoredFile, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(StoredFile {
        id: columns.id()?,
        project_id: columns.id()?,
        filename: columns.opt_text()?,
        media_type: columns.text()?,
        served_type: columns.text()?,
        size: columns.count()?,
        description: columns.opt_text()?,
        category: columns.coded(FileCategory::from_code)?,
        source: columns.coded(FileSource::from_code)?,
        message_id: columns.opt_id()?,
        sha256: columns.text()?,
        thumbnail_size: columns.opt_count()?,
        time_created: columns.time()?,
        time_touched: columns.time()?,
        needs: columns.opt_coded(Permission::from_code)?,
    })
}
