CREATE TABLE experiments (
    id TEXT PRIMARY KEY NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
    device INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    timeout_s REAL NOT NULL,
    submitted_ms INTEGER NOT NULL,
    started_ms INTEGER NOT NULL DEFAULT 0,
    finished_ms INTEGER NOT NULL DEFAULT 0,
    kernel TEXT NOT NULL,
    failure TEXT,
    failure_text TEXT,
    failure_where TEXT,
    request TEXT NOT NULL,
    result TEXT);
CREATE INDEX experiments_by_state ON experiments (state, id);
CREATE INDEX experiments_by_kernel ON experiments (kernel, id);
CREATE TRIGGER experiments_end_once BEFORE UPDATE ON experiments WHEN OLD.state IN ('succeeded', 'failed', 'cancelled')
BEGIN SELECT RAISE(ABORT, 'an ended experiment cannot change'); END;
CREATE TABLE keys (
    key TEXT PRIMARY KEY NOT NULL,
    fingerprint TEXT NOT NULL,
    experiment TEXT NOT NULL,
    kept_ms INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX keys_by_age ON keys (kept_ms);
