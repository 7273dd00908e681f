#!/usr/bin/env python3
"""The model of time held against what a GPU takes: predicted against measured, the limiter against the counters, and what
one change was said to bring against what it brings.

    bench/why.py --binary build-gpu/coalesced [--out bench/results/why_h200.json] [--plot docs/plots/why.svg]
        [--only times,limiters,changes] [--times 600] [--limiters 500] [--changes 200] [--seconds 200] [--seed 1]
        [--calibrate] [--keep RESULTS.jsonl]
    bench/why.py --time-work build/time_work --rows ROWS.json[.gz]
    bench/why.py --judge RESULTS.jsonl [--gbps 4409]

The experiments are drawn over all kernels that the model applies to; sizes from 2^18 to 2^27, blocks from 32 to 1024
threads, occupancy limited at random, every load path. `--calibrate` has the service measure the device's constants first and
predicts with those. `--rows` takes what was measured elsewhere ({"rows": [{request, registers, shared_bytes_per_block,
cold_us, counters}]}) and asks time_work.c, without a GPU: its constants are those that are shipped. `--judge` takes what `--keep` kept (`--gbps`: the bandwidth that was
calibrated then).

Beside the model the roofline alone is judged, on the same experiments: the floor, and the bytes that the kernel asks for over
the calibrated bandwidth."""
import argparse
import collections
import gzip
import json
import pathlib
import random
import statistics
import subprocess
import time

import draw
from report import report_begin, report_end
from service import Service
from speed_of_light import SHIPPED_GBPS, calibrated_gbps

SIZES = [1 << 18, 1 << 20, 3000000, 1 << 22, 1 << 24, 50000000, 1 << 26, 1 << 27]
ROWS = [32, 64, 256, 366, 1024, 2048, 4096, 8192]
BLOCKS = [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024]
SHAPES = [(32, 1), (64, 1), (128, 1), (256, 1), (64, 4), (32, 4), (32, 8), (32, 16), (32, 32), (16, 16), (16, 32), (8, 32)]
SHARED = [0, 0, 16384, 28672, 57344, 115712, 220000]
# One pass over arrays, of which the model is asked more.
STREAMING = set("""read_offset write_offset read_offset_unroll4 read_offset_unroll write_offset_unroll copy copy_vec4 copy_width
vector_add read_restrict soa aos aos_aligned aosoa sum_matrix_1d sum_matrix_mix stream_copy stream_mul stream_add
stream_triad""".split())
# With those the kernels that the model was first tried on; what came later is drawn as well.
FIRST = STREAMING | set("""broadcast gather grid_stride read_const read_only stream_dot strided sum_matrix_2d transpose
write_only""".split())
# What shows how busy each unit is (kernels/time/counted.h): nine of the sixteen that may be named.
ELAPSED = ".avg.pct_of_peak_sustained_elapsed"
LOUD = [name + ELAPSED for name in ("lts__throughput", "lts__xbar2lts_cycles_active", "lts__lts2xbar_cycles_active",
                                    "lts__t_tag_requests", "l1tex__throughput", "sm__inst_issued",
                                    "sm__instruction_throughput", "idc__request_cycles_active")]
LOUD.append("lts__t_tag_requests.max.pct_of_peak_sustained_elapsed")


def request_of(chance, kernel):
    made = draw.request(chance, kernel)
    if kernel["size_dims"] == 2:
        made["size"] = [chance.choice(ROWS), chance.choice(ROWS)]
    else:
        made["size"] = chance.choice(SIZES)
    made["block"] = list(chance.choice(SHAPES)) if kernel["block_dims"] == 2 else chance.choice(BLOCKS)
    made["shared_bytes"] = chance.choice(SHARED)
    if kernel["grid_stride"]:
        made["grid"] = chance.choice([66, 132, 264, 528, 1056, 2112, 8448])
    return made


def shares(ratios):
    errors = [abs(ratio - 1) for ratio in ratios]
    if not errors:
        return {"experiments": 0}
    return {"experiments": len(errors), "within_10_pct": round(100 * sum(e < 0.1 for e in errors) / len(errors), 1),
            "within_25_pct": round(100 * sum(e < 0.25 for e in errors) / len(errors), 1),
            "median_error_pct": round(100 * statistics.median(errors), 2)}


def judged(rows):
    """(kernel, predicted, measured, limiter) of each."""
    found = {"all": shares([p / m for _, p, m, _ in rows]),
             "first_thirty_kernels": shares([p / m for k, p, m, _ in rows if k in FIRST]),
             "one_pass_streaming": shares([p / m for k, p, m, _ in rows if k in STREAMING])}
    for column, name in ((0, "by_kernel"), (3, "by_limiter")):
        found[name] = {key: shares([row[1] / row[2] for row in rows if row[column] == key])
                       for key in sorted({row[column] for row in rows})}
    return found


def judged_beside(results, gbps):
    """The model, and the roofline alone, of results that have a time."""
    rows = [(result["request"]["kernel"], result["time"]["predicted_us"], result["time"]["measured_us"],
             result["time"]["limiter"]) for result in results]
    alone = [(result["time"]["floor_us"] + sum(result["bandwidth"]["requested_bytes"][way] for way in ("load", "store"))
              / gbps / 1e3) / result["time"]["measured_us"] for result in results]
    streaming = [ratio for ratio, row in zip(alone, rows) if row[0] in STREAMING]
    return rows, dict(judged(rows), roofline_alone={"bandwidth_gbps": round(gbps, 1), "all": shares(alone),
                                                    "one_pass_streaming": shares(streaming)})


def agreement(told):
    """(request, its time) of each: where the first bound leads the second by 20 % or more and the counters can decide, how
    often they name it, and all in which they do not. What they cannot decide says why: nearly all are too short."""
    led = [(request, time) for request, time in told if not time["close_second"]]
    decided = [(request, time) for request, time in led if time.get("counted", {}).get("agrees") is not None]
    agree = collections.Counter(time["limiter"] for _, time in decided if time["counted"]["agrees"])
    of = collections.Counter(time["limiter"] for _, time in decided)
    differ = [{"request": request, "predicted": time["limiter"], "predicted_us": time["predicted_us"],
               "measured_us": time["measured_us"], "counted": time["counted"]}
              for request, time in decided if not time["counted"]["agrees"]]
    return {"predicted": len(told), "led": len(led), "decided": len(decided), "agree": agree.total(),
            "agree_pct": round(100 * agree.total() / max(1, len(decided)), 1), "undecided": len(led) - len(decided),
            "by_limiter": {name: {"decided": of[name], "agree": agree[name]} for name in sorted(of)}, "differ": differ}


def scatter(rows, path):
    """Predicted over measured, a colour a limiter. matplotlib is asked for a plot alone: where a GPU is it may not be."""
    from chart import scatter_chart
    series = {}
    for _, predicted, measured, limiter in rows:
        series.setdefault(limiter, []).append((measured, predicted))
    scatter_chart(path, "Times: predicted over measured", "measured (µs)", "predicted (µs)", series)


class Why:
    def __init__(self, options):
        self.options = options
        self.service = Service(options.binary, "--devices", "auto")
        self.chance = random.Random(options.seed)
        self.kernels = self.service.get("/v1/kernels")["kernels"]
        self.rows = []
        self.kept = open(options.keep, "w") if options.keep else None
        device = self.service.get("/v1/devices/0")
        self.device = {key: device.get(key) for key in ("name", "arch", "driver", "runtime")}

    def calibrate(self):
        begin = time.monotonic()
        self.service.session.post(self.service.url + "/v1/devices/0/calibration")
        while (told := self.service.get("/v1/devices/0/calibration"))["state"] == "running":
            time.sleep(0.5)
        return {"seconds": round(time.monotonic() - begin, 1), "state": told["state"], "failure": told["failure"],
                "calibration": told["calibration"]}

    def drawn(self, count, **more):
        """`count` results that have a time, or as many as there are seconds for; kernels in turn, so that each has its
        part."""
        found, tried, end = 0, 0, time.monotonic() + self.options.seconds
        while found < count and tried < 20 * count and time.monotonic() < end:
            request = dict(request_of(self.chance, self.kernels[tried % len(self.kernels)]), **more)
            tried += 1
            answer = self.service.session.post(self.service.url + "/v1/experiments", json=request, headers={"Prefer": "wait=60"})
            if not answer.ok or answer.json().get("state") != "succeeded":
                continue
            result = answer.json()
            if self.kept:
                self.kept.write(json.dumps(result) + "\n")
            if "predicted_us" in result.get("time", {}):
                found += 1
                yield request, result

    def times(self):
        results = [result for _, result in self.drawn(self.options.times)]
        self.rows, found = judged_beside(results, calibrated_gbps(self.service))
        return found

    def limiters(self):
        drawn = self.drawn(self.options.limiters, counters=LOUD, measure={"max_seconds": 0.05})
        return agreement([(request, result["time"]) for request, result in drawn])

    def changes(self):
        """A change brings at least half of what was promised, in how many of them."""
        kept, asked, short = 0, 0, []
        for request, result in self.drawn(self.options.changes * 3):
            if asked >= self.options.changes:
                break
            advised = result["time"].get("what_if") or []
            if not advised:
                continue
            before, promised = result["time"]["measured_us"], result["time"]["predicted_us"] - advised[0]["predicted_us"]
            after = self.service.post(dict(request, **advised[0]["change"]))
            if self.kept:
                self.kept.write(json.dumps(after) + "\n")
            if after["state"] != "succeeded":
                continue
            asked += 1
            brought = before - after["timing"]["cold"]["median_us"]
            if brought >= promised / 2:
                kept += 1
            else:
                short.append({"request": request, "change": advised[0]["change"], "promised_us": round(promised, 2),
                              "brought_us": round(brought, 2)})
        return {"asked": asked, "kept_pct": round(100 * kept / max(1, asked), 1), "short": short}


def of_rows(options):
    opened = gzip.open if options.rows.endswith(".gz") else open
    with opened(options.rows, "rt") as file:
        rows = json.load(file)["rows"]
    asked = "".join(json.dumps({"request": row["request"], "registers": row["registers"],
                                "shared": row["shared_bytes_per_block"], "counters": row.get("counters")}) + "\n" for row in rows)
    said = subprocess.run([options.time_work], input=asked, capture_output=True, text=True, check=True).stdout.splitlines()
    both = [(row, one) for row, line in zip(rows, said, strict=True) if "us" in (one := json.loads(line))]
    times = [(row["request"]["kernel"], one["us"], row["cold_us"], one["limiter"]) for row, one in both]
    told = [(row["request"], {"limiter": one["limiter"], "close_second": one["close"], "predicted_us": one["us"],
                              "measured_us": row["cold_us"], "counted": one["counted"]})
            for row, one in both if "counted" in one]
    return times, told


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary")
    parser.add_argument("--time-work")
    parser.add_argument("--rows")
    parser.add_argument("--judge", metavar="RESULTS.jsonl", help="the first --times of them that have a time")
    parser.add_argument("--gbps", type=float, default=SHIPPED_GBPS)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--plot")
    parser.add_argument("--only", default="times,limiters,changes")
    parser.add_argument("--times", type=int, default=600)
    parser.add_argument("--limiters", type=int, default=500)
    parser.add_argument("--changes", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=200, help="at most, for each part")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calibrate", action="store_true")
    parser.add_argument("--keep", help="a file for every result, whole, one a line")
    options = parser.parse_args()
    if options.rows:
        rows, told = of_rows(options)
        print(json.dumps(dict(judged(rows), **{"limiters": agreement(told)} if told else {}), indent=1))
    elif options.judge:
        with open(options.judge) as file:
            kept = [result for result in map(json.loads, file) if "predicted_us" in result.get("time", {})]
        rows, found = judged_beside(kept[:options.times], options.gbps)
        print(json.dumps(found, indent=1))
    else:
        why = Why(options)
        report = report_begin(pathlib.Path(options.binary).parent, device=why.device)
        if options.calibrate:
            report["calibration"] = why.calibrate()
        for part in options.only.split(","):
            report[part] = getattr(why, part)()
        why.service.stop()
        report_end(report, options.out)
        rows = why.rows
    if options.plot and rows:
        scatter(rows, options.plot)


if __name__ == "__main__":
    main()
