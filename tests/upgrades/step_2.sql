CREATE TABLE sweeps (
    id TEXT PRIMARY KEY NOT NULL,
    request TEXT NOT NULL,
    recipe TEXT,
    submitted_ms INTEGER NOT NULL,
    total INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    cancelled INTEGER NOT NULL DEFAULT 0);
CREATE TABLE points (
    sweep_id TEXT NOT NULL,
    place INTEGER NOT NULL,
    axes TEXT NOT NULL,
    experiment TEXT,
    refused TEXT,
    reason TEXT, PRIMARY KEY (sweep_id, place)) WITHOUT ROWID;
ALTER TABLE experiments ADD COLUMN sweep TEXT;
ALTER TABLE experiments ADD COLUMN points INTEGER NOT NULL DEFAULT 0;
CREATE INDEX experiments_by_sweep ON experiments (sweep, id) WHERE sweep IS NOT NULL;
CREATE INDEX experiments_of_sweeps ON experiments (sweep, state, points, finished_ms) WHERE sweep IS NOT NULL;
