-- Custom routes, and what phones at a provider are reached with.

CREATE TABLE routes (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    actions TEXT NOT NULL,
    vars TEXT NOT NULL,
    time_created BIGINT NOT NULL
);
CREATE INDEX routes_by_project ON routes (project_id, id);
CREATE INDEX routes_by_name ON routes (project_id, name_folded, id);

-- The custom route that picked the phone.
ALTER TABLE messages ADD COLUMN route_id BIGINT;
CREATE INDEX messages_routed ON messages (phone_id, route_id, id)
    WHERE state = 10 AND route_id IS NOT NULL;

CREATE TABLE phone_accounts (
    phone_id BIGINT PRIMARY KEY,
    external_account_id TEXT,
    external_id TEXT,
    external_config TEXT NOT NULL,
    external_secret TEXT
);
