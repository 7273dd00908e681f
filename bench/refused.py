#!/usr/bin/env python3
"""What was refused never exists later: COMMITs that fail after their frames are in the write-ahead log, and a SIGKILL behind them.

    bench/refused.py [--build build-dev] [--rounds 20] [--ways full,index,read-only] [--out FILE]

Three ways to fail, --rounds times each, against the service itself over HTTP:

full       a disk that is really full (a tmpfs of its own; needs the right to mount): a reader holds the log, as a backup does,
           and the COMMIT that crosses frame 4062 has room for its frames and none for the next 32 KB of the log's index
index      the same, where only the index may not grow
read-only  fsync fails, and from then on every write, truncation and sync

A round: something is submitted and acknowledged, the disk fails, more is submitted, one of it twice, the service is killed, the disk is mended
and the service started again. What was refused must not be there, what was acknowledged must; where the service said that it
cannot know (503, Uncertain), the same key sent again must give one experiment. Exit 1: something was
not so, or nothing was refused by one of the ways."""
import argparse
import collections
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import time

from report import report_begin, report_end
from soak.machine import FRAME, INDEXED_FRAMES, PAGE, Machine, frames_of, held_log

WAYS = ("full", "index", "read-only")
DISK_BYTES = 64 << 20
BODY = {"kernel": "read_offset", "size": 1024}
KEPT, TRIED = 2, 6  # submissions before the disk fails, and then


class MountRefused(Exception):
    """A tmpfs may not be mounted here."""


class Service:
    def __init__(self, build, data, environment):
        command = [str(build / "coalesced"), "--port", "0", "--data-dir", str(data), "--reserve-bytes", "0", "--log-level", "warning",
                   "--executor-command", f"'{build / 'tests' / 'fake_executor'}'"]
        names = {name: value for name, value in os.environ.items() if not name.startswith("COALESCED_")}
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        env={**names, **environment})
        readable, _, _ = select.select([self.process.stdout], [], [], 30)
        line = self.process.stdout.readline() if readable else b""
        if not line:
            self.kill()
            raise RuntimeError("the service did not start")
        self.port = json.loads(line)["port"]

    def ask(self, method, path, body=None, key=None):
        """The status and the document."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        words = {"Content-Type": "application/json", **({"Idempotency-Key": key} if key else {})}
        link.request(method, path, json.dumps(body) if body else None, words)
        answer = link.getresponse()
        text = answer.read()
        link.close()
        return answer.status, json.loads(text)

    def submit(self, key):
        return self.ask("POST", "/v1/experiments", {**BODY, "labels": {"key": key}}, key)

    def ready(self):
        limit = time.monotonic() + 30
        while self.ask("GET", "/readyz")[0] != 200:
            if time.monotonic() > limit:
                raise RuntimeError("the service does not become ready")
            time.sleep(0.01)

    def there(self, key):
        """The ids of that key's experiments."""
        status, page = self.ask("GET", f"/v1/experiments?label=key:{key}")
        assert status == 200, page
        return {row["id"] for row in page["experiments"]}

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def fill(data, left_bytes):
    """Leaves so much of the disk free."""
    disk = os.statvfs(data)
    with (data / "filler").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, disk.f_bavail * disk.f_frsize - left_bytes)


@contextlib.contextmanager
def failing(way, machine, frames):
    """The disk as it fails; `frames`: how many a submission writes."""
    if way == "read-only":
        machine.fail("read-only")
        yield
        return
    with held_log(machine.data, INDEXED_FRAMES - 2):
        if way == "full":
            fill(machine.data, frames * FRAME + 4 * PAGE)
        else:
            machine.fail("no room for the index")
        yield


def round_of(way, build, machine, counts):
    environment = machine.environment if way != "full" else {}
    service = Service(build, machine.data, environment)
    try:
        service.ready()
        service.ask("POST", "/v1/queue/pause")
        said, frames = {}, 0
        for i in range(KEPT):
            before = frames_of(machine.data)
            said[f"kept-{i}"] = service.submit(f"kept-{i}")
            frames = frames_of(machine.data) - before
        with failing(way, machine, frames), concurrent.futures.ThreadPoolExecutor(TRIED) as together:
            # One transaction, then one or two of several, and what a client does that was refused: the same again.
            for some in ["tried-0"], [f"tried-{i}" for i in range(1, TRIED)], ["tried-0"]:
                said.update(zip(some, together.map(service.submit, some)))
    finally:
        service.kill()
        machine.fail("none")
        (machine.data / "filler").unlink(missing_ok=True)
    again = Service(build, machine.data, environment)
    try:
        again.ready()
        judge(again, said, counts)
    finally:
        again.kill()


def judge(service, said, counts):
    for key, (status, body) in said.items():
        if status in (200, 202):
            counts["acknowledged"] += 1
            counts["acknowledged_and_lost"] += service.there(key) != {body["id"]}
        elif body["type"].endswith("/Uncertain"):
            counts["uncertain"] += 1
            counts["uncertain_and_there"] += bool(service.there(key))
            status, body = service.submit(key)
            counts["uncertain_and_not_told_by_the_key"] += status not in (200, 202) or service.there(key) != {body["id"]}
        else:
            counts["refused"] += 1
            counts["refused_and_there"] += bool(service.there(key))


@contextlib.contextmanager
def folder_of(way):
    """A new one; of the way `full` on a disk of its own."""
    with tempfile.TemporaryDirectory(prefix="refused-") as name:
        folder = pathlib.Path(name)
        if way != "full":
            yield folder
            return
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=700", "tmpfs", name], capture_output=True, text=True)
        if mount.returncode:
            raise MountRefused(mount.stderr.strip())
        try:
            yield folder
        finally:
            subprocess.run(["umount", "--lazy", name], check=True)


def rounds_of(way, build, rounds):
    """What became of what was submitted, summed up."""
    counts = collections.Counter({name: 0 for name in ("acknowledged", "acknowledged_and_lost", "refused", "refused_and_there", "uncertain",
                                                       "uncertain_and_there", "uncertain_and_not_told_by_the_key")})
    for _ in range(rounds):
        with folder_of(way) as folder:
            round_of(way, build.resolve(), Machine(folder, build.resolve() / "tests" / "steered.so"), counts)
    return {"rounds": rounds, **counts}


def wrong(counts):
    """A way whose faults refused nothing showed nothing."""
    showed_nothing = counts["refused"] + counts["uncertain"] == 0
    return showed_nothing or counts["acknowledged_and_lost"] + counts["refused_and_there"] + counts["uncertain_and_not_told_by_the_key"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build-dev"))
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    ways = {}
    for way in options.ways.split(","):
        begun = time.monotonic()
        ways[way] = {**rounds_of(way, options.build, options.rounds), "took_s": round(time.monotonic() - begun, 1)}
        print(way, ways[way], file=sys.stderr, flush=True)
    report_end(report_begin(options.build, ways=ways), options.out)
    sys.exit(1 if any(wrong(counts) for counts in ways.values()) else 0)


if __name__ == "__main__":
    main()
