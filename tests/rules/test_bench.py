"""bench/README.md's commands build what the programs of bench/ start."""
import json
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
BENCH = ROOT / "bench"
README = (BENCH / "README.md").read_text()


def started():
    """What the Python programs take from a build's folder: {"tests/fake_executor", ...}."""
    for path in BENCH.rglob("*.py"):
        for words in re.findall(r"""\bbuild(?:\.resolve\(\))?((?: / ['"][\w.]+['"])+)""", path.read_text()):
            yield "/".join(re.findall(r"""['"]([\w.]+)['"]""", words))


def test_this_test_sees_what_is_started():
    assert {"coalesced", "http_load", "pool_executor", "tests/fake_executor", "tests/steered.so"} <= set(started())


def test_each_program_is_told_of():
    """And what the programs have in common is none."""
    programs = {path.name for path in BENCH.glob("*.py") if path.read_text().startswith("#!")}
    assert programs == set(re.findall(r"^\| `(\w+\.py)`", README, re.M))


@pytest.mark.builds
def test_the_command_of_the_readme_builds_what_is_started(tmp_path):
    preset, folder = re.search(r"`cmake --preset (\w+) && cmake --build ([\w-]+)`", README).groups()
    presets = {one["name"]: one for one in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}
    assert presets[preset]["binaryDir"] == "${sourceDir}/" + folder
    query = tmp_path / ".cmake/api/v1/query/codemodel-v2"
    query.parent.mkdir(parents=True)
    query.touch()
    done = subprocess.run(["cmake", "--preset", preset, "-B", tmp_path, "-DCOALESCED_CUDA=OFF"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    replies = [json.loads(path.read_text()) for path in (tmp_path / ".cmake/api/v1/reply").glob("target-*.json")]
    built = {artifact["path"] for target in replies for artifact in target.get("artifacts", [])}
    assert set(started()) <= built
