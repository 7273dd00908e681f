#!/usr/bin/env python3
"""How much of what people write the PTX parser understands: every kernel of five public collections, compiled and parsed.

    bench/source_collections.py --build build --work FOLDER [--out bench/results/source_collections.json]
        [--sample 600] [--seed 1] [--seconds 60] [--compiled]
        llm.c=FOLDER[@COMMIT] PolyBench-ACC=FOLDER Rodinia=FOLDER cuda-samples=FOLDER HeCBench=FOLDER

The folders are clones that were fetched before; nothing of them is kept in this repository. Each .cu file that nvcc compiles
by itself becomes PTX with line information, and ptxas makes machine code of it; both stay in the folder of `--work`, so that
a second run goes on where the first one ended. Of a collection of more than `--sample` files so many are drawn at random.
`ptx_survey` (bench/ptx_survey.c) then parses each kernel and holds its accesses against the machine code."""
import argparse
import collections
import json
import pathlib
import random
import re
import shutil
import subprocess

from report import report_begin, report_end

ARCH = "sm_90"
OTHER_LANGUAGES = re.compile(r"-(hip|sycl|omp)(/|$)")
# What the runtime of CUDA 13 has no more, in code for the CPU.
REMOVED = ["-DcudaThreadSynchronize=cudaDeviceSynchronize", "-DcudaThreadExit=cudaDeviceReset", "-DdeviceOverlap=asyncEngineCount",
           "-DcudaThreadGetLastError=cudaGetLastError"]
COMMON = ["Common", "Common/data", "common", "cpp/Common", "Utilities", "include", "utilities", "cuda/common", "src/include"]


def sources(root, sample, seed):
    found = sorted(p.relative_to(root) for p in root.rglob("*.cu") if not OTHER_LANGUAGES.search(str(p.relative_to(root))))
    return random.Random(seed).sample(found, sample) if len(found) > sample else found


def options_of(root, path):
    """Where its headers are, and what its makefile defines."""
    folder = (root / path).parent
    near = [folder, folder.parent, folder.parent.parent, *(root / name for name in COMMON)]
    found = [f"-I{place}" for place in near if place.is_dir()]
    for makefile in [*folder.glob("[Mm]akefile*"), *folder.parent.glob("[Mm]akefile*")][:2]:
        for kind, word in re.findall(r"(?<=\s)-([ID])\s?([\w./=+-]+)", makefile.read_text(errors="replace")):
            found.append(f"-I{(folder / word).resolve()}" if kind == "I" else f"-D{word}")
    return list(dict.fromkeys(found))


def run(command, seconds):
    """None, or why it gave nothing."""
    try:
        done = subprocess.run(["nice", "-n", "5", *map(str, command)], capture_output=True, text=True, errors="replace", timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"took more than {seconds} s"
    if done.returncode == 0:
        return None
    lines = (done.stderr + done.stdout).splitlines()
    return next((line for line in lines if "error" in line), lines[-1] if lines else f"exit status {done.returncode}")


def compile_file(root, path, stem, arguments):
    """Makes stem.ptx and stem.cubin, or stem.failed with the reason."""
    ptx, cubin, failed = (stem.with_name(stem.name + end) for end in (".ptx", ".cubin", ".failed"))
    if ptx.exists() or failed.exists():
        return
    nvcc = [arguments.nvcc, "-ptx", "-lineinfo", f"-arch={ARCH}", "-std=c++17", "-w", *REMOVED, *options_of(root, path), "-o", ptx, root / path]
    why = run(nvcc, arguments.seconds)
    if why:
        ptx.unlink(missing_ok=True)
        failed.write_text(why.replace(str(root), "") + "\n")
        return
    if run([arguments.ptxas, "-lineinfo", f"-arch={ARCH}", ptx, "-o", cubin], arguments.seconds):
        cubin.unlink(missing_ok=True)


def compile_all(folders, arguments):
    for name, root in folders.items():
        (arguments.work / name).mkdir(parents=True, exist_ok=True)
        for path in sources(root, arguments.sample, arguments.seed):
            compile_file(root, path, arguments.work / name / str(path.with_suffix("")).replace("/", "--"), arguments)


def survey(program, folder):
    """What the parser says of each file of a folder: {"file", "kernels": [...]}."""
    for path in sorted(folder.glob("*.ptx")):
        done = subprocess.run([str(program), str(path)], capture_output=True, text=True, timeout=600)
        if done.returncode == 0:
            yield json.loads(done.stdout)
        else:
            yield {"file": str(path), "kernels": [], "why": f"the parser ended with {done.returncode}"}


def kernels_of(told):
    """Of a text that is refused as a whole, each kernel is."""
    if "why" not in told:
        return told["kernels"]
    count = pathlib.Path(told["file"]).read_text(errors="replace").count(".entry ")
    return [{"kernel": "", "why": told["why"]}] * count


# A reason of many kernels is one: without names and numbers of the text.
REASONS = [(r"^(tex|tld4|txq|sust|suld|suq)\b.*", r"\1: textures and surfaces"), (r"^(wmma|mma|ldmatrix|stmatrix|wgmma)\b.*", r"\1: tensor operations"),
           (r"^cp\.async.*", "cp.async"), (r"^(mbarrier|griddepcontrol|red\.async|multimem|cluster|barrier\.cluster)\b.*", r"\1"),
           (r"^recursion.*", "recursion"), (r"^a function without a body is called: (\w+)", r"calls \1, which has no body")]


def reason_of(why):
    for pattern, said in REASONS:
        if re.match(pattern, why):
            return re.sub(pattern, said, why)
    return why


def judge(folder, program):
    """(kernels, understood, reasons, of those with machine code: how many exact, what became of the sites)."""
    kernels = understood = 0
    reasons, sites, exact = collections.Counter(), collections.Counter(), collections.Counter()
    for kernel in (kernel for told in survey(program, folder) for kernel in kernels_of(told)):
        kernels += 1
        if "why" in kernel:
            reasons[reason_of(kernel["why"])] += 1
            continue
        understood += 1
        match = kernel.get("match")
        if match:
            sites.update(match["sites"])
            exact["kernels"] += 1
            exact["global_exact"] += match["global_exact"]
            exact["shared_exact"] += match["shared_exact"]
            exact["global_exact_if_lanes_never_part"] += match["global_exact_together"]
            exact["shared_exact_if_lanes_never_part"] += match["shared_exact_together"]
            exact["with_spills"] += match["spills"] > 0
    return {"kernels": kernels, "understood": understood, "reasons": dict(reasons.most_common()),
            "machine_code": dict(exact), "sites": dict(sites.most_common())}


def add(one, other):
    return {key: add(one.get(key, {}), other.get(key, {})) if isinstance(one.get(key, other.get(key)), dict)
            else one.get(key, 0) + other.get(key, 0) for key in [*one, *(key for key in other if key not in one)]}


def commit_of(root):
    """None: it is no clone."""
    said = subprocess.run(["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True)
    return said.stdout.strip() if (root / ".git").exists() else None


def judged(folders, commits, arguments):
    for name, root in folders.items():
        made = arguments.work / name
        found = sources(root, arguments.sample, arguments.seed)
        judgement = judge(made, arguments.build / "ptx_survey")
        failed = len(list(made.glob("*.failed")))
        compiled = len(list(made.glob("*.ptx")))
        yield name, {"commit": commits[name] or commit_of(root), "files": len(found), "tried": compiled + failed, "compiled": compiled,
                     **judgement}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection", nargs="+", help="NAME=FOLDER, or NAME=FOLDER@COMMIT where it is no clone")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--compiled", action="store_true", help="compile nothing more")
    parser.add_argument("--sample", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    parser.add_argument("--ptxas", default=shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas")
    arguments = parser.parse_args()
    named = [one.split("=", 1) for one in arguments.collection]
    folders = {name: pathlib.Path(folder.partition("@")[0]).resolve() for name, folder in named}
    commits = {name: folder.partition("@")[2] for name, folder in named}
    report = report_begin(arguments.build, arch=ARCH)
    report["command"] = "bench/source_collections.py --build build --work FOLDER " + " ".join(f"{name}=FOLDER" for name in folders)
    if not arguments.compiled:
        compile_all(folders, arguments)
    report["collections"] = dict(judged(folders, commits, arguments))
    total = {}
    for one in report["collections"].values():
        total = add(total, {key: one[key] for key in ("files", "tried", "compiled", "kernels", "understood", "reasons", "machine_code", "sites")})
    report["all"] = {**total, "understood_pct": round(100 * total["understood"] / max(1, total["kernels"]), 1)}
    report_end(report, arguments.out)


if __name__ == "__main__":
    main()
