-- Data tables with their rows and views. A table's fields are rows of fields whose owner is its key.

-- A table with hidden set is gone for everybody: only its rows still have to be taken away.
CREATE TABLE data_tables (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    num_rows BIGINT NOT NULL,
    show_add_row BIGINT NOT NULL,
    show_stats BIGINT NOT NULL,
    show_contact_columns BIGINT NOT NULL,
    vars TEXT NOT NULL,
    hidden BIGINT NOT NULL
);
CREATE UNIQUE INDEX data_tables_by_name ON data_tables (project_id, name_folded) WHERE hidden = 0;
CREATE INDEX data_tables_by_project ON data_tables (project_id, id) WHERE hidden = 0;
CREATE INDEX data_tables_hidden ON data_tables (id) WHERE hidden = 1;

CREATE TABLE data_rows (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    table_id BIGINT NOT NULL,
    contact_id BIGINT,
    from_number TEXT,
    vars TEXT NOT NULL,
    time_created BIGINT NOT NULL,
    time_updated BIGINT NOT NULL
);
CREATE INDEX data_rows_by_table ON data_rows (table_id, id);
CREATE INDEX data_rows_by_contact ON data_rows (contact_id, id) WHERE contact_id IS NOT NULL;
CREATE INDEX data_rows_by_contact_of_table ON data_rows (table_id, contact_id, id)
    WHERE contact_id IS NOT NULL;

-- A row's variables once more, as contact_vars; and as they were written, where that is not the folded
-- text.
CREATE TABLE row_vars (
    bearer_id BIGINT NOT NULL,
    field_id BIGINT NOT NULL,
    value TEXT NOT NULL,
    number DOUBLE PRECISION,
    written TEXT,
    PRIMARY KEY (bearer_id, field_id)
); -- clustered
CREATE INDEX row_vars_by_value ON row_vars (field_id, value, bearer_id, written);
CREATE INDEX row_vars_by_number ON row_vars (field_id, number, bearer_id)
    WHERE number IS NOT NULL;

CREATE TABLE data_views (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    table_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    filters TEXT NOT NULL
);
CREATE UNIQUE INDEX data_views_by_name ON data_views (table_id, name_folded);
CREATE INDEX data_views_by_table ON data_views (table_id, id);
