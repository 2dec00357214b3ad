-- What the hub sets of a device as a whole, and how long its phones wait, in seconds.

ALTER TABLE phones ADD COLUMN device_send_limit_max BIGINT;
ALTER TABLE phones ADD COLUMN silent_after BIGINT;
ALTER TABLE phones ADD COLUMN unknown_after BIGINT;
ALTER TABLE phones ADD COLUMN report_window BIGINT;
