-- Whom a broadcast or a scheduled message is for, where a filter finds them: the filter as JSON.
ALTER TABLE broadcasts ADD COLUMN contact_filter TEXT;
ALTER TABLE schedules ADD COLUMN contact_filter TEXT;
