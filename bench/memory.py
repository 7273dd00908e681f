#!/usr/bin/env python3
"""The server's memory: idle, and with 20,000 experiments waiting of 40 owners and 100,000 kept.

    bench/memory.py --build build [--out bench/results/memory.json] [--waiting 20000] [--kept 100000]

Resident memory as /proc tells it (VmRSS), a few seconds after the last request; the peak is VmHWM. Wants --build to hold
coalesced and tests/fake_executor."""
import argparse
import json
import pathlib
import tempfile
import time
import urllib.request

from http_service import HANG, OWNERS, SMALL, Guarded, filled, tokens_make
from report import report_begin, report_end

SETTLE_S = 3
SWEEP = 500


def memory_mb(service):
    time.sleep(SETTLE_S)
    rows = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{service.process.pid}/status").read_text().splitlines())
    return {name: round(int(rows[row].split()[0]) / 1024, 1) for name, row in {"resident_mb": "VmRSS", "peak_mb": "VmHWM"}.items()}


def submit(service, secret, sizes):
    body = json.dumps({**SMALL, "size": sizes, "labels": {"course": "memory"}}).encode()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {secret}"}
    request = urllib.request.Request(f"http://127.0.0.1:{service.port}/v1/sweeps", body, headers)
    with urllib.request.urlopen(request, timeout=120) as answer:
        assert answer.status == 202, answer.status


def idle(build, tokens):
    with tempfile.TemporaryDirectory() as empty:
        service = Guarded(build, empty, tokens)
        memory = memory_mb(service)
        service.stop()
    return memory


def full(build, tokens, waiting, kept):
    secrets = tokens.with_suffix(".secrets").read_text().splitlines()
    with filled(build, kept) as directory:
        # Twice as many may wait: what an owner may have is bounded by what is left free.
        service = Guarded(build, directory, tokens, "--queue-limit", str(2 * waiting))
        service.json("/v1/experiments", HANG)
        for i in range(waiting // SWEEP):
            submit(service, secrets[i % OWNERS], [1048576 + i * SWEEP + point for point in range(SWEEP)])
        queued = sum(device["queued"] for device in service.json("/v1/queue")["devices"])
        assert queued == waiting, queued
        memory = memory_mb(service)
        service.process.kill()
        service.process.wait()
    return memory


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--waiting", type=int, default=20000)
    parser.add_argument("--kept", type=int, default=100000)
    options = parser.parse_args()
    report = report_begin(options.build)
    with tempfile.TemporaryDirectory() as name:
        tokens = tokens_make(options.build, pathlib.Path(name))
        report["idle"] = idle(options.build, tokens)
        report["full"] = {"waiting": options.waiting, "owners": OWNERS, "kept": options.kept,
                          **full(options.build, tokens, options.waiting, options.kept)}
    report_end(report, options.out)


if __name__ == "__main__":
    main()
