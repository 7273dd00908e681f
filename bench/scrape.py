#!/usr/bin/env python3
"""Whether scrapes touch the times: the same experiments with /metrics and /v1/queue asked for all the while, and without.

    bench/scrape.py --build build [--devices cuda:0] [--rounds 60] [--out bench/results/scrape.json]

The two take turns, so that neither has the warmer device; each pair's ratio is of one request. Then the device is drained:
what of ours is on it afterwards, where nvidia-smi can tell."""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

from report import report_begin, report_end

PAUSE_S = 0.01
SIZES = 1048576, 16777216


class Service:
    def __init__(self, build, directory, devices, *flags):
        command = [str(build / "coalesced"), "--port", "0", "--data-dir", directory, "--devices", devices, "--log-level", "warning",
                   "--access-log", directory + "/access.log", "--calibrate", "ask", *flags]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.port = json.loads(self.process.stdout.readline())["port"]
        while not self.ready():
            time.sleep(0.05)

    def ready(self):
        try:
            return self.ask("/readyz")
        except urllib.error.HTTPError:
            return None

    def ask(self, path, body=None, method=None, **headers):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.read()

    def run(self, body):
        said = json.loads(self.ask("/v1/experiments", body, Prefer="wait=60", **{"Content-Type": "application/json"}))
        assert said["state"] == "succeeded", said
        return said


class Scraper(threading.Thread):
    """Asks for as long as it is on."""

    def __init__(self, service):
        super().__init__()
        self.service, self.wanted, self.over, self.took_ms = service, threading.Event(), threading.Event(), []

    def run(self):
        while not self.over.is_set():
            if self.wanted.is_set():
                begun = time.perf_counter()
                self.service.ask("/metrics")
                self.took_ms.append((time.perf_counter() - begun) * 1e3)
                self.service.ask("/v1/queue")
            time.sleep(PAUSE_S)

    def on(self):
        self.wanted.set()

    def off(self):
        self.wanted.clear()


def pairs(service, beside, rounds, turn=1, pause_s=0):
    """Times with `beside` on over times with it off, each request's pair by pair: {"hot": {...}, "cold": {...}}. They take turns of
    so many requests, the one that is first changing, with a pause before each."""
    ratios = {"hot": [], "cold": []}
    for first in range(0, rounds, turn):
        timings = {}
        for on in (False, True) if first // turn % 2 == 0 else (True, False):
            (beside.on if on else beside.off)()
            timings[on] = []
            for i in range(first, min(first + turn, rounds)):
                time.sleep(pause_s)
                timings[on].append(service.run({"kernel": "read_offset", "size": SIZES[i % len(SIZES)], "offset": i % 32})["timing"])
        beside.off()
        for kind, of in ratios.items():
            of += [with_it[kind]["median_us"] / without[kind]["median_us"] for with_it, without in zip(timings[True], timings[False])]
    return {kind: {"median": round(statistics.median(of), 5), "least": round(min(of), 5), "most": round(max(of), 5)}
            for kind, of in ratios.items()}


def on_device():
    """Processes with a context on a GPU; None: nobody can tell."""
    try:
        said = subprocess.run(["nvidia-smi", "--query-compute-apps=pid", "--format=csv,noheader"], capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return len(said.stdout.split())


def times(service, rounds):
    scraper = Scraper(service)
    scraper.start()
    try:
        ratios = pairs(service, scraper, rounds)
    finally:
        scraper.over.set()
        scraper.join()
    return {"rounds": rounds, "scrapes": len(scraper.took_ms), "scrape_ms": round(statistics.median(scraper.took_ms), 3),
            **{f"{kind}_scraped_over_not": ratio for kind, ratio in ratios.items()}}


def drain(service):
    before = on_device()
    service.ask("/v1/devices/0/drain", method="POST")
    begun = time.monotonic()
    while on_device() and time.monotonic() < begun + 10:
        time.sleep(0.05)
    report = {"contexts_before": before, "contexts_after": on_device(), "seconds": round(time.monotonic() - begun, 2)}
    service.ask("/v1/devices/0/resume", method="POST")
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--devices", default="auto")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    report = report_begin(options.build)
    with tempfile.TemporaryDirectory() as directory:
        service = Service(options.build, directory, options.devices)
        try:
            service.run({"kernel": "copy"})
            report["device"] = json.loads(service.ask("/v1/devices/0"))["name"]
            report["times"] = times(service, options.rounds)
            report["drained"] = drain(service)
            service.run({"kernel": "copy"})
        finally:
            service.process.terminate()
            service.process.wait(60)
    report_end(report, options.out)


if __name__ == "__main__":
    main()
