-- What several hub processes on one database keep of each other.

-- The processes: a number that is part of their keys, and how often each has shown that it lives.
CREATE TABLE processes (
    number BIGINT NOT NULL PRIMARY KEY,
    incarnation BIGINT NOT NULL,
    serves BIGINT NOT NULL,
    beats BIGINT NOT NULL,
    ended BIGINT NOT NULL
);

-- How many groups each writing connection has committed. A row goes on in a new one, with a higher
-- place, after so many changes: a long snapshot then leaves few versions to walk through.
CREATE TABLE writers (
    process BIGINT NOT NULL,
    incarnation BIGINT NOT NULL,
    writer BIGINT NOT NULL,
    place BIGINT NOT NULL,
    commits BIGINT NOT NULL,
    PRIMARY KEY (process, incarnation, writer, place)
);

-- Who may write what belongs to a project, an organization (their keys) or the hub (0): the version
-- of what others keep in memory of it, and the highest key made for it. The highest place counts.
CREATE TABLE gates (
    gate BIGINT NOT NULL,
    place BIGINT NOT NULL,
    changes BIGINT NOT NULL,
    version BIGINT NOT NULL,
    last_key BIGINT NOT NULL,
    PRIMARY KEY (gate, place)
);
