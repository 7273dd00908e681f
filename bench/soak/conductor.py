"""The service's lives one after the other: when it is killed, and what happens to it before."""
import contextlib
import math
import os
import random
import signal
import sqlite3
import statistics
import subprocess
import threading
import time

from soak.machine import FAULTS, FRAME, HELD, INDEXED_FRAMES, frames_of, held_log

READY_LIMIT_S = 30
HIT_S = 3  # a fault lasts until a call has failed, or for that long
MORE_KILLS = 20  # at most so many more, while a fault for which the log is held has made no call fail
KINDS = [name for name in FAULTS if name != "none"] + ["clock", "token", "backup"]


def keeps(options):
    """Can this build remove what has ended, and back up?"""
    return subprocess.run([str(options.build / "coalesced"), "backup", "--help"], capture_output=True).returncode == 0


class World:
    """What the clients see of it."""

    def __init__(self, options, machine, tokens, ledger):
        self.options, self.machine, self.tokens, self.ledger = options, machine, tokens, ledger
        self.life, self.port, self.life_began = 0, 0, 0.0
        self.devices = 1 if options.device == "cpu" else 3
        self.gate, self.over, self.resting = threading.Event(), threading.Event(), set()
        self.warden, self.removes = None, keeps(options)
        self.ready_at, self.stopped_at = math.inf, -1.0  # when the present life was; when a stop was last asked for

    def secret(self, owner):
        return self.tokens.secret(owner, self.life_began)

    def passing(self, reply):
        """A refusal that a start or a stop explains."""
        return reply.status == 503 and (reply.begun < self.ready_at or self.stopped_at > reply.begun - 10)


class Conductor:
    def __init__(self, world, service):
        self.world, self.service, self.options = world, service, world.options
        self.machine, self.tokens, self.ledger = world.machine, world.tokens, world.ledger
        self.choose = random.Random(f"{self.options.seed}/conductor")
        self.kills = self.executor_kills = self.stops = self.early = self.lives = 0
        self.rounds = {kind: 0 for kind in KINDS if kind != "backup" or world.removes}
        self.ready_s, self.integrity_checks, self.store_s = [], 0, 0.0
        self.others = {"clock": self.shift_clock, "token": self.change_token, "backup": self.back_up}
        self.backup, self.backups_failed = None, 0
        self.fault_left_on = None  # it outlives the life in which it began

    # ---- one life ----

    def start(self):
        """True when it can be asked."""
        self.lives += 1
        self.service.start()
        if not self.service.announced(READY_LIMIT_S):
            self.ledger.violate("the service did not start", log=self.service.said()[-2000:], fault=self.machine.present)
            return False
        self.world.port, self.world.life_began = self.service.port, time.monotonic()
        self.world.ready_at = math.inf
        self.world.life += 1
        return True

    def ready(self, measured):
        seconds = self.service.ready(READY_LIMIT_S)
        self.world.ready_at = time.monotonic()
        if seconds is None:
            self.ledger.violate("not ready again", within_s=READY_LIMIT_S, log=self.service.said()[-2000:])
        elif measured:
            self.ready_s.append(seconds)

    def still_due(self, done, wanted):
        """How many of them this life gets, so that all are done when the last kill is."""
        left = wanted - done
        share = left / max(1, self.options.kills - self.kills)
        return int(share) + (self.choose.random() < share - int(share)) if left > 0 else 0

    def due(self, kind):
        return self.still_due(self.rounds[kind], self.options.rounds) > 0

    def plan(self, held):
        """The life's length after it is ready, and what happens in it: (at which part of it, what)."""
        length = self.choose.uniform(0.05, 1) * self.options.life
        acts = [(0, held)] if held else []
        acts += [(self.choose.random(), self.kill_executor)
                for _ in range(self.still_due(self.executor_kills, self.options.executor_kills))]
        for kind in self.rounds:
            if kind not in HELD and self.due(kind) and not (kind in FAULTS and self.fault_planned(acts)):
                acts.append((self.choose.random(), self.others.get(kind) or kind))
        return length, sorted(acts, key=lambda act: act[0])

    def log_to_hold(self):
        """The fault of this life for which the log is held from before its start, or None. After the last kill that was asked
        for it is one that has made no call fail yet."""
        wanted = [kind for kind in HELD if self.due(kind)] if self.lives else []
        if self.kills >= self.options.kills:
            wanted = self.never_hit()
        return self.choose.choice(wanted) if wanted else None

    def never_hit(self):
        """The faults for which the log is held that have made no call fail yet."""
        return [kind for kind in HELD if self.options.rounds and not self.machine.hits()[kind]]

    @staticmethod
    def fault_planned(acts):
        return any(isinstance(what, str) for _, what in acts)

    def live(self):
        """One life from its start to its end."""
        left_on, self.fault_left_on = self.fault_left_on, None
        held = None if left_on else self.log_to_hold()
        with contextlib.ExitStack() as stack:
            if held:
                stack.enter_context(held_log(self.machine.data, INDEXED_FRAMES - self.choose.randint(100, 400)))
            how = self.life(left_on, held)
        self.finish(how)

    def life(self, left_on, held):
        """Without its end: the signal for it."""
        if not self.start():
            return signal.SIGKILL
        if left_on:
            time.sleep(self.choose.uniform(0.1, 1.2) * self.options.life)
            self.machine.fail("none")
        elif not held and self.choose.random() < 0.1:  # dies before it is there
            self.early += 1
            time.sleep(self.choose.uniform(0, 0.03))
            return signal.SIGKILL
        self.ready(measured=not left_on)
        length, acts = self.plan(held)
        begun = time.monotonic()
        for part, what in acts:
            time.sleep(max(0, begun + part * length - time.monotonic()))
            self.fail_for_a_while(what) if isinstance(what, str) else what()
        time.sleep(max(0, begun + length - time.monotonic()))
        return signal.SIGTERM if not self.fault_left_on and self.choose.random() < 0.03 else signal.SIGKILL

    def finish(self, how):
        if how == signal.SIGTERM:
            self.world.stopped_at = time.monotonic()
            self.ledger.handed_back.append(time.monotonic())
            self.stops += 1
        else:
            self.kills += 1
        self.service.end(how)
        if how == signal.SIGTERM:
            self.ledger.handed_back.append(time.monotonic())
        if self.kills % max(1, self.options.kills // 25) == 0 and how == signal.SIGKILL:
            self.look_at_the_store()

    # ---- what happens in it ----

    def kill_executor(self):
        for _ in range(25):
            there = self.service.executors()
            if there:
                try:
                    os.kill(self.choose.choice(there), signal.SIGKILL)
                except ProcessLookupError:
                    continue
                self.ledger.handed_back.append(time.monotonic())
                self.executor_kills += 1
                return
            time.sleep(0.02)

    def fail_for_a_while(self, kind, until_hit=True):
        self.rounds[kind] += 1
        before = self.machine.hits()[kind]
        left = max(0, INDEXED_FRAMES - frames_of(self.machine.data)) if kind in HELD else 0
        self.machine.fail(kind, room_bytes=left * FRAME + self.choose.randint(0, 64 << 10))
        # Longer than the service tries to take back what a failed commit has left: then it says that it cannot know.
        time.sleep(2.3 if kind == "read-only" and self.choose.random() < 0.5 else self.choose.uniform(0.25, 0.6) * self.options.life)
        limit = time.monotonic() + HIT_S
        while until_hit and self.machine.hits()[kind] == before and time.monotonic() < limit:
            time.sleep(0.01)
        if self.choose.random() < 0.35:
            self.fault_left_on = kind
        else:
            self.machine.fail("none")

    def catch_up(self):
        """The rounds that no life had room for."""
        for kind in self.rounds:
            while self.rounds[kind] < self.options.rounds:
                if kind in FAULTS:
                    self.fail_for_a_while(kind, until_hit=kind not in HELD)  # nobody holds the log
                    self.machine.fail("none")
                    time.sleep(self.choose.uniform(0.1, 0.3))
                else:
                    self.others[kind]()
        self.fault_left_on = None
        self.backup_look()

    def shift_clock(self):
        self.rounds["clock"] += 1
        self.machine.shift_clock(self.choose.uniform(-5, 5) * 3600)

    def change_token(self):
        self.rounds["token"] += 1
        self.tokens.change(self.choose.choice(sorted(self.tokens.roles)))

    def back_up(self):
        """Begun now; whether the service is killed meanwhile is left to chance."""
        self.rounds["backup"] += 1
        self.backup_look()
        with self.ledger.lock:
            names = {one.id for one in self.ledger.submissions if one.id}
        path = self.service.folder / f"backup-{self.rounds['backup']}.db"
        command = [str(self.options.build / "coalesced"), "backup", str(path), "--data-dir", str(self.machine.data)]
        self.backup = path, names, subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def backup_look(self):
        """What came of the last one: all that was acknowledged before it began, or no file of that name."""
        if not self.backup:
            return
        path, names, process = self.backup
        self.backup = None
        said = process.communicate(timeout=120)[1]
        if process.returncode:
            self.backups_failed += 1
            if path.exists() or not said:
                self.ledger.violate("a failed backup left a file, or said nothing", said=said[-500:])
            return
        db = sqlite3.connect(path)
        whole = db.execute("PRAGMA integrity_check").fetchall()
        there = {name for (name,) in db.execute("SELECT id FROM experiments UNION ALL SELECT id FROM sweeps EXCEPT SELECT id FROM removals")}
        db.close()
        path.unlink()
        if whole != [("ok",)]:
            self.ledger.violate("a backup is not whole", said=whole[:10])
        for name in sorted(name for name in names - there if not self.ledger.by_id[name].removal)[:20]:
            self.ledger.violate("a backup lacks what was acknowledged", id=name)

    # ---- between two lives ----

    def look_at_the_store(self):
        """As the kill left it: whole, and with all that was acknowledged before."""
        begun = time.monotonic()
        with self.ledger.lock:
            names = {one.id for one in self.ledger.submissions if one.id and not one.removal}
            gone = {one.id for one in self.ledger.submissions if one.removal == "gone"}
        db = self.service.copied()
        try:
            said = db.execute("PRAGMA integrity_check").fetchall()
            if said != [("ok",)]:
                self.ledger.violate("the store is not whole", after_kills=self.kills, said=said[:10])
            there = {name for (name,) in db.execute("SELECT id FROM experiments UNION ALL SELECT id FROM sweeps EXCEPT SELECT id FROM removals")}
            for name in sorted(names - there)[:50]:
                self.ledger.violate("lost", id=name, after_kills=self.kills)
            for name in sorted(gone & there)[:50]:
                self.ledger.violate("came back", id=name, after_kills=self.kills)
        finally:
            db.close()
        self.integrity_checks += 1
        self.store_s += time.monotonic() - begun

    # ---- all of them ----

    def run(self, told):
        while self.kills < self.options.kills or (self.never_hit() and self.kills < self.options.kills + MORE_KILLS):
            self.live()
            if self.kills % 50 == 0:
                told(self)
        self.machine.fail("none")
        self.backup_look()

    def figures(self):
        ready = sorted(self.ready_s)

        def at(part):
            return round(ready[min(len(ready) - 1, int(part * len(ready)))], 4) if ready else None

        return {"server_kills": self.kills, "of_these_before_it_was_ready": self.early, "clean_stops": self.stops,
                "executor_kills": self.executor_kills, "rounds": self.rounds, "backups_that_failed": self.backups_failed, "calls_made_to_fail": self.machine.hits(),
                "readyz_after_a_kill_s": {"measured": len(ready), "p50": at(0.5), "p99": at(0.99), "max": ready[-1] if ready else None,
                                          "mean": round(statistics.fmean(ready), 4) if ready else None},
                "integrity_checks_after_kills": self.integrity_checks}
