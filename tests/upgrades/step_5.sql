ALTER TABLE sweeps ADD COLUMN rounds INTEGER NOT NULL DEFAULT 1;
ALTER TABLE experiments ADD COLUMN repeat_index INTEGER;
CREATE TABLE samples ( experiment TEXT PRIMARY KEY NOT NULL, cold BLOB, hot BLOB) WITHOUT ROWID;
CREATE TRIGGER samples_removed AFTER DELETE ON experiments BEGIN DELETE FROM samples WHERE experiment =
    OLD.id;
    END;
CREATE TABLE events ( last INTEGER PRIMARY KEY NOT NULL, count INTEGER NOT NULL, lines TEXT NOT NULL);
INSERT INTO events (last, count, lines) VALUES (CAST(strftime('%s', 'now') AS INTEGER) * 1000000, 0, '');
