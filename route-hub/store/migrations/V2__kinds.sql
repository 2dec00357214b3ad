-- Settings of phones: quiet hours that somebody released, and the hub's own limit of parts an hour.

ALTER TABLE phones ADD COLUMN quiet_released_until BIGINT;
ALTER TABLE phones ADD COLUMN send_limit_max BIGINT;
CREATE INDEX phones_quiet ON phones (id) WHERE quiet_mode <> 0;
