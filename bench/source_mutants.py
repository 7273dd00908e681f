"""Right kernels, and what becomes of them when one bound, one index or one barrier is changed. For source_faults.py and tests/http.

A launch is the smallest of a kernel's in source_kernels.py; the twins of tests/http/source_twins.py are given small ones."""
import collections
import math
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tests/http"))
import source_kernels  # noqa: E402
import source_twins  # noqa: E402

# `line`: what was changed there; `instance`: what nvcc reads behind the source.
Mutant = collections.namedtuple("Mutant", "name source line change arguments launch instance")
COMPARISON = re.compile(r" (<=|>=|<|>) ")
OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
DECLARED = re.compile(r"(__shared__|__constant__|__device__|\bstruct)\b[^;{]*$|\b(float|double|int|unsigned|short|char) \w+$")
BARRIER = "__syncthreads();"


def threads_of(launch):
    return math.prod(math.prod(launch[key]) if isinstance(launch[key], list) else launch[key] for key in ("grid", "block"))


def small_twin(members, source):
    """A launch of a twin with odd sizes, whose grid covers them."""
    block = members.get("block", 256)
    if isinstance(block, list):
        rows, columns = 70, 150
        return {**members, "rows": rows, "columns": columns, "block": block, "grid": [-(-columns // one) for one in block]}
    return {**members, "n": 3001, "block": block, "grid": -(-3001 // block)}


def originals():
    """(name, source, arguments, launch, instance)"""
    for name, (source, arguments, launches, more) in source_kernels.KERNELS.items():
        launch = min(launches, key=threads_of)
        yield name, source, arguments, {**launch, **{key: more[key] for key in more if key != "instance"}}, more.get("instance", "")
    for name, (_, source, arguments, members) in source_twins.TWINS.items():
        yield f"twin_{name}", source, arguments, small_twin(members, source), ""


def operand_end(text, at):
    """Where the right operand of a comparison ends that begins at `at`."""
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] in "([") - (text[end] in ")]")
        if depth < 0 or (depth == 0 and (text[end] in ";?:" or text[end:end + 2] in ("&&", "||"))):
            return end
    return len(text)


def closing(text, at):
    """The bracket that closes the one at `at`."""
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] == "[") - (text[end] == "]")
        if not depth:
            return end
    raise ValueError("a bracket is not closed")


def changes(source):
    """(where, what is done there, the changed source)"""
    for found in COMPARISON.finditer(source):
        yield found.start(), "other comparison", source[:found.start(1)] + OTHER[found.group(1)] + source[found.end(1):]
        end = operand_end(source, found.end())
        text = source[found.end():end]
        bare = text.rstrip()
        for change in "+ 1", "- 1":
            yield found.start(), f"bound {change}", source[:found.end()] + f"{bare} {change}" + text[len(bare):] + source[end:]
    for found in re.finditer(r"\[", source):
        before = source[max(source.rfind(mark, 0, found.start()) for mark in ";{}") + 1:found.start()]
        end = closing(source, found.start())
        if DECLARED.search(before) or end == found.end():
            continue
        for change in "+ 1", "- 1":
            yield found.start(), f"index {change}", source[:found.end()] + f"({source[found.end():end]}) {change}" + source[end:]
    for found in re.finditer(re.escape(BARRIER), source):
        for change, text in (("no barrier", ";"), ("barrier of some threads", f"if (threadIdx.x < 7) {BARRIER}")):
            yield found.start(), change, source[:found.start()] + text + source[found.end():]


def mutants():
    for name, source, arguments, launch, instance in originals():
        for number, (where, change, changed) in enumerate(changes(source)):
            yield Mutant(f"{name}.{number}", changed, 1 + source.count("\n", 0, where), change, arguments, launch, instance)
