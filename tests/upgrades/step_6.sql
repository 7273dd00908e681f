CREATE TABLE devices ( number INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL UNIQUE, hello TEXT, hello_ms
    INTEGER NOT NULL DEFAULT 0);
ALTER TABLE experiments ADD COLUMN lost TEXT;
ALTER TABLE sweeps ADD COLUMN spread INTEGER NOT NULL DEFAULT 0;
DROP INDEX experiments_of_sweeps;
CREATE INDEX experiments_of_sweeps ON experiments (sweep, state, device, points, finished_ms) WHERE sweep IS
    NOT NULL;
