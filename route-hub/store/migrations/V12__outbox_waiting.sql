-- How many events of each project wait, so that nobody has to count them.
CREATE TABLE outbox_waiting (
    project_id BIGINT PRIMARY KEY,
    waiting BIGINT NOT NULL
);
INSERT INTO outbox_waiting (project_id, waiting) SELECT project_id, count(*) FROM outbox GROUP BY project_id;

-- The oldest of a project's are the first to go when it has too many.
CREATE INDEX outbox_by_project ON outbox (project_id, id);
