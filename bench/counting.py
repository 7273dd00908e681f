#!/usr/bin/env python3
"""What counting costs: a sweep of 45 points before anything was counted, with counters, and after that; against 45 runs of
a program in the same run; and what becomes of experiments whose executor that counts is killed in the middle of counting.

    bench/counting.py --binary build/coalesced --program build/offset_program [--out bench/results/counting.json]

Needs a GPU whose counters may be read. Without --program the comparison with it is left out."""
import argparse
import json
import os
import pathlib
import random
import signal
import statistics
import sys
import time

from service import Service
from sweep import REQUEST, points, post, program

ROUNDS, KILLS = 7, 20


# ---- a sweep without, with and without counters ----

def swept(service, **more):
    """Seconds, and each point's result."""
    begin = time.monotonic()
    sweep = post(service, dict(REQUEST, **more), wait=60)
    seconds = time.monotonic() - begin
    assert sweep["state"] == "succeeded", sweep
    results = [point["result"] for point in points(service, sweep)]
    assert len(results) == 45 and all(result["correctness"]["verified"] for result in results)
    return seconds, results


def rounds(service, **more):
    """The sweep's seconds, and for each point the median of its hot medians."""
    seconds, hot, unstable = [], [], []
    for _ in range(ROUNDS):
        took, results = swept(service, **more)
        seconds.append(took)
        hot.append([result["timing"]["hot"]["median_us"] for result in results])
        if more.get("counters"):
            assert all(result["counters"]["status"] == "measured" for result in results), results[0]["counters"]
        unstable += [result["stability"]["reasons"] for result in results if not result["stability"]["stable"]]
    return {"median_s": round(statistics.median(seconds), 3), "max_s": round(max(seconds), 3), "unstable": unstable,
            "hot_median_us": [statistics.median(column) for column in zip(*hot)]}


def span(over, under):
    ratios = [a / b for a, b in zip(over["hot_median_us"], under["hot_median_us"])]
    return [round(min(ratios), 4), round(statistics.median(ratios), 5), round(max(ratios), 4)]


def sweeps(service):
    swept(service, measure={"min_samples": 1, "max_seconds": 0.01})  # every instance is loaded
    warm, before = rounds(service), rounds(service)  # the same twice, to see what time alone changes
    first = swept(service, counters=True)[0]  # starts the executor that counts, and its profiler
    counted, after = rounds(service, counters=True), rounds(service)
    slower = after["median_s"] / before["median_s"]
    adds = counted["median_s"] - after["median_s"]
    hot = {"with_over_before": span(counted, before), "after_over_before": span(after, before)}
    alone = span(before, warm)
    return {"rounds": ROUNDS, "before": before, "first_with_counters_s": round(first, 3), "with_counters": counted,
            "after": after, "after_over_before": round(slower, 4), "counters_add_s": round(adds, 3), "hot_ratios": hot,
            "hot_ratios_of_two_before": alone,
            "as_fast_after": slower <= 1.05, "adds_at_most_1_5_s": adds <= 1.5,
            "times_unchanged": all(0.998 <= ratio <= 1.002 for of in hot.values() for ratio in of)}


# ---- kills ----

def counting_process(service):
    """The executor that counts, and only when its profiler is loaded: then it is in the middle of its first count."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            command = (stat.parent / "cmdline").read_bytes().split(b"\0")
            if parent == service.process.pid and b"--counting" in command:
                return int(stat.parent.name) if "libcupti" in (stat.parent / "maps").read_text() else None
        except OSError:
            continue
    return None


def kill_while_counting(service):
    limit = time.monotonic() + 30
    while not (process := counting_process(service)):
        assert time.monotonic() < limit, "no executor that counts was seen"
        time.sleep(0.002)
    time.sleep(random.uniform(0, 0.2))
    os.kill(process, signal.SIGKILL)


def kills():
    """Each with a service of its own, so that the count that is met is the executor's first and takes longest: in every
    second one a single experiment, whose count is lost, and else a sweep, whose points are then counted one by one."""
    random.seed(20261121)
    ended, lost, without_reason, failed = 0, 0, 0, []
    for number in range(KILLS):
        service = Service(OPTIONS.binary)
        request = dict(REQUEST, counters=True)
        if number % 2:
            request.update(offset=11, block=512)
        sweep = post(service, request)
        kill_while_counting(service)
        while sweep["state"] == "running":
            time.sleep(0.05)
            sweep = service.get(f"/v1/sweeps/{sweep['id']}?page_size=1")
        for point in points(service, sweep):
            ended += 1
            if point["state"] != "succeeded":
                failed.append(point.get("failure"))
                continue
            counters = point["result"]["counters"]
            lost += counters["status"] != "measured"
            without_reason += counters["status"] != "measured" and "killed by SIGKILL" not in counters["reason"]
        service.stop()
    return {"kills": KILLS, "experiments": ended, "failed": failed, "counts_lost": lost, "lost_without_reason": without_reason,
            "no_experiment_failed": not failed and not without_reason and lost > 0}


def main():
    service = Service(OPTIONS.binary)
    device = service.get("/v1/devices/0")
    report = {"benchmark": "counting", "command": "bench/counting.py " + " ".join(pathlib.Path(word).name for word in sys.argv[1:]),
              "date": time.strftime("%Y-%m-%d", time.gmtime()),
              "device": {key: device.get(key) for key in ("name", "arch", "driver", "runtime")}}
    report["sweeps"] = sweeps(service)
    if OPTIONS.program:
        report["program"] = program(OPTIONS.program)
        for when in "before", "after":
            ratio = report["program"]["seconds"] / report["sweeps"][when]["median_s"]
            report["program"][f"over_sweep_{when}"] = round(ratio, 2)
        report["program"]["at_least_13"] = report["program"]["over_sweep_after"] >= 13
    service.stop()
    report["kills"] = kills()
    text = json.dumps(report, indent=1)
    print(text)
    if OPTIONS.out:
        pathlib.Path(OPTIONS.out).write_text(text + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/coalesced")
    parser.add_argument("--program")
    parser.add_argument("--out")
    OPTIONS = parser.parse_args()
    main()
