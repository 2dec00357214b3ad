-- What housekeeping looks for, so that it never reads a whole table.

CREATE INDEX messages_hidden ON messages (project_id, time_updated)
    WHERE hidden = 1 AND (direction = 0 OR state >= 60);
CREATE INDEX pairings_by_end ON pairings (time_expires);
CREATE INDEX facts_aside_by_time ON facts_aside (time, device_id, s);

-- Groups (1) and labels (2) that are gone, of which members or marks are left.
CREATE TABLE leftovers (
    holder_kind BIGINT NOT NULL,
    holder BIGINT NOT NULL,
    PRIMARY KEY (holder_kind, holder)
); -- clustered
