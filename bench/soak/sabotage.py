"""The check of the checks: the store is tampered with behind the service's back, and each change must be found."""
import json
import sqlite3
import subprocess

from soak.ledger import labels, number_of

# What is done, and the kind of violation that must be told of it.
EXPECTED = {
    "an acknowledged experiment is removed": "lost",
    "an ended experiment waits again": "left its end",
    "a result is another": "an ended one changed",
    "a point of a sweep is removed": "a sweep lacks points",
    "a sweep's experiment is removed": "a sweep lacks points",
    "a key names another experiment": "key gave another id",
    "a refused experiment is there": "refused, but there",
    "an experiment is there twice": "there twice",
    "a row is not what the schema allows": "the store is not whole",
    "an experiment is left running": "not ended",
    "a process is left": "left behind",
    "half a file is left": "left behind",
}


class Saboteur:
    def __init__(self, path, ledger, choose):
        self.path, self.ledger, self.choose, self.done, self.child = path, ledger, choose, [], None
        self.taken = set()

    def open(self):
        db = sqlite3.connect(self.path)
        db.execute("DROP TRIGGER IF EXISTS experiments_end_once")
        return db

    def known(self, db):
        """An ended experiment by itself whose result a client has read, each once."""
        told = {name for name, seen in self.ledger.seen.items() if seen.digest and seen.state == "succeeded"} - self.taken
        (name,) = self.choose.choice(sorted(db.execute(
            "SELECT id FROM experiments WHERE sweep IS NULL AND state = 'succeeded' AND id IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted(told)),))))
        self.taken.add(name)
        return name

    def sweep(self):
        name = self.choose.choice(sorted(set(self.ledger.sweeps) - self.taken))
        self.taken.add(name)
        return name

    def copy(self, db, name, fresh, number):
        """Another row like that one, as if the submission of that number had left it."""
        columns = [row[1] for row in db.execute("PRAGMA table_info(experiments)") if row[1] not in ("id", "request")]
        (request,) = db.execute("SELECT request FROM experiments WHERE id = ?", (name,)).fetchone()
        db.execute(f"INSERT INTO experiments (id, request, {', '.join(columns)})"
                   f" SELECT ?, ?, {', '.join(columns)} FROM experiments WHERE id = ?",
                   (fresh, json.dumps({**json.loads(request), "labels": labels(number)}), name))

    def before_the_last_life(self):
        db = self.open()
        key, other = self.choose.sample([one for one in self.ledger.of("acknowledged") if one.key and not one.points], 2)
        refused = self.choose.choice([one for one in self.ledger.of("refused") if not one.points])
        (known,) = db.execute("SELECT request FROM experiments WHERE id = ?", (twice := self.known(db),)).fetchone()
        db.execute("DELETE FROM experiments WHERE id = ?", (self.known(db),))
        db.execute("UPDATE experiments SET state = 'queued', finished_ms = 0, result = NULL WHERE id = ?", (self.known(db),))
        db.execute("UPDATE experiments SET result = replace(result, '65536', '65537') WHERE id = ?", (self.known(db),))
        db.execute("DELETE FROM points WHERE place = 1 AND sweep_id = ?", (self.sweep(),))
        db.execute("DELETE FROM experiments WHERE id = (SELECT experiment FROM points WHERE sweep_id = ? LIMIT 1)", (self.sweep(),))
        db.execute("UPDATE keys SET experiment = ? WHERE key = ?", (other.id, key.key))
        self.copy(db, twice, "0" * 25 + "1", refused.number)
        self.copy(db, twice, "0" * 25 + "2", number_of(known))
        db.commit()
        db.close()

    def after_the_last_life(self, service):
        db = self.open()
        db.execute("PRAGMA ignore_check_constraints = ON")
        db.execute("UPDATE experiments SET state = 'odd' WHERE id = ?", (self.known(db),))
        db.execute("UPDATE experiments SET state = 'running' WHERE id = ?", (self.known(db),))
        db.commit()
        db.close()
        word, value = service.mark.split("=")
        self.child = subprocess.Popen(["sleep", "600"], env={word: value})
        (service.machine.data / "backup.part").touch()

    def end(self):
        if self.child:
            self.child.kill()
            self.child.wait()

    @staticmethod
    def missed(violations):
        return [what for what, kind in EXPECTED.items() if kind not in violations]
