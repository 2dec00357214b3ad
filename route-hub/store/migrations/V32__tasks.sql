-- Tasks: one operation on many things, and how far each has come.

CREATE TABLE tasks (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    task_type BIGINT NOT NULL,
    task_params TEXT NOT NULL,
    filter_type BIGINT NOT NULL,
    filter_params TEXT NOT NULL,
    -- The same as conditions of a list, with their version.
    filters TEXT NOT NULL,
    table_id BIGINT,
    status BIGINT NOT NULL,
    total_rows BIGINT,
    current_row BIGINT NOT NULL,
    -- The key of the last row that was dealt with.
    done_up_to BIGINT NOT NULL,
    failed_rows BIGINT NOT NULL,
    problem TEXT,
    time_created BIGINT NOT NULL,
    time_active BIGINT,
    time_complete BIGINT,
    vars TEXT NOT NULL
);
CREATE INDEX tasks_by_project ON tasks (project_id, id);
CREATE INDEX tasks_under_way ON tasks (project_id, id) WHERE status < 4;

-- Contacts that a task over messages or rows has dealt with, until it ends.
CREATE TABLE task_contacts (
    task_id BIGINT NOT NULL,
    contact_id BIGINT NOT NULL,
    PRIMARY KEY (task_id, contact_id)
); -- clustered
