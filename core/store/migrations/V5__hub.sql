-- Which hub welcomed this installation first, and whether the hub said last that it does not know
-- the phone: then nothing of the hub's goes to a radio, over a restart, too.
ALTER TABLE link ADD COLUMN hub INTEGER;
ALTER TABLE link ADD COLUMN not_known INTEGER NOT NULL DEFAULT 0;
