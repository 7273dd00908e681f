#!/usr/bin/env python3
"""Forty people on one device: whether three greedy ones hurt the others.

    bench/fairness.py --build build [--out bench/results/fairness.json] [--owners 40] [--greedy 3] [--seconds 60]
                      [--devices cuda:0]

    turns   behind the 10,000 points of one owner, others submit a single experiment: how many of the sweep begin before it
    shares  all owners keep something waiting, the greedy ones as many points as they are let, refilled at once: what
            device time each gets in that time, and Jain's index of it (1: all the same, 1/n: one has all)
    visits  meanwhile somebody who used nothing submits a single experiment now and then: how long it waits

The executor is one that sleeps (tests/http/fake_executor.py), for each owner another time, so that the device is busy
and the machine is not; with --devices it is a real one, and the owners' experiments differ in size. What is reported comes from the database's own times, after the service has ended."""
import argparse
import contextlib
import http.client
import json
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from report import report_begin, report_end

ROOT = pathlib.Path(__file__).resolve().parents[1]
FAKE = f"{sys.executable} '{ROOT / 'tests' / 'http' / 'fake_executor.py'}'"
VISITOR, ADMIN = "visitor", "admin"
REAL = None  # devices to run on
WAITING = 3  # experiments that a modest owner keeps waiting


class Lab:
    """A service with tokens for these people, in a directory of its own."""

    def __init__(self, build, directory, people, *flags):
        self.directory, self.program = pathlib.Path(directory), str(build / "coalesced")
        tokens = self.directory / "tokens"
        self.secrets = {name: self.token(name, "admin" if name == ADMIN else "run", tokens) for name in [*people, ADMIN]}
        command = [self.program, "--port", "0", "--data-dir", str(self.directory / "data"), "--log-level", "warning",
                   *(["--devices", REAL] if REAL else ["--executor-command", FAKE, "--lost-seconds", "0"]), "--token-file", str(tokens), *flags]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.port = json.loads(self.process.stdout.readline())["port"]
        while self.client(ADMIN)("GET", "/readyz")[0] != 200:
            time.sleep(0.05)

    def token(self, name, role, tokens):
        command = [self.program, "token", "add", name, "--role", role, "--token-file", str(tokens)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def client(self, name):
        """ask(method, path, body) -> (status, what it says), on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        headers = {"Authorization": f"Bearer {self.secrets[name]}", "Content-Type": "application/json"}

        def ask(method, path, body=None):
            connection.request(method, path, body and json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"null")

        return ask

    def resident_bytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS"))

    def stop(self):
        self.process.terminate()
        self.process.wait(60)
        self.process.stdout.close()

    def runs(self):
        """(owner, sweep or None, submitted, started, finished) of all that began, in ms."""
        with contextlib.closing(sqlite3.connect(self.directory / "data" / "coalesced.db")) as db:
            return db.execute("SELECT owner, sweep, submitted_ms, started_ms, finished_ms FROM experiments"
                              " WHERE started_ms > 0").fetchall()


def single(seconds, number=0):
    if REAL:
        return {"kernel": "read_offset", "size": round(seconds * 1e9), "offset": number % 512}
    return {"kernel": "read_offset", "size": 1024, "offset": number % 512, "labels": {"fake": f"sleep:{seconds}"}}


def sweep(seconds, points):
    rows = max(points // 100, 1)
    first = single(seconds)
    return {**first, "offset": list(range(min(points, 100))), "size": [first["size"] + 1024 * i for i in range(rows)]}


def jain(values):
    return sum(values) ** 2 / (len(values) * sum(value * value for value in values)) if any(values) else 0


def spread(values):
    values = sorted(values)
    return {"count": len(values), "p50": round(statistics.median(values), 3), "p95": round(values[int(0.95 * (len(values) - 1))], 3),
            "max": round(values[-1], 3)} if values else {"count": 0}


# ---- behind a sweep ----

def turns(build, points=10000, others=10, seconds=0.02):
    people = [f"b{i}" for i in range(others)]
    with tempfile.TemporaryDirectory() as directory:
        lab = Lab(build, directory, ["a", *people])
        status, said = lab.client("a")("POST", "/v1/sweeps", sweep(seconds, points))
        assert status == 202, said
        time.sleep(0.5)
        for name in people:
            ask = lab.client(name)
            status, said = ask("POST", "/v1/experiments", single(0.01))
            assert status == 202, said
            ask("GET", f"/v1/experiments/{said['id']}?wait=30")
        lab.stop()
        runs = lab.runs()
    of_sweep = [started for owner, *_, started, _ in runs if owner == "a"]
    before = [sum(submitted <= other < started for other in of_sweep)
              for owner, _, submitted, started, _ in runs if owner != "a"]
    waits = [(started - submitted) / 1e3 for owner, _, submitted, started, _ in runs if owner != "a"]
    return {"points": points, "singles": len(before), "begun_before_most": max(before), "wait_s": spread(waits)}


# ---- shares ----

class Clients:
    def __init__(self, lab, owners, greedy):
        self.lab, self.over, self.present = lab, threading.Event(), threading.Semaphore(0)
        self.refused = {"modest": 0, "greedy": 0}
        self.greedy, self.modest = owners[:greedy], owners[greedy:]
        self.failures = []
        self.threads = [threading.Thread(target=self.guard, args=(what, i, name), daemon=True)
                        for what, names in ((self.be_greedy, self.greedy), (self.be_modest, self.modest))
                        for i, name in enumerate(names)]

    def guard(self, what, i, name):
        try:
            what(self.lab.client(name), i)
        except Exception as why:  # told when all have ended
            if not self.over.is_set():
                self.failures.append(f"{name}: {why!r}")
                self.present.release()

    def be_greedy(self, ask, i):
        """As many points as there may be, and whatever is refused again in half the size."""
        points, first = 10000, True
        while not self.over.is_set():
            status, said = ask("POST", "/v1/sweeps", sweep(0.02, points))
            assert status in (202, 429), said
            self.refused["greedy"] += status == 429
            if status == 202 and first:
                first = False
                self.present.release()
            points = 10000 if status == 202 or points <= 100 else points // 2
            if points == 10000:
                self.over.wait(0.5)

    def be_modest(self, ask, i):
        waiting, number = [], 0
        while not self.over.is_set():
            while len(waiting) < WAITING:
                status, said = ask("POST", "/v1/experiments", single(0.01 + 0.005 * (i % 4), number))
                assert status in (202, 429), said
                self.refused["modest"] += status == 429
                number += 1
                if status == 202:
                    waiting.append(said["id"])
                    if number == WAITING:
                        self.present.release()
            _, said = ask("GET", f"/v1/experiments/{waiting[0]}?wait=5")
            if said["state"] not in ("queued", "running"):
                waiting.pop(0)

    def come(self):
        for thread in self.threads:
            thread.start()
        for _ in self.threads:
            self.present.acquire()

    def go(self):
        self.over.set()
        for thread in self.threads:
            thread.join(30)
        assert not self.failures, self.failures


def visit(ask, end):
    """Somebody who comes now and then."""
    while time.monotonic() < end:
        status, said = ask("POST", "/v1/experiments", single(0.01))
        assert status == 202, said
        ask("GET", f"/v1/experiments/{said['id']}?wait=30")
        time.sleep(1)


def shares(build, owners=40, greedy=3, seconds=60):
    people = [f"{'greedy' if i < greedy else 'owner'}{i:02d}" for i in range(owners)]
    with tempfile.TemporaryDirectory() as directory:
        lab = Lab(build, directory, [*people, VISITOR])
        clients = Clients(lab, people, greedy)

        def admin(method, path):  # an idle connection would be closed
            return lab.client(ADMIN)(method, path)

        admin("POST", "/v1/queue/pause")
        clients.come()
        waiting = admin("GET", "/v1/queue")[1]["queued"]
        admin("POST", "/v1/queue/resume")
        begin = time.time() * 1e3
        visit(lab.client(VISITOR), time.monotonic() + seconds)
        resident = lab.resident_bytes()
        admin("POST", "/v1/queue/pause")
        end = time.time() * 1e3
        clients.go()
        lab.stop()
        runs = lab.runs()
    had = dict.fromkeys(people, 0.0)
    for owner, _, _, started, finished in runs:
        if owner in had:
            had[owner] += max(0, min(finished or end, end) - max(started, begin)) / 1e3
    waits = {kind: [(started - max(submitted, begin)) / 1e3 for owner, _, submitted, started, _ in runs
                    if owner.startswith(kind) and begin <= started <= end] for kind in ("owner", VISITOR)}
    return {"owners": owners, "greedy": greedy, "seconds": seconds, "waiting_at_first": waiting, "runs": len(runs),
            "longest_run_s": max((finished or end) - started for *_, started, finished in runs) / 1e3,
            "jain": round(jain(list(had.values())), 5),
            "device_s": {"least": round(min(had.values()), 3), "most": round(max(had.values()), 3),
                         "greedy": [round(had[name], 3) for name in people[:greedy]]},
            "busy": round(sum(had.values()) * 1e3 / (end - begin), 3), "refused": clients.refused,
            "modest_wait_s": spread(waits["owner"]), "visitor_wait_s": spread(waits[VISITOR]),
            "server_rss_bytes": resident}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--owners", type=int, default=40)
    parser.add_argument("--greedy", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--devices", help="run on these instead of sleeping")
    parser.add_argument("--only", default="turns,shares")
    options = parser.parse_args()
    global REAL
    REAL = options.devices
    build = options.build.resolve()
    parts = {"turns": lambda: turns(build),
             "shares": lambda: shares(build, options.owners, options.greedy, options.seconds)}
    report = report_begin(build)
    for name in options.only.split(","):
        report[name] = parts[name]()
        print(name, json.dumps(report[name], indent=1), file=sys.stderr, flush=True)
    report_end(report, options.out)


if __name__ == "__main__":
    main()
