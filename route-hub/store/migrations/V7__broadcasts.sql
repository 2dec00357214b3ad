-- Broadcasts: the same message to many recipients, and what became of it. Those of a stage below 3
-- are under way.

CREATE TABLE broadcasts (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    title TEXT NOT NULL,
    message_type BIGINT NOT NULL,
    source BIGINT NOT NULL,
    scheduled_id BIGINT,
    message TEXT NOT NULL,
    to_kind BIGINT NOT NULL,
    group_id BIGINT,
    exclude_contact_id BIGINT,
    stage BIGINT NOT NULL,
    done_up_to BIGINT NOT NULL,
    reached BIGINT NOT NULL,
    estimated_count BIGINT NOT NULL,
    problem TEXT,
    queued_count BIGINT NOT NULL,
    sent_count BIGINT NOT NULL,
    failed_count BIGINT NOT NULL,
    failed_queued_count BIGINT NOT NULL,
    delivered_count BIGINT NOT NULL,
    not_delivered_count BIGINT NOT NULL,
    cancelled_count BIGINT NOT NULL,
    num_parts BIGINT NOT NULL,
    reply_count BIGINT NOT NULL,
    last_reply_time BIGINT,
    last_message_time BIGINT NOT NULL,
    last_send_time BIGINT,
    time_created BIGINT NOT NULL
);
CREATE INDEX broadcasts_by_project ON broadcasts (project_id, id);
CREATE INDEX broadcasts_by_last_message ON broadcasts (project_id, last_message_time, id);
CREATE INDEX broadcasts_under_way ON broadcasts (project_id, id) WHERE stage < 3;
CREATE INDEX broadcasts_by_schedule ON broadcasts (scheduled_id) WHERE scheduled_id IS NOT NULL;

-- The numbers of those that are for numbers, as a JSON array: apart from what changes often.
CREATE TABLE broadcast_numbers (
    broadcast_id BIGINT PRIMARY KEY,
    numbers TEXT NOT NULL
);

ALTER TABLE messages ADD COLUMN broadcast_id BIGINT;
CREATE INDEX messages_by_broadcast ON messages (broadcast_id, id) WHERE broadcast_id IS NOT NULL;

-- The broadcast of the last message that went out to a contact: what comes in then answers it.
ALTER TABLE contacts ADD COLUMN last_broadcast_id BIGINT;

-- What scheduled messages send to a group is a broadcast from now on.
INSERT INTO broadcasts (id, project_id, title, message_type, source, scheduled_id, message, to_kind,
    group_id, stage, done_up_to, reached, estimated_count, queued_count, sent_count, failed_count,
    failed_queued_count, delivered_count, not_delivered_count, cancelled_count, num_parts,
    reply_count, last_message_time, time_created)
SELECT id, project_id,
    COALESCE((SELECT name FROM contact_groups WHERE contact_groups.id = schedule_runs.group_id), ''),
    COALESCE((SELECT message_type FROM schedules WHERE schedules.id = schedule_runs.scheduled_id), 1),
    7, scheduled_id, message, 1, group_id, 1, done_up_to, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    time_created, time_created
FROM schedule_runs;
DROP TABLE schedule_runs;
