"""/ui/new and /ui/experiments/{id} in a real browser: the memory chart, the form, a run, its result, a cancelled one."""

import pytest

from chromium import NEEDS, Walk, browser  # noqa: F401
from conftest import Service

try:
    from selenium.common.exceptions import StaleElementReferenceException
    from selenium.webdriver.common.keys import Keys
except ImportError:
    pass
pytestmark = NEEDS

# What memory_draw makes of the explanation of every kernel, held against that explanation: {kernel: what is wrong}.
DRAW_ALL = """
const [assets, questions, done] = arguments;
(async () => {
  const [{memory_draw, memory_rows}, {t}, {count}] = await Promise.all(["charts/memory.js", "words.js", "format.js"].map(name => import(assets + name)));
  const wrong = {};
  for (const question of questions) {
    const reply = await fetch("/v1/predictions", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(question)});
    const {request, explain} = await reply.json();
    for (const width of [900, 340]) try {
      const drawing = memory_draw(explain, {width, all: true, say: t, number: count, grid: request.grid}), groups = drawing.querySelectorAll(".access");
      const says = (what, drawn, counted) => { if (drawn !== counted) (wrong[JSON.stringify(question)] ??= []).push(`${what}: ${drawn} drawn, ${counted} counted`); };
      says("accesses", groups.length, explain.accesses.length);
      explain.accesses.forEach((access, k) => {
        const of = explain.instructions[access.instruction], drawn = name => groups[k].querySelectorAll(name).length;
        const active = access.addresses.filter(address => address !== null);
        says(`lanes of ${k}`, drawn(".lane:not(.idle)"), active.length);
        says(`all lanes of ${k}`, drawn(".lane"), 32);
        if (of.space === "shared") says(`turns of ${k}`, groups[k].textContent.includes(t("memory.turns", {n: count(access.wavefronts)})), true);
        if (of.space !== "global" || !of.unit) return;
        const lines = access.lines.length;
        says(`transactions of ${k}`, Number(groups[k].dataset.transactions), access.transactions.length);
        if (lines > 64) return;
        says(`sector boxes of ${k}`, drawn(".sector.touched"), new Set([...access.sectors.map(one => one.address), ...(of.unit === "segment" ? [] : access.transactions.flatMap(one => [0, 32, 64, 96].filter(at => at < one.bytes).map(at => one.address + at)))]).size);
        says(`words of ${k}`, drawn(".used"), new Set(active).size);
        says(`curves of ${k}`, drawn(".curve"), active.length);
      });
      says("rows", memory_rows(explain, {say: t, number: count}).length, explain.accesses.length);
      if (!drawing.getAttribute("aria-label")) says("sentence", "none", "one");
    } catch (error) {
      (wrong[JSON.stringify(question)] ??= []).push(String(error.stack));
    }
  }
  done(wrong);
})().catch(error => done({failed: String(error.stack)}));
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    running = Service(tmp_path_factory.mktemp("page"), fake=False)
    yield running
    assert running.stop() == 0


def texts(browser, selector):
    """Of what is shown of these; a drawing's text counts too."""
    try:
        return [one.text for one in browser.find_elements("css selector", selector) if one.is_displayed()]
    except StaleElementReferenceException:
        return []


def press(browser, name):
    [button] = [one for one in browser.find_elements("css selector", ".result-buttons .button") if one.text == name]
    button.click()


def type_into(browser, name, text):
    field = browser.find_element("id", f"field-{name}")
    field.click()
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(text)


def explained(service, **question):
    answer = service.request("POST", "/v1/predictions", json={"arch": "sm_90", "explain": True, **question})
    return answer.json()["explain"]


def sectors_drawn(browser):
    return browser.execute_script("return [...document.querySelectorAll('.access')].map(one => one.querySelectorAll('.sector.touched').length)")


def test_the_chart_follows_what_is_typed_and_the_address_keeps_it(browser, service):
    of = lambda **question: [len(access["sectors"]) for access in explained(service, kernel="read_offset", **question)["accesses"]]  # noqa: E731
    browser.get(service.url + "/ui/new?kernel=read_offset")
    service.until(lambda: sectors_drawn(browser) == of() == [4, 4, 4])
    type_into(browser, "offset", "11")
    service.until(lambda: sectors_drawn(browser) == of(offset=11) == [5, 5, 4])
    assert "offset=11" in browser.current_url and "offset=11" in texts(browser, "pre.typed")[0]
    assert "5 sectors, 80\u00a0%" in browser.find_element("css selector", "svg.memory").get_attribute("aria-label").replace(" %", "\u00a0%")
    browser.find_element("css selector", "[aria-label='The next warp']").click()
    service.until(lambda: "A[i + 11]" in "".join(texts(browser, "svg.memory .name")) and texts(browser, "svg.memory .whose")[:1] == ["3 words: the warp before asks for them"])
    browser.refresh()
    service.until(lambda: sectors_drawn(browser) == [5, 5, 4])
    assert browser.find_element("css selector", ".warp-number").get_attribute("value") == "2"

    type_into(browser, "offset", "-4")
    refused = service.request("POST", "/v1/predictions", json={"kernel": "read_offset", "offset": -4})
    service.until(lambda: texts(browser, ".form-field .wrong") == [refused.json()["errors"][0]["detail"]])
    assert browser.find_element("id", "field-offset").get_attribute("aria-invalid") == "true"
    assert sectors_drawn(browser) == [5, 5, 4] and browser.find_elements("css selector", ".stale")
    browser.find_element("css selector", ".run").click()
    service.until(lambda: texts(browser, ".form-foot .wrong") == ["offset: " + refused.json()["errors"][0]["detail"]])
    assert browser.switch_to.active_element.get_attribute("id") == "field-offset" and "/ui/new" in browser.current_url

    type_into(browser, "offset", "0, 1, 11, 32")
    service.until(lambda: texts(browser, ".run") == [f"Run a sweep of 4 on {service.get('/v1/devices').json()['devices'][0]['name']}"])
    command, curl = texts(browser, "pre.typed")
    assert command.startswith("coalesce sweep read_offset") and "offset=0,1,11,32" in command
    assert "/v1/sweeps" in curl and '"offset": [0, 1, 11, 32]' in curl
    assert not browser.find_elements("css selector", ".stale")


def test_the_chart_is_in_the_unit_of_the_chip_that_is_chosen(browser, service):
    def transactions():
        return browser.execute_script("return [...document.querySelectorAll('.access')].map(one => Number(one.dataset.transactions))")

    walk = Walk(browser, service).open("new?kernel=copy&block=1024&arch=sm_37,sm_12,sm_90&lang=en").says("sm_12 cannot launch it, these are counts of what it would do", ".chips")
    walk.click(".languages button", "中文").says("sm_12 无法启动它，这里的计数是假定能启动时的", ".chips").click(".languages button", "EN")
    browser.get(service.url + "/ui/new?kernel=read_offset&offset=11&arch=sm_20,sm_12,sm_90")
    service.until(lambda: transactions() == [5, 5, 4])
    for arch, drawn, moved, said in (("sm_20", [2, 2, 1], [8, 8, 4], "2 lines, 50"), ("sm_12", [3, 3, 2], [6, 6, 4], "3 segments of half warps, 57"), ("sm_90", [5, 5, 4], [5, 5, 4], "5 sectors, 80")):
        browser.execute_script("const one = document.querySelector('.memory-chip select'); one.value = arguments[0]; one.dispatchEvent(new Event('change'))", arch)
        service.until(lambda: transactions() == drawn)
        assert said in browser.find_element("css selector", "svg.memory").get_attribute("aria-label").replace("\u00a0", " ")
        # A sector that two transactions move is drawn once.
        assert sectors_drawn(browser) == moved


def test_a_kernel_is_found_by_its_words_and_brings_its_own_fields(browser, service):
    browser.get(service.url + "/ui/new?kernel=read_offset&offset=3")
    service.until(lambda: sectors_drawn(browser))
    type_into(browser, "kernel", "matrix transpose")
    browser.find_element("id", "field-kernel").send_keys(Keys.ENTER)
    service.until(lambda: browser.find_elements("css selector", "[data-field=how]"))
    assert "kernel=transpose" in browser.current_url and "offset" not in browser.current_url
    for typed, taken in ("copy", "copy"), ("copy_w", "copy_width"), ("transpose", "transpose"):
        type_into(browser, "kernel", typed)
        browser.find_element("id", "field-kernel").send_keys(Keys.ENTER)
        service.until(lambda: f"kernel={taken}&" in browser.current_url.replace("?", "&") + "&")  # noqa: B023
    type_into(browser, "kernel", "copy_width")
    browser.find_element("id", "field-size").click()  # a whole name needs no Enter
    service.until(lambda: "kernel=copy_width&" in browser.current_url.replace("?", "&") + "&")
    assert browser.execute_script("return document.activeElement.id") == "field-size"
    type_into(browser, "kernel", "transpose" + Keys.TAB)
    service.until(lambda: "kernel=transpose&" in browser.current_url.replace("?", "&") + "&")
    kernel = service.get("/v1/kernels/transpose").json()
    fields = browser.execute_script("return [...document.querySelectorAll('[data-field]')].map(one => one.dataset.field)")
    assert {one["name"] for one in kernel["parameters"]} | {"size", "block", "dtype", "counters"} <= set(fields)


def test_a_run_from_the_form_to_its_result_and_back(browser, service):
    browser.get(service.url + "/ui/new?kernel=read_offset&offset=3&size=65536&labels=of:the-page")
    service.until(lambda: sectors_drawn(browser))
    browser.find_element("css selector", ".run").click()
    service.until(lambda: "/ui/experiments/" in browser.current_url)
    service.until(lambda: any("GB/s" in text for text in texts(browser, ".headline")))
    assert browser.execute_script("return document.activeElement.matches('h1.headline')")
    browser.switch_to.active_element.send_keys(Keys.TAB)
    service.until(lambda: browser.switch_to.active_element.text == "What a GPU is predicted to take")
    browser.switch_to.active_element.send_keys(Keys.TAB)
    service.until(lambda: browser.switch_to.active_element.text == "Change")
    id = browser.current_url.rsplit("/", 1)[1]
    result = service.get(f"/v1/experiments/{id}").json()
    assert result["state"] == "succeeded" and result["request"]["offset"] == 3 and result["request"]["labels"] == {"of": "the-page"}
    browser.refresh()
    service.until(lambda: any("GB/s" in text for text in texts(browser, ".headline")) and sectors_drawn(browser))
    assert "Correct in all 65,536 elements." in texts(browser, ".lead")[0]
    assert ("Unstable" in texts(browser, ".lead")[0]) != result["stability"]["stable"]
    counted = texts(browser, "td.number, td.counted")
    assert f"{result['prediction']['gld_sectors']:,}" in counted and "no value" in counted  # a CPU counts nothing
    press(browser, "Change")
    service.until(lambda: "/ui/new" in browser.current_url and sectors_drawn(browser) == [5, 5, 4])
    assert "offset=3" in browser.current_url and "size=65536" in browser.current_url


def test_one_that_waits_says_so_and_is_cancelled(browser, service):
    service.request("POST", "/v1/queue/pause")
    try:
        id = service.post({"kernel": "copy"}).json()["id"]
        browser.get(f"{service.url}/ui/experiments/{id}")
        service.until(lambda: texts(browser, ".headline") == ["It waits: the queue is paused"])
        service.until(lambda: "Cancel" in texts(browser, ".result-buttons .button"))
        press(browser, "Cancel")
        service.until(lambda: texts(browser, ".headline") == ["Cancelled"])
        assert service.get(f"/v1/experiments/{id}").json()["state"] == "cancelled"
    finally:
        service.request("POST", "/v1/queue/resume")
    press(browser, "Run again")
    service.until(lambda: any("GB/s" in text for text in texts(browser, ".headline")))
    assert id not in browser.current_url


def test_every_kernel_is_drawn_as_the_service_counts_it(browser, service):
    browser.get(service.url + "/ui/new")
    kernels = service.get("/v1/kernels").json()["kernels"]
    questions = [{"kernel": one["name"], "arch": arch, "explain": True} for one in kernels for arch in ("sm_90", "sm_20", "sm_12")]
    questions += [{"kernel": one["name"], "arch": "sm_90", "explain": True, one_of["name"]: choice} for one in kernels
                  for one_of in one["parameters"] for choice in one_of.get("choices", []) if one_of["name"] != "load"]
    questions += [{"kernel": "strided", "stride": stride, "arch": "sm_90", "explain": {"block": 1, "warp": 3}} for stride in (3, 8, 33, 1024)]
    questions += [{"kernel": "copy_width", "dtype": dtype, "width": width, "block": 40, "arch": "sm_90", "explain": {"warp": 1}}
                  for dtype, width in (("u8", 1), ("u16", 2), ("f32", 4), ("f64", 2))]
    questions += [{"kernel": "bank_conflict", "stride": stride, "dtype": dtype, "arch": "sm_90", "explain": True}
                  for stride in (1, 2, 32, 33) for dtype in ("f32", "f64")]
    assets = browser.execute_script("return document.querySelector('script[type=module]').src").replace("app.js", "")
    assert browser.execute_async_script(DRAW_ALL, assets, questions) == {}


def test_accesses_that_are_not_listed_are_not_promised_and_banks_are_told_where_they_count(browser, service):
    explain = explained(service, kernel="bank_conflict")
    listed, left = len(explain["accesses"]), explain["accesses_left_out"]
    assert left > 0
    browser.get(service.url + "/ui/new?kernel=bank_conflict&lang=en")
    service.until(lambda: f"Show {listed} of {listed + left} accesses" in texts(browser, ".memory-panel button"))
    assert "32 banks, 4 bytes each" in texts(browser, "[data-field=stride] .hint")
    assert f"{listed} of the warp's {listed + left} accesses" in texts(browser, "svg.memory .total")[0]


def test_banks_are_drawn_as_the_architecture_has_them(browser, service):
    walk = Walk(browser, service).open("new?kernel=bank_conflict&stride=2&repeats=1&lang=en")
    drawn = lambda: (walk.text("svg.memory"), len(walk.all("svg.memory .in-turn")))  # noqa: E731
    walk.until(lambda: "32 banks of 4 bytes" in drawn()[0] and "2 turns" in drawn()[0] and drawn()[1] == 16)
    walk.script("document.querySelector('.memory-table').open = true")
    rows = "[...document.querySelectorAll('.memory-table tbody tr')].map(row => [...row.cells].slice(-2).map(cell => cell.textContent))"
    walk.until(lambda: walk.script(rows) == [["no value", "no value"], ["1", "0"], ["2", "1"], ["no value", "no value"]])
    walk.script("(chip => { chip.value = 'sm_37'; chip.dispatchEvent(new Event('change')) })(document.querySelector('select[data-key=chip]'))")
    walk.until(lambda: "32 banks of 8 bytes" in drawn()[0] and "2 turns" not in drawn()[0] and drawn()[1] == 0)
    # Loads are counted in sectors and stores in segments: there is no sum of both.
    total = walk.script("[...document.querySelectorAll('svg.memory .total text.number')].map(one => one.textContent)")
    assert total == ["4", "", "100 %"]
    walk.end()


def test_the_page_names_the_architectures_that_the_model_knows(browser, service):  # noqa: F811
    walk = Walk(browser, service).open("?lang=en")
    named = walk.module("charts/architectures.js", "m.ARCHITECTURES")
    unless_asked = [row["arch"] for row in service.request("POST", "/v1/predictions", json={"kernel": "copy"}).json()["predictions"]]
    answer = service.request("POST", "/v1/predictions", json={"kernel": "copy", "arch": named})
    assert answer.ok and [row["arch"] for row in answer.json()["predictions"]] == named and set(unless_asked) <= set(named)
    walk.end()
