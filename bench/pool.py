#!/usr/bin/env python3
"""Sixty-four devices behind one queue, against one device in the same run.

    bench/pool.py --build build [--out bench/results/pool_2cores.json] [--devices 64] [--owners 8] [--seconds 20] [--rounds 3]

The executors answer after 5 ms and take next to no processor (pool_executor.c). All owners' experiments wait while the queue
is paused; then it is resumed and looked at for that time, from two seconds on. For each number of devices, in turns:

    ended_per_s          experiments that ended, as the database has it after the service has ended: all of them are durable
    server_us            processor microseconds of the server an experiment, without its executors
    jain                 Jain's index of what the owners had (1: all the same)
    resident_bytes       the server's memory at the end
    load                 what else the machine had to do: its load average of the last minute, this service's part in it

With one device fewer end in each transaction of the store, so the sync is shared by fewer."""
import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

from fairness import ADMIN, Lab, jain
from report import report_begin, report_end

POINTS = 10000  # of a sweep
BEGUN_S = 2


def processor_s(pid):
    """User's and system's, of the process with all of its threads."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def points(devices, wide, count):
    """A sweep of so many that may run on all devices, or goes evenly to each."""
    request = {"kernel": "read_offset", "size": 1024}
    if wide:
        return {**request, "device": "any", "spread": True, "offset": list(range(min(count, 500))),
                "size": [1024 + 64 * i for i in range(max(count // 500, 1))]}
    return {**request, "device": list(range(devices)), "offset": list(range(max(count // devices, 1)))}


def submit(lab, people, devices, wide, each):
    """So many of each owner; in sweeps of 10,000 at most."""
    for name in people:
        ask, left = lab.client(name), each
        while left > 0:
            status, said = ask("POST", "/v1/sweeps", points(devices, wide, min(left, POINTS)))
            assert status == 202, said
            left -= POINTS


def measure(build, devices, owners, seconds, wide):
    people = [f"owner{i:02d}" for i in range(owners)]
    each = int((seconds + 2 * BEGUN_S) * min(devices * 200, 6000) / owners) + devices
    with tempfile.TemporaryDirectory() as directory:
        lab = Lab(build, directory, people, "--devices", ",".join(["cpu"] * devices), "--executor-command",
                  str(build / "pool_executor"), "--queue-limit", "400000", "--owner-limit", "400000",
                  "--owner-seconds", "1e9")
        while lab.client(ADMIN)("GET", "/readyz?verbose=1")[0] != 200:
            time.sleep(0.2)
        time.sleep(2)  # all have said hello
        lab.client(ADMIN)("POST", "/v1/queue/pause")
        submit(lab, people, devices, wide, each)
        lab.client(ADMIN)("POST", "/v1/queue/resume")
        time.sleep(BEGUN_S)
        pid, begin, used = lab.process.pid, time.time(), processor_s(lab.process.pid)
        time.sleep(seconds)
        end, used = time.time(), processor_s(pid) - used
        resident = lab.resident_bytes()
        waiting = lab.client(ADMIN)("GET", "/v1/queue")[1]["queued"]
        lab.client(ADMIN)("POST", "/v1/queue/pause")
        lab.stop()
        ended, had = 0, dict.fromkeys(people, 0)
        for owner, _, _, _, finished in lab.runs():
            if begin * 1e3 <= (finished or 0) < end * 1e3:
                ended += 1
                had[owner] += 1
    assert waiting, "too few were submitted for that time"
    return {"ended": ended, "ended_per_s": round(ended / (end - begin)), "server_us": round(used / ended * 1e6, 1),
            "jain": round(jain(list(had.values())), 5), "resident_bytes": resident, "still_waiting": waiting,
            "load": round(os.getloadavg()[0], 1)}


def middle(runs):
    return {name: statistics.median(run[name] for run in runs) for name in ("ended_per_s", "server_us", "jain", "resident_bytes")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--devices", type=int, default=64)
    parser.add_argument("--owners", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--wide", action="store_true", help="each may run on any device, in sweeps that are spread")
    options = parser.parse_args()
    build = options.build.resolve()
    report = report_begin(build, owners=options.owners, seconds=options.seconds, wide=options.wide)
    runs = {options.devices: [], 1: []}
    for _ in range(options.rounds):
        for devices, those in runs.items():
            those.append(measure(build, devices, options.owners, options.seconds, options.wide))
            print(devices, those[-1], file=sys.stderr, flush=True)
    many, one = middle(runs[options.devices]), middle(runs[1])
    report.update(devices=options.devices, many=many, one=one, ratio=round(many["server_us"] / one["server_us"], 3),
                  runs={str(devices): those for devices, those in runs.items()})
    report_end(report, options.out)


if __name__ == "__main__":
    main()
