"""Tools of others read the contract: a linter finds nothing, and a client whose types were generated from it compiles in
strict mode and works. They come from npm into the build folder; without node, npm or a registry this is skipped."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "http"))
from conftest import Service  # noqa: E402

pytestmark = pytest.mark.slow

FOLDER = pathlib.Path(os.environ.get("COALESCED_BUILD", ROOT / "build")) / "contract"
QUIET = {**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "NO_COLOR": "1"}


def tool(*command):
    """Runs one in the folder; its output, or a failed test."""
    done = subprocess.run(command, cwd=FOLDER, env=QUIET, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def installed():
    """Are the tools of package.json there, in just these versions?"""
    wanted = json.loads((HERE / "package.json").read_text())["devDependencies"]
    found = {name: FOLDER / "node_modules" / name / "package.json" for name in wanted}
    return all(path.exists() and json.loads(path.read_text())["version"] == wanted[name] for name, path in found.items())


@pytest.fixture(scope="module")
def folder():
    for program in ("node", "npm"):
        if not shutil.which(program):
            pytest.skip(f"{program} is not there")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in (*HERE.glob("*.json"), *HERE.glob("*.yaml"), *HERE.glob("*.ts"), ROOT / "api" / "openapi.yaml"):
        shutil.copy(path, FOLDER)
    if not installed():
        try:
            done = subprocess.run(["npm", "install", "--no-package-lock", "--ignore-scripts", "--loglevel=error",
                                   "--no-audit", "--no-fund", "--fetch-retries=1"],
                                  cwd=FOLDER, env=QUIET, capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            pytest.skip("npm does not come to an end: is there a registry?")
        ours = [code for code in ("ETARGET", "EJSONPARSE", "ERESOLVE") if code in done.stderr]  # of package.json itself
        assert not ours, done.stderr
        if done.returncode:
            pytest.skip("npm cannot install the tools: " + " ".join(done.stderr.split())[:100])
    return FOLDER


def test_the_linter_finds_nothing(folder):
    report = tool("node_modules/.bin/redocly", "lint", "openapi.yaml", "--format=json")
    found = json.loads(report[report.index("{"):])
    assert found["totals"]["errors"] + found["totals"]["warnings"] == 0, found["problems"]


def test_the_linter_finds_what_is_planted(folder):
    """A comma that cuts a description off."""
    text = (folder / "openapi.yaml").read_text()
    good = "{type: integer, description: Runs begun}"
    assert good in text
    (folder / "planted.yaml").write_text(text.replace(good, good.replace("Runs begun", "Runs, begun")))
    with pytest.raises(AssertionError):
        tool("node_modules/.bin/redocly", "lint", "planted.yaml", "--format=json")


def test_a_generated_client_compiles_and_works(folder, tmp_path):
    tool("node_modules/.bin/openapi-typescript", "openapi.yaml", "-o", "openapi.ts")
    tool("node_modules/.bin/tsc", "--project", ".")
    shutil.copy(folder / "out" / "client.js", folder / "out" / "client.mjs")
    service = Service(tmp_path)
    try:
        said = tool("node", "out/client.mjs", service.url)
    finally:
        assert service.stop() == 0
    for word in ("1.7 us, 1.69 to 1.72", "succeeded 8 of 8", "succeeded 2 of 2"):
        assert word in said, said
