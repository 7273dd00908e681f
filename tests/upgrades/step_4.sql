ALTER TABLE experiments ADD COLUMN owner TEXT;
ALTER TABLE sweeps ADD COLUMN owner TEXT;
CREATE INDEX experiments_by_owner ON experiments (id, owner) WHERE owner IS NOT NULL;
CREATE INDEX sweeps_by_owner ON sweeps (owner, id) WHERE owner IS NOT NULL;
ALTER TABLE keys RENAME TO keys_of_all;
CREATE TABLE keys ( key TEXT NOT NULL, owner TEXT NOT NULL, fingerprint TEXT NOT NULL, experiment TEXT NOT
    NULL, kept_ms INTEGER NOT NULL, PRIMARY KEY (key, owner)) WITHOUT ROWID;
INSERT INTO keys SELECT key, '', fingerprint, experiment, kept_ms FROM keys_of_all;
DROP TABLE keys_of_all;
CREATE INDEX keys_by_age ON keys (kept_ms);
CREATE TABLE shares ( owner TEXT PRIMARY KEY NOT NULL, used_s REAL NOT NULL, at_ms INTEGER NOT NULL) WITHOUT
    ROWID;
CREATE TABLE holds ( device INTEGER PRIMARY KEY NOT NULL, owner TEXT NOT NULL, since_ms INTEGER NOT NULL);
ALTER TABLE sweeps ADD COLUMN ended_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sweeps ADD COLUMN removing INTEGER NOT NULL DEFAULT 0;
UPDATE sweeps SET ended_ms = (SELECT ifnull(max(finished_ms), submitted_ms) FROM experiments WHERE sweep =
    sweeps.id) WHERE NOT EXISTS (SELECT 1 FROM experiments WHERE sweep = sweeps.id AND state IN ('queued',
    'running'));
CREATE TRIGGER sweeps_end AFTER UPDATE OF state ON experiments WHEN NEW.sweep IS NOT NULL AND NEW.state IN
    ('succeeded', 'failed', 'cancelled') AND NOT EXISTS (SELECT 1 FROM experiments WHERE sweep = NEW.sweep AND
    state IN ('queued', 'running')) BEGIN UPDATE sweeps SET ended_ms = NEW.finished_ms WHERE id = NEW.sweep;
    END;
CREATE INDEX experiments_alone_by_end ON experiments (finished_ms) WHERE sweep IS NULL AND finished_ms > 0;
CREATE INDEX sweeps_by_end ON sweeps (ended_ms) WHERE ended_ms > 0;
CREATE INDEX sweeps_removing ON sweeps (id) WHERE removing;
