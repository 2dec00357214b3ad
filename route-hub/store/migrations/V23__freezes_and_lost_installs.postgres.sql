-- As on SQLite, without the rows that move there: no database of this engine had any.

ALTER TABLE projects ADD COLUMN freeze_scope BIGINT;
ALTER TABLE projects ADD COLUMN frozen_up_to BIGINT;
ALTER TABLE devices ADD COLUMN frozen_alone BIGINT NOT NULL DEFAULT 0;

CREATE TABLE lost_installs (
    device_id BIGINT NOT NULL,
    install TEXT NOT NULL,
    key_algorithm TEXT,
    public_key TEXT,
    time_lost BIGINT,
    PRIMARY KEY (device_id, install)
);
