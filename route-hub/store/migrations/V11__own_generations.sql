-- The generation that a device alone is to agree on: its own numbers, or a freeze of its project, had
-- the hub ask it for what it holds. The hub's own generation rises by a restore alone.

ALTER TABLE devices ADD COLUMN gen_own BIGINT NOT NULL DEFAULT 0;
