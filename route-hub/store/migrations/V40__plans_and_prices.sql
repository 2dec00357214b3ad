-- What an organization may have and use, as JSON; none is the hub's own plan.
ALTER TABLE organizations ADD COLUMN plan TEXT;

-- What a phone's messages cost, as JSON.
ALTER TABLE phones ADD COLUMN tariff TEXT;

-- What a message cost, in millionths of its currency.
ALTER TABLE messages ADD COLUMN price BIGINT;
ALTER TABLE messages ADD COLUMN price_currency TEXT;

-- What a broadcast's messages cost; the currency is '' where there are several.
ALTER TABLE broadcasts ADD COLUMN price BIGINT NOT NULL DEFAULT 0;
ALTER TABLE broadcasts ADD COLUMN price_currency TEXT;

-- How much each project has, in parts that add up.
CREATE TABLE usage_totals (
    project_id BIGINT NOT NULL,
    part BIGINT NOT NULL DEFAULT 0,
    contacts BIGINT NOT NULL,
    phones BIGINT NOT NULL,
    stored_messages BIGINT NOT NULL,
    external_messages BIGINT NOT NULL,
    contact_groups BIGINT NOT NULL,
    contact_fields BIGINT NOT NULL,
    data_rows BIGINT NOT NULL,
    file_bytes BIGINT NOT NULL,
    PRIMARY KEY (project_id, part)
); -- clustered

-- By how much that changed in each quarter hour of UTC.
CREATE TABLE usage_changes (
    project_id BIGINT NOT NULL,
    quarter BIGINT NOT NULL,
    part BIGINT NOT NULL DEFAULT 0,
    contacts BIGINT NOT NULL,
    phones BIGINT NOT NULL,
    stored_messages BIGINT NOT NULL,
    external_messages BIGINT NOT NULL,
    contact_groups BIGINT NOT NULL,
    contact_fields BIGINT NOT NULL,
    data_rows BIGINT NOT NULL,
    file_bytes BIGINT NOT NULL,
    PRIMARY KEY (project_id, quarter, part)
); -- clustered

-- What is there already counts in the quarter hour in which it was made: the upper bits of a key are
-- milliseconds. Messages that left are in the statistics, but for those that these have still to count.
INSERT INTO usage_changes (project_id, quarter, contacts, phones, stored_messages, external_messages,
    contact_groups, contact_fields, data_rows, file_bytes)
SELECT project_id, quarter, CAST(sum(contacts) AS BIGINT), CAST(sum(phones) AS BIGINT),
    CAST(sum(stored_messages) AS BIGINT), CAST(sum(external_messages) AS BIGINT),
    CAST(sum(contact_groups) AS BIGINT), CAST(sum(contact_fields) AS BIGINT),
    CAST(sum(data_rows) AS BIGINT), CAST(sum(file_bytes) AS BIGINT)
FROM (
    SELECT project_id, id / 1887436800000 AS quarter, 1 AS contacts, 0 AS phones,
        0 AS stored_messages, 0 AS external_messages, 0 AS contact_groups, 0 AS contact_fields,
        0 AS data_rows, 0 AS file_bytes FROM contacts
    UNION ALL SELECT project_id, id / 1887436800000, 0, 1, 0, 0, 0, 0, 0, 0 FROM phones
        WHERE removed = 0
    UNION ALL SELECT project_id, id / 1887436800000, 0, 0, 1, 0, 0, 0, 0, 0 FROM messages
        WHERE hidden = 0
    UNION ALL SELECT project_id, id / 1887436800000, 0, 0, 0, 1, 0, 0, 0, 0 FROM messages
        WHERE direction = 1 AND simulated = 0
        AND project_id IN (SELECT project_id FROM uncounted_messages)
    UNION ALL SELECT project_id, quarter, 0, 0, 0, messages, 0, 0, 0, 0 FROM message_counts
        WHERE direction = 1 AND simulated = 0
        AND project_id NOT IN (SELECT project_id FROM uncounted_messages)
    UNION ALL SELECT project_id, id / 1887436800000, 0, 0, 0, 0, 1, 0, 0, 0 FROM contact_groups
    UNION ALL SELECT project_id, id / 1887436800000, 0, 0, 0, 0, 0, 1, 0, 0 FROM fields
        WHERE owner = 1 AND clearing = 0
    UNION ALL SELECT data_rows.project_id, data_rows.id / 1887436800000, 0, 0, 0, 0, 0, 0, 1, 0
        FROM data_rows JOIN data_tables ON data_tables.id = data_rows.table_id
        WHERE data_tables.hidden = 0
    UNION ALL SELECT project_id, id / 1887436800000, 0, 0, 0, 0, 0, 0, 0, size FROM files
) AS made GROUP BY project_id, quarter;

INSERT INTO usage_totals (project_id, contacts, phones, stored_messages, external_messages,
    contact_groups, contact_fields, data_rows, file_bytes)
SELECT project_id, CAST(sum(contacts) AS BIGINT), CAST(sum(phones) AS BIGINT),
    CAST(sum(stored_messages) AS BIGINT), CAST(sum(external_messages) AS BIGINT),
    CAST(sum(contact_groups) AS BIGINT), CAST(sum(contact_fields) AS BIGINT),
    CAST(sum(data_rows) AS BIGINT), CAST(sum(file_bytes) AS BIGINT)
FROM usage_changes GROUP BY project_id;
