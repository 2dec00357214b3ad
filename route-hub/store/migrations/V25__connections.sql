-- Which process of the hub a device is connected to.

ALTER TABLE devices ADD COLUMN connected_to BIGINT;

CREATE INDEX devices_connected ON devices (connected_to, project_id) WHERE connected_to IS NOT NULL;
