#!/usr/bin/env python3
"""Whether open pages touch the times: the same experiments with 100 pages open, and with none.

    bench/pages.py --build build [--devices cuda:0] [--pages 100] [--rounds 60] [--out bench/results/pages_h200.json]

No browser is needed: the pages are played, in a process of their own. What each of them asks and how often was recorded with
a browser from the access log, and stands in EACH and PAGES below. A page is loaded with all its modules, follows the events, asks
again when something happened and after a while, and is sometimes loaded anew, as a browser does: with the tags that it has.
With and without take turns of ten experiments, so that the pages have opened and keep their rhythm; each pair's ratio is of
one request."""
import argparse
import http.client
import json
import multiprocessing
import os
import pathlib
import random
import re
import statistics
import tempfile
import threading
import time

from report import report_begin, report_end
from scrape import Service, pairs

TURN, PAUSE_S = 10, 0.2
RELOAD_S = 20  # on average
NEWS = re.compile(rb"^event: (state|sweep|queue)", re.MULTILINE)
TICK = os.sysconf("SC_CLK_TCK")
# (seconds at least, whether only after an event, path)
EACH = [(1, True, "/v1/queue"), (15, False, "/v1/devices"), (15, False, "/v1/devices/0")]
PREDICTION = json.dumps({"kernel": "read_offset", "size": 1048576, "offset": 11, "explain": True})
PAGES = {
    "": [(4, True, f"/v1/experiments?page_size=8&state={state}{as_csv}") for state in ("succeeded", "failed") for as_csv in ("", " csv")]
    + [(1, True, "{experiment}")],
    "queue": [(5, True, "/v1/experiments?state=queued&page_size=20")],
    "devices/0": [(5, False, "/v1/devices/0"), (3600, False, "/v1/experiments?page_size=50 csv")],
    "{sweep}": [(1, True, "{sweep}?view=summary&page_size=1"), (3600, False, "{sweep}?view=summary&page_size=500 csv")],
    "new": [(3600, False, "/v1/kernels"), (2, False, "/v1/predictions")],
    "{experiment}": [(3600, False, "{experiment}"), (3600, False, "/v1/kernels/read_offset"), (3600, False, "/v1/predictions")],
}

MODULES = ["lab", "queue", "device", "sweep", "sweeps", "new", "experiment", "experiments"]


class Page(threading.Thread):
    def __init__(self, port, path, asks, counts):
        super().__init__(daemon=True)
        self.port, self.path, self.asks, self.counts = port, path, asks, counts
        self.tags, self.news, self.loaded = {}, 0, threading.Event()

    def ask(self, path):
        """Path and, behind a blank, that it is a table."""
        path, _, table = path.partition(" ")
        body = PREDICTION if path == "/v1/predictions" else None
        headers = {"Accept": "text/csv" if table else "*/*", "Accept-Encoding": "gzip", **({"Content-Type": "application/json"} if body else {})}
        if path in self.tags:
            headers["If-None-Match"] = self.tags[path]
        begun = time.perf_counter()
        self.connection.request("POST" if body else "GET", path, body, headers)
        answer = self.connection.getresponse()
        answer.read()
        self.counts["took_ms"].append((time.perf_counter() - begun) * 1e3)
        if answer.status not in (200, 304):
            self.counts["refused"].append((path, answer.status))
        if answer.headers["ETag"]:
            self.tags[path] = answer.headers["ETag"]

    def load(self):
        for path in ["/ui/" + self.path, *self.counts["assets"], "/v1/whoami"]:
            self.ask(path)

    def follow(self):
        stream = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        stream.request("GET", "/v1/events", headers={"Accept": "text/event-stream"})
        answer = stream.getresponse()
        if answer.status != 200:
            self.counts["refused"].append(("/v1/events", answer.status))
        self.loaded.set()
        while piece := answer.read1(1 << 16):
            self.news += len(NEWS.findall(piece))
            self.counts["heard"].append(len(piece))

    def run(self):
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.load()
        threading.Thread(target=self.follow, daemon=True).start()
        asked = {}  # by its number: when, and what was known then
        while True:
            for number, (seconds, after_event, path) in enumerate(self.asks):
                at, news = asked.get(number, (-3600, -1))
                if time.monotonic() - at >= seconds and (not after_event or news != self.news):
                    asked[number] = time.monotonic(), self.news
                    self.ask(path)
            time.sleep(0.05)
            if random.random() < 0.05 / RELOAD_S:
                self.load()
                asked = {}


def assets_of(port):
    """The modules and styles of all pages, by following what names what; each page loads all of them, which is more than it does."""
    found, wanted = [], [*(f"/ui/assets/pages/{name}.js" for name in MODULES), "/ui/"]
    while wanted:
        path = wanted.pop()
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", path)
        answer = connection.getresponse()
        text = answer.read().decode()
        if answer.status != 200:
            continue
        found.append(path)
        names = re.findall(r"(?:src|href)=\"([^\"]+\.(?:js|css))\"", text) if path == "/ui/" else re.findall(
            r"(?:from|import) ?\(?[\"'](\.[^\"']+\.js)[\"']", text)
        named = [os.path.normpath(os.path.join(os.path.dirname(path + "x"), name)) for name in names]
        wanted += [name for name in dict.fromkeys(named) if name not in found and name not in wanted]
    return [path for path in found if path != "/ui/"]


def play(port, pages, opened, said, assets):
    """Until it is told to end; then says what was asked."""
    counts = {"took_ms": [], "heard": [], "refused": [], "assets": assets}
    threads = [Page(port, path, asks, counts) for path, asks in pages]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.loaded.wait(60)
    begun = time.monotonic()
    skip = len(counts["took_ms"])
    opened.set()
    said.recv()
    took = counts["took_ms"][skip:]
    said.send({"seconds": time.monotonic() - begun, "asked": len(took), "took_ms": statistics.median(took or [0]),
               "heard_bytes": sum(counts["heard"]), "refused": counts["refused"], "opened": sum(one.loaded.is_set() for one in threads)})
    os._exit(0)  # the threads read on


class Pages:
    """All of them, open or not."""

    def __init__(self, service, count, names):
        each = [(path.format(**names).removeprefix("/v1/"), EACH + [(s, after, ask.format(**names)) for s, after, ask in asks])
                for path, asks in PAGES.items()]
        self.service, self.pages, self.assets = service, [each[i % len(each)] for i in range(count)], assets_of(service.port)
        self.process, self.reports, self.busy = None, [], {True: [], False: []}
        self.mark = None

    def cpu_s(self):
        fields = pathlib.Path(f"/proc/{self.service.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def note(self, on):
        """What the server took since the last mark, and how long that was."""
        at, cpu_s = self.mark
        self.busy[on].append((self.cpu_s() - cpu_s, time.monotonic() - at))

    def mark_set(self):
        self.mark = time.monotonic(), self.cpu_s()

    def on(self):
        if self.mark:
            self.note(False)
        opened = multiprocessing.Event()
        self.said, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=play, args=(self.service.port, self.pages, opened, theirs, self.assets))
        self.process.start()
        if not opened.wait(60):
            raise RuntimeError("the pages did not open")
        self.mark_set()

    def off(self):
        if self.process:
            self.note(True)
            self.said.send("end")
            self.reports.append(self.said.recv())
            self.process.join()
            self.process = None
            self.mark_set()
        elif not self.mark:
            self.mark_set()

    def report(self):
        seconds = sum(one["seconds"] for one in self.reports)
        share = {on: round(sum(cpu_s for cpu_s, _ in of) / sum(s for _, s in of), 4) for on, of in self.busy.items() if of}
        return {"pages": min(one["opened"] for one in self.reports), "modules": len(self.assets),
                "seconds_open": round(seconds, 1), "requests_per_s": round(sum(one["asked"] for one in self.reports) / seconds, 1),
                "request_ms": round(statistics.median(one["took_ms"] for one in self.reports), 3),
                "heard_bytes_per_s": round(sum(one["heard_bytes"] for one in self.reports) / seconds),
                "refused": [one for report in self.reports for one in report["refused"]][:10],
                "server_cores_with": share.get(True), "server_cores_without": share.get(False)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--devices", default="auto")
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    report = report_begin(options.build)
    with tempfile.TemporaryDirectory() as directory:
        service = Service(options.build, directory, options.devices, "--connections-per-address", "0")
        try:
            sweep = json.loads(service.ask("/v1/sweeps", {"kernel": "read_offset", "size": 1048576, "offset": list(range(33))},
                                           **{"Content-Type": "application/json"}))["id"]
            names = {"sweep": f"/v1/sweeps/{sweep}", "experiment": "/v1/experiments/" + service.run({"kernel": "copy"})["id"]}
            report["device"] = json.loads(service.ask("/v1/devices/0"))["name"]
            pages = Pages(service, options.pages, names)
            report["rounds"] = options.rounds
            report.update({f"{kind}_with_over_without": ratio for kind, ratio in
                           pairs(service, pages, options.rounds, TURN, PAUSE_S).items()})
            report["pages"] = pages.report()
        finally:
            service.process.terminate()
            service.process.wait(60)
    report["holds"] = (0.998 <= report["hot_with_over_without"]["median"] <= 1.002 and not report["pages"]["refused"]
                       and report["pages"]["pages"] == options.pages)
    report_end(report, options.out)


if __name__ == "__main__":
    main()
