-- What became of each event: its body, and its attempts as JSON. The key is that of its row in the outbox.
CREATE TABLE webhook_deliveries (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    webhook_id BIGINT,
    message_id BIGINT,
    event BIGINT NOT NULL,
    status BIGINT NOT NULL,
    time_created BIGINT NOT NULL,
    url TEXT NOT NULL,
    attempts TEXT NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX webhook_deliveries_by_project ON webhook_deliveries (project_id, id);
CREATE INDEX webhook_deliveries_by_message ON webhook_deliveries (message_id, id)
    WHERE message_id IS NOT NULL;

-- How many of them each project has.
CREATE TABLE webhook_deliveries_kept (
    project_id BIGINT PRIMARY KEY,
    kept BIGINT NOT NULL
);

-- The webhook object that an event is for; NULL for an address of settings or of a message.
ALTER TABLE outbox ADD COLUMN webhook_id BIGINT;
