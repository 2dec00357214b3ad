-- What another process changed last, by a number that rises with each change of anything: the hub
-- that runs beside it reads again what that concerns, and wakes nobody else. The scopes are in
-- changes.rs.
CREATE TABLE change_versions (
    scope BIGINT NOT NULL,
    scope_id BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (scope, scope_id)
); -- clustered
CREATE INDEX change_versions_by_version ON change_versions (version);

-- Rows that could not be read, taken out of their tables so that they stop nobody: their columns as
-- a JSON object.
CREATE TABLE rows_aside (
    table_name TEXT NOT NULL,
    row_id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    content TEXT NOT NULL,
    time BIGINT NOT NULL,
    PRIMARY KEY (table_name, row_id)
); -- clustered

CREATE INDEX contact_groups_dynamic ON contact_groups (project_id, id) WHERE filters IS NOT NULL;
CREATE INDEX relative_stale_by_project ON relative_stale (project_id, member_id);
