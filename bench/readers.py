#!/usr/bin/env python3
"""What one client's slow reads cost others: comparisons of large sweeps, and tables that nobody reads.

    bench/readers.py --build build [--out bench/results/readers_<host>.json] [--only nothing,repeated,...] [--points 10000]
                     [--comparisons 24] [--tables 300] [--seconds 10] [--same-address]

    nothing      nobody else is there
    repeated     one client compares a sweep with itself, again as soon as it is answered
    comparisons  one client compares two sweeps and never reads the answers
    tables       one client asks for tables and never reads them

In each of them: durable POSTs of another client, its table (to the first byte, and whole) and its comparison, and the server's
resident memory before, at most, and after the first client has left. --same-address: both have one address, which makes
them one client where there are no tokens. Wants --build to hold coalesced, http_load and tests/fake_executor."""
import argparse
import collections
import http.client
import json
import pathlib
import socket
import sqlite3
import tempfile
import threading
import time

from http_service import BODY, HANG, SMALL, Service, load
from report import report_begin, report_end

OFFENDER = "127.0.0.2"
CONNECTIONS, PAUSE_MS = 4, 5  # of the POSTs
SETTLE_S, PATIENCE_S, SAMPLE_S = 8, 120, 0.05


def fill(build, directory, points):
    """The ids of two finished sweeps of as many points, with the result of a real experiment at each."""
    service = Service(build, directory, fake=False)
    real = service.json("/v1/experiments", SMALL, Prefer="wait=30")
    service.stop()
    service = Service(build, directory, "--queue-limit", str(4 * points))
    sweeps = [service.json("/v1/sweeps", {**SMALL, "offset": list(range(points))})["id"] for _ in range(2)]
    while any(service.json(f"/v1/sweeps/{sweep}?page_size=1")["state"] == "running" for sweep in sweeps):
        time.sleep(0.1)
    service.stop()
    with sqlite3.connect(directory / "coalesced.db") as db:
        guards = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%an ended experiment cannot change%'").fetchall()
        for trigger, _ in guards:
            db.execute(f"DROP TRIGGER {trigger}")
        db.execute("UPDATE experiments SET result = (SELECT result FROM experiments WHERE id = ?) WHERE sweep IS NOT NULL", (real["id"],))
        for _, sql in guards:
            db.execute(sql)
    return sweeps


def resident_mb(service):
    rows = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{service.process.pid}/status").read_text().splitlines())
    return round(int(rows["VmRSS"].split()[0]) / 1024, 1)


class Offender:
    """A client with many requests on their way; `answers` counts the statuses."""

    def __init__(self, service, address):
        self.service, self.address = service, address
        self.answers, self.clients, self.threads, self.over = collections.Counter(), [], [], threading.Event()

    def ask(self, method, path, body="", accept="*/*"):
        """A connection that never reads."""
        client = socket.socket()
        client.bind((self.address, 0))
        client.connect(("127.0.0.1", self.service.port))
        kind = "Content-Type: application/json\r\n" if body else ""
        client.sendall(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n{kind}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        self.clients.append(client)

    def repeat(self, body):
        while not self.over.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=PATIENCE_S, source_address=(self.address, 0))
            try:
                connection.request("POST", "/v1/comparisons", body, {"Content-Type": "application/json"})
                self.answers[connection.getresponse().status] += 1
            except OSError as error:
                self.answers[type(error).__name__] += 1
            connection.close()
            self.over.wait(0.1)

    def leave(self):
        self.over.set()
        for client in self.clients:
            client.close()
        for thread in self.threads:
            thread.join()


def comparison(one, other):
    return json.dumps({"a": {"sweep": one}, "b": {"sweep": other}})


def repeated(offender, sweeps, options):
    body = comparison(sweeps[0], sweeps[0])
    for _ in range(options.comparisons):
        offender.threads.append(threading.Thread(target=offender.repeat, args=(body,)))
        offender.threads[-1].start()


def comparisons(offender, sweeps, options):
    for _ in range(options.comparisons):
        offender.ask("POST", "/v1/comparisons", comparison(*sweeps))


def tables(offender, sweeps, options):
    for _ in range(options.tables):
        offender.ask("GET", f"/v1/sweeps/{sweeps[0]}.csv")


CASES = {"nothing": lambda *_: None, "repeated": repeated, "comparisons": comparisons, "tables": tables}


def asked(service, method, path, body=None):
    """Status, seconds to the first byte of the body and to its end, and its size."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE_S)
    began = time.monotonic()
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
        answer = connection.getresponse()
        size = len(answer.read(1))
        first_s = time.monotonic() - began
        while piece := answer.read(1 << 16):
            size += len(piece)
        return {"status": answer.status, "first_s": round(first_s, 3), "whole_s": round(time.monotonic() - began, 3), "bytes": size}
    except OSError as error:
        return {"status": type(error).__name__, "whole_s": round(time.monotonic() - began, 3)}
    finally:
        connection.close()


def watched(service, peak, over):
    while not over.wait(SAMPLE_S):
        peak[0] = max(peak[0], resident_mb(service))


def measure(name, directory, sweeps, options):
    service = Service(options.build, directory, "--queue-limit", "1000000")
    service.json("/v1/experiments", HANG)
    asked(service, "GET", f"/v1/sweeps/{sweeps[0]}.csv")
    asked(service, "POST", "/v1/comparisons", comparison(*sweeps))  # what is made once is there before it is measured
    time.sleep(SETTLE_S)
    report = {"resident_mb_before": resident_mb(service)}
    peak, over = [0], threading.Event()
    watch = threading.Thread(target=watched, args=(service, peak, over))
    watch.start()
    offender = Offender(service, "127.0.0.1" if options.same_address else OFFENDER)
    CASES[name](offender, sweeps, options)
    report["post"] = load(options.build, "post", service.port, "--path", "/v1/experiments", "--body", BODY, "--connections",
                          CONNECTIONS, "--pause-ms", PAUSE_MS, "--seconds", options.seconds)
    if name == "tables":  # those before are made as far as the sockets take them: as many anew, for the table beside them
        CASES[name](offender, sweeps, options)
    report["table"] = asked(service, "GET", f"/v1/sweeps/{sweeps[0]}.csv")
    report["comparison"] = asked(service, "POST", "/v1/comparisons", comparison(*sweeps))
    offender.leave()
    report["answers"] = {str(status): count for status, count in sorted(offender.answers.items(), key=str)}
    over.set()
    watch.join()
    time.sleep(SETTLE_S)
    report.update(resident_mb_peak=peak[0], resident_mb_after=resident_mb(service))
    service.process.kill()
    service.process.wait()
    service.process.stdout.close()
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--only", default=",".join(CASES))
    parser.add_argument("--points", type=int, default=10000)
    parser.add_argument("--comparisons", type=int, default=24)
    parser.add_argument("--tables", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--same-address", action="store_true")
    options = parser.parse_args()
    report = report_begin(options.build, points=options.points)
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        sweeps = fill(options.build, directory, options.points)
        for case in options.only.split(","):
            report[case] = measure(case, directory, sweeps, options)
            print(case, json.dumps(report[case]), flush=True)
    report_end(report, options.out)


if __name__ == "__main__":
    main()
