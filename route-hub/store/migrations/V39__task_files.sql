-- Tasks that write files and read them.

-- The file that a task wrote, and the one with the rows that failed.
ALTER TABLE tasks ADD COLUMN file_id BIGINT;
ALTER TABLE tasks ADD COLUMN errors_file_id BIGINT;
-- What a type of task notes on its way, as JSON.
ALTER TABLE tasks ADD COLUMN progress TEXT;

-- Who may fetch a file needs this permission, too.
ALTER TABLE files ADD COLUMN needs BIGINT;

-- Blobs with the parts of what a task writes or reads, until it ends.
CREATE TABLE task_parts (
    task_id BIGINT NOT NULL,
    number BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (task_id, number)
); -- clustered

-- Rows of a file that could not be taken, by where they stand in it, until their task ends.
CREATE TABLE task_bad_rows (
    task_id BIGINT NOT NULL,
    place BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    length BIGINT NOT NULL,
    problem TEXT NOT NULL,
    PRIMARY KEY (task_id, place)
); -- clustered
