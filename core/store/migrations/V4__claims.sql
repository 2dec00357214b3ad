-- Rows of the platform's sent messages that an exposure was recognised by: each speaks for one.
CREATE TABLE claim (
    row      INTEGER PRIMARY KEY,
    at_wall  INTEGER NOT NULL
) STRICT;
CREATE INDEX claim_by_age ON claim (at_wall);
