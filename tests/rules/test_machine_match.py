"""What became of the accesses of PTX in machine code, of kernels that nvcc makes now, for several architectures."""
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
SOURCE = ROOT / "tests/cubins/differences.cu"
SURVEY = pathlib.Path(os.environ.get("COALESCED_BUILD", ROOT / "build-dev")) / "ptx_survey"
NVCC = shutil.which("nvcc", path="/usr/local/cuda/bin:/opt/cuda/bin:/usr/bin:/usr/local/bin")

# What differs in some kernel of the file, besides "one"; nothing: the counts are exact even where lanes part.
EXPECTED = {
    "whole_xyz": set(), "plain": set(), "stride": set(), "each_lane": set(), "cas": set(),
    "narrow_xw": {"narrower"}, "joined": {"joined"}, "swap_loop": {"replaced"}, "one_lane": {"one lane"}, "constant": {"constant"},
}
EXACT = {"joined", "one lane", "constant"}


def test_each_difference_is_told_in_chinese_too():
    """What says why counts are not exact: match_text.c writes it, and source_machine.c puts the line before it."""
    text = (ROOT / "ptx/match_text.c").read_text()
    sentences = dict(re.findall(r'^ *\[MATCH_(\w+)\] = "([^"]+)",$', text, re.M))
    assert len(sentences) == 17
    chinese = set(re.findall(r'^  \["([^"]+)", ', (ROOT / "web/source/machine_reasons.js").read_text(), re.M))
    never = {"ONE", "JOINED", "ONE_LANE", "CONSTANT", "REGISTERS"}  # local memory is in no count of a prediction
    missing = [text for name, text in sentences.items() if name not in never and "line %: " + re.sub(r"{\w+}", "%", text) not in chinese]
    assert not missing


@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_120"])
def test_each_difference_is_found_and_no_other(arch, tmp_path):
    if not NVCC:
        pytest.skip("there is no nvcc")
    ptx = tmp_path / "differences.ptx"
    options = ["-lineinfo", f"-arch={arch}"]
    made = subprocess.run([NVCC, "-ptx", *options, "-o", ptx, SOURCE], capture_output=True, text=True)
    if made.returncode and "Unsupported gpu architecture" in made.stderr:
        pytest.skip(f"this nvcc does not make {arch}")
    assert made.returncode == 0, made.stderr
    subprocess.run([pathlib.Path(NVCC).parent / "ptxas", *options, ptx, "-o", ptx.with_suffix(".cubin")], check=True, capture_output=True)
    told = json.loads(subprocess.run([SURVEY, ptx], check=True, capture_output=True, text=True).stdout)
    found = {kernel["kernel"]: kernel["match"] for kernel in told["kernels"]}
    assert {name: set(found[name]["sites"]) - {"one"} for name in EXPECTED} == EXPECTED
    for name, differs in EXPECTED.items():
        assert (found[name]["global_exact"] and found[name]["shared_exact"]) == (differs <= EXACT), name
    assert all(match["extras"] == 0 for match in found.values())
    assert found["spilled"]["spills"] > 0 or arch == "sm_120"
    assert found["triangle"]["global_exact_together"]


def test_a_divergent_loop_that_the_assembler_unrolled_is_named(tmp_path):
    """Of PTX that is kept, so that nothing depends on which of the two compilers unrolls it."""
    for end in ".ptx", ".cubin":
        shutil.copy(ROOT / f"tests/cubins/tiled{end}", tmp_path)
    told = json.loads(subprocess.run([SURVEY, tmp_path / "tiled.ptx"], check=True, capture_output=True, text=True).stdout)
    found = {kernel["kernel"]: kernel["match"] for kernel in told["kernels"]}
    assert found["triangle"]["sites"] == {"apart": 1, "one": 1}
    assert found["triangle"]["first_lines"]["apart"] > 0
    assert not found["triangle"]["global_exact"]
