-- Where short links lead, in the order in which the destinations of a day of UTC were counted first: its
-- number says which day, and which of that day's 1,000.
CREATE TABLE link_destinations (
    project_id BIGINT NOT NULL,
    number BIGINT NOT NULL,
    destination TEXT NOT NULL,
    PRIMARY KEY (project_id, number)
); -- clustered
CREATE INDEX link_destinations_by_text
    ON link_destinations (project_id, substr(destination, 1, 300), number);

-- What a message with links is counted under.
CREATE TABLE counted_links (
    message_id BIGINT NOT NULL,
    link BIGINT NOT NULL,
    PRIMARY KEY (message_id, link)
); -- clustered

-- As message_counts, of messages with links: by a destination's number, by -1 where that has none, and by
-- -2 once for each message.
CREATE TABLE link_counts (
    project_id BIGINT NOT NULL,
    quarter BIGINT NOT NULL,
    link BIGINT NOT NULL,
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
    PRIMARY KEY (project_id, quarter, link, phone_id, direction, message_type, source, status,
        simulated, network_code, currency, part)
); -- clustered
