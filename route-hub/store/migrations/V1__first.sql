-- Integers are BIGINT, moments Unix milliseconds, truth values 0 or 1, JSON is TEXT.
-- Each engine reads this text through its own dialect (see sqlite.rs).

CREATE TABLE hub_meta (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE organizations (
    id BIGINT PRIMARY KEY,
    name TEXT NOT NULL,
    timezone_id TEXT NOT NULL,
    time_created BIGINT NOT NULL
);

CREATE TABLE projects (
    id BIGINT PRIMARY KEY,
    organization_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    timezone_id TEXT NOT NULL,
    country TEXT,
    url_slug TEXT,
    default_route_id BIGINT,
    auto_create_contacts BIGINT NOT NULL,
    message_retention_days BIGINT,
    short_link_scheme BIGINT NOT NULL,
    vars TEXT NOT NULL,
    message_life_ms BIGINT NOT NULL,
    queue_cap BIGINT NOT NULL,
    status_url TEXT,
    status_secret TEXT,
    incoming_url TEXT,
    incoming_secret TEXT,
    alert_url TEXT,
    alert_secret TEXT,
    stopped BIGINT NOT NULL,
    time_created BIGINT NOT NULL
);
CREATE UNIQUE INDEX projects_by_name ON projects (organization_id, name_folded);

CREATE TABLE api_keys (
    id BIGINT PRIMARY KEY,
    organization_id BIGINT NOT NULL,
    project_id BIGINT,
    name TEXT NOT NULL,
    secret_hash TEXT NOT NULL,
    permissions TEXT NOT NULL,
    rate_per_s BIGINT,
    rate_burst BIGINT,
    time_created BIGINT NOT NULL,
    time_last_used BIGINT,
    time_expires BIGINT,
    time_revoked BIGINT
);
CREATE INDEX api_keys_by_organization ON api_keys (organization_id, id);

CREATE TABLE devices (
    id BIGINT PRIMARY KEY,
    organization_id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    public_key TEXT NOT NULL,
    key_algorithm TEXT NOT NULL,
    install TEXT NOT NULL,
    conn BIGINT NOT NULL,
    gen BIGINT NOT NULL,
    down_sent BIGINT NOT NULL,
    down_acked BIGINT NOT NULL,
    up BIGINT NOT NULL,
    state BIGINT NOT NULL,
    frozen BIGINT NOT NULL,
    time_paired BIGINT NOT NULL,
    time_last_seen BIGINT,
    facts TEXT,
    offline_since BIGINT
);
CREATE INDEX devices_by_project ON devices (project_id, id);

CREATE TABLE phones (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    device_id BIGINT,
    sim BIGINT,
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    phone_number TEXT,
    phone_type BIGINT NOT NULL,
    country TEXT,
    send_paused BIGINT NOT NULL,
    time_created BIGINT NOT NULL,
    last_active_time BIGINT,
    vars TEXT NOT NULL,
    battery BIGINT,
    charging BIGINT,
    internet_type TEXT,
    app_version TEXT,
    android_sdk BIGINT,
    mccmnc TEXT,
    manufacturer TEXT,
    model TEXT,
    send_limit BIGINT,
    sent_message_limit BIGINT,
    sent_message_count BIGINT NOT NULL,
    sent_message_epoch BIGINT NOT NULL,
    send_delay_ms BIGINT NOT NULL,
    timezone_id TEXT,
    quiet_mode BIGINT NOT NULL,
    quiet_start TEXT,
    quiet_end TEXT,
    validate_recipient_numbers BIGINT NOT NULL,
    allowed_recipient_countries TEXT,
    window_size BIGINT,
    sim_fingerprint TEXT,
    sim_changed BIGINT NOT NULL,
    waiting_for BIGINT,
    next_slot_time BIGINT,
    auto_paused BIGINT NOT NULL,
    removed BIGINT NOT NULL
);
CREATE INDEX phones_by_project ON phones (project_id, id);
CREATE INDEX phones_by_device ON phones (device_id, sim) WHERE device_id IS NOT NULL;

CREATE TABLE contacts (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    name TEXT,
    name_folded TEXT,
    phone_number TEXT,
    number_e164 TEXT,
    number_tail TEXT,
    send_blocked BIGINT NOT NULL,
    conversation_status BIGINT NOT NULL,
    default_route_id BIGINT,
    vars TEXT NOT NULL,
    time_created BIGINT NOT NULL,
    time_updated BIGINT NOT NULL,
    last_message_time BIGINT,
    last_incoming_message_time BIGINT,
    last_outgoing_message_time BIGINT,
    message_count BIGINT NOT NULL,
    incoming_message_count BIGINT NOT NULL,
    outgoing_message_count BIGINT NOT NULL,
    last_message_id BIGINT
);
CREATE INDEX contacts_by_project ON contacts (project_id, id);
CREATE INDEX contacts_by_tail ON contacts (project_id, number_tail, id)
    WHERE number_tail IS NOT NULL;
CREATE INDEX contacts_by_name ON contacts (project_id, name_folded, id);

CREATE TABLE messages (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    contact_id BIGINT,
    phone_id BIGINT NOT NULL,
    direction BIGINT NOT NULL,
    message_type BIGINT NOT NULL,
    source BIGINT NOT NULL,
    status BIGINT NOT NULL,
    state BIGINT NOT NULL,
    priority BIGINT NOT NULL,
    ep BIGINT NOT NULL,
    device_id BIGINT,
    install TEXT,
    down_s BIGINT,
    flags BIGINT NOT NULL,
    send_attempts BIGINT NOT NULL,
    on_unknown BIGINT NOT NULL,
    life_end BIGINT,
    hidden BIGINT NOT NULL,
    starred BIGINT NOT NULL,
    simulated BIGINT NOT NULL,
    time_created BIGINT NOT NULL,
    time_sent BIGINT,
    time_updated BIGINT NOT NULL,
    from_number TEXT,
    to_number TEXT,
    content TEXT,
    error_message TEXT,
    error_code TEXT,
    external_id TEXT,
    num_parts BIGINT,
    network_code TEXT,
    duration BIGINT,
    ring_time BIGINT,
    vars TEXT,
    route_params TEXT,
    status_url TEXT,
    status_secret TEXT,
    parts_done TEXT
);
CREATE INDEX messages_by_project ON messages (project_id, id) WHERE hidden = 0;
CREATE INDEX messages_by_contact ON messages (contact_id, id);
CREATE INDEX messages_by_phone ON messages (phone_id, id);
CREATE INDEX messages_by_status ON messages (project_id, status, id);
CREATE INDEX messages_queue ON messages (phone_id, priority DESC, id) WHERE state = 10;
CREATE INDEX messages_on_link ON messages (device_id, down_s) WHERE state >= 20 AND state < 60;
CREATE INDEX messages_life ON messages (life_end) WHERE state < 50 AND direction = 1;
CREATE INDEX messages_asked_back ON messages (device_id, id) WHERE (flags & 2) <> 0;
CREATE INDEX messages_simulated ON messages (id)
    WHERE simulated = 1 AND direction = 1 AND (state IN (10, 35) OR
        (state = 60 AND to_number IN ('+15005550012', '+15005550013')));
CREATE INDEX messages_by_external_id ON messages (project_id, external_id)
    WHERE external_id IS NOT NULL;

CREATE TABLE past_exposures (
    message_id BIGINT NOT NULL,
    ep BIGINT NOT NULL,
    device_id BIGINT NOT NULL,
    install TEXT NOT NULL,
    PRIMARY KEY (message_id, ep)
);

CREATE TABLE moves (
    message_id BIGINT PRIMARY KEY,
    phone_id BIGINT NOT NULL
);

CREATE TABLE webhooks (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    url TEXT NOT NULL,
    secret TEXT,
    events TEXT NOT NULL,
    time_created BIGINT NOT NULL
);
CREATE INDEX webhooks_by_project ON webhooks (project_id, id);

CREATE TABLE outbox (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    message_id BIGINT,
    origin TEXT NOT NULL,
    url TEXT NOT NULL,
    secret TEXT,
    basic_password TEXT,
    event BIGINT NOT NULL,
    body TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    time_created BIGINT NOT NULL
);
CREATE INDEX outbox_by_endpoint ON outbox (project_id, origin, due_at, id);
CREATE INDEX outbox_by_message ON outbox (message_id, id) WHERE message_id IS NOT NULL;

CREATE TABLE webhook_log (
    id BIGINT PRIMARY KEY,
    outbox_id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    message_id BIGINT,
    event BIGINT NOT NULL,
    url_origin TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    http_status BIGINT,
    time BIGINT NOT NULL
);
CREATE INDEX webhook_log_by_project ON webhook_log (project_id, id);

CREATE TABLE idempotency (
    project_id BIGINT NOT NULL,
    idem_key TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    answer TEXT NOT NULL,
    time_created BIGINT NOT NULL,
    PRIMARY KEY (project_id, idem_key)
);
CREATE INDEX idempotency_by_time ON idempotency (time_created);

CREATE TABLE facts_aside (
    device_id BIGINT NOT NULL,
    s BIGINT NOT NULL,
    frame TEXT NOT NULL,
    reason TEXT NOT NULL,
    time BIGINT NOT NULL
);

CREATE TABLE alerts (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    phone_id BIGINT,
    device_id BIGINT,
    kind BIGINT NOT NULL,
    detail TEXT NOT NULL,
    time_created BIGINT NOT NULL,
    time_cleared BIGINT
);
CREATE INDEX alerts_by_project ON alerts (project_id, id);

CREATE TABLE pairings (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    device_id BIGINT,
    name TEXT NOT NULL,
    code_name TEXT NOT NULL,
    code_hash TEXT NOT NULL,
    full_hash TEXT NOT NULL,
    wrong_tries BIGINT NOT NULL,
    public_key TEXT,
    key_algorithm TEXT,
    device_json TEXT,
    digits TEXT,
    state BIGINT NOT NULL,
    time_created BIGINT NOT NULL,
    time_expires BIGINT NOT NULL
);
CREATE INDEX pairings_by_full_hash ON pairings (full_hash);
CREATE INDEX pairings_by_code_name ON pairings (code_name);

CREATE TABLE audit_log (
    id BIGINT PRIMARY KEY,
    organization_id BIGINT NOT NULL,
    project_id BIGINT,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    time BIGINT NOT NULL
);
CREATE INDEX audit_log_by_organization ON audit_log (organization_id, id);

CREATE TABLE inbound_counted (
    device_id BIGINT NOT NULL,
    install TEXT NOT NULL,
    n BIGINT NOT NULL,
    PRIMARY KEY (device_id, install)
);
