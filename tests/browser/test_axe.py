"""axe-core finds nothing in any page, empty or full, light and dark. It comes from npm into the build folder; without npm or a registry this
is skipped."""
import os
import pathlib
import shutil
import subprocess

import pytest

from chromium import NEEDS, Walk, browser, serve  # noqa: F401, and the path to tests/http

import timed  # isort: skip
from test_sweep_page import ended, submit  # isort: skip

pytestmark = NEEDS
HERE = pathlib.Path(__file__).parent
FOLDER = pathlib.Path(os.environ.get("COALESCED_BUILD", HERE.parents[1] / "build")) / "axe"
PAGES = ["", "new?kernel=bank_conflict&stride=4", "source", "experiments", "sweeps", "queue", "devices", "devices/0", "recipes", "recipes/read_segment_unroll", "lessons", "lessons/offsets", "lessons/layouts",
         "no/such"]
# All rules, and one that is not usual; once a page was looked at in light, in dark only what depends on colour.
RUN = """
const done = arguments[1];
const rules = arguments[0] ? {runOnly: ["color-contrast", "link-in-text-block"]} : {rules: {"label-content-name-mismatch": {enabled: true}}};
axe.run(document, {resultTypes: ["violations"], ...rules}).then(found => done(found.violations
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


def test_axe_finds_nothing_in_any_page(browser, serve, axe):
    service = serve("--devices", "cpu,cpu")
    walk = Walk(browser, service)
    check(walk, axe, [""], ".welcome a")
    result = service.run()
    service.delete(f"/v1/experiments/{(gone := service.run()['id'])}?remove=true")  # the bar with Undo is on all pages
    walk.removed_here(f"/v1/experiments/{gone}")
    shapes = ended(service, submit(service, kernel="sum_matrix_2d", size=[64, 64], block=[[32, 1], [16, 2], [64, 32]]))
    check(walk, axe, [*PAGES, f"experiments/{result['id']}", f"sweeps/{shapes}", "compare"])


def test_axe_finds_nothing_where_times_are_explained(browser, serve, axe):
    service = serve("--devices", "cpu", fake=False)
    result, take = service.run(), timed.plant(browser)
    check(Walk(browser, service), axe, [f"experiments/{result['id']}", "new?kernel=copy"], "svg.bounds")
    check(Walk(browser, service), axe, ["devices/0"], "table")
    take()


def test_axe_finds_nothing_in_pages_that_are_full(browser, serve, axe):
    """132 points, half of them not stable; a comparison that cannot tell; a form with errors; rows that are chosen, what was refused of
    them and a question; the sheet of shortcuts."""
    service = serve("--devices", "cpu,cpu")
    large, other = (ended(service, submit(service, offset="0..32", block=[32, 64, 96, 128], labels={"fake": how})) for how in ("odd", "vary"))
    failed = ended(service, submit(service, offset=[0, 1], labels={"fake": "error:cuda_error"}))
    walk = Walk(browser, service).open(f"sweeps/{large}?lang=en").says("132 of 132 measured")
    walk.click("thead .choose input").says("132 chosen", ".chosen-bar")
    looked_at(walk, axe)
    walk.open(f"compare?a=sweep:{large}&b=sweep:{other}").says("of 132 points can be told yet")
    looked_at(walk, axe)
    walk.open("new?kernel=read_offset&offset=x&block=5000").until(lambda: walk.all("[aria-invalid=true]") and walk.text(".form-foot"))
    walk.click(".form-foot button").until(lambda: walk.text(".wrong"))
    looked_at(walk, axe)
    walk.open("experiments").click("thead .choose input").says("50 chosen", ".chosen-bar")
    walk.click(".chosen-bar button", "Remove 50").says("Remove 50 experiments?", ".chosen-bar .confirm [aria-hidden]")
    looked_at(walk, axe)
    service.delete(f"/v1/sweeps/{failed}?remove=true")  # meanwhile
    walk.click(".chosen-bar button", "Remove them").says("48 of 50 removed", ".jobs").says("48 experiments are removed", ".removals")
    walk.click(".keys").says("Keyboard shortcuts", "dialog")
    looked_at(walk, axe)
    walk.open("sweeps").click("thead .choose input").says("chosen", ".chosen-bar")
    looked_at(walk, axe)
    for example in "race", "tile&line=15":  # the editor, with what is wrong, and with a chart
        walk.open(f"source?example={example}").click(".listing").until(lambda: walk.all(".CodeMirror-focused") and walk.text(".lead"))
        looked_at(walk, axe)
    walk.end()


def check(walk, axe, paths, shown="h1"):
    for path in paths:
        walk.open(path).until(lambda: walk.text("h1") not in ("", "…"))
        walk.until(lambda: walk.text("footer") and walk.all(f"main {shown}"))
        looked_at(walk, axe)


def looked_at(walk, axe):
    """The page as it is, in light and in dark."""
    browser = walk.browser
    # By the debugger, which the page's policy does not bind.
    browser.execute_cdp_cmd("Runtime.evaluate", {"expression": axe + ";0"})
    for scheme in "light", "dark":
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        found = browser.execute_async_script(RUN, scheme == "dark")
        assert not found, f"{browser.current_url}, {scheme}\n" + "\n".join(found)


def test_axe_finds_what_is_planted(browser, serve, axe):
    """In markup, and in a colour that only dark has."""
    walk = Walk(browser, serve()).open("queue")
    walk.until(lambda: walk.text("h1") not in ("", "…"))
    looked_at(walk, axe)
    walk.script("document.querySelector('main').insertAdjacentHTML('beforeend', '<button></button><table><tr><th></th></tr><tr><td>1</td></tr></table>"
                "<button aria-label=\"Language\">EN</button>')")
    found = browser.execute_async_script(RUN, False)
    assert [any(one.startswith(rule) for one in found) for rule in ("button-name", "empty-table-header", "label-content-name-mismatch")] == [True] * 3, found
    walk.open("queue").until(lambda: walk.text("h1") not in ("", "…"))
    walk.script("document.querySelector('main').insertAdjacentHTML('beforeend', '<p id=planted>dark</p>')")
    walk.script("document.getElementById('planted').style.setProperty('color', '#14191d')")  # light's ink
    with pytest.raises(AssertionError, match="dark\n.*color-contrast"):
        looked_at(walk, axe)
