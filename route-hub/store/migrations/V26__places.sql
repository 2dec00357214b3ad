-- Where each process runs, so that a later one on the same machine sees that it has ended.

ALTER TABLE processes ADD COLUMN place TEXT;
