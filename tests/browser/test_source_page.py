"""/ui/source in a real browser: what is typed has its costs and its faults at the right lines, a line its chart, and the address all of it."""
import json

import pytest
import requests
from chromium import NEEDS, Walk, browser, serve  # noqa: F401, and the path to tests/http
from conftest import Service

try:
    from selenium.webdriver.common.keys import Keys
except ImportError:
    pass

pytestmark = NEEDS

# The arguments are read from the function; "in" is read at an offset, so that a warp touches a fifth sector.
KERNEL = """__global__ void shifted(const float *in, float *out, unsigned n)
{
unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
if (i + 3 < n)
out[i] = in[i + 3];
}"""
WIDE = """__global__ void wide(float *out, unsigned n)
{
__shared__ float2 s2[64];
__shared__ float4 s4[64];
unsigned t = threadIdx.x;
s2[t] = make_float2(t, 0);
s4[t] = make_float4(t, 0, 0, 0);
__syncthreads();
s2[2 * t] = make_float2(t, 1);
s4[2 * t] = make_float4(t, 1, 1, 1);
__syncthreads();
if (t < n)
out[t] = s2[t ^ 1].x + s4[t ^ 1].x;
}"""
LAUNCH = {"n": "4096", "block": "256", "threads": "n"}
# [line, text] of each mark of a kind in the margin, of the listing or of the editor.
MARKS = """[...document.querySelectorAll('.listing-row, .editor .CodeMirror-gutter-wrapper')].filter(one => one.querySelector(arguments[0]))
.map(one => [Number(one.querySelector('.line-number, .CodeMirror-linenumber').textContent),
             one.querySelector(arguments[0]).textContent.replaceAll('\\u00a0', ' ')])"""
TEXT = "document.querySelector('.editor .CodeMirror').CodeMirror.getValue()"
# How many questions are under way, and the most there were at a time: each answer is held back as if the service were slow.
COUNTED = """(() => {
  const count = window.asked = {now: 0, most: 0, all: 0, last: ""}, ask = window.fetch;
  window.fetch = async (address, options) => {
    if (!String(address).includes("/v1/predictions")) return ask(address, options);
    count.all++;
    count.last = JSON.parse(options.body).source;
    count.most = Math.max(count.most, ++count.now);
    try {
      await new Promise(done => setTimeout(done, 700));
      return await ask(address, options);
    } finally {
      count.now--;
    }
  };
})()"""


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    running = Service(tmp_path_factory.mktemp("source"))
    answer = requests.post(running.url + "/v1/predictions", json={"source": KERNEL, "block": 32, "grid": 1, "arch": "sm_90"}, timeout=60)
    if answer.status_code == 503:
        pytest.skip(f"no compiler: {answer.json()['detail']}")
    yield running
    assert running.stop() == 0


def asked(service, language="en", **question):
    return service.request("POST", "/v1/predictions", json=question, headers={"Accept-Language": language}).json()


def marks(walk, kind=".cost"):
    return walk.script(MARKS, kind)


def opened(browser, service, path="source"):  # noqa: F811
    walk = Walk(browser, service).open(path)
    walk.until(lambda: walk.all(".editor .listing"))
    return walk


def edited(walk):
    """The editor is there, and has the focus."""
    walk.click(".editor .listing")
    walk.until(lambda: walk.all(".editor .CodeMirror-focused"))
    return walk.browser.find_element("css selector", ".editor textarea")


def fill(walk, name, text):
    field = walk.until(lambda: walk.all(f"#field-{name}"))[0]
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(Keys.DELETE, text)


def begun(walk):
    """All that the editor has is replaced by KERNEL, key by key, then the fields of the launch; the answer stands there."""
    walk.until(lambda: marks(walk))
    edited(walk).send_keys(Keys.CONTROL, "a")
    walk.browser.find_element("css selector", ".editor textarea").send_keys(Keys.DELETE, KERNEL)
    walk.click(".launch summary")
    for name, value in {"arguments": "", "grid": "", **LAUNCH}.items():
        fill(walk, name, value)
    walk.says("any of the 16 blocks", ".lead").until(lambda: [line for line, _ in marks(walk)] == [5])
    return walk


def test_what_is_typed_has_its_cost_at_its_line(browser, service):  # noqa: F811
    walk = begun(opened(browser, service))
    [line] = asked(service, source=KERNEL, block=256, threads="n", size=4096, arch="sm_90")["predictions"][0]["lines"]
    assert line["line"] == 5 and 0 < line["efficiency_pct"] < 95
    percent = f"{line['efficiency_pct']:.0f} %"
    walk.until(lambda: marks(walk) == [[5, percent]])
    # The page shows a predicted time if the constants of a device of this architecture are known.
    time = asked(service, source=KERNEL, block=256, threads="n", size=4096, arch="sm_90")["predictions"][0]["time"]
    walk.says(f"Predicted time {time['predicted_us']:.2f} µs", ".source-results").says("as an NVIDIA H200 would take it; nothing has run")
    walk.says("No fault in any of the 16 blocks", ".lead").says(f"a request uses {percent} of the bytes that it moves", ".lead")
    rows = [cell.get_attribute("textContent") for cell in walk.all(".lines-table tbody td")]
    assert rows[0] == "out[i] = in[i + 3];" and rows[1:3] == [f"{line['requests']:,}" if line["requests"] > 9999 else str(line["requests"]), str(line["transactions"])]
    walk.end()


def test_what_the_compiler_says_stands_at_its_line_and_goes_when_it_is_mended(browser, service):  # noqa: F811
    walk = begun(opened(browser, service))
    field = walk.browser.find_element("css selector", ".editor textarea")
    field.send_keys(Keys.CONTROL, Keys.END)
    field.send_keys(Keys.ARROW_UP, Keys.HOME, "x = 1;")
    wrong = KERNEL.replace("out[i]", "x = 1;out[i]")
    errors = asked(service, source=wrong, block=256, threads="n", size=4096, arch="sm_90")["errors"]
    assert errors[0]["line"] == 5
    walk.until(lambda: marks(walk, ".sign.fault") == [[5, "✕"]])
    assert not marks(walk)
    assert walk.text(".line-note.fault") == f"✕ {errors[0]['detail']}"
    walk.says(f"Line 5: {errors[0]['detail']}", ".lead").click(".line-note.fault").until(lambda: walk.script("document.activeElement.tagName") == "TEXTAREA")
    field.send_keys(*[Keys.BACKSPACE] * 6)
    walk.until(lambda: marks(walk) and not marks(walk, ".sign") and not walk.all(".line-note"))
    walk.end()


SCALED = """__global__ void scaled(float *out, const float *in, unsigned n, unsigned stride)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i * stride];
}
"""


def test_another_kernel_in_the_place_of_an_example_has_nothing_of_its_launch(browser, service):  # noqa: F811
    walk = opened(browser, service, "source?example=naive&lang=en")
    walk.until(lambda: marks(walk))
    edited(walk).send_keys(Keys.CONTROL, "a")
    walk.script("document.querySelector('.CodeMirror').CodeMirror.replaceSelection(arguments[0], null, 'paste')", SCALED)
    walk.until(lambda: walk.all("#field-stride"))
    walk.says("No fault in any", ".lead")
    assert walk.script("[...document.querySelectorAll('.launch input[type=text], .launch input:not([type]), .launch textarea')].map(one => one.value).join('')") == ""
    assert walk.all("#field-stride")[0].get_attribute("placeholder") == "0"
    fill(walk, "stride", "4")
    fill(walk, "n", "1024")
    walk.says("is loaded by thread", ".lead").says("of what stood there before this error", ".source-results")
    assert walk.until(lambda: walk.text(".fault-at")) == "in", "the array that the sentence names"
    faded = lambda: walk.script("getComputedStyle(document.querySelector('.source-results b, .source-results strong')).color == getComputedStyle(document.querySelector('.source-results .stale, .source-results p.note')).color")  # noqa: E731
    walk.until(faded)
    walk.script("window.scrollTo(0, 250)")
    walk.until(lambda: walk.script("document.querySelector('.top').contains(document.elementFromPoint(300, 24))"))
    fill(walk, "stride", "1")
    walk.says("No fault in any", ".lead").until(lambda: "from before" not in walk.text(".source-results"))
    walk.end()


def test_a_race_is_shown_at_both_of_its_lines(browser, service):  # noqa: F811
    walk = opened(browser, service, "source?example=race")
    walk.until(lambda: marks(walk, ".sign"))
    example = walk.browser.execute_async_script(EXAMPLE, assets(walk))["race"]
    [error, *others] = asked(service, source=example["source"], block=256, grid=256, n=65536, arch="sm_90")["errors"]
    lines = example["source"].split("\n")
    load, store = lines.index("    float left = s[(t + 255) % 256];") + 1, lines.index("    s[t] = left;") + 1
    assert sorted(dict(marks(walk, ".sign"))) == [load, store] and {one["line"] for one in [error, *others]} <= {load, store}
    other = ({load, store} - {error["line"]}).pop()
    assert f"line {other} by thread" in error["detail"]
    assert error["detail"].partition(": ")[2] in walk.text(".line-note.fault")
    walk.says("without a barrier", ".lead").says("without a barrier", ".line-note.fault")
    walk.end()


def test_wide_accesses_of_shared_memory_have_a_mark_only_with_conflicts(browser, service):  # noqa: F811
    """8 bytes a lane take two turns and 16 take four; twice as many where half of the banks are passed over."""
    walk = begun(opened(browser, service))
    field = walk.browser.find_element("css selector", ".editor textarea")
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(Keys.DELETE, WIDE)
    fill(walk, "block", "32")
    fill(walk, "n", "32")
    [prediction] = asked(service, source=WIDE, block=32, threads="n", size=32, arch="sm_90")["predictions"]
    said = {line["line"]: (line["shared_wavefronts"], line["bank_conflicts"]) for line in prediction["lines"]}
    assert [said[line] for line in (6, 7, 9, 10)] == [(2, 0), (4, 0), (4, 2), (8, 4)]
    walk.until(lambda: [mark for mark in marks(walk) if mark[0] < 12] == [[9, "△ ×2"], [10, "△ ×2"]])
    walk.end()


def test_a_click_on_a_line_draws_what_a_warp_asks_there(browser, service):  # noqa: F811
    walk = begun(opened(browser, service))
    assert not walk.all("svg.memory")
    walk.script("document.querySelectorAll('.editor .CodeMirror-line')[4].scrollIntoView({block: 'center'})")
    walk.all(".editor .CodeMirror-line")[4].click()
    walk.until(lambda: walk.all(".editor .chosen-line"))
    drawn = "[...document.querySelectorAll('.access')].map(one => one.querySelectorAll('.sector.touched').length)"
    explain = asked(service, source=KERNEL, block=256, threads="n", size=4096, arch="sm_90", explain={"line": 5})["explain"]
    walk.until(lambda: walk.script(drawn) == [len(one["sectors"]) for one in explain["accesses"]] == [5, 4])
    walk.click("[aria-label='The next warp']").until(lambda: walk.all(".warp-number")[0].get_attribute("value") == "2")
    walk.end()


def test_an_address_that_is_shared_opens_the_same(browser, service):  # noqa: F811
    walk = begun(opened(browser, service))
    walk.until(lambda: "#z." in browser.current_url and "example" not in browser.current_url)
    walk.click(".editor .CodeMirror-line").click(".editor .CodeMirror-line", "out[i]").until(lambda: "line=5" in browser.current_url)
    text, address, cost = walk.script(TEXT), browser.current_url, marks(walk)
    opened(browser, service, "source?example=padded").until(lambda: len(marks(walk)) == 2)
    browser.get("about:blank")
    browser.get(address)
    walk.until(lambda: marks(walk) == cost)
    assert [row.get_attribute("textContent") for row in walk.all(".listing-row code")] == text.split("\n")
    assert [walk.all(f"#field-{name}")[0].get_attribute("value") for name in LAUNCH] == list(LAUNCH.values())
    walk.until(lambda: walk.all("svg.memory"))
    walk.click(".languages button", "中文").until(lambda: marks(walk) == cost)  # the frame is drawn anew
    walk.click(".languages button", "EN")
    walk.end()


def test_an_address_that_would_be_too_long_is_said_so(browser, service):  # noqa: F811
    walk = begun(opened(browser, service))
    walk.script("document.querySelector('.editor .CodeMirror').CodeMirror.replaceRange('\\n// ' + Array.from({length: 4000}, (_, i) => "
                "((i * 2654435761) >>> 0).toString(36)).join(''), {line: 6, ch: 0})")
    walk.says("An address holds 16,000 characters, this source takes").until(lambda: "#" not in browser.current_url)
    opened(browser, service, "source#z.bYzBCsIwDIZfJeQ8").says("The kernel in this address cannot be read: perhaps the address was cut off").end()


def test_it_says_with_what_a_launch_left_empty_was_checked(browser, service):  # noqa: F811
    """As many threads as elements never meet a bound that is off by one."""
    walk = opened(browser, service, "source?example=naive")
    edited(walk)
    source = "__global__ void f(const float *in, float *out, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i <= n) out[i] = in[i];\n}"
    walk.script("document.querySelector('.editor .CodeMirror').CodeMirror.setValue(arguments[0])", source)
    walk.says("Launched with block 256, grid 4096, n 1,048,576.").says("a wrong bound shows only with another number, as 1,048,575")
    assert [walk.all(f"#field-{name}")[0].get_attribute("placeholder") for name in ("block", "grid", "n")] == ["256", "4096", "1048576"]
    fill(walk, "n", "1000")
    walk.says("Line 3: in[1000]", ".lead")
    walk.says("Launched with block 256, grid 4, n 1000. The assumed number of elements of each array is beside")
    assert walk.all("#field-grid")[0].get_attribute("placeholder") == "4"
    line = {"line": 1, "requests": 1, "transactions": 1, "efficiency_pct": 22, "traffic_pct": 100, "shared_requests": 0, "shared_wavefronts": 0, "bank_conflicts": 0}
    noted = "m.listingRows({lines: ['a'], costs: [given[0]], faults: [], notes: [{line: 1, detail: 'x'}]})[0].querySelectorAll('.cost').length"
    assert walk.module("source/listing.js", noted, line) == 1, "a note does not take the cost's place"
    walk.end()


def test_a_renamed_example_keeps_its_launch_and_a_line_of_shared_memory_is_not_the_worst(browser, service):  # noqa: F811
    walk = opened(browser, service, "source?example=naive&lang=en")
    walk.until(lambda: marks(walk))
    edited(walk)
    mirror = "document.querySelector('.editor .CodeMirror').CodeMirror"
    for name in "trzanspose", "t", "", "turned":
        walk.script(f"{mirror}.setValue({mirror}.getValue().replace(/void \\w*\\(/, `void ${{arguments[0]}}(`))", name)
    walk.says("No fault in any of the 256 blocks", ".lead")
    assert walk.script("document.querySelector('#field-block').value") == "32x8"
    shared = """__global__ void own(const float *in, float *out, int n, int k)
{
    __shared__ float tile[256];
    tile[threadIdx.x] = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + tile[threadIdx.x];
}"""
    walk.script(f"{mirror}.setValue(arguments[0])", shared)
    walk.until(lambda: walk.all("#field-k"))
    walk.until(lambda: walk.text(".lead").endswith("a request uses 100 % of the bytes that it moves"))
    derived = lambda: walk.script("document.querySelector('.derived').textContent")  # noqa: E731
    walk.until(lambda: "int k" in derived() or '"k"' in derived())
    wrong = shared.replace(", int k", ", int other").replace("in[i]", "in[i + n]")
    walk.script(f"{mirror}.setValue(arguments[0])", wrong)
    walk.says("Line 6: in[", ".lead").until(lambda: walk.all("#field-other") and not walk.all("#field-k"))
    assert '"other"' in derived() and '"k"' not in derived()
    walk.end()


def test_a_kernel_that_replaces_another_has_neither_its_picture_nor_its_scalars(browser, service):  # noqa: F811
    walk = opened(browser, service, "source?example=naive&line=8")
    walk.until(lambda: walk.all("svg.memory"))
    edited(walk)
    source = "__global__ void scaled(float *p, unsigned n, unsigned k) {\n  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) p[i] = k * p[i];\n}"
    walk.script("document.querySelector('.editor .CodeMirror').CodeMirror.setValue(arguments[0])", source)
    walk.until(lambda: walk.all("#field-k"))
    fill(walk, "k", "7")
    walk.says(", k 7. ").says("Click a line with a mark")
    assert not walk.all("svg.memory")
    walk.end()


def test_what_is_said_is_never_of_the_source_before(browser, service):  # noqa: F811
    walk = begun(opened(browser, service))
    walk.until(lambda: "of the bytes" in walk.text(".lead"))
    walk.script("(ask => window.fetch = (...given) => String(given[0]?.url ?? given[0]).includes('/v1/predictions') ?"
                " new Promise(later => setTimeout(later, 2500)).then(() => ask(...given)) : ask(...given))(window.fetch)")
    walk.script("document.querySelector('.editor .CodeMirror').CodeMirror.setValue('__global__ void zero(float *p) { p[threadIdx.x] = 0; }')")
    walk.says("This is being checked", ".lead").until(lambda: "being checked" not in walk.text(".lead"))
    walk.script("sessionStorage.clear()")  # what was typed, for the next test
    walk.end()


def test_one_question_is_under_way_at_a_time(browser, service):  # noqa: F811
    walk = begun(opened(browser, service))
    walk.script(COUNTED)
    field = walk.browser.find_element("css selector", ".editor textarea")
    field.send_keys(Keys.CONTROL, Keys.END)
    for letter in "\n// on and on, slower than a pause\n":
        field.send_keys(letter)
        walk.script("window.asked.now") or walk.browser.execute_async_script("setTimeout(arguments[0], 330)")
    walk.until(lambda: walk.script("window.asked.last.includes('slower than a pause\\n') && window.asked.now === 0"))
    count = walk.script("window.asked")
    assert count["most"] == 1 and 2 < count["all"] < 36
    walk.end()


def test_the_editor_is_loaded_by_who_touches_the_source(browser, service):  # noqa: F811
    """By a click, which puts the cursor there and shows that line's chart, and by the keyboard."""
    walk = opened(browser, service, "source?example=aos")
    walk.until(lambda: marks(walk))
    loaded = "performance.getEntriesByType('resource').some(one => one.name.endsWith('codemirror.js'))"
    [[line, _]] = cost = marks(walk)
    assert not walk.script(loaded)
    walk.click(f".listing-row[data-line='{line}'] code").until(lambda: walk.all(".editor .CodeMirror-focused"))
    assert walk.script(loaded) and marks(walk) == cost
    assert walk.script("document.querySelector('.editor .CodeMirror').CodeMirror.getCursor().line") == line - 1
    walk.until(lambda: walk.all("svg.memory"))
    opened(browser, service, "source?example=race").until(lambda: marks(walk, ".sign"))
    walk.script("document.querySelector('.examples a:last-child').focus()")
    browser.switch_to.active_element.send_keys(Keys.TAB)
    walk.until(lambda: walk.all(".editor .CodeMirror-focused") and len(marks(walk, ".sign")) == 2 and walk.all(".line-note"))
    walk.end()


def test_tab_indents_and_leaves_after_escape(browser, service):  # noqa: F811
    walk = begun(opened(browser, service))
    inside = "document.activeElement.closest('.CodeMirror') !== null"
    walk.browser.find_element("css selector", ".editor textarea").send_keys(Keys.TAB)
    assert walk.script(inside)
    browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    browser.switch_to.active_element.send_keys(Keys.TAB)
    assert not walk.script(inside)
    walk.says("Escape, then Tab, leaves the editor", "#editor-keys")
    assert walk.script("document.querySelector('.editor textarea').getAttribute('aria-label')") == "CUDA source of the kernel"
    walk.end()


# The examples, as the page has them.
EXAMPLE = "const [assets, done] = arguments; import(assets + 'source/examples.js').then(({EXAMPLES}) => done(EXAMPLES))"


def assets(walk):
    return walk.script("document.querySelector('script[type=module]').src").replace("app.js", "")


def test_each_example_is_what_it_says(browser, service):  # noqa: F811
    walk = opened(browser, service)
    names = list(walk.browser.execute_async_script(EXAMPLE, assets(walk)))
    assert sorted(names) == ["aos", "naive", "off_by_one", "padded", "race", "soa", "tile"]
    said = {}
    for name in names:
        opened(browser, service, f"source?example={name}").until(lambda: marks(walk) or marks(walk, ".sign"))
        walk.until(lambda: walk.text(".lead"))
        said[name] = walk.text(".lead").replace("\u00a0", " ")
        assert not walk.all(".form-field.is-wrong")
    assert all("No fault in any of the" in said[name] for name in ("naive", "tile", "padded", "aos", "soa")), said
    assert "without a barrier" in said["race"] and "has 65536 elements" in said["off_by_one"], said
    walk.end()


def test_a_lesson_leads_from_a_naive_transpose_to_a_good_one(browser, service):  # noqa: F811
    """Each number of it is one of the answer that stands there."""
    walk = Walk(browser, service).open("lessons").click(".own-kernel a")
    walk.until(lambda: walk.all(".editor .listing"))
    examples = walk.browser.execute_async_script(EXAMPLE, assets(walk))
    for name in "naive", "tile", "padded":
        walk.until(lambda: walk.text(".step") and f"example={name}" in browser.current_url)
        question = {"source": examples[name]["source"], "arguments": json.loads(examples[name]["arguments"]), "n": 512, "block": [32, 8], "grid": [16, 16]}
        accesses = [one for line in asked(service, **question, arch="sm_90")["predictions"][0]["lines"] for one in line["accesses"]]
        def each(kind, space, what):
            chosen = [one for one in accesses if (one["kind"], one["space"]) == (kind, space)]
            return sum(one[what] for one in chosen) / sum(one["requests"] for one in chosen)
        load, store = (each(kind, "global", "transactions") for kind in ("load", "store"))
        turns = 1 + each("load", "shared", "bank_conflicts") if name != "naive" else None
        assert (load, store, turns) == {"naive": (4, 32, None), "tile": (4, 4, 32), "padded": (4, 4, 1)}[name]
        said = walk.text(".step").replace("\u00a0", " ")
        assert all(f"{number:g}" in said for number in (load, store, turns) if number), said
        if name != "padded":
            walk.click(".step a")
    walk.end()


def test_wrong_fields_and_the_page_in_chinese(browser, service):  # noqa: F811
    walk = opened(browser, service, "source?lang=zh&example=soa")
    walk.until(lambda: marks(walk))
    fill(walk, "block", "2048")
    problem = asked(service, "zh", source="__global__ void k(float *x, unsigned n) { x[threadIdx.x] = n; }", size=4096, block=2048, threads="n", arch="sm_90")
    detail = next(one["detail"] for one in problem["errors"] if one["pointer"] == "#/block")
    assert any("\u4e00" <= letter <= "\u9fff" for letter in detail)
    walk.says(detail, "[data-field=block] .wrong").says(f"线程块：{detail}", ".lead")
    fill(walk, "block", "256")
    walk.until(lambda: not walk.text("[data-field=block] .wrong"))
    walk.says("没有发现错误", ".lead")
    walk.open("source?example=race").says("其间没有屏障", ".line-note.fault").says("其间没有屏障", ".lead")
    assert sorted(line for line, _ in marks(walk, ".sign")) == [8, 9]
    walk.open("source?lang=zh&example=soa").until(lambda: marks(walk))
    edited(walk)
    browser.switch_to.active_element.send_keys(Keys.CONTROL, "a")
    browser.switch_to.active_element.send_keys(Keys.DELETE, "__global__ void k(float *x, unsigned n) { x[0] = ")
    walk.says("编译器的消息只有英文", "main")
    walk.open("source?lang=en")
    walk.end()


def test_arguments_that_are_no_json_are_told_at_the_result_and_at_run(browser, service):  # noqa: F811
    walk = opened(browser, service, "source?lang=en&example=soa")
    walk.says("No fault", ".lead").until(lambda: marks(walk))
    walk.script("document.querySelector('details.more').open = true")
    fill(walk, "arguments", '[{"name":')
    walk.says("arguments: is no JSON", ".lead").says("What is shown here is of what stood there before", "main")
    assert not marks(walk)
    walk.click(".launch-foot button", "Run it on the CPU device").says("arguments: is no JSON", ".launch-foot .wrong")
    walk.end()


def test_a_service_that_takes_no_source_says_so(browser, serve):  # noqa: F811
    walk = opened(browser, serve("--source", "off"))
    walk.says("this service takes no source", ".lead")
    walk.end()


def test_a_phone_scrolls_in_one_direction(browser, service):  # noqa: F811
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True})
    try:
        for name in "padded", "race":
            walk = opened(browser, service, f"source?example={name}")
            walk.until(lambda: marks(walk) or marks(walk, ".sign"))
            assert walk.script("document.documentElement.scrollWidth") == 390
        walk.end()
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
