#!/usr/bin/env python3
"""What the service's executor leaves in the outputs of CUDA source, against what a GPU does: the launches that
source_counters.py --prepare left in a folder.

    bench/source_outputs.py --execute --url URL --folder FOLDER [--theirs NAME=CLONE ...]
    bench/source_outputs.py --launch --folder FOLDER ... --launcher build/bench/source_launch --out device.json
    bench/source_outputs.py --compare device.json --folder FOLDER ... [--out outputs.json]

The first needs a service with a CPU device and leaves executed.json in the folder; the second needs a GPU and neither the service
nor a clone; the third needs nothing. Of each output all bytes are compared by their SHA-256. Where it differs, the elements of a
window in its middle are: real numbers within a tolerance relative to the window's largest, all others exactly."""
import argparse
import base64
import collections
import concurrent.futures
import hashlib
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import source_counters
import source_launches

WINDOW = 1024  # elements of a launch that "show" gives at most
TOLERANCE = {"f16": 2e-3, "bf16": 1.6e-2, "f32": 1e-5, "f64": 1e-12}


def window_of(elements, outputs):
    """The first and the last element of the middle that is compared."""
    many = min(elements, WINDOW // outputs)
    first = (elements - many) // 2
    return first, first + many - 1


def outputs_of(request):
    """(name, type, elements) of each buffer that the kernel may write."""
    return [(one["name"], one["type"], source_launches.elements_of(one["elements"], request))
            for one in request["arguments"] if one.get("role", "input") != "input"]


# ---- by the executor ----

def experiment(url, request):
    """The ended experiment's document, or an error's."""
    question = urllib.request.Request(url + "/v1/experiments", json.dumps(request).encode(),
                                      {"Content-Type": "application/json", "Prefer": "wait=60"})
    try:
        with urllib.request.urlopen(question, timeout=120) as answer:
            found = json.load(answer)
    except urllib.error.HTTPError as error:
        return json.load(error)
    while found["state"] in ("queued", "running"):
        time.sleep(0.2)
        with urllib.request.urlopen(f"{url}/v1/experiments/{found['id']}", timeout=60) as answer:
            found = json.load(answer)
    return found


def executed_one(url, request, source, arguments, members):
    outputs = outputs_of(request)
    show = {name: "{}..{}".format(*window_of(elements, len(outputs))) for name, _, elements in outputs}
    found = experiment(url, dict(members, source=source, arguments=arguments, device={"arch": "cpu"}, show=show, timeout_s=120))
    if found.get("state") == "succeeded":
        return {"outputs": {one["name"]: {"sha256": one["sha256"], "values": one["shown"]["values"]} for one in found["outputs"]}}
    return {"why": json.dumps(found.get("failure") or found.get("errors") or found.get("detail") or found)[:600]}


def execute(arguments, folder):
    known = {source_counters.key_of(one["kernel"], one["launch"]): one["request"]
             for one in json.loads((folder / "predictions.json").read_text())["launches"]}
    rows = []
    for name, source, its_arguments, members, _ in source_counters.kernels_of(arguments):
        request = known.get(source_counters.key_of(name, members))
        if request:
            row = executed_one(arguments.url, request, source, its_arguments, members)
            rows.append({"kernel": name, "launch": members, **row})
            if "why" in row:
                print(name, members, row["why"], file=sys.stderr)
    (folder / "executed.json").write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")
    print(f"{sum('outputs' in row for row in rows)} launches of {len({row['kernel'] for row in rows if 'outputs' in row})} kernels "
          f"are executed to the end, of {len(rows)}")


# ---- by a GPU ----

def read_back(path, kind, elements, outputs):
    data = path.read_bytes()
    first, last = window_of(elements, outputs)
    size = len(data) // elements
    window = data[first * size:(last + 1) * size]
    return {"sha256": hashlib.sha256(data).hexdigest(), "type": kind, "window": base64.b64encode(window).decode()}


def launched_one(one, name, launcher, scratch):
    """What a GPU left in the outputs of one launch, or why it did nothing."""
    lines = source_launches.lines_of(one, scratch, output=lambda output: scratch / f"{name}_{output}")
    (scratch / name).write_text("\n".join(lines) + "\n")
    ended = subprocess.run([launcher, scratch / name], capture_output=True, text=True)
    if ended.returncode:
        return {"why": ended.stderr.strip() or f"exit status {ended.returncode}"}
    outputs = outputs_of(one["request"])
    return {"outputs": {output: read_back(scratch / f"{name}_{output}", kind, elements, len(outputs)) for output, kind, elements in outputs}}


def launch(arguments, folders):
    """Each launch has a process of its own: one that fails takes nothing else along."""
    launches, _ = source_counters.prepared(folders)
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(8) as pool:
        scratch = pathlib.Path(scratch)
        source_launches.fill_all(scratch, launches)
        found = list(pool.map(lambda numbered: launched_one(numbered[1], f"launch_{numbered[0]}", arguments.launcher, scratch),
                              enumerate(launches)))
    rows = [{"kernel": one["kernel"], "launch": one["launch"], **result} for one, result in zip(launches, found)]
    arguments.out.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")
    print(f"{sum('outputs' in row for row in rows)} launches of {len(rows)}")


# ---- both ----

def numbers_of(kind, window):
    """The components of a window, as numbers."""
    base, _ = source_launches.parts_of(kind)
    data = base64.b64decode(window)
    if base == "bf16":
        halves = struct.unpack(f"<{len(data) // 2}H", data)
        return [struct.unpack("<f", struct.pack("<I", one << 16))[0] for one in halves]
    form = source_launches.FORMATS.get(base, "e")
    return list(struct.unpack(f"<{len(data) // struct.calcsize('<' + form)}{form}", data))


def flat(values, width):
    """Of elements, which nobody may have written (null), components."""
    return [part for one in values for part in (one if isinstance(one, list) else [one] * width)]


def difference(kind, mine, device):
    """The largest difference of two windows, relative to the largest number in it; 0 where all are equal; None where one is of
    another kind than the other (a number, none). What nobody wrote, or is no number to JSON, is not compared."""
    _, width = source_launches.parts_of(kind)
    pairs = [(a, b) for a, b in zip(flat(mine, width), numbers_of(kind, device)) if isinstance(a, (int, float))]
    finite = [(a, b) for a, b in pairs if math.isfinite(a) and math.isfinite(b)]
    if any(not (math.isfinite(a) and math.isfinite(b)) and a != b for a, b in pairs):
        return None
    largest = max((max(abs(a), abs(b)) for a, b in finite), default=0)
    return max((abs(a - b) for a, b in finite), default=0) / largest if largest else 0.0


def verdict_of(kind, mine, device):
    """"equal", "within tolerance" or "different", and the difference."""
    if mine["sha256"] == device["sha256"]:
        return "equal", 0.0
    base, _ = source_launches.parts_of(kind)
    found = difference(kind, mine["values"], device["window"])
    return ("within tolerance" if found is not None and found <= TOLERANCE.get(base, -1) else "different"), found


def compare(arguments, folders):
    device = {source_counters.key_of(one["kernel"], one["launch"]): one for one in json.loads(arguments.compare.read_text())}
    rows, refused = [], []
    for one in (one for folder in folders for one in json.loads((folder / "executed.json").read_text())):
        there = device[source_counters.key_of(one["kernel"], one["launch"])]
        if "why" in one or "why" in there:
            refused.append({"kernel": one["kernel"], "launch": one["launch"], "why": one.get("why") or "on the GPU: " + there["why"]})
            continue
        for name, there in there["outputs"].items():
            verdict, found = verdict_of(there["type"], one["outputs"][name], there)
            rows.append({"kernel": one["kernel"], "launch": one["launch"], "output": name, "type": there["type"], "verdict": verdict,
                         "difference": found})
    launches = collections.defaultdict(list)
    for row in rows:
        launches[source_counters.key_of(row["kernel"], row["launch"])].append(row["verdict"])
    worst = ("equal", "within tolerance", "different")
    counts = collections.Counter(max(verdicts, key=worst.index) for verdicts in launches.values())
    sums = {"launches": len(launches), "kernels": len({row["kernel"] for row in rows}), "outputs": len(rows), "not_executed": len(refused),
            **{verdict.replace(" ", "_"): counts[verdict] for verdict in worst}}
    return {"command": "bench/source_outputs.py --compare", "tolerance": TOLERANCE, "sums": sums, "not_executed": refused,
            "not_equal": [row for row in rows if row["verdict"] != "equal"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--execute", action="store_true")
    parser.add_argument("--launch", action="store_true")
    parser.add_argument("--compare", type=pathlib.Path, metavar="DEVICE")
    parser.add_argument("--folder", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    parser.add_argument("--launcher")
    parser.add_argument("--theirs", nargs="+", default=[], metavar="NAME=CLONE")
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.theirs = dict(one.split("=", 1) for one in arguments.theirs)
    folders = [folder.resolve() for folder in arguments.folder]
    if arguments.execute:
        execute(arguments, folders[0])
    if arguments.launch:
        launch(arguments, folders)
    if arguments.compare:
        found = compare(arguments, folders)
        if arguments.out:
            head = {key: value for key, value in found.items() if key not in ("not_executed", "not_equal")}
            lists = "".join(f',\n "{key}": [\n' + ",\n".join(map(json.dumps, found[key])) + "\n ]" for key in ("not_executed", "not_equal"))
            arguments.out.write_text(json.dumps(head, indent=1)[:-2] + lists + "\n}\n")
        print(json.dumps(found["sums"], indent=1))
        for row in found["not_equal"]:
            if row["verdict"] == "different":
                print(row)


if __name__ == "__main__":
    main()
