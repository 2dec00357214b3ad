-- The hub's own proof of an exposure, as its frame brought it: shown to a hub whose data went back.
ALTER TABLE message ADD COLUMN proof BLOB;
