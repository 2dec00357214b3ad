-- What messages are counted by: each combination, by the quarter hour of UTC in which they were made.
-- Unknown networks are ''. Prices are in millionths of their currency, which is '' of what costs
-- nothing. A counter that changes often stands in parts, which add up.
CREATE TABLE message_counts (
    project_id BIGINT NOT NULL,
    quarter BIGINT NOT NULL,
    phone_id BIGINT NOT NULL,
    direction BIGINT NOT NULL,
    message_type BIGINT NOT NULL,
    source BIGINT NOT NULL,
    status BIGINT NOT NULL,
    simulated BIGINT NOT NULL,
    network_code TEXT NOT NULL,
    currency TEXT NOT NULL,
    part BIGINT NOT NULL DEFAULT 0,
    messages BIGINT NOT NULL,
    num_parts BIGINT NOT NULL,
    duration_sec BIGINT NOT NULL,
    price BIGINT NOT NULL,
    PRIMARY KEY (project_id, quarter, phone_id, direction, message_type, source, status, simulated,
        network_code, currency, part)
); -- clustered

-- Days whose counters are added up: of the quarters from the first until before the last one, those
-- before `done`.
CREATE TABLE message_days (
    project_id BIGINT NOT NULL,
    first BIGINT NOT NULL,
    until BIGINT NOT NULL,
    done BIGINT NOT NULL,
    PRIMARY KEY (project_id, first, until)
); -- clustered

-- What they come to.
CREATE TABLE message_day_sums (
    project_id BIGINT NOT NULL,
    first BIGINT NOT NULL,
    until BIGINT NOT NULL,
    phone_id BIGINT NOT NULL,
    direction BIGINT NOT NULL,
    message_type BIGINT NOT NULL,
    source BIGINT NOT NULL,
    status BIGINT NOT NULL,
    simulated BIGINT NOT NULL,
    network_code TEXT NOT NULL,
    currency TEXT NOT NULL,
    part BIGINT NOT NULL DEFAULT 0,
    messages BIGINT NOT NULL,
    num_parts BIGINT NOT NULL,
    duration_sec BIGINT NOT NULL,
    price BIGINT NOT NULL,
    PRIMARY KEY (project_id, first, until, phone_id, direction, message_type, source, status,
        simulated, network_code, currency, part)
); -- clustered

-- Messages from before there were counters, by project: those above the one key up to the other are
-- not counted yet.
CREATE TABLE uncounted_messages (
    project_id BIGINT NOT NULL PRIMARY KEY,
    above BIGINT NOT NULL,
    until BIGINT NOT NULL
);

INSERT INTO uncounted_messages (project_id, above, until)
SELECT id, 0, (SELECT max(id) FROM messages WHERE project_id = projects.id) FROM projects
WHERE EXISTS (SELECT 1 FROM messages WHERE project_id = projects.id);
