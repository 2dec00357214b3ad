-- Alerts of the hub itself, of no project; `process` is the number of the one that it is about.
CREATE TABLE hub_alerts (
    id BIGINT PRIMARY KEY,
    process BIGINT NOT NULL,
    kind BIGINT NOT NULL,
    detail TEXT NOT NULL,
    time_created BIGINT NOT NULL,
    time_cleared BIGINT
);
