#!/usr/bin/env python3
"""Does the 95 % interval of a single result hold at its placement? 45 experiments, run again and again at one placement,
as neighbours and spread over time, in several executors, and at new placements: how many pairs of runs have intervals that
do not touch, and how far medians lie apart.

    bench/intervals.py --binary build/coalesced [--out bench/results/intervals.json] [--samples samples.json.gz]
        [--executors 2] [--rounds 12] [--phases spread,neighbours,new] [--device auto] [--small]

--samples keeps all raw samples, so that another interval can be tried over them. --small is for a machine without a GPU."""
import argparse
import gzip
import itertools
import json
import math
import pathlib
import statistics
import time

from report import report_begin, report_end
from service import Service, latency

KERNELS = [("copy", {}), ("vector_add", {}), ("read_offset", {"offset": 0}), ("read_offset", {"offset": 11}),
           ("write_offset", {"offset": 11}), ("read_offset_unroll4", {}), ("stream_triad", {}), ("stream_dot", {})]
SIZES = [65536, 1048576, 16777216]
WANTED, QUICK_MS = 15, 60  # milliseconds on the device


def experiments(service, small):
    """15 kernels at three sizes each: those above, then others in the order of their names, as far as a run takes no longer
    than most."""
    kernels = {kernel["name"]: kernel for kernel in service.get("/v1/kernels")["kernels"]}
    others = [(name, {}) for name in sorted(kernels) if name not in {name for name, _ in KERNELS}]
    sizes, chosen = SIZES[:1] if small else SIZES, []
    for name, more in KERNELS + others:
        requests = [dict(more, kernel=name, size=size_of(kernels[name], size)) for size in sizes]
        if len(chosen) < WANTED * len(sizes) and all(quick(service, request) for request in requests):
            chosen += requests
    return chosen


def quick(service, request):
    for _ in range(2):  # the first may have to load the kernel
        answer = service.session.post(service.url + "/v1/experiments", json=request, headers={"Prefer": "wait=60"}).json()
        if answer.get("state") != "succeeded":
            return False
        took_ms = (answer["execution"]["ended_monotonic_ns"] - answer["execution"]["began_monotonic_ns"]) / 1e6
    return took_ms <= QUICK_MS


def size_of(kernel, elements):
    return [math.isqrt(elements)] * 2 if kernel.get("dims") == 2 else elements


class Runs:
    """All of them in one service, so at one placement unless they ask for another."""

    def __init__(self, options, requests, executor):
        self.options, self.requests, self.executor, self.rows = options, requests, executor, []

    def run(self, service, phase, index, placement="keep"):
        request = dict(self.requests[index], placement=placement, measure={"keep_samples": True})
        answer = service.ended(service.post(request))
        if answer["state"] != "succeeded":
            return
        timing = answer["timing"]
        self.rows.append({"experiment": index, "phase": phase, "executor": self.executor, "id": answer["id"],
                          "at_s": time.monotonic(), "placement": answer["placement"]["name"],
                          "stable": answer["stability"]["stable"],
                          "device_ms": (answer["execution"]["ended_monotonic_ns"] - answer["execution"]["began_monotonic_ns"]) / 1e6,
                          **{kind: {key: timing[kind][key] for key in ("median_us", "ci95_us", "noise", "samples", "stop")}
                             for kind in ("cold", "hot") if timing[kind].get("samples")}})

    def take_samples(self, service):
        for row in self.rows:
            answer = service.get(f"/v1/experiments/{row['id']}/samples")
            for kind in ("cold", "hot"):
                row[kind + "_samples"] = {key: answer[kind][key] for key in ("rounds", "samples_us")}


def grow(service, requests):
    """The largest first, so that all that follow lie in the same memory."""
    for request in requests:
        service.ended(service.post(dict(request, measure={"min_samples": 1, "max_seconds": 0.001})))


def session(options, requests, executor, phases):
    service = Service(options.binary, "--devices", options.device)
    try:
        grow(service, requests)
        runs = Runs(options, requests, executor)
        every = range(len(requests))
        for phase in phases:
            order = {"spread": [i for _ in range(options.rounds) for i in every],
                     "neighbours": [i for i in every for _ in range(options.rounds)],
                     "new": [i for _ in range(options.rounds) for i in every]}[phase]
            for index in order:
                runs.run(service, phase, index, "new" if phase == "new" else "keep")
        small = latency(service)
        runs.take_samples(service)
        return runs.rows, small
    finally:
        service.stop()


def apart(a, b):
    return a[0] > b[1] or b[0] > a[1]


def pairs_of(rows, kind, phase, neighbours):
    """Pairs of runs of one experiment at one placement."""
    by = {}
    for row in rows:
        if row["phase"] == phase and kind in row and row[kind]["ci95_us"][0] is not None:
            by.setdefault((row["executor"], row["experiment"], row["placement"]), []).append(row)
    for group in by.values():
        yield from zip(group, group[1:]) if neighbours else itertools.combinations(group, 2)


def share_apart(rows, kind, phase, neighbours):
    pairs = [apart(a[kind]["ci95_us"], b[kind]["ci95_us"]) for a, b in pairs_of(rows, kind, phase, neighbours)]
    return {"pairs": len(pairs), "apart_pct": round(100 * sum(pairs) / len(pairs), 2)} if pairs else None


def deviation_pct(rows, kind, phase):
    """Of the medians of one experiment's runs in one executor, over their mean: the median over experiments, and the
    90th percentile."""
    by = {}
    for row in rows:
        if row["phase"] == phase and kind in row:
            by.setdefault((row["executor"], row["experiment"]), []).append(row[kind]["median_us"])
    of = sorted(100 * statistics.stdev(group) / statistics.mean(group) for group in by.values() if len(group) > 1)
    return {"median": round(statistics.median(of), 3), "p90": round(of[int(0.9 * (len(of) - 1))], 3)} if of else None


def told(rows):
    answer = {"runs": len(rows), "unstable": sum(not row["stable"] for row in rows)}
    for kind in ("cold", "hot"):
        phases = sorted({row["phase"] for row in rows})
        noise = sorted(row[kind]["noise"] for row in rows if kind in row and row[kind]["noise"] is not None)
        answer[kind] = {
            "neighbours_apart": {phase: share_apart(rows, kind, phase, True) for phase in phases if phase != "new"},
            "all_pairs_apart": {phase: share_apart(rows, kind, phase, False) for phase in phases if phase != "new"},
            "deviation_of_medians_pct": {phase: deviation_pct(rows, kind, phase) for phase in phases},
            "noise": {"median": statistics.median(noise), "p90": noise[int(0.9 * (len(noise) - 1))]},
            "samples": statistics.mean(row[kind]["samples"] for row in rows if kind in row)}
    return answer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True, type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--samples", type=pathlib.Path)
    parser.add_argument("--executors", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--phases", default="spread,neighbours,new", help="new: in the first executor alone")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    service = Service(options.binary, "--devices", options.device)
    device = service.get("/v1/devices/0")
    requests = experiments(service, options.small)
    service.stop()
    assert requests, "no kernel is quick enough"
    begin = time.monotonic()
    rows, latencies = [], []
    for executor in range(options.executors):
        phases = [phase for phase in options.phases.split(",") if phase != "new" or executor == 0]
        more, small = session(options, requests, executor, phases)
        rows += more
        latencies.append(small)
    report = report_begin(options.binary.parent, device=device.get("name"), experiments=len(requests), rounds=options.rounds,
                          executors=options.executors, seconds=round(time.monotonic() - begin, 1), **told(rows),
                          small_experiment=latencies)
    if options.samples:
        with gzip.open(options.samples, "wt") as file:
            json.dump({"requests": requests, "rows": rows}, file)
    report_end(report, options.out)


if __name__ == "__main__":
    main()
