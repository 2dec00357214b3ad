-- What is prepared for a group, and sent to it once or by a date of each contact.
CREATE TABLE campaigns (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    campaign_type BIGINT NOT NULL,
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    status BIGINT NOT NULL,
    message TEXT NOT NULL,
    group_id BIGINT,
    exclude_group_id BIGINT,
    respondent_group_id BIGINT,
    timezone_id TEXT NOT NULL,
    at_time BIGINT NOT NULL,
    schedule_time BIGINT,
    date_variable TEXT,
    items TEXT NOT NULL,
    broadcast_id BIGINT,
    message_count BIGINT NOT NULL,
    problem TEXT,
    revision BIGINT NOT NULL,
    time_created BIGINT NOT NULL,
    time_updated BIGINT NOT NULL
);
CREATE INDEX campaigns_by_project ON campaigns (project_id, id);
CREATE UNIQUE INDEX campaigns_by_name ON campaigns (project_id, name_folded);
-- Those that wait for a time.
CREATE INDEX campaigns_due ON campaigns (schedule_time, id) WHERE status = 2;

-- The labels that a campaign names, which lists are filtered by.
CREATE TABLE campaign_labels (
    label_id BIGINT NOT NULL,
    campaign_id BIGINT NOT NULL,
    PRIMARY KEY (label_id, campaign_id)
); -- clustered
CREATE INDEX campaign_labels_by_campaign ON campaign_labels (campaign_id, label_id);

-- Who of a group gets nothing, and the campaign that made it.
ALTER TABLE broadcasts ADD COLUMN exclude_group_id BIGINT;
ALTER TABLE broadcasts ADD COLUMN campaign_id BIGINT;

ALTER TABLE relative_schedules ADD COLUMN campaign_id BIGINT;
CREATE INDEX relative_schedules_by_campaign ON relative_schedules (campaign_id)
    WHERE campaign_id IS NOT NULL;

-- The campaign that a message was sent by: what its contact sends then answers it.
ALTER TABLE messages ADD COLUMN campaign_id BIGINT;
CREATE INDEX messages_by_campaign ON messages (contact_id, id) WHERE campaign_id IS NOT NULL;
