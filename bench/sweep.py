#!/usr/bin/env python3
"""A sweep of 45 points (nine offsets, five blocks, 1048576 elements) against 45 runs of a program, in the same run; and
10,000 points in one request.

    bench/sweep.py --binary build/coalesced --program build/offset_program [--out bench/results/sweep.json]

Without --program (a machine without CUDA) only the service is measured."""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

from service import Service

OFFSETS = [0, 1, 2, 4, 8, 11, 16, 32, 128]
BLOCKS = [64, 128, 256, 512, 1024]
REQUEST = {"kernel": "read_offset", "size": 1048576, "offset": OFFSETS, "block": BLOCKS}


def post(service, request, wait=0):
    headers = {"Prefer": f"wait={wait}"} if wait else {}
    answer = service.session.post(service.url + "/v1/sweeps", json=request, headers=headers)
    if not answer.ok:
        raise RuntimeError(answer.text)
    return answer.json()


def points(service, sweep):
    token = ""
    while token is not None:
        page = service.get(f"/v1/sweeps/{sweep['id']}?page_size=500" + (f"&page_token={token}" if token else ""))
        yield from page["points"]
        token = page["next_page_token"]


def forty_five(service, rounds=5):
    post(service, dict(REQUEST, measure={"min_samples": 1, "max_seconds": 0.01}), wait=60)  # every instance is loaded
    seconds = []
    for _ in range(rounds):
        begin = time.monotonic()
        sweep = post(service, REQUEST, wait=60)
        seconds.append(time.monotonic() - begin)
        assert sweep["state"] == "succeeded", sweep
        rows = [point["result"] for point in points(service, sweep)]
        assert len(rows) == 45 and all(row["correctness"]["verified"] for row in rows)
    return {"points": 45, "rounds": rounds, "median_s": round(statistics.median(seconds), 3), "max_s": round(max(seconds), 3),
            "least_samples": min(row["timing"]["cold"]["samples"] for row in rows)}


def program(path):
    begin = time.monotonic()
    for offset in OFFSETS:
        for block in BLOCKS:
            subprocess.run([path, str(block), str(offset)], check=True, stdout=subprocess.DEVNULL)
    return {"runs": 45, "seconds": round(time.monotonic() - begin, 3), "samples_a_point": 1}


def ten_thousand(service):
    request = {"kernel": "copy", "size": list(range(1000, 11000)), "measure": {"min_samples": 1, "max_seconds": 0.001}}
    begin = time.monotonic()
    sweep = post(service, request)
    accepted = time.monotonic() - begin
    livez, most = [], 0
    while sweep["state"] == "running":
        begin_livez = time.monotonic()
        service.session.get(service.url + "/livez")
        livez.append((time.monotonic() - begin_livez) * 1e3)
        most = max(most, service.rss_bytes())
        time.sleep(0.05)
        sweep = service.get(f"/v1/sweeps/{sweep['id']}?page_size=1")
    ended = time.monotonic() - begin
    read = sum(1 for point in points(service, sweep) if point["state"] == "succeeded")
    most = max(most, service.rss_bytes())
    lines = service.session.get(service.url + f"/v1/sweeps/{sweep['id']}.csv").text.count("\r\n")
    most = max(most, service.rss_bytes())
    return {"points": 10000, "accepted_s": round(accepted, 3), "ended_s": round(ended, 1), "succeeded": read,
            "csv_lines": lines, "server_rss_bytes": most, "livez_max_ms": round(max(livez), 2)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/coalesced")
    parser.add_argument("--program")
    parser.add_argument("--out")
    options = parser.parse_args()
    service = Service(options.binary)
    device = service.get("/v1/devices/0")
    report = {"benchmark": "sweep", "command": "bench/sweep.py " + " ".join(pathlib.Path(word).name for word in sys.argv[1:]),
              "date": time.strftime("%Y-%m-%d", time.gmtime()),
              "device": {key: device.get(key) for key in ("name", "arch", "driver", "runtime")},
              "sweep": forty_five(service)}
    if options.program:
        report["program"] = program(options.program)
        report["ratio"] = round(report["program"]["seconds"] / report["sweep"]["median_s"], 2)
    report["ten_thousand"] = ten_thousand(service)
    service.stop()
    text = json.dumps(report, indent=1)
    print(text)
    if options.out:
        pathlib.Path(options.out).write_text(text + "\n")


if __name__ == "__main__":
    main()
