#!/usr/bin/env python3
"""Whether a change made the service slower: this build against an earlier one, in turns, by the parts of the other benchmarks.

    bench/before_after.py --build build-dev --before ../before/build-dev [--out bench/results/before_after.json]
                          [--only posts,get,kernels,csv,sweep,ten_thousand,memory] [--rounds 5] [--seconds 4]

    posts        durable POSTs a second, 64 connections, 40 owners' tokens, the access log; the device does nothing
    get, kernels GETs a second of an ended experiment and of /v1/kernels, 64 connections, the same tokens
    csv          rows a second of a table of 100,000 experiments
    sweep        seconds of a sweep of 45 points on the CPU device
    ten_thousand seconds until a sweep of 10,000 points has ended there
    memory       resident megabytes: idle, and with 20,000 waiting and 100,000 kept (once for each build)

The medians of the rounds are reported; `ratio` is above 1 where this build is better, and about 0.97 to 1.03 is noise. Wants
both builds to hold coalesced and tests/fake_executor, and --build also http_load."""
import argparse
import json
import pathlib
import statistics
import sys
import tempfile

import memory
import sweep
from http_service import BODY, CONNECTIONS, HANG, SMALL, Guarded, load, tokens_make
from http_service import csv as csv_of
from report import report_begin, report_end, version
from service import Service as OnDevice


def rate(build, path, begin, protocol, context, *more):
    """Requests a second of http_load's clients at a service of that build."""
    options = context.options
    with tempfile.TemporaryDirectory() as directory:
        service = Guarded(build, directory, context.tokens, "--queue-limit", "1000000", fake=protocol == "post")
        where = begin(service) or path
        said = load(options.build, protocol, service.port, "--path", where, "--connections", CONNECTIONS, "--seconds",
                    options.seconds, "--tokens", context.tokens.with_suffix(".secrets"), *more)
        service.process.kill()
        service.process.wait()
    assert not said.get("broken") and not said.get("refused"), said
    return said["per_s"]


def posts(build, context):
    def begin(service):
        service.json("/v1/experiments", HANG)

    return rate(build, "/v1/experiments", begin, "post", context, "--body", BODY)


def get(build, context):
    return rate(build, None, lambda service: "/v1/experiments/" + service.json("/v1/experiments", SMALL, Prefer="wait=30")["id"],
                "get", context)


def kernels(build, context):
    return rate(build, "/v1/kernels", lambda service: None, "get", context)


def csv(build, context):
    return csv_of(build, context.options)["rows_per_s"]


def on_device(build, part):
    service = OnDevice(str(build / "coalesced"), "--devices", "cpu")
    said = part(service)
    service.stop()
    return said


def sweep_of_45(build, context):
    return on_device(build, sweep.forty_five)["median_s"]


def ten_thousand(build, context):
    return on_device(build, sweep.ten_thousand)["ended_s"]


# What is measured, its unit, and whether more of it is better.
PARTS = {"posts": (posts, "per_s", True), "get": (get, "per_s", True), "kernels": (kernels, "per_s", True),
         "csv": (csv, "rows_per_s", True), "sweep": (sweep_of_45, "s", False), "ten_thousand": (ten_thousand, "s", False)}


class Context:
    def __init__(self, options, tokens):
        self.options, self.tokens = options, tokens


def in_turns(part, context):
    measure, unit, more_is_better = PARTS[part]
    now, before = [], []
    for turn in range(context.options.rounds):
        pair = [(now, context.options.build), (before, context.options.before)]
        for rows, build in pair if turn % 2 else reversed(pair):
            rows.append(measure(build, context))
    medians = {"now": statistics.median(now), "before": statistics.median(before)}
    ratio = medians["now"] / medians["before"]
    return {"unit": unit, **medians, "ratio": round(ratio if more_is_better else 1 / ratio, 3), "rounds": {"now": now, "before": before}}


def memory_of(context, waiting=20000, kept=100000):
    builds = {"now": context.options.build, "before": context.options.before}
    return {"unit": "MB", "waiting": waiting, "kept": kept,
            "idle": {name: memory.idle(build, context.tokens) for name, build in builds.items()},
            "full": {name: memory.full(build, context.tokens, waiting, kept) for name, build in builds.items()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--before", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--only", default=",".join([*PARTS, "memory"]))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    options = parser.parse_args()
    options.rows = 100000
    report = report_begin(options.build, before=version(options.before))
    with tempfile.TemporaryDirectory() as directory:
        context = Context(options, tokens_make(options.before, pathlib.Path(directory)))
        for name in options.only.split(","):
            report[name] = memory_of(context) if name == "memory" else in_turns(name, context)
            print(name, json.dumps(report[name]), file=sys.stderr, flush=True)
    report_end(report, options.out)


if __name__ == "__main__":
    main()
