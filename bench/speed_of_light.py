#!/usr/bin/env python3
"""Twenty experiments, and what limits each by three accounts: the model of time, Nsight Compute's speed of light (the rule
of its section SpeedOfLight, its words), and the roofline alone.

    bench/speed_of_light.py --binary build-gpu/coalesced [--out bench/results/speed_of_light_h200.json]
    bench/speed_of_light.py --again bench/results/speed_of_light_h200.json --binary build/coalesced
    bench/speed_of_light.py --table bench/results/speed_of_light_h200.json [--document docs/model.md]

Times: predicted by the model, and by the roofline alone (the bytes that the kernel asks for, over the bandwidth that was
calibrated on the device), against the cold median. Nsight Compute predicts none. `--table` prints a report as a table in
Markdown, or puts it between its two marks in a document. `--again` has a later build predict what was measured then, by the
constants that are shipped for that device and on any machine, and writes that into the report."""
import argparse
import csv
import io
import json
import pathlib
import re
import statistics
import tempfile

from report import report_begin, report_end, version
from service import Service
from witness import Executor

# For reports that do not say what was calibrated.
SHIPPED = pathlib.Path(__file__).resolve().parents[1] / "kernels/calibrations/h200.inc"
SHIPPED_GBPS = float(re.search(r"BANDWIDTH\] = \{([\d.]+)", SHIPPED.read_text())[1])
SAID = ["predicted_us", "limiter", "close_second", "in_flight_bytes", "needed_bytes"]  # by the model
MARKS = "<!-- bench/speed_of_light.py --table: begins -->\n", "<!-- ends -->\n"
UNITS = {"SM": "Compute (SM) Throughput", "DRAM": "DRAM Throughput", "L2": "L2 Cache Throughput",
         "L1": "L1/TEX Cache Throughput"}
# What Nsight Compute would say of each limiter of the model; it has one word for all that leaves every unit idle.
SAME = {"dram": "DRAM", "ask": "L2", "tag": "L1", "issue": "SM", "launch": "latency", "lines": "latency", "latency": "latency"}
KEPT = re.compile("^Start by analyzing|latency issues")  # of a rule's sentences after its first
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


def calibrated_gbps(service):
    """The bandwidth in GB/s that the model predicts with: the device's own, or what is shipped for it."""
    told = service.get("/v1/devices/0/calibration").get("calibration") or {}
    return next((one["value"] for one in told.get("constants", []) if one["name"] == "bandwidth_gbps"), SHIPPED_GBPS)


def trimmed(case):
    """A case with no more of what Nsight Compute and the counters said than the table needs."""
    said, counted = case["ncu"], case["model"].get("counted") or {}
    if "metrics" in said:
        rules = [rule for rule in said["rules"] if rule.startswith("SOLBottleneck")]
        sentences = [re.split(r"(?<=[a-z])\. ", rule.rstrip(". ")) for rule in rules]
        said = {"rules": [". ".join([one[0], *(s for s in one[1:] if KEPT.search(s))]) for one in sentences],
                "metrics": {name: value for name, value in said["metrics"].items() if name.split(": ")[1] in UNITS.values()}}
    return dict(case, ncu=said, model=dict(case["model"], counted={"limiter": counted.get("limiter")}))


def verdict(ncu):
    """The unit that its rule names as the limit, "latency", or None: it names none where the busiest is at 60 to 80 %."""
    words = " ".join(ncu.get("rules", []))
    if "greater than 80.0%" in words:
        named = re.search("Start by analyzing (DRAM|L2|L1|workloads in the Compute)", words)
        return named and named[1].replace("workloads in the Compute", "SM")
    return "latency" if "latency issues" in words else None


def told(ncu):
    if "error" in ncu:
        return "failed"
    words = " ".join(ncu["rules"])
    more = re.search(r"(Memory|Compute) is more heavily utilized than", words)
    looks = re.search("to identify the (DRAM|L2|L1) bottleneck", words)
    return verdict(ncu) or (f"none ({more[1].lower()} more{', of it ' + looks[1] if looks else ''})" if more else "none")


def agree(case):
    """Do the model's limiter, or its close second, and Nsight Compute's verdict name the same?"""
    theirs, ours = verdict(case["ncu"]), [SAME.get(case["model"][key]) for key in ("limiter", "close_second")]
    return "-" if theirs is None else "yes" if theirs in ours else "no"


def off(us, measured):
    return f"{us:.1f} ({100 * (us / measured - 1):+.0f} %)"


def table(report):
    gbps = report.get("bandwidth_gbps", SHIPPED_GBPS)
    lines = ["| case | measured, us | model, us | roofline alone, us | limiter by the model | by Nsight Compute "
             "| SM / DRAM / L2 / L1, % | agree |", "|---|---|---|---|---|---|---|---|"]
    errors, answers = {"the model": [], "the roofline alone": []}, []
    for name, whole in report["cases"].items():
        case = trimmed(whole)
        measured, model, ncu = case["cold_median_us"], case["model"], case["ncu"]
        roofline = case["requested_bytes"] / gbps / 1e3
        errors["the model"].append(model["predicted_us"] / measured)
        errors["the roofline alone"].append(roofline / measured)
        answers.append(agree(case))
        second = f", then {model['close_second']}" if model["close_second"] else ""
        busy = {key.split(": ")[1]: float(value.split()[0]) for key, value in ncu.get("metrics", {}).items()}
        lines.append(f"| {name} | {measured:.1f} | {off(model['predicted_us'], measured)} | {off(roofline, measured)} "
                     f"| {model['limiter']}{second} | {told(ncu)} "
                     f"| {' / '.join(f'{busy[unit]:.0f}' if unit in busy else '?' for unit in UNITS.values())} | {answers[-1]} |")
    lines.append("")
    for whose, ratios in errors.items():
        wrong = [abs(ratio - 1) for ratio in ratios]
        lines.append(f"Of {len(wrong)}, {whose} is within 10 % in {sum(w < 0.1 for w in wrong)}, within 25 % in "
                     f"{sum(w < 0.25 for w in wrong)}; median error {100 * statistics.median(wrong):.1f} %.")
    lines.append(f"Nsight Compute names a limit in {len(answers) - answers.count('-')}: the model's in "
                 f"{answers.count('yes')}, another in {answers.count('no')}. Bandwidth of the roofline: {gbps:.0f} GB/s.")
    return "\n".join(lines) + "\n"


def put(text, document):
    """Between the marks of the document."""
    whole = document.read_text()
    begin, end = whole.index(MARKS[0]) + len(MARKS[0]), whole.index(MARKS[1])
    document.write_text(whole[:begin] + text + whole[end:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary")
    parser.add_argument("--again", type=pathlib.Path, metavar="REPORT.json")
    parser.add_argument("--table", type=pathlib.Path, metavar="REPORT.json")
    parser.add_argument("--document", type=pathlib.Path, help="with --table: where the marks are")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    if options.table:
        text = table(json.loads(options.table.read_text()))
        return put(text, options.document) if options.document else print(text, end="")
    if not options.binary:
        parser.error("--binary or --table")
    if options.again:
        return again(options)
    measure(options)


def again(options):
    report = json.loads(options.again.read_text())
    service = Service(options.binary, "--devices", "cpu")
    for case in report["cases"].values():
        body = dict(case["request"], device_name=report["device"]["name"], what_if=False)
        answer = service.session.post(service.url + "/v1/predictions", json=body)
        answer.raise_for_status()
        time = answer.json()["predictions"][0]["time"]
        case["model"] = dict(case["model"], **{key: time[key] for key in SAID})
    service.stop()
    report["model_version"] = version(pathlib.Path(options.binary).parent)
    options.again.write_text(json.dumps(report, indent=1) + "\n")


def measure(options):
    report = report_begin(pathlib.Path(options.binary).parent, cases={})
    service = Service(options.binary, "--devices", options.device)
    results = {name: service.post(dict(request, counters=True)) for name, request in CASES.items()}
    device = service.get("/v1/devices/0")
    report["device"] = {key: device.get(key) for key in ("name", "arch", "driver", "runtime")}
    report["bandwidth_gbps"] = calibrated_gbps(service)
    service.stop()  # whose profiling session would keep Nsight Compute away
    for name, request in CASES.items():
        time = results[name].get("time", {})
        asked = sum(results[name]["bandwidth"]["requested_bytes"][way] for way in ("load", "store"))
        report["cases"][name] = trimmed({
            "request": request, "cold_median_us": results[name]["timing"]["cold"]["median_us"],
            "model": {key: time.get(key) for key in (*SAID, "counted")},
            "requested_bytes": asked, "ncu": ncu_says(options.binary, options.device, request)})
    report_end(report, options.out)


if __name__ == "__main__":
    main()
