#!/usr/bin/env python3
"""What somebody without a token can do to a person who has one: refusals as fast as they are answered.

    bench/flood.py --build build [--out bench/results/flood_<host>.json] [--seconds 60] [--access-log]

Two connections send POSTs with long paths and one sends short ones, without a token and without a pause, by a hundred at a
time. The audit log (with --access-log that one too) lies on the file system of the data. Meanwhile a person submits one
experiment after the other. Reported are the person's POSTs before and during the flood (milliseconds; how many were not
taken), the refusals, and what the logs hold at the end.

Wants --build to hold coalesced and tests/fake_executor. The flood runs on the same machine: what it takes of few cores is
in the person's times."""
import argparse
import json
import multiprocessing
import pathlib
import socket
import statistics
import subprocess
import tempfile
import time

from http_service import HANG, SMALL, Service
from report import report_begin, report_end

PATHS = ["/" + "%01" * 2400, "/" + "%01" * 2400, "/v1/experiments"]
AT_ONCE = 100
PAUSE_S = 0.005  # of the person, between two POSTs
BEFORE_S = 5


def flood(port, path, over, refused):
    request = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        while not over.is_set():
            client.sendall(request * AT_ONCE)
            rest, answers = b"", 0
            while answers < AT_ONCE:
                received = client.recv(1 << 20)
                if not received:
                    raise ConnectionError("the service has closed the connection")
                piece = rest + received
                answers += piece.count(b"HTTP/1.1 401 ")
                rest = piece[-12:]  # less than what is counted
            refused.value += answers


def submit(service, secret, seconds):
    """One POST after the other: how long each took, and what was answered to those that were not taken."""
    body = json.dumps(SMALL).encode()
    request = (f"POST /v1/experiments HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {secret}\r\n"
               f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body
    times, failed = [], []
    with socket.create_connection(("127.0.0.1", service.port), timeout=60) as client:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            begin = time.monotonic()
            client.sendall(request)
            answer = client.recv(1 << 16)
            times.append((time.monotonic() - begin) * 1e3)
            if not answer.startswith(b"HTTP/1.1 202 "):
                failed.append(answer.split(b"\r\n")[0].decode())
            time.sleep(PAUSE_S)
    times.sort()
    return {"posts": len(times), "not_taken": len(failed), "answers": sorted(set(failed)), "median_ms": round(statistics.median(times), 2),
            "p99_ms": round(times[len(times) * 99 // 100], 2), "max_ms": round(times[-1], 2)}


def files(directory, log):
    found = sorted(directory.glob(log + "*"))
    lines = [line for path in found for line in path.read_bytes().splitlines()]
    strangers = [line for line in lines if b'"owner":null' in line]
    return {"files": len(found), "bytes": sum(path.stat().st_size for path in found), "lines": len(lines),
            "of_nobody": {"bytes": sum(map(len, strangers)), "lines": len(strangers)}}


def measure(options, directory):
    tokens = directory / "tokens"
    secret = subprocess.run([options.build / "coalesced", "token", "add", "ada", "--role", "run", "--token-file", tokens],
                            check=True, capture_output=True, text=True).stdout.strip()
    logs = ["audit"] + (["access"] if options.access_log else [])
    service = Service(options.build, directory / "data", "--token-file", str(tokens), "--queue-limit", "1000000",
                      *(word for log in logs for word in (f"--{log}-log", str(directory / log))))
    service.json("/v1/experiments", HANG, Authorization=f"Bearer {secret}")
    report = {"before": submit(service, secret, BEFORE_S)}
    over, refused = multiprocessing.Event(), [multiprocessing.Value("q", 0) for _ in PATHS]
    floods = [multiprocessing.Process(target=flood, args=(service.port, path, over, count)) for path, count in zip(PATHS, refused)]
    for one in floods:
        one.start()
    report["during"] = submit(service, secret, options.seconds)
    over.set()
    for one in floods:
        one.join()
    service.stop()
    return {**report, "refused": sum(count.value for count in refused), "logs": {log: files(directory, log) for log in logs}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--access-log", action="store_true")
    options = parser.parse_args()
    report = report_begin(options.build, seconds=options.seconds)
    with tempfile.TemporaryDirectory() as directory:
        report.update(measure(options, pathlib.Path(directory)))
    report_end(report, options.out)


if __name__ == "__main__":
    main()
