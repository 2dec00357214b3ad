-- Scheduled messages, and how far those have come that are sending to a group.

CREATE TABLE schedules (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    relative_id BIGINT,
    message_type BIGINT NOT NULL,
    message TEXT NOT NULL,
    group_id BIGINT,
    contact_id BIGINT,
    to_number TEXT,
    listed_contact_id BIGINT,
    rrule TEXT NOT NULL,
    timezone_id TEXT NOT NULL,
    start_time BIGINT NOT NULL,
    end_time BIGINT,
    prev_time BIGINT,
    next_time BIGINT,
    instance BIGINT NOT NULL,
    occurrences BIGINT NOT NULL,
    problem TEXT,
    revision BIGINT NOT NULL,
    time_created BIGINT NOT NULL
);
CREATE INDEX schedules_by_project ON schedules (project_id, id);
CREATE INDEX schedules_by_next_time ON schedules (project_id, next_time, id);
CREATE INDEX schedules_due ON schedules (next_time, id) WHERE next_time IS NOT NULL;
CREATE INDEX schedules_by_contact ON schedules (listed_contact_id, id)
    WHERE listed_contact_id IS NOT NULL;
CREATE INDEX schedules_by_group ON schedules (group_id, id) WHERE group_id IS NOT NULL;
CREATE INDEX schedules_by_relative ON schedules (relative_id, id) WHERE relative_id IS NOT NULL;

CREATE TABLE schedule_runs (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    scheduled_id BIGINT NOT NULL,
    group_id BIGINT NOT NULL,
    message TEXT NOT NULL,
    done_up_to BIGINT NOT NULL,
    time_created BIGINT NOT NULL
);
CREATE INDEX schedule_runs_by_schedule ON schedule_runs (scheduled_id);

ALTER TABLE messages ADD COLUMN scheduled_id BIGINT;
CREATE INDEX messages_by_schedule ON messages (scheduled_id, id) WHERE scheduled_id IS NOT NULL;
