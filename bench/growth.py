#!/usr/bin/env python3
"""What stays of 100,000 owners and 10,000 names of devices that come one after the other: memory, rows, start, /v1/queue.

    bench/growth.py --build build [--owners 100000] [--names 10000] [--only owners] [--out FILE]

Owners take turns in the token file, 2,000 at a time; each runs one experiment. Devices take turns in the list, 100 at a time.
Wants --build to hold coalesced and tests/fake_executor."""
import argparse
import atexit
import concurrent.futures
import hashlib
import http.client
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from report import report_begin, report_end

AT_ONCE, LIST, CLIENTS = 2000, 100, 24
REQUEST = json.dumps({"kernel": "read_offset", "size": 1048576, "labels": {"fake": "nothing"}})


class Service:
    def __init__(self, build, directory, *flags):
        began = time.monotonic()
        self.directory = directory
        self.process = subprocess.Popen(
            [build / "coalesced", "--port", "0", "--data-dir", directory / "data", "--log-level", "warning", "--calibrate", "ask",
             "--keep-days", "0.001", "--queue-limit", "10000", *flags], stdout=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)
        self.port = int(json.loads(self.process.stdout.readline())["url"].rsplit(":", 1)[1])
        self.wait(lambda: self.ask("/readyz")[0] == 200)
        self.start_s = round(time.monotonic() - began, 2)

    def ask(self, path, secret=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path, headers={"Authorization": f"Bearer {secret}"} if secret else {})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body

    @staticmethod
    def wait(what, limit_s=300):
        until = time.monotonic() + limit_s
        while not what():
            assert time.monotonic() < until, "waited too long"
            time.sleep(0.02)

    def figures(self, secret=None):
        rows = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines())
        database = sqlite3.connect(f"file:{self.directory}/data/coalesced.db?mode=ro", uri=True)
        counts = {table: database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("shares", "devices")}
        database.close()
        return {"resident_mb": round(int(rows["VmRSS"].split()[0]) / 1024, 1), **counts,
                "queue_bytes": len(self.ask("/v1/queue", secret)[1])}

    def stop(self):
        self.process.terminate()
        assert self.process.wait(60) == 0


def write(path, text):
    beside = path.with_suffix(".new")
    beside.write_text(text)
    beside.chmod(0o600)
    os.replace(beside, path)


def secret_of(number):
    return "clsc_" + hashlib.sha256(str(number).encode()).hexdigest()[:43]


def tokens(first, count):
    hashed = (hashlib.sha256(secret_of(i).encode()).hexdigest() for i in range(first, first + count))
    return "".join(f"o{first + i} run sha256:{text}\n" for i, text in enumerate(hashed))


def post_all(port, secrets):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    for secret in secrets:
        while True:
            connection.request("POST", "/v1/experiments", REQUEST,
                               {"Content-Type": "application/json", "Authorization": f"Bearer {secret}"})
            answer = connection.getresponse()
            body = answer.read()
            if answer.status == 202:
                break
            assert answer.status == 429, body
            time.sleep(0.05)
    connection.close()


def owners(options, directory):
    path, report = directory / "tokens", {}
    flags = ["--token-file", path, "--executor-command", str(options.build / "tests" / "fake_executor")]
    write(path, tokens(0, AT_ONCE))
    service = Service(options.build, directory, *flags)
    report["empty"] = service.figures(secret_of(0))
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        for first in range(0, options.owners, AT_ONCE):
            write(path, tokens(first, AT_ONCE))
            secrets = [secret_of(i) for i in range(first, first + AT_ONCE)]
            service.wait(lambda: service.ask("/v1/queue", secrets[-1])[0] == 200)
            list(pool.map(lambda part: post_all(service.port, part), [secrets[i::CLIENTS] for i in range(CLIENTS)]))
            if first + AT_ONCE in (AT_ONCE, options.owners // 2, options.owners):
                report[f"after_{first + AT_ONCE}_waiting"] = service.figures(secrets[-1])
                print(report, file=sys.stderr, flush=True)
                service.wait(lambda: not any(d["queued"] or d["running"]
                                             for d in json.loads(service.ask("/v1/queue", secrets[-1])[1])["devices"]))
                report[f"after_{first + AT_ONCE}"] = service.figures(secrets[-1])
    service.stop()
    service = Service(options.build, directory, *flags)
    service.wait(lambda: service.figures(secrets[-1])["shares"] < 2000)  # rows go after the start
    report["restarted"] = {"start_s": service.start_s, **service.figures(secrets[-1])}
    service.stop()
    return report


def devices(options, directory):
    path, report = directory / "devices.json", {}

    def listed(first):
        command = f"'{options.build.resolve() / 'tests' / 'fake_executor'}' --executor"
        write(path, json.dumps({"devices": [{"name": f"d{first + i}", "command": command} for i in range(LIST)]}))

    def present(service):
        return {device["device_name"] for device in json.loads(service.ask("/v1/devices")[1])["devices"] if device["in_list"]}

    listed(0)
    service = Service(options.build, directory, "--devices-file", str(path))
    report["100"] = service.figures()
    for first in range(LIST, options.names, LIST):
        listed(first)
        service.process.send_signal(signal.SIGHUP)
        service.wait(lambda: present(service) == {f"d{first + i}" for i in range(LIST)})
        if first + LIST in (options.names // 2, options.names):
            report[str(first + LIST)] = service.figures()
    service.stop()
    listed(options.names)
    service = Service(options.build, directory, "--devices-file", str(path))
    report["restarted_with_others"] = {"start_s": service.start_s, **service.figures()}
    service.stop()
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--owners", type=int, default=100000)
    parser.add_argument("--names", type=int, default=10000)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--only", choices=["owners", "devices"])
    options = parser.parse_args()
    report = report_begin(options.build)
    for name, part in {"owners": owners, "devices": devices}.items():
        if options.only not in (None, name):
            continue
        with tempfile.TemporaryDirectory() as directory:
            report[name] = part(options, pathlib.Path(directory))
    report_end(report, options.out)


if __name__ == "__main__":
    main()
