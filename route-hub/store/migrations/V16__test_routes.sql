-- By route, so that what a test route holds back is passed over in one step.
DROP INDEX messages_simulated;
CREATE INDEX messages_simulated ON messages (phone_id, state, id)
    WHERE simulated = 1 AND direction = 1 AND (state IN (10, 35) OR
        (state = 60 AND to_number IN ('+15005550012', '+15005550013')));
