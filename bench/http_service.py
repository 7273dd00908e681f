#!/usr/bin/env python3
"""The service over HTTP, without a device's work: how fast it answers, and whether anything slow holds up others.

    bench/http_service.py --build build [--out bench/results/http_<host>.json] [--only posts,reads,csv,livez] [--rows 400000]
                  [--seconds 5] [--rounds 3]

    posts  durable POSTs against beanstalkd's synced puts (-f0), 64 connections, the device doing nothing
    reads  an ended experiment and /v1/kernels against libmicrohttpd alone (http_bare) that answers the same bytes
    csv    rows a second of a table of 100,000 experiments
    livez  /livez on new connections while slow things are asked for

Wants --build to hold coalesced, http_load, http_bare and tests/fake_executor. Rounds of a service and its rival take
turns; the medians are reported."""
import argparse
import contextlib
import json
import pathlib
import resource
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

from report import report_begin, report_end

CONNECTIONS = 64
OWNERS = 40
BODY = json.dumps({"kernel": "read_offset", "size": 1048576, "block": 256, "offset": 11, "labels": {"who": "load", "number": "@@@@@@@@"}})
HANG = {"kernel": "read_offset", "size": 1048576, "timeout_s": 3600, "labels": {"fake": "hang"}}
SMALL = {"kernel": "read_offset", "size": 1048576}
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class Service:
    def __init__(self, build, directory, *flags, fake=True):
        """fake: its executor only plays one. Without, results are whole, as those of an experiment on the CPU."""
        device = ["--executor-command", str(build / "tests" / "fake_executor")] if fake else ["--devices", "cpu"]
        self.command = [str(build / "coalesced"), "--port", "0", "--data-dir", str(directory), "--log-level", "warning",
                        *device, *flags]
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        self.port = json.loads(self.process.stdout.readline())["port"]
        while self.status("/readyz") != 200:
            time.sleep(0.05)

    def open(self, path, body=None, **headers):
        data = None if body is None else json.dumps(body).encode()
        if data:
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, headers)
        return urllib.request.urlopen(request, timeout=120)

    def status(self, path):
        try:
            return self.open(path).status
        except OSError as error:
            return getattr(error, "code", 0)

    def json(self, path, body=None, **headers):
        with self.open(path, body, **headers) as answer:
            return json.load(answer)

    def connect(self, path=None, accept="*/*"):
        """A connection that has asked, and does not read."""
        client = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        if path:
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n\r\n".encode())
        return client

    def stop(self):
        self.process.terminate()
        self.process.wait(60)
        self.process.stdout.close()


class Guarded(Service):
    """With a token file and an access log; its own requests carry the first owner's token."""

    def __init__(self, build, directory, tokens, *flags, **how):
        self.secret = tokens.with_suffix(".secrets").read_text().splitlines()[0]
        directory = pathlib.Path(directory)
        super().__init__(build, directory, "--token-file", str(tokens), "--access-log", str(directory / "access.log"), *flags, **how)

    def open(self, path, body=None, **headers):
        return super().open(path, body, Authorization=f"Bearer {self.secret}", **headers)


def tokens_make(build, directory):
    """A token file of OWNERS owners, and beside it their secrets, one a line."""
    tokens = directory / "tokens"
    secrets = [subprocess.run([build / "coalesced", "token", "add", f"owner{i}", "--role", "run", "--token-file", tokens],
                              check=True, capture_output=True, text=True).stdout.strip() for i in range(OWNERS)]
    tokens.with_suffix(".secrets").write_text("\n".join(secrets) + "\n")
    return tokens


def load(build, protocol, port, *options):
    said = subprocess.run([str(build / "http_load"), protocol, str(port), *map(str, options)], capture_output=True, text=True)
    if not said.stdout:
        raise RuntimeError(said.stderr)
    return json.loads(said.stdout)


def median(rows):
    """Of several rounds: each figure's median; what went wrong is added up."""
    return {key: sum(row[key] for row in rows) if key in ("refused", "broken", "pending") else
            round(statistics.median(row[key] for row in rows), 3) for key in rows[0]}


def id_at(milliseconds, number):
    """An id of that moment, as the service makes them."""
    value, text = milliseconds << 80 | number, ""
    for _ in range(26):
        value, text = value >> 5, ALPHABET[value & 31] + text
    return text


def columns(db, table):
    return [row[1] for row in db.execute(f"PRAGMA table_info({table})") if row[1] != "rowid"]


def fill(directory, count):
    """Copies the only ended experiment, with its rows in other tables, to `count` older ones, while no service runs."""
    db = sqlite3.connect(directory / "coalesced.db")
    (pattern,) = db.execute("SELECT id FROM experiments WHERE state = 'succeeded' ORDER BY id LIMIT 1").fetchone()
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    copies = [("experiments", "id")] + [(name, "experiment") for name in tables
                                        if name not in ("keys", "points") and "experiment" in columns(db, name)]
    begin = 1600000000000
    for table, key in copies:
        rest = [name for name in columns(db, table) if name != key]
        rows = db.execute(f"SELECT {', '.join(rest)} FROM {table} WHERE {key} = ?", (pattern,)).fetchall()
        marks = ", ".join("?" * (len(rest) + 1))
        for row in rows:
            # A trigger of the service may have made it already.
            db.executemany(f"INSERT OR IGNORE INTO {table} ({', '.join([key] + rest)}) VALUES ({marks})",
                           ((id_at(begin + i, i), *row) for i in range(count)))
    db.commit()
    db.close()


@contextlib.contextmanager
def filled(build, count):
    """A data directory with that many ended experiments."""
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        service = Service(build, directory, fake=False)
        assert service.json("/v1/experiments", SMALL, Prefer="wait=30")["state"] == "succeeded"
        service.stop()
        fill(directory, count)
        yield directory


def beanstalkd(build, options):
    with tempfile.TemporaryDirectory() as directory, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        server = subprocess.Popen(["beanstalkd", "-l", "127.0.0.1", "-p", str(port), "-b", directory, "-f0"])
        try:
            time.sleep(0.3)
            return load(build, "put", port, "--body", BODY, "--connections", CONNECTIONS, "--seconds", options.seconds)
        finally:
            server.kill()
            server.wait()


def posts(build, options):
    ours, theirs = [], []
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory() as directory:
            service = Service(build, directory, "--queue-limit", "1000000")
            service.json("/v1/experiments", HANG)
            ours.append(load(build, "post", service.port, "--path", "/v1/experiments", "--body", BODY, "--connections",
                             CONNECTIONS, "--seconds", options.seconds))
            service.process.kill()
            service.process.wait()
        with contextlib.suppress(FileNotFoundError):
            theirs.append(beanstalkd(build, options))
    report = {"service": median(ours), "beanstalkd_f0": median(theirs) if theirs else "beanstalkd is not installed"}
    if theirs:
        report["ratio"] = round(report["service"]["per_s"] / report["beanstalkd_f0"]["per_s"], 3)
    return report


def bare(build, answer, options):
    """libmicrohttpd alone with the headers and bytes of that answer."""
    own = {"connection", "date", "content-length", "keep-alive"}
    with tempfile.TemporaryDirectory() as directory:
        body, headers = pathlib.Path(directory, "body"), pathlib.Path(directory, "headers")
        body.write_bytes(answer.read())
        headers.write_text("".join(f"{k}: {v}\n" for k, v in answer.headers.items() if k.lower() not in own))
        server = subprocess.Popen([str(build / "http_bare"), str(body), str(headers)], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        port = int(server.stdout.readline())
        result = load(build, "get", port, "--connections", CONNECTIONS, "--seconds", options.seconds)
        server.communicate()
        return result


def reads(build, options):
    report = {}
    with tempfile.TemporaryDirectory() as directory:
        service = Service(build, directory, fake=False)
        where = "/v1/experiments/" + service.json("/v1/experiments", SMALL, Prefer="wait=30")["id"]
        for name, path in ("experiment", where), ("kernels", "/v1/kernels"):
            ours, theirs = [], []
            for _ in range(options.rounds):
                ours.append(load(build, "get", service.port, "--path", path, "--connections", CONNECTIONS, "--seconds",
                                 options.seconds))
                theirs.append(bare(build, service.open(path), options))
            report[name] = {"bytes": len(service.open(path).read()), "service": median(ours), "bare": median(theirs)}
            report[name]["ratio"] = round(report[name]["service"]["per_s"] / report[name]["bare"]["per_s"], 3)
        service.stop()
    return report


def csv(build, options):
    rows = min(options.rows, 100000)
    with filled(build, rows) as directory:
        service = Service(build, directory)
        begin, received, total = time.monotonic(), 0, 0
        with service.open("/v1/experiments", Accept="text/csv") as answer:
            while piece := answer.read(1 << 16):
                received += piece.count(b"\n")
                total += len(piece)
        seconds = time.monotonic() - begin
        service.stop()
    assert received >= rows, received
    return {"rows": received - 1, "bytes": total, "seconds": round(seconds, 3), "rows_per_s": round(received / seconds)}


# ---- /livez while ... ----

def unread_tables(service):
    return [service.connect("/v1/experiments", "text/csv") for _ in range(300)]


def recipe_sweeps(service):
    sizes = [1048576 * (i + 1) for i in range(50)]
    sweep = service.json("/v1/sweeps", {"recipe": "disorder", "kernel": "gather", "block": 1, "size": sizes, "load": "default"})
    return [service.connect(f"/v1/sweeps/{sweep['id']}") for _ in range(12)]


def label_filters(service):
    return [service.connect("/v1/experiments?label=nobody:has") for _ in range(8)]


def idle_connections(service):
    clients = [service.connect() for _ in range(4500)]
    assert service.status("/livez") == 200  # all of them are accepted
    return clients


def livez(build, options):
    report = {}
    cases = {"nothing": lambda _: [], "300 tables that nobody reads": unread_tables,
             "12 recipe sweeps of gather, block 1": recipe_sweeps, "8 label filters": label_filters,
             "4500 idle connections": idle_connections}
    with filled(build, options.rows) as directory:
        for name, begin in cases.items():
            service = Service(build, directory, "--request-seconds", "600", "--connections-per-address", "0")
            clients = begin(service)
            report[name] = load(build, "get", service.port, "--path", "/livez", "--connections", 4, "--pause-ms", 5,
                                "--seconds", options.seconds, "--reconnect")
            for client in clients:
                client.close()
            service.process.kill()  # what is slow may hold up its end
            service.process.wait()
    return report


PARTS = {"posts": posts, "reads": reads, "csv": csv, "livez": livez}


def rival():
    with contextlib.suppress(FileNotFoundError):
        return {"beanstalkd": subprocess.run(["beanstalkd", "-v"], capture_output=True, text=True).stdout.strip()}
    return {}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--rows", type=int, default=400000)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    report = report_begin(options.build, **rival())
    for name in options.only.split(","):
        report[name] = PARTS[name](options.build, options)
        print(name, json.dumps(report[name], indent=1), file=sys.stderr, flush=True)
    report_end(report, options.out)


if __name__ == "__main__":
    main()
