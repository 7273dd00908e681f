#!/usr/bin/env python3
"""What the service says of a GPU, held against what others say: the model against the hardware's counters, the counters
and times against Nsight Compute, bandwidth against rivals, times against themselves ten minutes later and against another
program, the whole suite under memory checkers.

    bench/proof.py --binary build-gpu/coalesced [--out proof.json] [--only agree,cost,...]
        [--slope build-gpu/bench/slope_program] [--babelstream PATH] [--gpu-stream PATH]

The rivals are BabelStream (src/cuda, built for this GPU) and gpu-stream of gpu-benches; without their paths they are left
out, and the figures say so."""
import argparse
import contextlib
import csv
import io
import json
import pathlib
import random
import re
import statistics
import subprocess
import sys
import time

import draw
from service import Service
from witness import Executor

QUICK = {"min_samples": 1, "max_seconds": 0.001}
SECTORS = {"gld_transactions": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
           "gst_transactions": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
           "gld_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
           "gst_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"}
REPEATED = {"kernel": "read_offset", "size": 16777216, "block": 512, "offset": 11}


class Proof:
    def __init__(self, arguments):
        self.arguments = arguments
        # Never counts: a profiling session would keep Nsight Compute and the counting services away from the device.
        self.service = Service(arguments.binary, "--devices", arguments.device)
        self.repeats = []  # (when, cold median, hot median)
        device = self.service.get("/v1/devices/0")
        self.answer = {"command": "bench/proof.py",
                       "device": {key: device.get(key) for key in ("name", "arch", "driver", "runtime")}}

    @contextlib.contextmanager
    def another(self):
        service = Service(self.arguments.binary, "--devices", self.arguments.device)
        try:
            yield service
        finally:
            service.stop()

    # ---- the same experiment, again and again while everything else goes on ----

    def repeat(self):
        if "repeat" not in self.arguments.only:
            return
        now = time.monotonic()
        if self.repeats and (now - self.repeats[-1][0] < self.arguments.every or len(self.repeats) == 20):
            return
        timing = self.service.post(dict(REPEATED, measure={"min_samples": 100, "noise": 0.002, "max_seconds": 2}))["timing"]
        self.repeats.append((now, timing["cold"]["median_us"], timing["hot"]["median_us"]))

    def repeated(self):
        while len(self.repeats) < 20:
            self.repeat()
            self.write("repeat", self.repeated_so_far())
            time.sleep(0.05)
        return self.repeated_so_far()

    def repeated_so_far(self):
        cold, hot = [row[1] for row in self.repeats], [row[2] for row in self.repeats]
        return {"request": REPEATED, "times": len(self.repeats), "over_seconds": round(self.repeats[-1][0] - self.repeats[0][0]),
                "cold_median_us": cold, "hot_median_us": hot,
                "cold_spread": round((max(cold) - min(cold)) / statistics.median(cold), 5),
                "hot_spread": round((max(hot) - min(hot)) / statistics.median(hot), 5)}

    def write(self, name, found):
        self.answer[name] = found
        if self.arguments.out:
            pathlib.Path(self.arguments.out).write_text(json.dumps(self.answer, indent=1) + "\n")

    # ---- the model against the counters ----

    def agree(self):
        chance = random.Random(20261121)
        rows, differences = {}, []
        with self.another() as service:
            for kernel in service.get("/v1/kernels")["kernels"]:
                if self.arguments.kernels and kernel["name"] not in self.arguments.kernels.split(","):
                    continue
                self.agree_of(service, chance, kernel, rows, differences)
        return {"kernels": rows, "differences": differences,
                "exact": sum(row["exact"] for row in rows.values()), "equal": sum(row["equal"] for row in rows.values())}

    def agree_of(self, service, chance, kernel, rows, differences):
        row = rows[kernel["name"]] = {"configurations": 0, "exact": 0, "equal": 0, "sectors": 0, "bank_conflicts_equal": 0}
        tried = 0  # one that needs a second GPU may refuse all
        while row["configurations"] < self.arguments.configurations and tried < 20 * self.arguments.configurations:
            tried += 1
            request = dict(draw.request(chance, kernel), counters=True, measure=QUICK)
            answer = service.session.post(service.url + "/v1/experiments", json=request, headers={"Prefer": "wait=60"})
            if answer.status_code == 422:
                continue
            self.compare(request, answer.json(), row, differences)
            self.repeat()

    @staticmethod
    def compare(request, result, row, differences):
        row["configurations"] += 1
        if result["state"] != "succeeded" or result["counters"]["status"] != "measured":
            differences.append({"request": request, "state": result["state"], "failure": result.get("failure"),
                                "counters": result.get("counters")})
            return
        counters, prediction = result["counters"], result["prediction"]
        unlike = {field: [prediction[field], counters.get(field)] for field in SECTORS
                  if counters.get(field) != prediction[field]}
        conflicts = prediction["shared_load_bank_conflicts"] + prediction["shared_store_bank_conflicts"]
        row["exact"] += prediction["exact"]
        row["equal"] += not unlike
        row["sectors"] += counters["gld_transactions"] + counters["gst_transactions"]
        row["bank_conflicts_equal"] += counters.get("shared_bank_conflicts", 0) == conflicts
        if "shared_bank_conflicts" in counters and counters["shared_bank_conflicts"] != conflicts:
            unlike["shared_bank_conflicts"] = [conflicts, counters["shared_bank_conflicts"]]
        if unlike:
            differences.append({"request": request, "exact": prediction["exact"], "predicted_and_counted": unlike})

    # ---- bank conflicts of wide elements, as they were counted ----

    def banks(self):
        chance, rows = random.Random(11), []
        with self.another() as service:
            kernels = {kernel["name"]: kernel for kernel in service.get("/v1/kernels")["kernels"]}
            for name in ["bank_conflict"] * 60 + ["transpose", "barrier_phases"] * 10:
                request = dict(draw.request(chance, kernels[name], 100000), dtype=chance.choice(["f64", "f64", "f32"]))
                answer = service.session.post(service.url + "/v1/experiments", headers={"Prefer": "wait=60"},
                                              json=dict(request, counters=True, measure=QUICK))
                if answer.status_code == 422:
                    continue
                result = answer.json()
                rows.append({"request": request, "counted": result["counters"].get("shared_bank_conflicts"),
                             "predicted": result["prediction"]["shared_load_bank_conflicts"] +
                             result["prediction"]["shared_store_bank_conflicts"]})
                self.repeat()
        return rows

    # ---- what counters cost ----

    def cost(self):
        plain = {"kernel": "read_offset", "size": 1048576, "block": 512, "offset": 11}
        sweep = {"kernel": "read_offset", "size": 1048576, "offset": [0, 1, 2, 4, 8, 11, 16, 32, 128],
                 "block": [64, 128, 256, 512, 1024]}
        mixed_request = {"kernel": ["read_offset", "write_offset", "aos", "copy_vec4", "stream_triad", "read_only", "strided"],
                         "size": [65536, 1000003, 12345678], "block": [96, 512], "counters": True, "measure": QUICK}

        def timed(request, rounds):
            seconds, results = [], []
            for _ in range(rounds):
                begin = time.monotonic()
                results.append(service.post(request))
                seconds.append(time.monotonic() - begin)
            return statistics.median(seconds), results

        def medians(results):
            return {kind: {field: statistics.median(one["timing"][kind][field] for one in results)
                           for field in ("median_us", "samples")} for kind in ("cold", "hot")}

        def swept(request):
            begin = time.monotonic()
            answer = service.session.post(service.url + "/v1/sweeps", json=request, headers={"Prefer": "wait=60"}).json()
            seconds = time.monotonic() - begin
            assert answer["state"] == "succeeded", answer
            points = service.get(f"/v1/sweeps/{answer['id']}?page_size=500")["points"]
            return seconds, [point["result"] for point in points]

        def agreement(results):
            exact = [one for one in results if one["prediction"]["exact"]]
            return {"points": len(results), "exact": len(exact),
                    "equal": sum(bool(one["counters"]["against_prediction"]["equal"]) for one in exact),
                    "points_per_pass": sorted({one["counters"]["points_per_pass"] for one in results})}

        def hot_us(rounds, point):
            return [results[point]["timing"]["hot"]["median_us"] for _, results in rounds]

        with self.another() as service:
            service.post(plain)
            before, without = timed(plain, 20)
            first, _ = timed(dict(plain, counters=True), 1)
            counted, with_counters = timed(dict(plain, counters=True), 10)
            after, enabled = timed(plain, 20)
            swept(dict(sweep, measure=QUICK))  # every kernel of it is loaded
            sweeps = {counters: [swept(dict(sweep, counters=counters)) for _ in range(3)] for counters in (False, True)}
            mixed = swept(mixed_request)[1]
        seconds = {counters: round(statistics.median(one[0] for one in rounds), 3) for counters, rounds in sweeps.items()}
        points = [point for _, results in sweeps[True] for point in results]
        ratios = [statistics.median(hot_us(sweeps[True], i)) / statistics.median(hot_us(sweeps[False], i)) for i in range(45)]
        last = with_counters[-1]
        return {"request": plain, "without_ms": round(before * 1e3, 1), "first_adds_ms": round((first - before) * 1e3, 1),
                "adds_ms": round((counted - before) * 1e3, 1), "passes": last["counters"]["passes"],
                "session_enabled_ms": round(after * 1e3, 1), "medians_before_us": medians(without),
                "medians_session_enabled_us": medians(enabled),
                "sweep_of_45_s": {"with": seconds[True], "without": seconds[False]},
                "sweep_adds_s": round(seconds[True] - seconds[False], 3), "sweep_agrees": agreement(points),
                "sweep_hot_ratio_with_to_without": {"least": round(min(ratios), 4), "median": round(statistics.median(ratios), 4),
                                                    "most": round(max(ratios), 4)},
                "mixed_sweep": {"request": mixed_request, "agrees": agreement(mixed)}, "live": last["stability"]["live"],
                "counters": last["counters"], "bandwidth": last["bandwidth"]}

    # ---- Nsight Compute over the executor ----

    def ncu(self):
        requests = {
            "read_offset": {"kernel": "read_offset", "size": 16777216, "block": 512, "offset": 11},
            "write_offset": {"kernel": "write_offset", "size": 16777216, "block": 256, "offset": 11},
            "aos": {"kernel": "aos", "size": 8388608},
            "copy_vec4": {"kernel": "copy_vec4", "size": 33554435},
            "stream_triad": {"kernel": "stream_triad", "size": 16777216},
            "transpose": {"kernel": "transpose", "size": [4096, 4095], "how": "padded"},
            "sum_matrix_2d": {"kernel": "sum_matrix_2d", "size": [4096, 4000], "order": "column", "block": [16, 16]},
        }
        metrics = [*SECTORS.values(), "gpu__time_duration.sum"]
        log = pathlib.Path("ncu.csv")
        executor = Executor(self.arguments.binary, "ncu", "--clock-control", "none", "--csv", "--log-file", str(log),
                            "--kernel-name-base", "mangled", "--kernel-id", "::regex:cuda_body:1", "--metrics",
                            ",".join(metrics), device=self.arguments.device)
        for name, request in requests.items():
            message = executor.run(name, dict(request, measure=QUICK))
            assert message["type"] == "result", message
        executor.end()
        seen = {}
        lines = [line for line in log.read_text().splitlines() if line.startswith('"')]
        for row in csv.DictReader(io.StringIO("\n".join(lines))):
            number = float(row["Metric Value"].replace(",", ""))
            if row["Metric Name"] == "gpu__time_duration.sum":
                number *= {"ns": 1e-3, "nsecond": 1e-3, "us": 1, "usecond": 1, "ms": 1e3, "msecond": 1e3}[row["Metric Unit"]]
            seen.setdefault(row["Kernel Name"], {})[row["Metric Name"]] = number
        rows = {}
        with self.another() as service:
            for name, request in requests.items():
                theirs = next((values for kernel, values in seen.items() if re.search(rf"{name}\b|\d{name}", kernel)), {})
                counted = [service.post(dict(request, counters=True, measure=QUICK)) for _ in range(7)]
                ours = counted[0]["counters"]
                duration = statistics.median(one["counters"]["duration_us"] for one in counted)
                their_duration = theirs.get("gpu__time_duration.sum")
                rows[name] = {
                    "request": request,
                    "sectors_and_requests_equal": all(theirs.get(metric) == ours[field] for field, metric in SECTORS.items()),
                    "ours": {field: ours[field] for field in SECTORS}, "theirs": theirs, "duration_us": duration,
                    "cold_median_us": service.post(request)["timing"]["cold"]["median_us"],
                    "duration_ratio": round(duration / their_duration, 4) if their_duration else None}
                self.repeat()
        return rows

    # ---- another program's slope ----

    def hot(self):
        rows = []
        for size in (65536, 1048576, 16777216):
            theirs, ours = [], []
            for _ in range(3):
                theirs.append(float(subprocess.run([self.arguments.slope, str(size)], check=True, capture_output=True,
                                                   text=True).stdout))
                ours.append(self.service.post({"kernel": "read_offset", "size": size, "block": 512,
                                               "measure": {"min_samples": 50}})["timing"]["hot"]["median_us"])
                self.repeat()
            rows.append({"size": size, "ours_us": statistics.median(ours), "theirs_us": statistics.median(theirs),
                         "ratio": round(statistics.median(ours) / statistics.median(theirs), 4)})
        return rows

    # ---- bandwidth against rivals ----

    def best_gbps(self, **request):
        result = self.service.post(dict(request, measure={"min_samples": 100, "max_seconds": 2}))
        self.repeat()
        return result["bandwidth"]["cold"]["best_gbps"]

    def rivals(self):
        size, found = 268435456, {}
        if self.arguments.babelstream:
            text = subprocess.run([self.arguments.babelstream, "-s", str(size), "-n", "100"], check=True,
                                  capture_output=True, text=True).stdout
            theirs = {name: float(rate) / 1e3 for name, rate in re.findall(r"^(Copy|Mul|Add|Triad|Dot)\s+([\d.]+)", text, re.M)}
            found["babelstream"] = {
                f"stream_{name.lower()}": {"theirs_gbps": rate, "ours_gbps": self.best_gbps(
                    kernel=f"stream_{name.lower()}", size=size)} for name, rate in theirs.items()}
        if self.arguments.gpu_stream:
            text = subprocess.run([self.arguments.gpu_stream], check=True, capture_output=True, text=True).stdout
            rows = [[float(field) for field in re.findall(r"[\d.]+", line.partition("GB/s:")[2])]
                    for line in text.splitlines() if "GB/s:" in line]
            best = [max(row[column] for row in rows) for column in range(4)]
            ours = {"write_only": max(self.best_gbps(kernel="write_only", size=size, block=block) for block in (128, 256, 512)),
                    "read_only": max(self.best_gbps(kernel="read_only", size=size, block=block) for block in (256, 512, 1024)),
                    "stream_triad": max(self.best_gbps(kernel="stream_triad", size=size, block=block) for block in (64, 96, 128, 192, 256, 384, 512, 768, 1024))}
            for kernel, column in ("write_only", 0), ("read_only", 1), ("stream_triad", 3):
                found.setdefault("gpu_stream", {})[kernel] = {"theirs_gbps": best[column], "ours_gbps": ours[kernel]}
            found["gpu_stream_output"] = text
        for rival in ("babelstream", "gpu_stream"):
            for row in found.get(rival, {}).values():
                row["ratio"] = round(row["ours_gbps"] / row["theirs_gbps"], 4)
        return found

    # ---- memory checkers ----

    def checkers(self):
        chance = random.Random(7)
        kernels, found = self.service.get("/v1/kernels")["kernels"], {}
        for tool in ("memcheck", "racecheck", "initcheck"):
            executor = Executor(self.arguments.binary, "compute-sanitizer", "--tool", tool, "--error-exitcode", "9",
                                device=self.arguments.device)
            row = found[tool] = {"experiments": 0, "verified": 0, "refused": 0, "bad": []}
            for kernel in kernels:
                for _ in range(2):
                    request = dict(draw.request(chance, kernel, 5000), measure=QUICK)
                    if "steps" in request:
                        request["steps"] = min(request["steps"], 16)
                    message = executor.run(kernel["name"], request)
                    refused = message["type"] == "error" and message["kind"] == "invalid"
                    row["refused"] += refused
                    row["experiments"] += not refused
                    row["verified"] += message["type"] == "result"
                    if message["type"] == "error" and not refused:
                        row["bad"].append([request, message["kind"], message["detail"]])
            row["exit_status"], said = executor.end()
            self.repeat()
            row["summary"] = [line for line in said.splitlines() if "SUMMARY" in line]
            row["errors"] = [line for line in said.splitlines() if "=========" in line and "SUMMARY" not in line][:40]
        return found

    # ---- the lessons' tables ----

    def lessons(self):
        tables = {}
        folder = pathlib.Path(self.arguments.lessons or ".")
        with self.another() as service:
            for name, request in LESSONS.items():
                answer = service.session.post(service.url + "/v1/sweeps", json=request, headers={"Prefer": "wait=60"})
                answer.raise_for_status()
                sweep = answer.json()
                while sweep["state"] == "running":
                    time.sleep(0.5)
                    sweep = service.get(f"/v1/sweeps/{sweep['id']}")
                text = service.session.get(f"{service.url}/v1/sweeps/{sweep['id']}.csv").text
                (folder / f"{name}.csv").write_text(text)
                tables[name] = {"points": sweep["total"], "succeeded": sweep["succeeded"]}
                self.repeat()
        return tables


LARGE = 67108864
LESSONS = {
    "offsets": {"kernel": ["read_offset", "write_offset"], "size": LARGE, "block": 512, "counters": True,
                "offset": [0, 1, 2, 4, 7, 8, 11, 16, 24, 31, 32, 64, 128]},
    "unrolling": {"recipe": "unrolling"},
    "layouts": {"recipe": "layouts", "counters": True},
    "layout_tiles": {"recipe": "layout_tiles", "counters": True},
    "blocks_row": {"kernel": "sum_matrix_2d", "order": ["row", "column"], "size": [8192, 8192], "counters": True,
                   "block": [[32, 32], [32, 16], [16, 32], [16, 16], [64, 4], [128, 2], [256, 1], [8, 32], [1, 256]]},
    "blocks": {"kernel": "vector_add", "size": LARGE, "block": [32, 64, 128, 256, 512, 1024]},
    "occupancy": {"recipe": "occupancy", "counters": True},
    "latency_hiding": {"recipe": "latency_hiding"},
    "latency_by_footprint": {"recipe": "latency_by_footprint"},
    "transpose": {"recipe": "transpose", "counters": True},
    "bank_strides": {"recipe": "bank_strides", "counters": True},
    "cache_paths": {"recipe": "cache_paths", "counters": True},
    "access_widths": {"recipe": "access_widths", "counters": True},
    "registers": {"recipe": "registers"},
    "barriers": {"recipe": "barriers"},
    "atomics": {"recipe": "atomics"},
    "disorder": {"recipe": "disorder", "counters": True},
    "strides": {"kernel": "strided", "size": 16777216, "stride": [1, 2, 3, 4, 6, 8, 16, 32], "counters": True},
}
SECTIONS = ["agree", "banks", "cost", "ncu", "hot", "rivals", "checkers", "lessons", "repeat"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--out")
    parser.add_argument("--only", default=",".join(SECTIONS), help="of " + ",".join(SECTIONS))
    parser.add_argument("--configurations", type=int, default=25, help="a kernel, of the model against the counters")
    parser.add_argument("--kernels", help="NAME,..., of the same; without: all")
    parser.add_argument("--every", type=float, default=30, help="seconds between the repeated experiment's runs")
    parser.add_argument("--slope", help="the slope program")
    parser.add_argument("--babelstream")
    parser.add_argument("--gpu-stream")
    parser.add_argument("--lessons", help="folder for the lessons' tables")
    arguments = parser.parse_args()
    arguments.only = arguments.only.split(",")
    proof = Proof(arguments)
    sections = {"agree": proof.agree, "banks": proof.banks, "cost": proof.cost, "ncu": proof.ncu, "hot": proof.hot, "rivals": proof.rivals,
                "checkers": proof.checkers, "lessons": proof.lessons, "repeat": proof.repeated}
    for name in SECTIONS:
        if name not in arguments.only or (name == "hot" and not arguments.slope):
            continue
        begin = time.monotonic()
        try:
            proof.write(name, sections[name]())
        except Exception as failure:  # the others are still worth having
            proof.write(name, {"failed": repr(failure)})
        print(f"{name}: {time.monotonic() - begin:.1f} s", file=sys.stderr)
    proof.service.stop()
    if not arguments.out:
        json.dump(proof.answer, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
