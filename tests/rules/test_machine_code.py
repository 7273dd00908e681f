"""scripts/machine_code: what it reads off instructions, and that the shipped table is of the kernels as they are."""
import importlib.machinery
import importlib.util
import pathlib
import re
import shutil
import struct
import subprocess
import warnings

import pytest

ROOT = pathlib.Path(__file__).parents[2]
SCRIPT = ROOT / "scripts/machine_code"
TABLE = (ROOT / "kernels/time/machine_code_sm_90.inc").read_text()
NVCC = shutil.which("nvcc", path="/usr/local/cuda/bin:/opt/cuda/bin:/usr/bin:/usr/local/bin")

loader = importlib.machinery.SourceFileLoader("machine_code", str(SCRIPT))
reader = importlib.util.module_from_spec(importlib.util.spec_from_loader("machine_code", loader))
loader.exec_module(reader)

LDG, STG, BAR, BRA, EXIT, FADD = reader.LDG, reader.STG, reader.BAR, reader.BRA, reader.EXIT, 0x021
IF, ALWAYS = 0, 7
BYTES_4, BYTES_16 = 4, 6


def word(at, op, predicate=ALWAYS, sets=7, waits=(), width=BYTES_4, to=None, left=0, diverged=False):
    """An instruction that is the `at`-th; `to` is the place that a branch goes to."""
    bits = op | predicate << 12 | sets << 110 | sum(1 << 116 + b for b in waits)
    if op in (LDG, STG, reader.ASYNC, reader.LDL, reader.STL):
        bits |= width << 73
    if op == reader.AWAIT:
        bits |= left << 38
    if op == BRA:
        words = (to - at - 1) * 4 & (1 << 56) - 1
        bits |= (words & 255) << 16 | words >> 8 << 34 | ALWAYS << 87 | (reader.DIVERGED << 32 if diverged else 0)
    return bits


def read(*instructions):
    """Facts of instructions that are each (op, {how})."""
    words = [word(at, op, **how) for at, (op, how) in enumerate(instructions)]
    text = b"".join(struct.pack("<QQ", bits & (1 << 64) - 1, bits >> 64) for bits in words)
    names = ["instructions", "waits", "cycles", "doubles", "loads", "barriers", "loop_loads", "loop_barriers",
             "local_load_bytes", "local_store_bytes", "step_instructions", "step_cycles", "around_instructions", "around_cycles", "last_instructions", "last_cycles",
             "last_stores", "longer_turns", "longer_instructions", "longer_cycles", "passes"]
    facts = dict(zip(names, reader.facts(reader.decode(text))))
    return {**facts, "passes": tuple(piece[:3] for piece in facts["passes"]),  # without their cycles
            "piece_doubles": tuple(piece[4] for piece in facts["passes"])}


def load(board, **how):
    return LDG, {"sets": board, **how}


def use(*boards):
    return FADD, {"waits": boards}


END = (EXIT, {})
COPY = [(reader.ASYNC, {}), (reader.ASYNC_END, {"sets": 0})]


def await_copies(left):
    return reader.AWAIT, {"left": left}


STORE = (STG, {})


@pytest.mark.parametrize("what, instructions, expected", [
    ("two loads that fly together", [load(0), load(1), use(0, 1), STORE, END], {"loads": 2, "waits": 1, "instructions": 5}),
    ("a load that needs the one before it", [load(0), load(1, waits=[0]), use(1), END], {"loads": 2, "waits": 2}),
    ("a load that nobody waits for", [load(0), END], {"loads": 1, "waits": 0}),
    ("a wait for a board that is not lifted", [use(0), END], {"loads": 0, "waits": 0}),
    ("copies that fly together", [*COPY, *COPY, await_copies(1), await_copies(0), END], {"loads": 2, "waits": 1}),
    ("a copy behind another", [*COPY, await_copies(0), *COPY, await_copies(0), END], {"loads": 2, "waits": 2}),
    ("a load that is never done", [(LDG, {"predicate": reader.NEVER}), END], {"loads": 0, "waits": 0}),
    ("what is behind the end", [END, load(0)], {"loads": 0, "instructions": 1}),
    ("a check of bounds", [(EXIT, {"predicate": IF}), load(0), use(0), END], {"loads": 1, "instructions": 4}),
    ("a wide access before a narrow rest",
     [(BRA, {"predicate": IF, "to": 4}), load(0, width=BYTES_16), use(0), END, load(0), load(0), load(0), use(0), END],
     {"loads": 1, "instructions": 4}),
    ("of two ways that move the same the longer one",
     [(BRA, {"predicate": IF, "to": 3}), load(0), END, load(0), (FADD, {}), END], {"instructions": 4}),
])
def test_straight_code_is_read(what, instructions, expected):
    got = read(*instructions)
    assert {name: got[name] for name in expected} == expected, what
    assert got["passes"] == (), what


def loop(at, *body):
    return [*body, (BRA, {"predicate": IF, "to": at})]


def test_a_loop_waits_as_often_as_it_does_once_it_has_settled():
    ahead = [load(0), *loop(1, use(0), load(0)), use(0), END]  # each turn uses what the one before loaded
    assert read(*ahead)["passes"] == ((1, 3, 1),)
    chased = loop(0, load(0, waits=[1]), load(1, waits=[0]))
    assert read(*chased, END)["passes"] == ((1, 3, 2),)


def test_an_unrolled_loop_is_read_in_its_pieces():
    four = loop(1, *[load(0)] * 4, use(0))
    two = [(BRA, {"predicate": IF, "to": 11}), load(0), load(0), use(0)]
    one = loop(12, load(0), use(0))
    got = read((FADD, {}), *four, *two, (FADD, {}), *one, load(0), use(0), END)
    assert got["passes"] == ((4, 6, 1), (2, 3, 1), (1, 3, 1))
    assert (got["loop_loads"], got["loads"], got["instructions"]) == (1, 1, 6)


def test_a_full_warp_takes_no_way_for_lanes_that_have_gone_apart():
    apart = [(FADD, {})] * 5
    for diverged, instructions in (True, 4), (False, 9):
        got = read(load(0), (BRA, {"predicate": IF, "to": 4, "diverged": diverged}), use(0), END, *apart, use(0), END)
        assert (got["instructions"], got["waits"]) == (instructions, 1)


def test_who_comes_to_a_rest_through_another_takes_both():
    rest = [(BRA, {"predicate": IF, "to": 14}), load(0), use(0), (BRA, {"predicate": IF, "to": 14}), load(0), load(1), use(0, 1)]
    got = read((FADD, {}), *loop(1, *[load(0)] * 4, use(0)), *rest, END)
    assert got["passes"] == ((4, 6, 1), (3, 6, 2), (2, 6, 2), (1, 3, 1))


def test_what_stands_around_the_longer_pieces_is_kept_apart():
    begin, between = [(BRA, {"predicate": IF, "to": 14}), (FADD, {}), (FADD, {})], [(FADD, {})]
    eight, four = loop(3, *[load(0)] * 8, use(0)), loop(14, *[load(0)] * 4, use(0))
    one = loop(21, load(0), use(0))
    got = read(*begin, *eight, *between, *four, *between, *one, END)
    assert [piece[0] for piece in got["passes"]] == [8, 4, 1]
    assert (got["longer_turns"], got["longer_instructions"]) == (8, 3)
    got = read((BRA, {"predicate": IF, "to": 21}), *begin[1:], *eight, *between, *four, *between, *one, END)
    assert (got["longer_turns"], got["longer_instructions"]) == (4, 4)
    assert read(*loop(0, load(0), use(0)), END)["longer_turns"] == 0


def test_a_second_loop_is_a_step_where_it_has_a_barrier_and_straight_code_elsewhere():
    got = read(*loop(0, load(0), use(0)), *loop(3, (BAR, {}), (FADD, {})), END)
    assert got["passes"] == ((1, 3, 1),)
    assert (got["loop_barriers"], got["instructions"], got["step_instructions"]) == (0, 1, 3)
    got = read(*loop(0, load(0), use(0)), *loop(3, (reader.LDS, {}), (FADD, {})), END)
    assert (got["instructions"], got["step_instructions"]) == (4, 0)


def test_a_loop_around_another_is_straight_code_and_a_rest_may_be_straight():
    two = loop(1, load(0), load(0), use(0))
    rest = [(BRA, {"predicate": IF, "to": 8}), load(0), use(0)]
    got = read((FADD, {}), *two, *rest, *loop(0, (FADD, {})), END)
    assert got["passes"] == ((2, 4, 1), (1, 2, 1))
    assert (got["loop_loads"], got["loads"], got["instructions"]) == (1, 0, 5)


def test_one_turn_of_the_loop_around_a_loop_is_kept_apart():
    inner = loop(2, load(0), use(0))
    got = read((FADD, {}), (FADD, {}), *inner, (FADD, {}), (BRA, {"predicate": IF, "to": 1}), END)
    assert got["passes"] == ((1, 3, 1),)
    # The two additions and the branch back; what stands before and behind them is not the loop's.
    assert (got["around_instructions"], got["instructions"], got["loop_loads"]) == (3, 5, 1)
    assert read(load(0), use(0), END)["around_instructions"] == 0


def test_what_only_those_do_that_store_is_kept_apart():
    store = (STG, {})
    got = read(load(0), use(0), (BAR, {}), (EXIT, {"predicate": IF}), (FADD, {}), (FADD, {}), store, END)
    assert (got["last_instructions"], got["last_stores"], got["instructions"]) == (4, 1, 8)
    assert got["last_cycles"] > 0
    # All that is before a barrier, and all without one, is everybody's.
    assert read(load(0), use(0), (EXIT, {"predicate": IF}), (FADD, {}), store, END)["last_instructions"] == 0
    assert read(load(0), (EXIT, {"predicate": IF}), store, (BAR, {}), END)["last_instructions"] == 0


def test_arithmetic_of_doubles_is_counted():
    got = read((reader.DFMA, {}), (FADD, {}), *loop(2, load(0), (reader.DFMA, {}), (reader.DFMA, {}), use(0)), END)
    assert got["doubles"] == 1 and got["piece_doubles"] == (2,)


def test_what_is_spilled_is_counted_in_bytes_of_a_thread():
    got = read(load(0), (reader.STL, {}), (reader.STL, {"width": BYTES_16}), use(0), (reader.LDL, {}), END)
    assert (got["local_load_bytes"], got["local_store_bytes"]) == (4, 20)
    with pytest.raises(AssertionError):
        read(*loop(0, load(0), (reader.LDL, {}), use(0)), END)


def test_a_loop_that_the_way_does_not_come_through_is_not_told():
    got = read((BRA, {"predicate": IF, "to": 4}), *loop(1, (0, {})), (BRA, {"to": 8}), *[(0, {})] * 4, load(0), use(0), END)
    assert (got["passes"], got["instructions"]) == ((), 8)


def code_gaps(kernels, table):
    """Kernels without machine code, and machine code of no kernel. `kernels`: source text by name. No time is predicted of
    a debug build."""
    wanted = {name for name, text in kernels.items() if "debug_build = true" not in text}
    known = set(re.findall(r'^\{"(\w+)"', table, re.M))
    return sorted(wanted - known), sorted(known - kernels.keys())


def test_a_kernel_without_machine_code_is_a_warning_and_code_without_a_kernel_an_error():
    """A new kernel may come from where there is no nvcc; GET /v1/kernels has it, and its time is unknown."""
    kernels = {path.stem: path.read_text() for path in (ROOT / "kernels/suite").glob("*.cu")}
    missing, stale = code_gaps(kernels, TABLE)
    for name in missing:
        warnings.warn(f"kernels/suite/{name}.cu has no machine code, so its time is not predicted: run scripts/machine_code where nvcc is")
    assert stale == [], "scripts/machine_code makes the table anew"


def test_gaps_of_the_table_are_named():
    kernels = {"copy": "", "new_one": "", "copy_debug": "static constexpr bool debug_build = true;"}
    assert code_gaps(kernels, '{"copy", F32, ...\n{"gone", F32, ...\n') == (["new_one"], ["gone"])


@pytest.mark.parametrize("kernel", ["vector_add", "read_only"])
def test_the_shipped_table_is_what_the_compiler_makes(kernel):
    if not NVCC:
        pytest.skip("there is no nvcc")
    made_with = re.search(r"nvcc ([\d.]+)", TABLE).group(1)
    here = reader.compiler_version(NVCC)
    if here != made_with:
        pytest.skip(f"the table was made with nvcc {made_with}, and here is {here}")
    said = subprocess.run([SCRIPT, "--nvcc", NVCC, kernel], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert said.splitlines() == [line for line in TABLE.splitlines() if line.startswith(f'{{"{kernel}"')]
