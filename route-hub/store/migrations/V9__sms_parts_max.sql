-- How many SMS parts a text of a project may need; none is the hub's own limit.

ALTER TABLE projects ADD COLUMN sms_parts_max BIGINT;
