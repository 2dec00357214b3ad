-- Whether a phone asks the network for delivery reports: some carriers charge for them.

ALTER TABLE phones ADD COLUMN delivery_reports BIGINT NOT NULL DEFAULT 1;
