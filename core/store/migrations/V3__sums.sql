-- A sum over the rows of each table, so that a damaged or lost row is found. The program keeps it;
-- whoever else writes a row makes the journal look damaged.
CREATE TABLE sums (
    name  TEXT PRIMARY KEY,
    sum   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
