-- How far a project is frozen, which devices are frozen by their own numbers alone, and the
-- installations that another one replaced: each was a text in hub_meta.

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
); -- clustered

UPDATE projects SET (freeze_scope, frozen_up_to) = (
    SELECT CASE substr(value, 1, instr(value, ' ') - 1)
            WHEN 'phone' THEN 1 WHEN 'whole' THEN 2 WHEN 'lost' THEN 3 END,
        CAST(substr(value, instr(value, ' ') + 1) AS BIGINT)
    FROM hub_meta WHERE hub_meta.name = 'frozen ' || printf('PJ%016x', projects.id)
);

UPDATE devices SET frozen_alone = 1 WHERE EXISTS (
    SELECT 1 FROM hub_meta WHERE hub_meta.name = 'frozen_alone ' || printf('DV%016x', devices.id)
);

-- A value has up to three words: the key's kind, the key and the moment.
WITH kept AS (
    SELECT devices.id AS device_id, substr(hub_meta.name, 33) AS install, value || '   ' AS words
    FROM devices JOIN hub_meta ON hub_meta.name >= 'lost_install ' || printf('DV%016x ', devices.id)
        AND hub_meta.name < 'lost_install ' || printf('DV%016x!', devices.id)
), first_word AS (
    SELECT device_id, install, substr(words, 1, instr(words, ' ') - 1) AS key_algorithm,
        substr(words, instr(words, ' ') + 1) AS words FROM kept
), second_word AS (
    SELECT device_id, install, key_algorithm,
        substr(words, 1, instr(words, ' ') - 1) AS public_key,
        substr(words, instr(words, ' ') + 1) AS words FROM first_word
)
INSERT INTO lost_installs (device_id, install, key_algorithm, public_key, time_lost)
SELECT device_id, install, nullif(key_algorithm, ''), nullif(public_key, ''),
    CAST(nullif(trim(words), '') AS BIGINT) FROM second_word;

DELETE FROM hub_meta WHERE (name >= 'frozen ' AND name < 'frozen!')
    OR (name >= 'frozen_alone ' AND name < 'frozen_alone!')
    OR (name >= 'lost_install ' AND name < 'lost_install!');
