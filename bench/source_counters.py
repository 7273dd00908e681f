#!/usr/bin/env python3
"""What the service predicts of CUDA source, against the hardware's counters: the kernels of source_kernels.py and of
tests/http/source_twins.py, or with --theirs those of public collections (source_theirs.py).

    bench/source_counters.py --prepare --url URL [--nvcc nvcc] --folder FOLDER [--theirs NAME=CLONE ...]
    bench/source_counters.py --measure --folder FOLDER ... --launcher build/bench/source_launch [--out counters.json] [--dry]
    bench/source_counters.py --again bench/results/source_counters_h100.json --url URL [--out counters.json]

The first needs a service and nvcc and no GPU: predictions.json and the cubins. The second needs a GPU and Nsight Compute, and
neither of the former; it may be another machine. --dry: the launcher only reads what it would launch. The third predicts the
launches of earlier measurements anew, and needs a service alone (those of other people's kernels stay as they were, unless
their clones are given with --theirs). The last two end with 1 where what is called exact differs."""
import argparse
import collections
import csv
import hashlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

from source_launches import fill_all, lines_of

# Of a prediction what is compared, with the metrics that are added for it. An update whose old value nobody asks for is a
# reduction to the hardware.
COMPARED = {"gld_requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
            "gld_sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
            "gst_requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"],
            "gst_sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
            "atomic_requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"],
            "atomic_sectors": ["smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_atom.sum",
                               "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_red.sum"],
            "shared_load_wavefronts": ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
            "shared_store_wavefronts": ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"],
            "shared_load_bank_conflicts": ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"],
            "shared_store_bank_conflicts": ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"]}
# The metric is the prediction or more: it has instructions that no lane of the warp takes part in, too.
AT_MOST = {"shared_load_requests": "smsp__inst_executed_op_shared_ld.sum",
           "shared_store_requests": "smsp__inst_executed_op_shared_st.sum"}
# These take turns with other traffic of their unit, as shuffles, and are then the prediction or more: see is_steady().
SHARED = [field for field in COMPARED if field.startswith("shared")]
ALL_CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
# Kept without a comparison, where the chip has them.
KEPT = [ALL_CONFLICTS, "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "smsp__inst_executed_op_shared_atom.sum", "smsp__inst_executed.sum"]


# ---- predictions and machine code ----

def asked(url, request):
    """The answer's status and its JSON."""
    question = urllib.request.Request(url + "/v1/predictions", json.dumps(request).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(question, timeout=120) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def ours(url):
    """(name, source, arguments, members of a launch, what nvcc reads behind the source)"""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/http"))
    import source_kernels
    import source_twins
    for name, (suite, source, arguments, members) in source_twins.TWINS.items():
        launch = asked(url, dict(suite, arch="sm_90"))[1]["request"]
        yield f"twin_{name}", source, arguments, {"block": launch["block"], "grid": launch["grid"], **members}, ""
    for name, (source, arguments, launches, more) in source_kernels.KERNELS.items():
        for launch in launches:
            yield name, source, arguments, {**launch, **{key: more[key] for key in more if key != "instance"}}, more.get("instance", "")


def compiled(nvcc, folder, name, text):
    """The cubin's name, which tells whether the text is still the same, and its only kernel's."""
    cubin = f"{re.sub(r'[^a-zA-Z0-9.-]+', '_', name)}_{hashlib.sha256(text.encode()).hexdigest()[:8]}.cubin"
    if not (folder / cubin).exists():
        with tempfile.NamedTemporaryFile("w", suffix=".cu") as file:
            file.write(text)
            file.flush()
            subprocess.run([nvcc, "-cubin", "-arch=sm_90", "-std=c++17", "-lineinfo", "-w", "-o", folder / cubin, file.name], check=True)
    entry = re.search(rb"\.nv\.constant0\.(\w+)", (folder / cubin).read_bytes()).group(1).decode()
    return cubin, entry


def key_of(name, members):
    """What tells launches apart."""
    return name, json.dumps(members, sort_keys=True)


def without_source(request):
    """Everything of a request that the launcher needs."""
    return {name: value for name, value in request.items() if name not in ("source", "entry")}


def predicted(url, kernels, wanted=None):
    """(row, source for nvcc) of each launch that is predicted, and a list of those that are refused. `kernels`: of ours() or of
    source_theirs.kernels(). `wanted`: keys; None: all."""
    rows, refused = [], []
    for name, source, its_arguments, members, instance in kernels:
        if wanted is not None and key_of(name, members) not in wanted:
            continue
        status, answer = asked(url, dict(members, source=source, arguments=its_arguments, arch="sm_90"))
        told = answer["predictions"][0] if status == 200 else {}
        if status != 200 or told.get("status") == "unavailable":
            detail = "; ".join(error["detail"] for error in answer.get("errors", [])) or answer.get("detail") or told.get("reason")
            refused.append({"kernel": name, "launch": members, "status": status, "detail": detail})
            print(f"{name}: {status}: {detail}", file=sys.stderr)
            continue
        rows.append(({"kernel": name, "launch": members, "request": without_source(answer["request"]),
                      "predicted": {field: told[field] for field in [*COMPARED, *AT_MOST]}, "exact": told["exact"],
                      "inexact": told["inexact"], "check": answer["check"]}, source + instance))
    return rows, refused


def kernels_of(arguments):
    """Of the collections that were named, or ours."""
    import source_theirs
    return source_theirs.kernels(arguments.theirs) if arguments.theirs else ours(arguments.url)


def prepare(arguments, folder):
    found, refused = predicted(arguments.url, kernels_of(arguments))
    rows = []
    for row, source in found:
        cubin, entry = compiled(arguments.nvcc, folder, row["kernel"], source)
        rows.append({**row, "cubin": cubin, "entry": entry})
    (folder / "predictions.json").write_text(json.dumps({"launches": rows, "refused": refused}, indent=1) + "\n")
    print(f"{len(rows)} launches of {len({row['kernel'] for row in rows})} kernels are predicted, "
          f"{sum(row['exact'] for row in rows)} of them exactly; {len(refused)} are refused")


# ---- the counters ----

def metrics_of(ncu):
    """What is compared, and of the rest what the chip has."""
    beside = [*AT_MOST.values(), *KEPT]
    said = subprocess.run([ncu, "--query-metrics"], capture_output=True, text=True).stdout
    has = set(re.findall(r"^(\w+__\w+)", said, re.M))
    return [*sum(COMPARED.values(), []), *(metric for metric in beside if not has or metric.partition(".")[0] in has)]


def counted(ncu, launcher, launches, log):
    """One dictionary of metrics for each launch, in order."""
    watched = [ncu, "--clock-control", "none", "--csv", "--print-units", "base", "--log-file", str(log), "--metrics",
               ",".join(metrics_of(ncu)), str(launcher), str(launches)]
    ended = subprocess.run(watched)
    said = log.read_text()
    lines = [line for line in said.splitlines() if line.startswith('"')]
    if ended.returncode or not lines:
        raise SystemExit(f"ncu ended with {ended.returncode}:\n{said[-4000:]}")
    found = collections.defaultdict(dict)
    for row in csv.DictReader(io.StringIO("\n".join(lines))):
        try:
            found[int(row["ID"])][row["Metric Name"]] = int(float(row["Metric Value"].replace(",", "")))
        except ValueError:
            pass  # n/a
    return [found[key] for key in sorted(found)]


def is_steady(metrics):
    """Without atomic updates the bank conflicts of all instructions are those of loads and stores. Where they are not, something
    else is among them; a kernel that has no shared memory at all, but shuffles, counted hundreds."""
    parts = sum(metrics.get(COMPARED[field][0], 0) for field in COMPARED if field.endswith("conflicts"))
    return metrics.get("smsp__inst_executed_op_shared_atom.sum", 0) > 0 or metrics.get(ALL_CONFLICTS, parts) == parts


def judged(row, metrics):
    """What was not counted is not equal."""
    found = row["predicted"]
    counted = {field: sum(metrics[name] for name in names) if set(names) <= set(metrics) else None for field, names in COMPARED.items()}
    counted.update({field: metrics.get(name) for field, name in AT_MOST.items()})
    at_least = [] if is_steady(metrics) else SHARED
    differs = [field for field in COMPARED if counted[field] is None or
               (counted[field] < found[field] if field in at_least else counted[field] != found[field])]
    differs += [field for field in AT_MOST if counted[field] is not None and counted[field] < found[field]]
    return {**{key: row[key] for key in ("kernel", "launch", "exact", "inexact", "predicted")}, "counted": counted,
            "differs": sorted(differs), "steady": is_steady(metrics), "metrics": metrics}


def sums(rows):
    return {"launches": len(rows), "kernels": len({row["kernel"] for row in rows}), "exact": sum(row["exact"] for row in rows),
            "exact_and_different": sum(row["exact"] and bool(row["differs"]) for row in rows),
            "not_exact_and_equal": sum(not row["exact"] and not row["differs"] for row in rows),
            "unsteady": sum(not row["steady"] for row in rows),
            "differ_in": dict(collections.Counter(field for row in rows for field in row["differs"])),
            "sectors": sum((row["counted"]["gld_sectors"] or 0) + (row["counted"]["gst_sectors"] or 0) for row in rows)}


# A file of results names its columns once; each launch is a row of numbers.
TABULAR = {"predicted": "fields", "metrics": "metrics"}


def text_of(answer):
    """JSON with a launch a line; what was counted is left out, because the metrics say it."""
    rows = answer["launches"]
    names = {head: sorted({name for row in rows for name in row[member]}) for member, head in TABULAR.items()}
    head = json.dumps({**{key: value for key, value in answer.items() if key != "launches"}, **names}, indent=1)
    lines = [json.dumps({**{key: value for key, value in row.items() if key != "counted"},
                         **{member: [row[member].get(name) for name in names[head]] for member, head in TABULAR.items()}}) for row in rows]
    return head[:-2] + ',\n "launches": [\n' + ",\n".join(lines) + "\n ]\n}\n"


def results_of(path):
    """A file of results, with names and numbers together."""
    found = json.loads(path.read_text())
    for row in found["launches"]:
        for member, head in TABULAR.items():
            row[member] = {name: value for name, value in zip(found[head], row[member]) if value is not None}
    return {key: value for key, value in found.items() if key not in TABULAR.values()}


def tell(arguments, answer):
    """Writes the answer, prints its sums and what is not as it is called. Returns the exit status."""
    rows = answer["launches"]
    answer["sums"] = sums(rows)
    if arguments.out:
        arguments.out.write_text(text_of(answer))
    print(json.dumps(answer["sums"], indent=1))
    for row in rows:
        if row["differs"] or not row["exact"]:
            print(row["kernel"], row["launch"], "exact" if row["exact"] else row["inexact"],
                  {field: [row["predicted"][field], row["counted"][field]] for field in row["differs"]})
    return 1 if answer["sums"]["exact_and_different"] else 0


def is_ours(row):
    """Names of other people's kernels begin with their collection."""
    return "/" not in row["kernel"]


def again(url, before, theirs=None):
    """Earlier measurements, with what is predicted of their launches now. `theirs`: folders by the collections' names; of
    collections that are not there the rows stay."""
    import source_theirs
    known = {key_of(row["kernel"], row["launch"]): row for row in before["launches"]}
    kept = [row for row in before["launches"] if not is_ours(row) and row["kernel"].partition("/")[0] not in (theirs or {})]
    rows, refused = predicted(url, [*ours(url), *source_theirs.kernels(theirs or {})], known)
    found = [judged(row, known[key_of(row["kernel"], row["launch"])]["metrics"]) for row, _ in rows]
    return {**before, "refused": refused, "launches": found + [judged(row, row["metrics"]) for row in kept]}


def prepared(folders):
    """The launches of all folders, each with the path of its cubin, and what is refused there."""
    rows, refused = [], []
    for folder in folders:
        found = json.loads((folder / "predictions.json").read_text())
        rows += [{**row, "cubin": str(folder / row["cubin"])} for row in found["launches"]]
        refused += found["refused"]
    return rows, refused


def measure(arguments, folders):
    rows, refused = prepared(folders)
    with tempfile.TemporaryDirectory() as scratch:
        fill_all(scratch, rows)
        launches = pathlib.Path(scratch, "launches.txt")
        launches.write_text("\n".join(line for one in rows for line in lines_of(one, scratch)) + "\n")
        if arguments.dry:
            subprocess.run([arguments.launcher, launches, "--dry"], check=True)
            return 0
        metrics = counted(arguments.ncu, arguments.launcher, launches, pathlib.Path(scratch, "ncu.csv"))
    assert len(metrics) == len(rows), f"{len(metrics)} launches were counted of {len(rows)}"
    found = [judged(row, values) for row, values in zip(rows, metrics)]
    return tell(arguments, {"command": "bench/source_counters.py --measure", "arch": "sm_90", "sums": None, "refused": refused,
                            "launches": found})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--again", type=pathlib.Path, metavar="RESULTS")
    parser.add_argument("--folder", type=pathlib.Path, nargs="+", default=[], help="of cubins and predictions.json")
    parser.add_argument("--url", default="http://127.0.0.1:8080", help="a running service")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--launcher", help="the program made of source_launch.cpp")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("--theirs", nargs="+", default=[], metavar="NAME=CLONE", help="kernels of these collections instead of ours")
    arguments = parser.parse_args()
    arguments.theirs = dict(one.split("=", 1) for one in arguments.theirs)
    status = 0
    if (arguments.prepare or arguments.measure) and not arguments.folder:
        parser.error("--prepare and --measure need --folder")
    folders = [folder.resolve() for folder in arguments.folder]
    if arguments.prepare:
        folders[0].mkdir(parents=True, exist_ok=True)
        prepare(arguments, folders[0])
    if arguments.measure:
        status = measure(arguments, folders)
    if arguments.again:
        status = tell(arguments, again(arguments.url, results_of(arguments.again), arguments.theirs))
    sys.exit(status)


if __name__ == "__main__":
    main()
