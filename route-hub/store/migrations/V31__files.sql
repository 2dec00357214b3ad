-- Files that a project keeps; their bytes lie beside the database, named by the file's id.

CREATE TABLE files (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    filename TEXT,
    filename_folded TEXT,
    type TEXT NOT NULL,
    -- What the bytes are: as which they are served.
    served_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    description TEXT,
    category BIGINT NOT NULL,
    source BIGINT NOT NULL,
    message_id BIGINT,
    sha256 TEXT NOT NULL,
    -- The bytes of its thumbnail; NULL: it has none.
    thumbnail_size BIGINT,
    time_created BIGINT NOT NULL,
    -- When somebody gave or named it last: what nothing names goes a while after that.
    time_touched BIGINT NOT NULL
);
CREATE INDEX files_by_project ON files (project_id, id);
CREATE INDEX files_by_filename ON files (project_id, filename_folded, id);
CREATE INDEX files_by_size ON files (project_id, size, id);
-- Media with the same content and type are one file.
CREATE UNIQUE INDEX files_by_content ON files (project_id, sha256, type) WHERE category = 1;
CREATE INDEX files_by_sha256 ON files (project_id, sha256, id);
CREATE INDEX files_by_message ON files (message_id) WHERE message_id IS NOT NULL;
-- Those that go by themselves.
CREATE INDEX files_passing ON files (project_id, time_touched, id) WHERE source IN (2, 5, 6);

-- Who names a file.
CREATE TABLE file_uses (
    holder_kind BIGINT NOT NULL,
    holder BIGINT NOT NULL,
    file_id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    PRIMARY KEY (holder_kind, holder, file_id)
);
CREATE INDEX file_uses_by_file ON file_uses (file_id);

-- What messages carry beside their text, as a JSON array; NULL: nothing.
ALTER TABLE messages ADD COLUMN media TEXT;
