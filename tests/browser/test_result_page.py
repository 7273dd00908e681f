"""A result's page: beside a pinned baseline, counted at a click, with the kernel's source and machine code; and no page speaks as the API does."""
import pathlib
import re

import pytest
from chromium import NEEDS, Walk, browser, serve  # noqa: F401
from conftest import token_line

pytestmark = NEEDS
ROOT = pathlib.Path(__file__).parents[2]
SECRET = {name: f"the-secret-of-{name}-0123456789" for name in ("ada", "rita")}
COPY = {"kernel": "copy", "size": 4096}
# What only a program can do something with.
API = r'/v1/|\b(?:GET|POST|DELETE) |"\w+": |\?remove'
# Of a body, its media type or an address: a page sends none that is wrong.
NEVER_OF_A_PAGE = re.compile(r"Content-Type|Accept|curl|body must be|请求体|openapi|is for POST|only for|只用于 POST|a recipe is for|配方请用|columns|Host:|Host for|或给出配方|or a recipe")


@pytest.fixture(scope="module")
def service(browser, tmp_path_factory):
    from conftest import Service
    one = Service(tmp_path_factory.mktemp("results"), "--devices", "cpu", fake=False)
    yield one
    one.stop()


def plant(browser, path, change):
    """Each answer at such a path is changed by this script, from the next page on; what it returns takes it out again."""
    source = """(() => { const ask = window.fetch; window.fetch = async (...asked) => {
        const reply = await ask(...asked);
        if (!reply.ok || !(%s).test(new URL(asked[0].url ?? asked[0], location.href).pathname) || !/json/.test(reply.headers.get("Content-Type"))) return reply;
        const answer = await reply.json(); (answer => { %s })(answer);
        return new Response(JSON.stringify(answer), {status: reply.status, headers: reply.headers}); }; })();""" % (path, change)
    planted = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})["identifier"]
    return lambda: browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": planted})


STABLE = "answer.stability = {...answer.stability, stable: true, reasons: []};"


def test_numbers_that_are_not_0_are_not_written_as_0(browser, service):
    walk = Walk(browser, service).open("?lang=en")
    browser.set_script_timeout(60)
    written = browser.execute_async_script("""const done = arguments[0], assets = [...document.scripts].find(one => one.src.endsWith("app.js")).src.replace(/app.js$/, "");
        Promise.all(["format.js", "charts/strip.js"].map(name => import(assets + name))).then(([f, strip]) => done([
            f.interval(75, 0.03, 151), f.interval(0.0001, 0.00002, 0.06), f.interval(5, 0, 151), f.percent(0.0031), f.percent(0), f.percent(0.9999), f.ratio(0.00021),
            f.percent(0.00001, 2), f.fixed(-0.004, 1), strip.stripDraw([{name: "cold", samples: null, timing: {median_us: 75, ci95_us: [0.03, 151], samples: 30, min_us: 0.02,
                p25_us: 50, p75_us: 100, max_us: 151}}], 800).textContent]))""")
    nb = "\u00a0"
    assert written[:-1] == ["0.03 to 151", "0.00002 to 0.06", "0 to 151", f"0.3{nb}%", f"0{nb}%", f"99.99{nb}%", "0.0002", f"0.001{nb}%", "-0.004"]
    assert "0.03 to 151" in written[-1]
    intervals = {  # the command's are the same: tests/unit/test_parameters.c
        (2.842347, 2.8411, 2.8436): f"2.8423{nb}±{nb}0.0013", (68.1234, 67, 69.2): f"68.1{nb}±{nb}1.1", (247.42, 247.41, 247.9): "247.4 to 247.9",
        (1.7, 1.7, 1.7): f"1.700{nb}±{nb}0.000", (3254.2, 3100, 3400): "3100 to 3400", (3252.2, 3100, 3400): f"3252{nb}±{nb}152", (680, 468.6, 988.7): "469 to 989", (0, 0, 0): f"0{nb}±{nb}0",
        (345, 100, 800): "100 to 800", (550.2, 1e-9, 1.9e16): "<0.1 to >1000000"}
    assert walk.module("format.js", "given.map(one => m.interval(...one))", *intervals) == list(intervals.values())
    walk.end()


def test_the_heading_of_one_that_runs_says_what_it_does(browser, service):
    said = {}
    for language in "en", "zh":
        walk = Walk(browser, service).open(f"?lang={language}")
        said[language] = browser.execute_async_script("""const done = arguments[0], assets = [...document.scripts].find(one => one.src.endsWith("app.js")).src.replace(/app.js$/, "");
            import(assets + "result/waiting.js").then(({waitingPart}) => done([["hot", 1], ["cold", 7], ["quiet", null]].map(([phase, samples]) => {
                const part = waitingPart({announce() {}});
                part.show({state: "running"}, {phase, samples});
                return part.node.querySelector("h1").textContent; })))""")
        walk.end()
    assert said["en"] == ["It times back to back, 1 sample so far", "It times with empty caches, 7 samples so far", "It waits for the device to be quiet"]
    assert said["zh"] == ["正在连续启动并计时，已有 1 个样本", "正在清空缓存后计时，已有 7 个样本", "正在等待设备空闲"]


def test_a_baseline_is_pinned_shown_shared_and_removed(browser, service):
    first, other, long = (service.run(one)["id"] for one in (COPY, {**COPY, "block": 64}, {**COPY, "size": 8192, "kernel": "vector_add"}))
    take = plant(browser, r"/\/experiments\/\w+$/", STABLE)
    try:
        walk = Walk(browser, service).open(f"experiments/{first}?lang=en").click(".result-buttons button", "Pin as baseline").says("This is the pinned baseline")
        assert f"pin={first}" in browser.current_url and not [one for one in walk.all(".result-buttons button") if "Pin" in one.text]
        walk.open(f"experiments/{other}").says("It differs in block (64 here, 256 in the baseline).", ".baseline").says("copy", ".baseline a")
        assert f"pin={first}" in browser.current_url  # kept for the tab, and to be shared
        assert walk.all(".result-buttons a")[-1].get_attribute("href").endswith(f"/ui/compare?a={first}&b={other}&but_for=block")
        numbers = [float(re.search(r"[\d.]+", row.text.split("\n")[-1]).group()) for row in walk.all(".baseline tbody td:last-child")]
        here, there = (service.get(f"/v1/experiments/{one}").json()["timing"]["cold"]["median_us"] for one in (other, first))
        assert abs(numbers[0] - here / there) <= 0.051 * here / there and "△" not in walk.text(".baseline")
        walk.open(f"experiments/{long}").says("Another kernel: vector_add here, copy in the baseline.", ".baseline").says("Another size: 8192 here, 4096 in the baseline. Bandwidths may be compared, times may not.", ".baseline")
        walk.open(f"experiments/{long}?lang=zh").says("内核不同：此处为 vector_add，基线为 copy。", ".baseline").says("与基线对照", "h2").open(f"experiments/{long}?lang=en")
        walk.click("section button", "Unpin").until(lambda: not walk.all(".baseline"))
        assert "pin=" not in browser.current_url and walk.script("sessionStorage.pin ?? null") is None
        walk.open(f"experiments/{other}").says("GB/s", "h1")
        assert not walk.all(".baseline") and walk.all(".result-buttons a")[-1].get_attribute("href").endswith(f"/ui/compare?a={other}")
        walk.open(f"experiments/{other}?pin={first}").says("Beside the baseline", "h2").says("It differs in block", ".baseline")  # a shared address
        service.delete(f"/v1/experiments/{first}?remove=true")
        walk.open(f"experiments/{other}").says(f"The pinned experiment {first} is not there any more.", ".baseline").click("section button", "Unpin")
        walk.end()
    finally:
        take()


def test_another_device_is_said_and_what_is_unstable_has_no_ratio(browser, service):
    first, other = (service.run({**COPY, "block": block})["id"] for block in (128, 256))
    loose = f"if (answer.id === '{first}') answer.stability = {{...answer.stability, stable: false, reasons: ['throttled: heat']}}; else {{ {STABLE} answer.device.uuid = 'x'; answer.device.name = 'A100'; }}"
    take = plant(browser, r"/\/experiments\/\w+$/", loose)
    try:
        walk = Walk(browser, service).open(f"experiments/{other}?lang=en&pin={first}").says("Another device: A100 here", ".baseline").says("The baseline is unstable. Nothing is concluded from its times.", ".baseline")
        ratios = {row.text.split("\n")[0]: row.text for row in walk.all(".baseline tbody tr")}
        assert all(ratios[name].endswith("no value") for name in ratios if name.startswith(("median", "effective")) for name in [name]), ratios
        moved = next(text for name, text in ratios.items() if name.startswith("requested bytes"))
        assert moved.endswith("1.000"), ratios
        walk.open(f"experiments/{other}?lang=zh&pin={first}").says("基线不稳定。不由它的时间得出结论。", ".baseline").script("sessionStorage.removeItem('pin')")
        walk.end()
    finally:
        take()


def test_a_result_is_counted_at_a_click_where_the_device_counts(browser, service):
    request = {**COPY, "block": 512, "labels": {"counted": "no"}}
    identity = service.run(request)["id"]
    walk = Walk(browser, service).open(f"experiments/{identity}?lang=en").says("has no hardware counters that can be read here: an NVIDIA GPU has.", ".counting")
    assert not [one for one in walk.all("button") if "counters" in one.text] and not re.search(API, walk.text("main"))
    walk.open("new?kernel=copy&lang=zh").says("没有可在此读取的硬件计数器", "[data-field=counters]").until(lambda: not walk.all("#field-counters")[0].is_enabled())
    take = plant(browser, r"/\/devices(\/\w+)?$/", "for (const one of answer.devices ?? [answer]) one.counters = true;")
    try:
        walk.open(f"experiments/{identity}?lang=zh").says("读取计数器再运行一次", ".counting")
        walk.open(f"experiments/{identity}?lang=en").click(".counting button", "Run with counters").until(lambda: identity not in browser.current_url)
        counted = browser.current_url.rsplit("/", 1)[1].split("?")[0]
        asked = service.get(f"/v1/experiments/{counted}?wait=30").json()["request"]
        assert asked["counters"] is True and {**asked, "counters": False} == service.get(f"/v1/experiments/{identity}").json()["request"]
        walk.says("the cpu device has no hardware counters")  # the reason stands there
        assert not walk.text(".counting")
        walk.open("new?kernel=copy&lang=en").until(lambda: walk.all("#field-counters")[0].is_enabled())
    finally:
        take()
    walk.end()


def test_source_and_machine_code_stand_beside_the_counters(browser, service):
    walk = Walk(browser, service)
    identity = service.run({"kernel": "grid_stride", "size": 4096, "dtype": "f64"})["id"]
    code = service.request("POST", "/v1/predictions", json={"kernel": "grid_stride", "size": 4096, "dtype": "f64", "arch": "sm_90"}).json()["predictions"][0]["code"]
    walk.open(f"experiments/{identity}?lang=en").says("What the compiler makes for sm_90; this ran on the CPU device.")
    walk.until(lambda: "struct suite" in walk.text("pre.source") or "template" in walk.text("pre.source"))
    assert walk.text("pre.source").strip() == " ".join(service.get("/v1/kernels/grid_stride").json()["source"].split("\n")).strip() or len(walk.text("pre.source")) > 300
    rows = {row.find_element("tag name", "th").text: [cell.text for cell in row.find_elements("tag name", "td")] for row in walk.all("pre.source ~ div tbody tr")}
    loop = code["instructions"]["loop"]
    assert rows["instructions"] == [str(one) for one in (code["instructions"]["straight"]["all"], *(one["all"] for one in loop["passes"]))]
    assert rows["global loads"][1:] == [str(loop["global_loads"] * one["iterations"]) for one in loop["passes"]]
    code_at, counts_at = (walk.script("document.querySelector(arguments[0]).closest('section').getBoundingClientRect().top", css) for css in ("pre.source", "th.counted"))
    assert abs(code_at - counts_at) < 2
    walk.open(f"experiments/{identity}?lang=zh").says("编译器为 sm_90 生成的代码").says("全局读取").says("源代码与机器码", "h2")
    walk.end()


def test_no_sentence_of_the_service_speaks_as_the_api_does_on_a_page(browser, service):
    table = (ROOT / "api/problem_zh_texts.h").read_text()
    texts = [text for row in re.findall(r'^    \{"((?:\\.|[^"\\])*)", "((?:\\.|[^"\\])*)"\}', table, re.M) for text in row]
    filled = [re.sub(r"%[-+.0-9]*(?:hh|h|ll|l|z)?[a-zA-Z?]|\{\d\}", "x", text.replace('\\"', '"').replace("%%", "%")) for text in texts]
    assert len(filled) > 400
    walk = Walk(browser, service).open("?lang=en")
    plain = browser.execute_async_script("""const [texts, done] = arguments, assets = [...document.scripts].find(one => one.src.endsWith("app.js")).src.replace(/app.js$/, "");
        import(assets + "service_text.js").then(({plainText}) => done(texts.map(plainText)))""", filled)
    assert [text for text in plain if re.search(API, text) and not NEVER_OF_A_PAGE.search(text)] == []
    assert all(text for text in plain) and sum(a != b for a, b in zip(filled, plain, strict=True)) > 40
    assert not re.search(API, (ROOT / "web/words.js").read_text().split("const shell")[1].replace('": [', ""))
    for text, said in (("there is no kernel \"cpy\": did you mean \"copy\"? GET /v1/kernels lists them", "there is no kernel \"cpy\": did you mean \"copy\"?"),
                       ("没有内核 \"zz\"；GET /v1/kernels 列出全部", "没有内核 \"zz\""), ("must be at least 1, is 0", "must be at least 1, is 0"),
                       ("in[65536] is loaded by thread (1, 0, 0)", "in[65536] is loaded by thread (1, 0, 0)"), ("must be one of [1, 2]", "must be one of 1, 2"),
                       ("device must be the number of a device, or its name, as GET /v1/devices lists them", "device must be the number of a device, or its name")):
        assert browser.execute_async_script("""const [text, done] = arguments, assets = [...document.scripts].find(one => one.src.endsWith("app.js")).src.replace(/app.js$/, "");
            import(assets + "service_text.js").then(({plainText}) => done(plainText(text)))""", text) == said
    walk.end()


def test_what_was_removed_says_so_in_a_page_s_words(browser, service):
    identity = service.run({**COPY, "block": 32})["id"]
    service.delete(f"/v1/experiments/{identity}?remove=true")
    walk = Walk(browser, service).open(f"experiments/{identity}?lang=en").says(f"experiment {identity} was removed: Undo brings it back until", ".detail")
    assert not re.search(API, walk.text("main"))
    walk.open(f"experiments/{identity}?lang=zh").says("前可撤销", ".detail").end()


def test_an_unknown_kernel_is_named_and_so_is_the_nearest(browser, service):
    walk = Walk(browser, service).open("new?kernel=nope&lang=en").says("There is no kernel nope. The nearest name is copy; below is read_offset.", "[role=alert]")
    walk.open("new?kernel=red_ofset&lang=zh").says("没有内核 red_ofset。最接近的名称是 read_offset", "[role=alert]")
    walk.open("new?kernel=transpos&lang=en").click("[role=alert] a", "transpose").says("transpose", "main").until(lambda: "kernel=transpose" in browser.current_url)
    assert "There is no kernel" not in walk.text("main")
    walk.end()


def test_what_the_form_leaves_out_of_an_address_is_named(browser, service):
    walk = Walk(browser, service).open("new?kernel=copy&ofset=3&lang=en").says("Left out of the address, because copy has no such field: ofset.", "[role=alert]")
    walk.open("new?kernel=read_offset&offset=3&warp=2&lang=en").says("offset", "main")
    assert "Left out" not in walk.text("main")
    walk.end()


def test_what_was_begun_in_the_form_is_offered_again(browser, service):
    walk = Walk(browser, service).open("new?kernel=copy&lang=en")
    walk.until(lambda: walk.all("#field-size"))
    walk.script("(field => { field.focus(); field.value = '4097'; field.dispatchEvent(new Event('input', {bubbles: true})); })(document.querySelector('#field-size'))")
    walk.until(lambda: "size=4097" in browser.current_url)
    walk.click("nav a", "Lessons").until(lambda: "lessons" in browser.current_url)
    walk.click("nav a", "New").says("Begun before, and not submitted: copy, size 4097", ".draft")
    walk.click(".draft a", "copy").until(lambda: "size=4097" in browser.current_url)
    walk.until(lambda: walk.script("document.querySelector('#field-size')?.value.replace(',', '')") == "4097")
    walk.open("new?kernel=copy&size=8192&lang=en").until(lambda: walk.all("#field-size"))  # a link, which nobody typed
    walk.open("new").says("copy, size 4097", ".draft").click(".draft a", "copy").until(lambda: "size=4097" in browser.current_url)
    walk.click("button", "Run on").until(lambda: "/experiments/" in browser.current_url)
    walk.open("new?lang=en").until(lambda: walk.all("#field-size"))
    assert not walk.all(".draft")
    walk.script("document.querySelector('#field-size').focus()")
    assert walk.script("(field => [field.selectionStart, field.selectionEnd, field.value.length])(document.activeElement)") == [0, 7, 7]
    walk.end()


def test_a_reader_s_result_page_has_nothing_to_press_that_is_refused(browser, serve, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text("".join(token_line(name, role, SECRET[name]) for name, role in (("ada", "admin"), ("rita", "read"))))
    tokens.chmod(0o600)
    guarded = serve("--devices", "cpu", "--token-file", str(tokens), ready=False, fake=False)
    guarded.headers = {"Authorization": f"Bearer {SECRET['ada']}"}
    guarded.until(lambda: guarded.get("/readyz").status_code == 200)
    one, sweep = guarded.run(COPY)["id"], guarded.request("POST", "/v1/sweeps", json={**COPY, "block": [64, 128]}).json()["id"]
    guarded.until(lambda: guarded.get(f"/v1/sweeps/{sweep}").json()["state"] != "running")
    take = plant(browser, r"/\/devices(\/\w+)?$/", "for (const one of answer.devices ?? [answer]) one.counters = true;")
    try:
        walk = Walk(browser, guarded).open("?lang=en")
        walk.script("sessionStorage.setItem('token', arguments[0])", SECRET["rita"])
        presses = r"Run|again|Cancel|Remove|Pause|More|more runs"
        for path in "", "new?kernel=copy", f"experiments/{one}", f"sweeps/{sweep}", f"compare?a={one}&b=sweep:{sweep}", "recipes/read_segment_unroll", "lessons/offsets", "queue", "devices/0":
            walk.open(path).says("rita", ".owner").says("may look", ".owner")
            walk.until(lambda: walk.all("h1") and not [b for b in walk.all("main button") if re.search(presses, b.text) and b.is_displayed() and b.is_enabled()])
        walk.end()
    finally:
        take()


def test_one_that_has_ended_leads_to_its_sweep(browser, service):
    sweep = service.request("POST", "/v1/sweeps", json={**COPY, "block": [64, 128]}).json()
    one = service.get(sweep["links"]["self"] + "?wait=60").json()["points"][0]["id"]
    walk = Walk(browser, service).open(f"experiments/{one}?lang=en").click("main a", "one of its points")
    walk.until(lambda: walk.browser.current_url.split("?")[0].endswith("sweeps/" + sweep["id"]))
    walk.end()


def test_a_kernel_of_ones_own_that_was_interpreted_is_shown(browser, service):
    source = """__global__ void twice(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}
"""
    answer = service.post({"source": source, "threads": "n", "n": 1000}, headers={"Prefer": "wait=30"})
    if answer.status_code == 503:
        pytest.skip("no compiler")
    fault = service.run({"source": source.replace("i < n", "i <= n"), "threads": "n", "n": 1000})
    Walk(browser, service).open(f"experiments/{answer.json()['id']}?lang=en").says("It ran to its end without a fault").says("a kernel whose outputs they must be").says("nothing about a GPU").end()
    Walk(browser, service).open(f"experiments/{fault['id']}?lang=en").says("is loaded by thread (232, 0, 0) of block (3, 0, 0)").end()


def test_an_interval_beyond_the_samples_is_explained(browser, service):  # noqa: F811
    walk = Walk(browser, service).open("?lang=en")
    walk.until(lambda: walk.all("h1"))
    said = lambda interval: walk.module("result/evidence.js", "m.timesPanel(given[0], 6).node.textContent", {  # noqa: E731
        "timing": {"cold": {"samples": 6, "noise": 15, "min_us": 9, "p25_us": 10, "median_us": 11, "p75_us": 12, "max_us": 14, "mean_us": 11, "stddev_us": 1, "ci95_us": interval},
                   "hot": {"status": "unavailable"}}, "request": {}})
    beyond = "The cold interval reaches beyond the samples"
    assert beyond in said([2, 90]) and beyond in said([8.9, 12]) and beyond in said([10, 14.1]) and beyond not in said([9, 14]) and beyond not in said([None, None])
    walk.end()
