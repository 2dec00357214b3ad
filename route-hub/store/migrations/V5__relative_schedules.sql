-- Messages scheduled relative to a date that contacts have in a variable.

CREATE TABLE relative_schedules (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    message_type BIGINT NOT NULL,
    message TEXT NOT NULL,
    group_id BIGINT,
    contact_id BIGINT,
    to_number TEXT,
    date_variable TEXT NOT NULL,
    time_of_day TEXT NOT NULL,
    offset_scale BIGINT NOT NULL,
    offset_count BIGINT NOT NULL,
    rrule TEXT NOT NULL,
    timezone_id TEXT NOT NULL,
    end_time BIGINT,
    walked_up_to BIGINT,
    removed BIGINT NOT NULL,
    time_created BIGINT NOT NULL
);
CREATE INDEX relative_schedules_by_project ON relative_schedules (project_id, id) WHERE removed = 0;
CREATE INDEX relative_schedules_walking ON relative_schedules (id) WHERE walked_up_to IS NOT NULL;

-- Contacts whose variables or groups have changed since their schedules were looked at.
CREATE TABLE relative_stale (
    member_id BIGINT NOT NULL PRIMARY KEY,
    project_id BIGINT NOT NULL
);

CREATE INDEX schedules_of_relative ON schedules (relative_id, listed_contact_id)
    WHERE relative_id IS NOT NULL;
