"""axe-core finds nothing serious in any page, light and dark. It comes from npm into the build folder; without npm or a registry this
is skipped."""
import os
import pathlib
import shutil
import subprocess

import pytest

from chromium import NEEDS, Walk, browser, serve  # noqa: F401, and the path to tests/http

import timed  # isort: skip

pytestmark = NEEDS
HERE = pathlib.Path(__file__).parent
FOLDER = pathlib.Path(os.environ.get("COALESCED_BUILD", HERE.parents[1] / "build")) / "axe"
PAGES = ["", "new?kernel=bank_conflict&stride=4", "experiments", "sweeps", "queue", "devices", "devices/0", "recipes", "recipes/read_segment_unroll", "lessons", "lessons/offsets", "lessons/layouts",
         "no/such"]
RUN = """
const done = arguments[0];
axe.run(document, {resultTypes: ["violations"]}).then(found => done(found.violations.filter(one => one.impact === "serious" || one.impact === "critical")
    .map(one => `${one.id}: ${one.nodes.map(node => node.html + " " + node.failureSummary).join(" | ").slice(0, 900)}`)), error => done([String(error)]));
"""


@pytest.fixture(scope="module")
def axe():
    if not shutil.which("npm"):
        pytest.skip("npm is not there")
    FOLDER.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "package.json", FOLDER)
    script = FOLDER / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        try:
            done = subprocess.run(["npm", "install", "--no-package-lock", "--ignore-scripts", "--loglevel=error", "--no-audit", "--no-fund",
                                   "--fetch-retries=1"], cwd=FOLDER, capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            pytest.skip("npm does not come to an end: is there a registry?")
        if done.returncode:
            pytest.skip("npm cannot install axe-core: " + " ".join(done.stderr.split())[:100])
    return script.read_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser, serve, axe, scheme):
    service = serve("--devices", "cpu,cpu")
    check(Walk(browser, service), axe, scheme, [""], ".welcome a")
    result = service.run()
    service.delete(f"/v1/experiments/{service.run()['id']}?remove=true")  # the bar with Undo is on all pages
    copies = [service.request("POST", "/v1/sweeps", json={"kernel": "copy", "size": [1024, 2048]}).json()["id"] for _ in range(2)]
    shapes = service.request("POST", "/v1/sweeps", json={"kernel": "sum_matrix_2d", "size": [64, 64], "block": [[32, 1], [16, 2], [64, 32]]}).json()["id"]
    service.until(lambda: service.get(f"/v1/sweeps/{shapes}").json()["state"] != "running")
    more = [f"experiments/{result['id']}", f"sweeps/{copies[0]}", f"sweeps/{shapes}", "compare", f"compare?a=sweep:{copies[0]}&b=sweep:{copies[1]}"]
    check(Walk(browser, service), axe, scheme, [*PAGES, *more])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_where_times_are_explained(browser, serve, axe, scheme):
    service = serve("--devices", "cpu", fake=False)
    result, take = service.run(), timed.plant(browser)
    check(Walk(browser, service), axe, scheme, [f"experiments/{result['id']}", "new?kernel=copy"], "svg.bounds")
    check(Walk(browser, service), axe, scheme, ["devices/0"], "[lang=en]")
    take()


def check(walk, axe, scheme, paths, shown="h1"):
    browser = walk.browser
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    for path in paths:
        walk.open(path).until(lambda: walk.text("h1") not in ("", "…"))
        walk.until(lambda: walk.text("footer") and walk.all(f"main {shown}"))
        # By the debugger, which the page's policy does not bind.
        browser.execute_cdp_cmd("Runtime.evaluate", {"expression": axe + ";0"})
        found = browser.execute_async_script(RUN)
        assert not found, f"{path}\n" + "\n".join(found)


def test_axe_finds_what_is_planted(browser, serve, axe):
    walk = Walk(browser, serve()).open("queue")
    walk.until(lambda: walk.text("h1") not in ("", "…"))
    walk.script("document.querySelector('main').insertAdjacentHTML('beforeend', '<button></button>')")
    browser.execute_cdp_cmd("Runtime.evaluate", {"expression": axe + ";0"})
    assert any(one.startswith("button-name") for one in browser.execute_async_script(RUN))
