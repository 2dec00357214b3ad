ALTER TABLE phones ADD COLUMN carrier TEXT;
ALTER TABLE phones ADD COLUMN signal BIGINT;
ALTER TABLE phones ADD COLUMN forwarding BIGINT;
ALTER TABLE phones ADD COLUMN queue BIGINT;
ALTER TABLE phones ADD COLUMN kinds TEXT;

CREATE TABLE blocked_contacts (
    contact_id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    below BIGINT NOT NULL
);
CREATE INDEX blocked_contacts_by_project ON blocked_contacts (project_id, contact_id);

ALTER TABLE facts_aside ADD COLUMN project_id BIGINT NOT NULL DEFAULT 0;
UPDATE facts_aside SET project_id = COALESCE(
    (SELECT project_id FROM devices WHERE devices.id = facts_aside.device_id), 0);
CREATE INDEX facts_aside_by_device ON facts_aside (device_id, time, s);
CREATE INDEX facts_aside_by_project ON facts_aside (project_id, time);
-- How many of a device's facts are kept, and how many were dropped to make room.
CREATE TABLE facts_aside_counts (
    device_id BIGINT PRIMARY KEY,
    kept BIGINT NOT NULL,
    dropped BIGINT NOT NULL
);
INSERT INTO facts_aside_counts (device_id, kept, dropped)
    SELECT device_id, count(*), 0 FROM facts_aside GROUP BY device_id;

CREATE INDEX alerts_standing ON alerts (project_id, kind) WHERE time_cleared IS NULL;
CREATE INDEX alerts_ended ON alerts (project_id, time_cleared) WHERE time_cleared IS NOT NULL;

ALTER TABLE inbound_counted ADD COLUMN time BIGINT NOT NULL DEFAULT 0;
CREATE INDEX inbound_counted_by_time ON inbound_counted (device_id, time);

DELETE FROM past_exposures WHERE NOT EXISTS
    (SELECT 1 FROM messages WHERE messages.id = past_exposures.message_id);
