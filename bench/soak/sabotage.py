"""The check of the checks: the store is tampered with behind the service's back, and each change must be found."""
import json
import sqlite3
import subprocess

from soak.ledger import labels, number_of

class Saboteur:
    def __init__(self, path, ledger, choose):
        self.path, self.ledger, self.choose, self.child = path, ledger, choose, None
        self.done = []  # what was done, to what, and the kinds of violation of which one must name it
        self.taken = set()

    def open(self):
        db = sqlite3.connect(self.path)
        db.execute("DROP TRIGGER IF EXISTS experiments_end_once")
        return db

    def do(self, db, what, name, kinds, *commands):
        for command in commands:
            if db.execute(command, (name,)).rowcount != 1:
                raise RuntimeError(f"{what}: {name} is not there")
        self.done.append((what, name, kinds))

    def known(self, db):
        """An ended experiment by itself whose result a client has read, each once."""
        told = {name for name, seen in self.ledger.seen.items() if seen.digest and seen.state == "succeeded"} - self.taken
        told -= {one.id for one in self.ledger.submissions if one.removal}
        (name,) = self.choose.choice(sorted(db.execute(
            "SELECT id FROM experiments WHERE sweep IS NULL AND state = 'succeeded' AND id IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted(told)),))))
        self.taken.add(name)
        self.ledger.by_id[name].spared = True
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
        key, other = self.choose.sample([one for one in self.ledger.of("acknowledged") if one.key and not one.points and not one.removal], 2)
        key.spared = other.spared = True
        refused = self.choose.choice([one for one in self.ledger.of("refused") if not one.points])
        (known,) = db.execute("SELECT request FROM experiments WHERE id = ?", (twice := self.known(db),)).fetchone()
        for what, kinds, command in (
                ("an acknowledged one is removed", ["lost"], "DELETE FROM experiments WHERE id = ?"),
                ("an ended one waits again", ["left its end", "an ended one changed"],
                 "UPDATE experiments SET state = 'queued', finished_ms = 0, result = NULL WHERE id = ?"),
                ("an ended one ended otherwise", ["left its end"], "UPDATE experiments SET state = 'cancelled' WHERE id = ?"),
                ("a result is another", ["an ended one changed"],
                 "UPDATE experiments SET result = replace(result, '65536', '65537') WHERE id = ?"),
                ("an attempt fewer", ["attempts fell"], "UPDATE experiments SET attempt = attempt - 1 WHERE id = ?")):
            self.do(db, what, self.known(db), kinds, command)
        lacks = ["a sweep lacks points"]
        self.do(db, "a point is removed", self.sweep(), lacks, "DELETE FROM points WHERE place = 1 AND sweep_id = ?")
        self.do(db, "a point's experiment is removed", self.sweep(), lacks,
                "DELETE FROM experiments WHERE id = (SELECT experiment FROM points WHERE sweep_id = ? LIMIT 1)")
        gone = [one for one in self.ledger.submissions if one.removal == "gone"]
        if gone:  # where the service removes
            if not db.execute("DELETE FROM removals WHERE id = ?", (gone[0].id,)).rowcount:  # its rows are deleted already
                self.copy(db, twice, gone[0].id, gone[0].number)
            self.done.append(("one that was removed is there", gone[0].id, ["came back"]))
        db.execute("UPDATE keys SET experiment = ? WHERE key = ?", (other.id, key.key))
        self.done.append(("a key names another", key.key, ["key gave another id"]))
        self.copy(db, twice, "0" * 25 + "1", refused.number)
        self.done.append(("a refused one is there", "0" * 25 + "1", ["refused, but there"]))
        self.copy(db, twice, "0" * 25 + "2", number_of(known))
        self.done.append(("one is there twice", "0" * 25 + "2", ["there twice"]))
        db.commit()
        db.close()

    def after_the_last_life(self, service):
        db = self.open()
        db.execute("PRAGMA ignore_check_constraints = ON")
        self.do(db, "one is left running", self.known(db), ["not ended"], "UPDATE experiments SET state = 'running' WHERE id = ?")
        db.execute("UPDATE experiments SET state = 'odd' WHERE id = ?", (self.known(db),))
        self.done.append(("a row is not what the schema allows", "CHECK", ["the store is not whole"]))
        db.commit()
        db.close()
        word, value = service.mark.split("=")
        self.child = subprocess.Popen(["sleep", "600"], env={word: value})
        self.done.append(("a process is left", str(self.child.pid), ["left behind"]))
        (service.machine.data / "backup.part").touch()
        self.done.append(("half a file is left", "backup.part", ["left behind"]))

    def end(self):
        if self.child:
            self.child.kill()
            self.child.wait()

    def missed(self):
        """What was done and no violation tells."""
        return [what for what, name, kinds in self.done
                if not any(name in json.dumps(seen) for kind in kinds for seen in self.ledger.violations.get(kind, ()))]
