"""The page in Chinese says nothing in English: every page is walked, and no run of four or more English words may be in it but names and code."""
import pathlib
import re

import pytest

from chromium import NEEDS, Walk, browser  # noqa: F401
from conftest import Service

pytestmark = NEEDS
# What a reader sees or hears: the text, labels, hints, pictures. Not code, and not what is in a code's font.
SEEN = """(() => {
  document.querySelectorAll('details').forEach(one => one.open = true);
  const page = document.body.cloneNode(true);
  page.querySelectorAll('code, pre, script, .languages').forEach(one => one.remove());
  const named = [...page.querySelectorAll('[aria-label], [title], [placeholder], [data-tip]')].flatMap(
    one => ['aria-label', 'title', 'placeholder', 'data-tip'].map(name => one.getAttribute(name)).filter(Boolean));
  const texts = [];
  const walker = document.createTreeWalker(page, NodeFilter.SHOW_TEXT);
  let last = null;
  while (walker.nextNode()) {
    const block = walker.currentNode.parentElement.closest('p, li, td, th, h1, h2, h3, dd, dt, text, title, label, button, div, figcaption, summary');
    if (block === last) texts[texts.length - 1] += walker.currentNode.data; else texts.push(walker.currentNode.data);
    last = block;
  }
  return [...texts, ...named].join('\\n');
})()"""
RUN = re.compile(r"[A-Za-z][A-Za-z'’-]+(?:[ \u00a0,;:]+[A-Za-z][A-Za-z'’-]+){3,}")
# Names: values of a choice, fields of the contract.
NAMES = ("AMD EPYC", "kernel, device, device_uuid, owner, since, until", "invalid configuration argument")
# Those whose forms, tables and notes differ from each other.
KERNELS = "async_copy atomic_add copy_ldg copy_width fields histogram ilp_chain memory_fence overlap peer_read read_offset_unroll register_pressure texture_read".split()
RECIPES = "aos_soa lane_patterns latency_hiding matrix_column_major memory_fence overlap read_segment_unroll shared_steps sum_matrix_blocks vector_add_blocks".split()
LESSONS = "offsets unrolling layouts blocks shapes occupancy latency_hiding footprint banks paths strides four_more multiprocessor".split()


def english(text):
    for name in NAMES:
        text = text.replace(name, "")
    return RUN.findall(re.sub(r"\S*[=/_\d]\S*", " | ", text))


def test_english_is_found_and_names_are_not():
    assert english("原因：the queue is paused by ada") == ["the queue is paused by ada"]
    assert english("read_offset size=4 按 sm_90，见 AMD EPYC") == []


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    running = Service(tmp_path_factory.mktemp("chinese"), fake=False)
    yield running
    assert running.stop() == 0


QUICK = {"measure": {"min_samples": 1, "max_seconds": 0.01}}


def made(service):
    """Something of each kind to look at: results, a sweep with points that fail, a recipe, two labels to compare, what is wrong."""
    ask = lambda path, body: service.request("POST", path, json={**body, **QUICK}, headers={"Prefer": "wait=60"}).json()  # noqa: E731
    results = [ask("/v1/experiments", {"kernel": kernel, "size": 65536, "counters": True}) for kernel in ("read_offset", "copy_ldg")]
    sweeps = [ask("/v1/sweeps", {"kernel": "read_offset", "offset": [0, 11], "block": [128, 2048], "size": 65536}),
              ask("/v1/sweeps", {"recipe": "sum_matrix_blocks", "size": [256, 256]}),
              *(ask("/v1/sweeps", {"kernel": "copy", "size": [4096, 8192], "repeat": 2, "labels": {"side": side}}) for side in "ab")]
    return [f"experiments/{one['id']}" for one in results] + [f"sweeps/{one['id']}" for one in sweeps]


def looked(walk, path):
    walk.open(path + ("&" if "?" in path else "?") + "lang=zh")
    walk.until(lambda: re.search("[\u4e00-\u9fff]", walk.text("main")))
    walk.until(lambda: walk.script("document.querySelectorAll('.loading, [aria-busy=true]').length === 0"))
    seen = ""
    for _ in range(40):  # until it no longer changes
        now = walk.script(SEEN)
        if now == seen:
            break
        seen = now
        walk.script("new Promise(next => setTimeout(next, 250))")
    return english(seen)


def test_no_page_in_chinese_has_a_sentence_in_english(browser, service):
    walk = Walk(browser, service)
    device = service.get("/v1/devices").json()["devices"][0]["device_name"]
    pages = ["", "new", "experiments", "sweeps", "compare", "compare?a=label.side:a&b=label.side:b", "queue", "devices", f"devices/{device}", "recipes",
             "lessons", "nothing", "recipes/nothing", *made(service), *(f"new?kernel={name}" for name in KERNELS), *(f"recipes/{name}" for name in RECIPES)]
    found = {path: words for path in pages if (words := looked(walk, path))}
    assert found == {}
    walk.end()


@pytest.mark.parametrize("name", LESSONS)
def test_no_lesson_in_chinese_has_a_sentence_in_english(browser, service, name):
    walk = Walk(browser, service).open(f"lessons/{name}?lang=zh")
    for _ in range(len(walk.until(lambda: walk.all(".lesson-steps i")))):
        walk.click(".answers button", "我不知道")
    assert looked(walk, f"lessons/{name}") == []
    walk.script("sessionStorage.clear()")
    walk.end()


def test_each_unit_of_a_parameter_has_its_chinese(service):
    kernels = [service.get(f"/v1/kernels/{one['name']}").json() for one in service.get("/v1/kernels").json()["kernels"]]
    units = {parameter["unit"] for kernel in kernels for parameter in kernel["parameters"]} - {"", None}
    page = (pathlib.Path(__file__).parents[2] / "web/creation/words.js").read_text()
    assert len(units) > 8 and units <= set(re.findall(r'^  "unit\.([^"]+)": \["[^"]*", "[^"]*[\u4e00-\u9fff]', page, re.M))


def test_a_form_with_errors_tells_them_in_chinese(browser, service):
    walk = Walk(browser, service)
    assert looked(walk, "new?kernel=copy&size=0&block=4096&offset=3&dtype=f16") == []
    walk.end()
