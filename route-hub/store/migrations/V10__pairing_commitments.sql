-- What a phone bound itself to before it told its key, and the hub's number that it was told then.

ALTER TABLE pairings ADD COLUMN commitment TEXT;
ALTER TABLE pairings ADD COLUMN hub_number TEXT;

-- Digits that were shown without a commitment could have been looked for: such a code is ended.
UPDATE pairings SET state = 3 WHERE state = 1;
