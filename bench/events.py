#!/usr/bin/env python3
"""What many who follow events cost others: durable POSTs and /livez while nobody follows, while each of a thousand follows an
experiment that waits, and while each follows everything.

    bench/events.py --build build [--out bench/results/events_<host>.json] [--followers 1000] [--seconds 5] [--rounds 3]

Wants --build to hold coalesced, http_load and tests/fake_executor. Followers read in a process of their own, on the same
machine: what that takes is in the rates where cores are few. What does not hang on it is the server's own processor time:
server_us_per_post, and what a follower adds to it a POST (follower_us_per_post: an event for who follows everything, none
for who follows one that waits). Rounds of the three take turns; the medians are reported."""
import argparse
import contextlib
import multiprocessing
import os
import pathlib
import resource
import selectors
import socket
import tempfile
import threading

from http_service import BODY, CONNECTIONS, HANG, SMALL, Service, load, median
from report import report_begin, report_end


def read_all(port, path, count, ready, over, heard):
    """Opens so many streams and reads them as fast as it can."""
    streams = selectors.DefaultSelector()
    for _ in range(count):
        client = socket.create_connection(("127.0.0.1", port), timeout=60)
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert b"200" in client.recv(64), "not so many may follow"
        client.setblocking(False)
        streams.register(client, selectors.EVENT_READ)
    ready.set()
    while not over.is_set():
        for key, _ in streams.select(0.2):
            bytes_read = len(key.fileobj.recv(1 << 18))
            heard.value += bytes_read
            if not bytes_read:
                streams.unregister(key.fileobj)


@contextlib.contextmanager
def following(port, path, count):
    ready, over, heard = multiprocessing.Event(), multiprocessing.Event(), multiprocessing.Value("q", 0)
    reader = multiprocessing.Process(target=read_all, args=(port, path, count, ready, over, heard))
    reader.start()
    if not ready.wait(120):
        raise RuntimeError("the streams did not open")
    yield heard
    over.set()
    reader.join()


def resident_mb(service):
    for line in pathlib.Path(f"/proc/{service.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024


def server_cpu_us(service):
    fields = pathlib.Path(f"/proc/{service.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1e6 / os.sysconf("SC_CLK_TCK")


def measure(options, who):
    with tempfile.TemporaryDirectory() as directory:
        service = Service(options.build, pathlib.Path(directory), "--queue-limit", "1000000", "--connections-per-address", "0")
        service.json("/v1/experiments", HANG)
        waits = service.json("/v1/experiments", SMALL)["id"]
        path = {"everything": "/v1/events", "one": f"/v1/experiments/{waits}/events"}.get(who)
        seconds = ["--seconds", options.seconds]
        with following(service.port, path, options.followers) if path else contextlib.nullcontext() as heard:
            idle = load(options.build, "get", service.port, "--path", "/livez", "--connections", 8, *seconds)
            before_us = server_cpu_us(service)
            posts = load(options.build, "post", service.port, "--path", "/v1/experiments", "--body", BODY, "--connections",
                         CONNECTIONS, *seconds)
            post_us = (server_cpu_us(service) - before_us) / posts["answers"]
            beside = {}
            livez = threading.Thread(target=lambda: beside.update(
                load(options.build, "get", service.port, "--path", "/livez", "--connections", 1, *seconds)))
            livez.start()
            load(options.build, "post", service.port, "--path", "/v1/experiments", "--body", BODY, "--connections", CONNECTIONS, *seconds)
            livez.join()
            row = {**{f"posts_{name}": value for name, value in posts.items()},
                   **{f"livez_{name}": value for name, value in idle.items()},
                   **{f"livez_beside_posts_{name}": value for name, value in beside.items()},
                   "server_us_per_post": round(post_us, 2), "resident_mb": round(resident_mb(service), 1),
                   "heard_mb": round(heard.value / 1e6, 1) if path else 0}
        service.process.kill()
        service.process.wait()
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--followers", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    report = report_begin(options.build, followers=options.followers)
    rows = {"nobody": [], "one": [], "everything": []}
    for _ in range(options.rounds):
        for who, of in rows.items():
            of.append(measure(options, who))
    for who, of in rows.items():
        report[who] = median(of)
    for who in ("one", "everything"):
        report[who]["posts_ratio"] = round(report[who]["posts_per_s"] / report["nobody"]["posts_per_s"], 3)
        more_us = report[who]["server_us_per_post"] - report["nobody"]["server_us_per_post"]
        report[who]["follower_us_per_post"] = round(more_us / options.followers, 4)
    report_end(report, options.out)


if __name__ == "__main__":
    main()
