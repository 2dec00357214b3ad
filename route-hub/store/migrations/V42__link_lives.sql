-- How long a link lasts from the moment at which its message is queued; NULL: it has no end, or it was made without
-- this column, and its message was queued once.
ALTER TABLE short_links ADD COLUMN life_ms BIGINT;
