-- Texts that people and programs keep to use again.
CREATE TABLE message_templates (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    -- A stored message: text, attachments, parameters of its route.
    message TEXT NOT NULL,
    track_clicks BIGINT NOT NULL,
    short_link_params TEXT,
    waba_id TEXT,
    vars TEXT NOT NULL,
    time_created BIGINT NOT NULL,
    time_updated BIGINT NOT NULL
);
CREATE INDEX message_templates_by_project ON message_templates (project_id, id);
CREATE INDEX message_templates_by_name ON message_templates (project_id, name_folded, id);
