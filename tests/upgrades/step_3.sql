ALTER TABLE points ADD COLUMN reference TEXT;
CREATE INDEX experiments_by_device ON experiments (device, id);
CREATE TABLE labels (
    name TEXT NOT NULL,
    experiment TEXT NOT NULL,
    value TEXT NOT NULL, PRIMARY KEY (name, experiment)) WITHOUT ROWID;
INSERT OR IGNORE INTO labels (name, experiment, value)
    SELECT key, experiments.id, value
    FROM experiments, json_each(CASE WHEN json_valid(request) THEN request ELSE '{}' END, '$.labels')
    WHERE instr(request, '"labels"') AND NOT instr(request, '"labels":{}');
CREATE INDEX labels_by_value ON labels (name, value, experiment);
CREATE TRIGGER labels_removed AFTER DELETE ON experiments WHEN instr(OLD.request, '"labels"')
BEGIN DELETE FROM labels WHERE experiment = OLD.id AND name IN (SELECT key FROM json_each(OLD.request, '$.labels')); END;
