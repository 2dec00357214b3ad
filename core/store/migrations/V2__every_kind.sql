-- Every kind of message, and what came in by the platform's logs.

-- What an exposure is, what a data message carries, and how long a placed call was.
ALTER TABLE message ADD COLUMN kind TEXT NOT NULL DEFAULT 'sms';
ALTER TABLE message ADD COLUMN data_port INTEGER;
ALTER TABLE message ADD COLUMN data BLOB;
ALTER TABLE message ADD COLUMN call_duration_s INTEGER;
ALTER TABLE message ADD COLUMN call_ring_s INTEGER;

-- A recipient is erased even where there never was a text.
DROP INDEX message_with_text;
CREATE INDEX message_with_content ON message (ended) WHERE ended IS NOT NULL AND recipient <> '';

-- How a thing came in, and the date that the platform's log gives it.
ALTER TABLE seen ADD COLUMN source TEXT NOT NULL DEFAULT 'sms';
ALTER TABLE seen ADD COLUMN dated_wall INTEGER NOT NULL DEFAULT 0;
UPDATE seen SET dated_wall = at_wall;

-- How far each of the platform's logs was read; rows dated up to the floor are never told.
CREATE TABLE scan (
    log         TEXT PRIMARY KEY,
    mark_wall   INTEGER NOT NULL,
    mark_row    INTEGER NOT NULL,
    floor_wall  INTEGER NOT NULL
) STRICT;

-- Which SIM is known in a slot, and another one that nobody has confirmed.
CREATE TABLE sim (
    slot   INTEGER PRIMARY KEY,
    known  TEXT NOT NULL,
    other  TEXT
) STRICT;

-- Whether codes that change settings may be dialled.
ALTER TABLE owner ADD COLUMN ussd_codes INTEGER NOT NULL DEFAULT 0;
