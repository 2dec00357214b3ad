-- What the processes of a hub count together.

-- How many tokens they have given ever, by API key.
CREATE TABLE rate_tokens (
    key_id BIGINT NOT NULL PRIMARY KEY,
    given BIGINT NOT NULL
);

-- Tries of pairing codes, by address, since their window began.
CREATE TABLE pairing_tries (
    source TEXT NOT NULL PRIMARY KEY,
    tries BIGINT NOT NULL,
    time_began BIGINT NOT NULL
);

CREATE INDEX pairing_tries_began ON pairing_tries (time_began);
