-- What a relative schedule made and is over ended with its last message: that it is for its contact again
-- shows by its end, which is then taken back.
UPDATE schedules SET end_time = prev_time
    WHERE relative_id IS NOT NULL AND next_time IS NULL AND prev_time IS NOT NULL;
