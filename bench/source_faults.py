#!/usr/bin/env python3
"""What the service says of wrong kernels (source_wrong.py) and of right ones in which one bound, index or barrier was changed
(source_mutants.py), against compute-sanitizer and against what a GPU computes.

    bench/source_faults.py --predict --url URL --folder FOLDER
    bench/source_faults.py --prepare --folder FOLDER [--cuda /usr/local/cuda]
    bench/source_faults.py --measure --folder FOLDER --launcher build/bench/source_launch
    bench/source_faults.py --judge --folder FOLDER [--out faults.json]

The first asks a service: told.json. The second makes machine code with NVRTC: cubins. The third needs a GPU and
compute-sanitizer and neither of the former, and may be on another machine: found.json. The last compares told.json with
found.json, and ends with 1 where a right kernel was called wrong."""
import argparse
import collections
import concurrent.futures
import ctypes
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import source_counters  # noqa: E402
import source_mutants  # noqa: E402
import source_wrong  # noqa: E402
from source_faults_judge import judged  # noqa: E402

# kind: "wrong", "noted", "right" or "mutant"; lines: where the fault is, or what was changed; of: the right kernel.
Case = collections.namedtuple("Case", "name kind source arguments launch instance lines change of", defaults=(None, None))
TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")


def cases():
    for kind, table in ("wrong", source_wrong.WRONG), ("noted", source_wrong.NOTED):
        for name, (source, arguments, launch) in table.items():
            yield Case(name, kind, source, arguments, launch, "", source_wrong.lines_of(source))
    for name, source, arguments, launch, instance in source_mutants.originals():
        yield Case(name, "right", source, arguments, launch, instance, [])
    for one in source_mutants.mutants():
        yield Case(one.name, "mutant", one.source, one.arguments, one.launch, one.instance, [one.line], one.change, one.name.rpartition(".")[0])


# ---- what the service says ----

def ran(url, case, right):
    """What the CPU device finds of a mutant's outputs beside the right kernel's."""
    reference = {"source": right.source, "arguments": right.arguments, **{key: right.launch[key] for key in ("entry", "constants") if key in right.launch}}
    body = dict(case.launch, source=case.source, arguments=case.arguments, device={"arch": "cpu"}, reference=reference)
    question = urllib.request.Request(url + "/v1/experiments", json.dumps(body).encode(), {"Content-Type": "application/json", "Prefer": "wait=60"})
    with urllib.request.urlopen(question, timeout=90) as answer:
        found = json.load(answer)
    return {"state": found["state"], "failure": found.get("failure"), "correctness": found.get("correctness")}


def told(url, case, rights):
    began = time.monotonic()
    status, answer = source_counters.asked(url, dict(case.launch, source=case.source, arguments=case.arguments, arch="sm_90", check=True))
    found = {"status": status, "seconds": round(time.monotonic() - began, 3), "notes": answer.get("notes", []),
             "faults": [{key: error[key] for key in ("line", "detail") if key in error} for error in answer.get("errors", [])]}
    if status == 200 and case.kind == "mutant":
        found["run"] = ran(url, case, rights[case.of])
    return found


def predict(arguments, folder):
    """Asks about those that are not in told.json yet, or about those of --only."""
    path = folder / "told.json"
    found = json.loads(path.read_text()) if path.exists() else {}
    every = [case for case in cases() if (re.search(arguments.only, case.name) if arguments.only else case.name not in found)]
    rights = {case.name: case for case in cases() if case.kind == "right"}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for number, (case, one) in enumerate(zip(every, pool.map(lambda case: told(arguments.url, case, rights), every)), 1):
            found[case.name] = one
            if number % 50 == 0 or number == len(every):
                path.write_text("{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in found.items()) + "\n}\n")


# ---- machine code, and launches of it ----

class Nvrtc:
    def __init__(self, cuda):
        self.library = ctypes.CDLL(str(pathlib.Path(cuda, "lib64/libnvrtc.so")))
        options = ["--gpu-architecture=sm_90", "-lineinfo", f"--include-path={cuda}/include"]
        self.options = (ctypes.c_char_p * len(options))(*(one.encode() for one in options)), len(options)

    def text_of(self, program, what):
        size = ctypes.c_size_t()
        getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        getattr(self.library, f"nvrtcGet{what}")(program, text)
        return text.raw

    def cubin(self, name, source):
        """Machine code whose line table calls the source `name`.cu; None: it does not compile."""
        program = ctypes.c_void_p()
        self.library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), f"{name}.cu".encode(), 0, None, None)
        failed = self.library.nvrtcCompileProgram(program, self.options[1], self.options[0])
        if failed:
            print(name, self.text_of(program, "ProgramLog").decode(), file=sys.stderr)
        text = None if failed else self.text_of(program, "CUBIN")
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        return text


def with_roles(case):
    """The arguments as the service takes them: a pointer to const is an input, another one an output."""
    for one in case.arguments:
        constant = re.search(rf"const [\w ]+\*\s*(__restrict__ )?{one['name']}\b", case.source)
        yield {"role": "input" if constant else "output", **one} if "elements" in one else one


def prepare(arguments, folder):
    nvrtc = Nvrtc(arguments.cuda)
    rows = []
    for case in cases():
        text = case.source + case.instance
        cubin = f"{case.name}_{hashlib.sha256(text.encode()).hexdigest()[:8]}.cubin"
        if not (folder / cubin).exists():
            code = nvrtc.cubin(case.name, text)
            if code is None:
                continue
            (folder / cubin).write_bytes(code)
        entry = re.search(rb"\.nv\.constant0\.(\w+)", (folder / cubin).read_bytes()).group(1).decode()
        rows.append({"name": case.name, "kind": case.kind, "of": case.of, "cubin": cubin, "entry": entry,
                     "shared": "__shared__" in text, "meets": "__sync" in text or "_sync(" in text or "bar.sync" in text,
                     "request": {**case.launch, "arguments": list(with_roles(case))}})
    (folder / "cases.json").write_text(json.dumps(rows) + "\n")
    print(f"{len(rows)} kernels are compiled")


# ---- a GPU ----

class Runs:
    """Launches in processes side by side, of which each begins anew behind a launch that leaves no context."""

    def __init__(self, folder, launcher, sanitizer, scratch):
        self.folder, self.launcher, self.sanitizer, self.scratch = folder, launcher, sanitizer, pathlib.Path(scratch)
        self.texts, self.numbers = {}, iter(range(1 << 30))

    def text(self, row, tool):
        """The lines of a launch; what initcheck looks at is left as it was allocated."""
        key = row["name"], tool == "initcheck"
        if key not in self.texts:
            lines = list(source_counters.lines_of(row, self.scratch, self.folder))
            if tool == "initcheck":
                buffers = iter([one for one in row["request"]["arguments"] if "elements" in one])
                lines = [self.room(line, next(buffers)) if line.startswith("buffer ") else line for line in lines]
            self.texts[key] = "\n".join(lines) + "\n"
        return self.texts[key]

    @staticmethod
    def room(line, argument):
        return f"room {os.path.getsize(line.split()[1])}" if argument["role"] == "output" else line

    def once(self, rows, tool):
        """(what became of each, at least of one, and what the tool printed)"""
        base = self.scratch / f"run_{next(self.numbers)}"
        launches, hashes, log = (base.with_suffix(end) for end in (".txt", ".hashes", ".log"))
        launches.write_text("".join(self.text(row, tool) for row in rows))
        command = [str(self.launcher), str(launches), "--hashes", str(hashes)]
        if tool:
            more = ["--destroy-on-device-error", "kernel"] if tool == "memcheck" else []
            command = [self.sanitizer, "--tool", tool, "--show-backtrace", "no", "--print-limit", "1000000", "--log-file", str(log), *more, *command]
        try:
            ended = subprocess.run(command, capture_output=True, text=True, timeout=40 + 2 * len(rows))
            said = ended.stderr
        except subprocess.TimeoutExpired:
            said = "the process took too long"
        became = hashes.read_text().split("\n")[:-1] if hashes.exists() else []
        if len(became) < len(rows) and not became:
            became = [f"failed: {said[-300:]}"]
        return became, log.read_text(errors="replace") if log.exists() else ""

    def try_tools(self, row):
        """A tool that cannot watch a right kernel is not used on a thousand others."""
        for tool in TOOLS:
            became, log = self.once([row], tool)
            if not became[0].startswith("CUDA_SUCCESS"):
                raise SystemExit(f"{tool}: {became[0]}\n{log[-2000:]}")

    def shard(self, rows, tool):
        began, became, logs = time.monotonic(), [], []
        while len(became) < len(rows):
            more, log = self.once(rows[len(became):], tool)
            became += more
            logs.append(log)
        return {row["name"]: {"became": what} for row, what in zip(rows, became)}, "\n".join(logs), time.monotonic() - began

    def all(self, rows, tool, side_by_side):
        """By name: what became of each, and what the tool found."""
        shards = [rows[i::side_by_side] for i in range(side_by_side) if rows[i::side_by_side]]
        found, began = {}, time.monotonic()
        for row in rows:
            self.text(row, tool)
        with concurrent.futures.ThreadPoolExecutor(side_by_side) as pool:
            for became, log, seconds in pool.map(lambda shard: self.shard(shard, tool), shards):
                found.update(became)
                for name, records in findings(log).items():
                    found.setdefault(name, {})["findings"] = records
                if len(rows) <= side_by_side or len(shards) == len(rows):
                    found[next(iter(became))]["seconds"] = round(seconds, 2)
        print(f"{tool or 'plain'}: {len(rows)} launches in {time.monotonic() - began:.0f} s, {sum(bool(one.get('findings')) for one in found.values())} with findings", flush=True)
        return found


def findings(log):
    """By kernel: [what is said, lines of the source, how often]"""
    found, title, places = collections.defaultdict(collections.Counter), None, []
    for line in [*log.split("\n"), "========= END"]:
        text = line.removeprefix("=========").removeprefix(" ")
        if line.startswith("=========") and text and not text.startswith(" ") and not text.startswith("and "):
            if title and places:
                name = pathlib.Path(places[0][0]).name.removesuffix(".cu")
                found[name][title, tuple(sorted({int(number) for _, number in places}))] += 1
            title, places = re.sub(r"\s+at .*| (and|by) .*|between.*", "", text), []
        places += re.findall(r" in (\S+\.cu):(\d+)", line)
    return {name: [[what, list(lines), times] for (what, lines), times in some.most_common(8)] for name, some in found.items()}


def machine(sanitizer):
    """The names of the GPU and of the tool."""
    said = [subprocess.run(command, capture_output=True, text=True).stdout.strip().split("\n")
            for command in (["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], [sanitizer, "--version"])]
    return [said[0][0], said[1][-1]]


def measure(arguments, folder):
    rows = json.loads((folder / "cases.json").read_text())
    sanitizer = arguments.sanitizer or shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    found = {"device": machine(sanitizer), "plain": [], "alone": {}}
    with tempfile.TemporaryDirectory() as scratch:
        runs = Runs(folder, pathlib.Path(arguments.launcher).resolve(), sanitizer, scratch)
        runs.try_tools(next(row for row in rows if row["kind"] == "right"))
        left = rows
        for _ in range(2):
            found["plain"].append(runs.all(left, None, 8))
            left = [row for row in left if "NOT_READY" not in found["plain"][-1][row["name"]]["became"]]
        for tool in TOOLS:
            if tool != "memcheck":  # what memcheck found is known to be wrong
                left = [row for row in left if row["kind"] != "mutant" or not found["memcheck"].get(row["name"], {}).get("findings")]
            wanted = [row for row in left if (tool != "racecheck" or row["shared"]) and (tool != "synccheck" or row["meets"])]
            found[tool] = runs.all(wanted, tool, 14)
            (folder / "found.json").write_text(text_of(found))
        wrong = [row for row in left if row["kind"] == "wrong"]
        wrong = [wrong[i * len(wrong) // 100] for i in range(100)]
        for tool in ("memcheck", "racecheck"):  # each in a process of its own
            found["alone"][tool] = alone(runs, wrong, tool)
    (folder / "found.json").write_text(text_of(found))


def alone(runs, rows, tool):
    """Eight processes at a time, each with one launch."""
    found, began = {}, time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for row, (became, log, seconds) in zip(rows, pool.map(lambda row: runs.shard([row], tool), rows)):
            found[row["name"]] = {"seconds": round(seconds, 2), "findings": findings(log).get(row["name"], [])}
    print(f"{tool}: {len(rows)} processes in {time.monotonic() - began:.0f} s", flush=True)
    return found


def text_of(found):
    return json.dumps(found, indent=0).replace("\n", "") + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for part in ("predict", "prepare", "measure", "judge"):
        parser.add_argument(f"--{part}", action="store_true")
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--url", default="http://127.0.0.1:8080", help="a running service")
    parser.add_argument("--only", help="a regular expression of names, for --predict")
    parser.add_argument("--cuda", default="/usr/local/cuda", help="the toolkit's folder")
    parser.add_argument("--sanitizer", help="compute-sanitizer")
    parser.add_argument("--launcher", help="the program made of source_launch.cpp")
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if arguments.prepare:
        prepare(arguments, folder)
    if arguments.predict:
        predict(arguments, folder)
    if arguments.measure:
        measure(arguments, folder)
    if arguments.judge:
        sys.exit(judged(list(cases()), folder, arguments.out))


if __name__ == "__main__":
    main()
