-- Where each process has found all that it was answered: the server with its database, and the timeline,
-- which rises with each promotion; and whether its commits waited for a standby at its last beat.

ALTER TABLE processes ADD COLUMN server TEXT;
ALTER TABLE processes ADD COLUMN timeline BIGINT;
ALTER TABLE processes ADD COLUMN synchronous BIGINT;
