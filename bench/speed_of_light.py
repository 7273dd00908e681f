#!/usr/bin/env python3
"""Twenty experiments, and what limits each by three accounts: the model of time, Nsight Compute's speed of light (the rule
of its section SpeedOfLight, its words), and the roofline alone.

    bench/speed_of_light.py --binary build-gpu/coalesced [--out bench/results/speed_of_light_h200.json]

Times: predicted by the model, and by the roofline as DRAM's least bytes over the bandwidth that was calibrated, against the
cold median. Nsight Compute predicts none."""
import argparse
import csv
import io
import pathlib
import tempfile

from report import report_begin, report_end
from service import Service
from witness import Executor

M = 1 << 20
CASES = {
    "one pass, aligned": {"kernel": "read_offset", "size": 64 * M, "block": 512},
    "one pass, shifted by 11": {"kernel": "read_offset", "size": 64 * M, "block": 512, "offset": 11},
    "four loads a thread": {"kernel": "read_offset_unroll4", "size": 64 * M, "block": 256},
    "few warps: one block of 128 an SM": {"kernel": "read_offset", "size": 16 * M, "block": 128, "shared_bytes": 220000},
    "few warps, eight loads a thread": {"kernel": "read_offset_unroll", "size": 16 * M, "block": 128, "unroll": 8,
                                        "shared_bytes": 220000},
    "blocks of one warp": {"kernel": "vector_add", "size": 16 * M, "block": 32},
    "blocks of two warps": {"kernel": "stream_triad", "size": 16 * M, "block": 64},
    "every 32nd element": {"kernel": "strided", "size": 16 * M, "block": 256, "stride": 32},
    "anywhere": {"kernel": "gather", "size": 16 * M, "block": 256, "scope": "global"},
    "array of structures": {"kernel": "aos", "size": 16 * M, "block": 256},
    "rows of a matrix": {"kernel": "sum_matrix_2d", "size": [8192, 8192], "block": [32, 16], "order": "row"},
    "columns of a matrix": {"kernel": "sum_matrix_2d", "size": [8192, 8192], "block": [32, 16], "order": "column"},
    "columns, blocks of 256 x 1": {"kernel": "sum_matrix_2d", "size": [4096, 4096], "block": [256, 1], "order": "column"},
    "transpose, stores in columns": {"kernel": "transpose", "size": [4096, 4096], "block": [32, 8], "how": "naive_row"},
    "transpose through shared memory, padded": {"kernel": "transpose", "size": [4096, 4096], "block": [32, 8],
                                                "how": "padded"},
    "constants, a word a lane": {"kernel": "read_const", "size": 16 * M, "block": 256, "word": "lanes"},
    "bank conflicts of 32 ways": {"kernel": "bank_conflict", "size": 16 * M, "block": 256, "stride": 32},
    "a chain of multiply-adds": {"kernel": "ilp_chain", "size": 4 * M, "block": 256},
    "sums in a tree": {"kernel": "reduction", "size": 64 * M, "block": 256, "how": "sequential"},
    "five points": {"kernel": "stencil", "size": 64 * M, "block": 256},
}


def ncu_says(binary, device, request):
    """{"rules": the words of its rules, and the metrics of its section} of the experiment's first launch."""
    log = pathlib.Path(tempfile.mkdtemp()) / "ncu.csv"
    executor = Executor(binary, "ncu", "--clock-control", "none", "--csv", "--page", "details", "--log-file", str(log),
                        "--section", "SpeedOfLight", "--section", "Occupancy", "--kernel-name-base", "mangled",
                        "--kernel-name", "regex:cuda_body", "--launch-count", "1", device=device)
    message = executor.run("one", dict(request, measure={"min_samples": 1, "max_seconds": 0.001}))
    executor.end()
    if message["type"] != "result":
        return {"error": message["detail"]}
    lines = [line for line in log.read_text().splitlines() if line.startswith('"')]
    said = {"rules": [], "metrics": {}}
    for row in csv.DictReader(io.StringIO("\n".join(lines))):
        if row.get("Metric Name"):
            said["metrics"][f'{row["Section Name"]}: {row["Metric Name"]}'] = f'{row["Metric Value"]} {row["Metric Unit"]}'.strip()
        elif row.get("Rule Description"):
            said["rules"].append(f'{row["Rule Name"]}: {row["Rule Description"]}')
    return said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    report = report_begin(pathlib.Path(options.binary).parent, cases={})
    service = Service(options.binary, "--devices", options.device)
    results = {name: service.post(dict(request, counters=True)) for name, request in CASES.items()}
    device = service.get("/v1/devices/0")
    report["device"] = {key: device.get(key) for key in ("name", "arch", "driver", "runtime")}
    service.stop()  # whose profiling session would keep Nsight Compute away
    for name, request in CASES.items():
        time = results[name].get("time", {})
        dram = next((bound for bound in time.get("bounds", []) if bound["name"] == "dram"), None)
        least = sum(results[name]["bandwidth"]["requested_bytes"][way] for way in ("load", "store"))
        report["cases"][name] = {
            "request": request, "cold_median_us": results[name]["timing"]["cold"]["median_us"],
            "model": {key: time.get(key) for key in ("predicted_us", "limiter", "close_second", "counted")},
            "model_dram_us": dram and dram["us"], "requested_bytes": least,
            "ncu": ncu_says(options.binary, options.device, request)}
    report_end(report, options.out)


if __name__ == "__main__":
    main()
