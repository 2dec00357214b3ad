-- The journal of one phone. Times: *_boot names a boot, *_mono counts its milliseconds, *_wall is
-- Unix milliseconds.

-- Outgoing messages, one row an exposure. Texts and recipients are erased a day after the end.
CREATE TABLE message (
    arrived          INTEGER PRIMARY KEY,
    id               INTEGER NOT NULL,
    ep               INTEGER NOT NULL,
    s                INTEGER NOT NULL,
    sim              INTEGER NOT NULL,
    recipient        TEXT NOT NULL,
    text             TEXT,
    parts_expected   INTEGER NOT NULL,
    report           INTEGER NOT NULL,
    priority         INTEGER NOT NULL,
    movable          INTEGER NOT NULL,
    ttl_ms           INTEGER NOT NULL,
    received_boot    TEXT NOT NULL,
    received_mono    INTEGER NOT NULL,
    received_wall    INTEGER NOT NULL,
    state            TEXT NOT NULL,
    attempt          INTEGER NOT NULL,
    tries            INTEGER NOT NULL,
    submitted_boot   TEXT,
    submitted_mono   INTEGER,
    submitted_wall   INTEGER,
    retry_boot       TEXT,
    retry_mono       INTEGER,
    retry_wall       INTEGER,
    retry_delay_ms   INTEGER,
    spent            INTEGER,
    parts            TEXT NOT NULL,
    code             TEXT,
    partial          INTEGER NOT NULL,
    unsent           INTEGER NOT NULL,
    fact             INTEGER NOT NULL,
    ended            INTEGER
) STRICT;
CREATE UNIQUE INDEX message_by_id ON message (id, ep);
CREATE INDEX message_by_end ON message (ended) WHERE ended IS NOT NULL;
CREATE INDEX message_open ON message (arrived) WHERE ended IS NULL;
CREATE INDEX message_with_text ON message (ended) WHERE ended IS NOT NULL AND text IS NOT NULL;

-- Hand-overs that still count towards a limit.
CREATE TABLE spent (
    no           INTEGER PRIMARY KEY,
    sim          INTEGER NOT NULL,
    parts        INTEGER NOT NULL,
    guard_parts  INTEGER NOT NULL,
    at_boot      TEXT NOT NULL,
    at_mono      INTEGER NOT NULL,
    at_wall      INTEGER NOT NULL
) STRICT;

-- How often the pace is halved: one row, or none.
CREATE TABLE pace (
    one         INTEGER PRIMARY KEY CHECK (one = 1),
    halvings    INTEGER NOT NULL,
    since_boot  TEXT NOT NULL,
    since_mono  INTEGER NOT NULL,
    since_wall  INTEGER NOT NULL
) STRICT;

-- Incoming messages that are remembered, so that a repeat is known.
CREATE TABLE seen (
    no            INTEGER PRIMARY KEY,
    fingerprint   BLOB NOT NULL,
    provider_row  INTEGER,
    at_wall       INTEGER NOT NULL
) STRICT;

-- What the hub set: the frame, for a SIM or (-1) for all.
CREATE TABLE config (
    sim    INTEGER PRIMARY KEY,
    frame  TEXT NOT NULL
) STRICT;

-- What the owner set: one row, or none.
CREATE TABLE owner (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    paused  INTEGER NOT NULL
) STRICT;

-- The link: one row, or none before the first change.
CREATE TABLE link (
    one         INTEGER PRIMARY KEY CHECK (one = 1),
    install     TEXT,
    conn        INTEGER NOT NULL DEFAULT 0,
    generation  INTEGER NOT NULL DEFAULT 0,
    down        INTEGER NOT NULL DEFAULT 0,
    up_acked    INTEGER NOT NULL DEFAULT 0,
    up_highest  INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Facts that the hub has not acked, in the form of their frames; `n` numbers an incoming message.
CREATE TABLE fact (
    s      INTEGER PRIMARY KEY,
    n      INTEGER,
    frame  TEXT NOT NULL
) STRICT;

-- Incoming messages that the hub acked, kept for a day in case it forgets them.
CREATE TABLE inbound (
    n      INTEGER PRIMARY KEY,
    frame  TEXT NOT NULL,
    acked  INTEGER NOT NULL
) STRICT;
CREATE INDEX inbound_by_ack ON inbound (acked);
