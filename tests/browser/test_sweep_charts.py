"""What the charts of /ui/sweeps/{id} draw and say, in a real browser: series laid over each other, zoom, what is not stable, thousands of points."""
import re
import time
from urllib.parse import unquote

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from chromium import NEEDS, Walk, browser, serve  # noqa: F401
from test_sweep_page import choose, ended, submit

pytestmark = NEEDS
# All points are there, and drawn.
OPENED = "/10,000 of 10,000 measured/.test(document.querySelector('main')?.textContent) && !document.body.textContent.includes('read so far') " \
    "&& Boolean(document.querySelector('svg.lines .dense-half'))"
PAGE_BYTES_MOST = 140_000


def lines(walk):
    return walk.script("[...document.querySelectorAll('svg.lines .series-line')].map(line => line.getAttribute('d'))")


def drag(browser, walk, css, begin, end):  # noqa: F811
    """From one part of a drawing to another, each as [x, y] of its width and height."""
    box = walk.until(lambda: walk.all(css))[0]
    size = box.size
    def place(part):
        return [round((part[0] - 0.5) * size["width"]), round((part[1] - 0.5) * size["height"])]
    ActionChains(browser).move_to_element_with_offset(box, *place(begin)).click_and_hold() \
        .move_to_element_with_offset(box, *place(end)).release().perform()


def test_series_lie_over_each_other_and_a_legend_a_range_and_panels_are_chosen(browser, serve):  # noqa: F811
    service = serve()
    sweep = ended(service, submit(service, offset="0..9", block=[32, 64, 96, 128, 160], labels={"fake": "vary"}))
    walk = Walk(browser, service).open(f"sweeps/{sweep}").says("50 of 50 measured")
    walk.until(lambda: len(lines(walk)) == 5)
    assert len(walk.all("svg.lines")) == 1 and len({line.get_attribute("class") for line in walk.all("svg.lines .series-line")}) == 5
    walk.click(".legend button", "block 64").until(lambda: len(lines(walk)) == 4)
    assert "hide=64" in browser.current_url
    drag(browser, walk, "svg.lines", [0.3, 0.5], [0.7, 0.6])
    walk.says("Show the whole range")
    low, high = map(int, re.search(r"zoom=(\d+)\.\.(\d+)", browser.current_url).groups())
    assert 0 < low < high < 9
    shared = browser.current_url
    walk.open("sweeps")
    browser.get(shared)
    walk.until(lambda: len(lines(walk)) == 4 and walk.all(".legend button[aria-pressed='false']"))
    assert all(line.count("L") == high - low for line in lines(walk))
    walk.click("button", "Show the whole range").until(lambda: all(line.count("L") == 9 for line in lines(walk)))
    walk.script("document.querySelector('.board .drawing').focus()")
    browser.switch_to.active_element.send_keys("+")
    walk.says("Show the whole range")
    browser.switch_to.active_element.send_keys("-")
    walk.until(lambda: "zoom" not in browser.current_url)
    browser.switch_to.active_element.send_keys("\ue014+")  # to the first mark, at the left end
    walk.until(lambda: "zoom=0.." in browser.current_url)
    low, high = re.search(r"zoom=(\d+)\.\.(\d+)", browser.current_url).groups()
    assert walk.script("document.querySelector('.board .drawing [aria-live]').textContent") == f"offset {low}–{high}"
    browser.switch_to.active_element.send_keys("-")
    walk.until(lambda: "zoom" not in browser.current_url)

    for width in 390, 1280:
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600})
        walk.script("document.querySelector('svg.lines').scrollIntoView({block: 'center'})")
        time.sleep(0.5)
        ActionChains(browser).move_to_element_with_offset(walk.all("svg.lines")[0], 0, 0).perform()
        walk.until(lambda: walk.all(".cross-hair")[0].is_displayed())
        told = walk.text(".tip.at-mark").splitlines()
        assert re.fullmatch(r"offset \d", told[0]) and [line.partition(":")[0] for line in told[1:]] == [f"block {n}" for n in (32, 96, 128, 160)]
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    walk.type("#choose-name", "Blocks, without 64\ue007").says("Blocks, without 64", "h1")
    browser.get(browser.current_url)
    walk.says("Blocks, without 64", "h1").says("By offset and block: read_offset", ".lead-line")
    walk.click(".choices button", "panels").until(lambda: len(walk.all("svg.lines .axis")) == 4)
    walk.click(".legend button", "block 64").until(lambda: len(walk.all("svg.lines .axis")) == 5 and not walk.all(".legend button"))
    assert "view=panels" in browser.current_url
    walk.end()


def test_the_chart_beside_is_of_a_series_that_is_shown(browser, serve):  # noqa: F811
    service = serve("--devices", "cpu", fake=False)  # it predicts
    sweep = ended(service, submit(service, offset="0..4", block=[64, 128]))
    walk = Walk(browser, service).open(f"sweeps/{sweep}?lang=en").says("predicted efficiency: block 64", ".span-5 h2")
    assert len(walk.all(".span-5 svg .stem")) == 4, "none at offset 0, where nothing is lost"
    walk.click(".legend button", "block 64").says("predicted efficiency: block 128", ".span-5 h2")
    walk.click(".span-5 summary", "table").until(lambda: len(walk.all(".span-5 tbody tr")) == 5)
    rows = [row.text.split() for row in walk.all(".span-5 tbody tr")]
    assert [row[:3] for row in rows[:1]] == [["0", "128", "100"]] and all(float(row[-3]) < 100 for row in rows[1:]), rows  # predicted, before "no value"
    walk.end()
    many = ended(service, submit(service, offset="0..4", block=[32, 64, 96, 128]))
    walk.open(f"sweeps/{many}?lang=en&hide=32,64").says("block 96")
    assert not walk.all(".span-5"), "hiding brings no chart up"
    walk.end()


# The colour of each line and of its button in the legend, and their ratio of contrast to the panel.
COLOURS = """(() => {
  const strokes = css => [...document.querySelectorAll(css)].map(one => getComputedStyle(one).stroke);
  const light = rgb => rgb.match(/[\\d.]+/g).slice(0, 3).map(one => one / 255)
    .map(one => one > 0.04045 ? ((one + 0.055) / 1.055) ** 2.4 : one / 12.92).reduce((sum, one, i) => sum + one * [0.2126, 0.7152, 0.0722][i], 0);
  const lines = strokes("svg.lines .series-line"), ground = light(getComputedStyle(document.querySelector(".board")).backgroundColor);
  return [lines, strokes(".legend .series-line"), Math.min(...lines.map(one => [light(one), ground].sort((a, b) => b - a)).map(([a, b]) => (a + 0.05) / (b + 0.05)))];
})()"""


def test_eight_series_have_a_colour_and_a_sentence_each(browser, serve):  # noqa: F811
    service = serve()
    sweep = ended(service, submit(service, offset="0..2", block=list(range(32, 257, 32)), labels={"fake": "vary"}))
    walk = Walk(browser, service)
    for scheme in "light", "dark":
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        walk.open(f"sweeps/{sweep}").until(lambda: len(lines(walk)) == 8)
        drawn, legend, contrast = walk.script(COLOURS)
        assert len(set(drawn)) == 8 and legend == drawn and contrast >= 3
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert [one.text.partition(":")[0] for one in walk.all(".board .sentence li")][:8] == [f"block {n}" for n in range(32, 257, 32)]
    drag(browser, walk, "svg.lines", [0.45, 0.5], [0.55, 0.6])
    walk.says("Not zoomed", ".tip.at-mark").says("drag across it", ".board-foot")
    assert not walk.script("getSelection().toString()"), "a drag selects no text, which the next one would drag instead"
    walk.script("getSelection().selectAllChildren(document.querySelector('.board'))")
    drag(browser, walk, "svg.lines", [0.4, 0.5], [0.985, 0.6])
    walk.until(lambda: "zoom=1..2" in browser.current_url)
    assert "Not zoomed" not in walk.script("document.querySelector('.board [aria-live]').textContent")
    walk.script("document.querySelector('.zooming button').focus()")
    browser.switch_to.active_element.send_keys("\ue007")  # Enter: there is no smaller part
    walk.says("Not zoomed", ".tip.at-mark")
    assert browser.switch_to.active_element.text == "+" and all(one.is_displayed() for one in walk.all(".zooming button")), "the focus stays, and the part can be left"
    two = ended(service, submit(service, offset=[0, 1], block=[32, 64]))
    walk.open(f"sweeps/{two}").until(lambda: len(lines(walk)) == 2)
    assert "drag across it" not in walk.text(".board-foot")
    walk.end()


def test_arrow_keys_follow_a_line_and_change_lines_at_a_place(browser, serve):  # noqa: F811
    service = serve()
    sweep = ended(service, submit(service, offset="0..3", block=[32, 64, 96], labels={"fake": "vary"}))
    walk = Walk(browser, service).open(f"sweeps/{sweep}?lang=en").says("12 of 12 measured")
    walk.until(lambda: len(lines(walk)) == 3)
    walk.script("document.querySelector('.board .drawing').focus()")
    def press(key):
        ActionChains(browser).send_keys(key).perform()
        return re.search(r"offset (\d+), block (\d+)", walk.text(".tip.at-mark")).groups()
    offset, block = press(Keys.ARROW_RIGHT)
    assert [press(Keys.ARROW_RIGHT) for _ in range(4)] == [(str(n), block) for n in (1, 2, 3, 3)] and offset == "0"
    assert [press(key) for key in (Keys.HOME, Keys.END)] == [("0", block), ("3", block)]
    there = {press(key) for key in [Keys.ARROW_UP] * 3 + [Keys.ARROW_DOWN] * 3}
    assert there == {("3", one) for one in ("32", "64", "96")}
    walk.end()


def test_lists_are_of_a_time_and_their_addresses_hold_it(browser, serve):  # noqa: F811
    service = serve()
    sweep = ended(service, submit(service, offset="0..2"))
    walk = Walk(browser, service).open("experiments").says("read_offset")
    set_time = ("(() => { const field = document.getElementById(arguments[0]); field.value = arguments[1]; "
                "field.dispatchEvent(new Event('change')); })()")
    for page in ("experiments", "sweeps"):
        walk.open(page).until(lambda: walk.all("main tbody tr"))
        walk.script(set_time, "filter-since", "2099-01-01T10:00")
        walk.says("fits", "h1")
        assert re.search(r"since=2099-01-01T\d\d:\d\d:00Z$", unquote(browser.current_url))
        browser.refresh()
        walk.says("fits", "h1")
        assert walk.script("document.getElementById('filter-since').value") == "2099-01-01T10:00"
        walk.open(page).until(lambda: walk.all("main tbody tr"))
        walk.script(set_time, "filter-until", "2099-01-01T10:00")
        walk.until(lambda: "until=" in browser.current_url and walk.all("main tbody tr"))
    assert service.get(f"/v1/sweeps/{sweep}").ok
    walk.end()


LINES = """m.linesDraw(600, {axis: {name: "offset", kind: "number", values: [0, 1]}, xName: "offset", unit: "µs", write: String, series: [{
    name: "", kind: "measured", dash: 0, predicted: [], published: [], coming: [], refused: [],
    points: given.map(([x, y, low, high]) => ({x, y, low, high, words: ""}))}]}).cut"""


def test_points_nearer_than_their_intervals_are_drawn_with_whole_intervals(browser, serve):  # noqa: F811
    walk = Walk(browser, serve()).open("sweeps")
    assert walk.module("charts/lines.js", LINES, [0, 10, 5, 15], [1, 10.4, 5, 16]) is False
    assert walk.module("charts/lines.js", LINES, [0, 10, 9, 11], [1, 20, 19, 70000]) is True
    walk.end()


def test_what_is_not_stable_is_marked_and_nothing_is_concluded_from_it(browser, serve):  # noqa: F811
    service = serve()
    some = ended(service, submit(service, offset="0..5", labels={"fake": "odd"}))
    walk = Walk(browser, service).open(f"sweeps/{some}?y=cold_median_us").says("6 of 6 measured")
    walk.says("1.700 µs at offset 0, the most 1.740 µs at 4: 2.4 % more.").says("3 points are left out, unstable or run too seldom; 5 more runs of each may tell.")
    walk.until(lambda: len(walk.all("svg.lines .mark.unsure")) == 3)
    cut = walk.all("svg.lines .whisker.cut")
    assert len(cut) == 3, "an interval that goes on beyond the chart ends in an arrow"
    ticks = [float(tick.replace(",", "")) for tick in walk.script("[...document.querySelectorAll('svg.lines .tick')].map(one => one.textContent)")
             if re.fullmatch(r"[\d,.]+", tick)]
    assert max(ticks) < 200, "the scale is that of the medians, 1.7 to 87 us, not that of an interval up to 87,000"
    choose(walk, "choose-y", "cold_effective_gbps")
    walk.says("10.00 GB/s at offset 0, the least 9.770 GB/s at 4")
    assert "99" not in walk.text(".board .sentence") and "of the best, 10.00 GB/s" in walk.text(".sweep-table").replace("\u00a0", " ")
    quick = ended(service, submit(service, offset="0..5", labels={"fake": "quick"}))
    walk.open(f"sweeps/{quick}").says("of the best that counts, 10.00 GB/s; ›: more", ".sweep-table")
    assert walk.script("[...document.querySelectorAll('.sweep-table .bar')].map(one => one.classList.contains('over'))") == [False, True] * 3
    none = ended(service, submit(service, offset="0..5", labels={"fake": "unstable:noise"}))
    walk.open(f"sweeps/{none}").says("Cannot be told: of 6 points none is stable, or run often enough; 5 more runs of each may tell.")
    walk.click(".sweep-head button", "Run again, 6 runs of each").until(lambda: none not in browser.current_url)
    more = ended(service, browser.current_url.split("/sweeps/")[1].split("?")[0])
    assert service.get(f"/v1/sweeps/{more}").json()["repeat"] == 6
    walk.says("36 of 36 runs measured").until(lambda: "may tell" not in walk.text("main") and "Run again, " not in walk.text("main"))
    shapes = ended(service, submit(service, offset=[0, 1], block=[32, 64], labels={"fake": "odd"}))
    walk.open(f"sweeps/{shapes}?view=map&x=offset&series=block").says("not stable")
    walk.until(lambda: len(walk.all("svg.map .unsure-frame")) == 2)
    walk.says("everywhere").says("2 points are left out")
    walk.open(f"sweeps/{shapes}?view=lines&x=offset&series=none").says("against offset, block 32", ".board h2")
    walk.end()


def test_no_line_runs_over_what_was_not_measured(browser, serve):  # noqa: F811
    service = serve()
    sweep = submit(service, offset="0..9", labels={"fake": "sleep:0.3"})
    assert service.request("POST", "/v1/queue/pause").ok
    waits = service.get(f"/v1/experiments?sweep={sweep}&state=queued").json()["experiments"]
    middle = next(one["id"] for one in waits if one["request"]["offset"] == 7)
    assert service.delete(f"/v1/experiments/{middle}").ok
    assert service.request("POST", "/v1/queue/resume").ok
    ended(service, sweep)
    walk = Walk(browser, service).open(f"sweeps/{sweep}").says("9 of 10 measured")
    walk.until(lambda: sum(line.count("L") for line in lines(walk)) == 7)
    assert len(lines(walk)) == 2 and len(walk.all("svg.lines .mark.refused")) == 1
    walk.says("×: cancelled", ".board .aside").end()


def test_ten_thousand_points_are_a_density(browser, serve):  # noqa: F811
    """How long it takes until they are drawn is measured by bench/page_times.py."""
    service = serve()
    sweep = ended(service, submit(service, offset="0..9999", size=16384, labels={"fake": "vary"}))
    walk = Walk(browser, service).open(f"sweeps/{sweep}")
    walk.until(lambda: walk.script(OPENED))
    assert len(walk.all("svg.lines *")) < 300 and not walk.all("canvas.marks")
    drag(browser, walk, "svg.lines", [0.5, 0.5], [0.51, 0.6])
    walk.says("Show the whole range").until(lambda: 20 < len(walk.all("svg.lines .mark.measured")) < 400)
    walk.end()


def test_no_page_is_above_140_kB_cold(browser, serve):  # noqa: F811
    """In Chinese: these pages load the texts of the service's reasons as well."""
    service = serve()
    sweep = ended(service, submit(service, offset="0..32", block=[32, 64, 96, 128], labels={"fake": "vary"}))
    walk = Walk(browser, service)
    recipe = ended(service, service.request("POST", "/v1/sweeps", json={"recipe": "sum_matrix_blocks"}).json()["id"])
    one = service.run({"kernel": "copy", "size": 4096})["id"]
    for path in ("", "new", "source", "experiments", "sweeps", f"sweeps/{sweep}", f"compare?a=sweep:{sweep}&b=sweep:{sweep}", "lessons/offsets", "recipes/sum_matrix_blocks",
                 "devices/0", f"sweeps/{recipe}", f"experiments/{one}"):
        browser.execute_cdp_cmd("Network.clearBrowserCache", {})
        walk.open(f"{path}{'&' if '?' in path else '?'}lang=zh").until(lambda: walk.all("h1") and walk.text("h1") not in ("", "…"))
        time.sleep(0.5)
        taken = walk.script("[...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')]"
                            ".reduce((sum, one) => sum + one.transferSize, 0)")
        assert 30_000 < taken < PAGE_BYTES_MOST, (path, taken)
    walk.open("?lang=en").end()


def test_of_single_runs_the_sentence_says_so_and_six_are_offered(browser, serve):  # noqa: F811
    service = serve()
    one = ended(service, submit(service, block=[64, 128, 256], labels={"fake": "time:10,12,15"}))
    walk = Walk(browser, service).open(f"sweeps/{one}?y=cold_median_us&x=block&lang=en&view=lines")
    said = "Of points that were run once an interval holds for one placement of the arrays: another run may change their order; 5 more runs of each may tell."
    walk.says(said, ".board .sentence").click("button", "Run again, 6 runs of each").says("18 of 18 runs measured")
    walk.until(lambda: "run once" not in walk.text("main"))
    walk.end()


def test_a_picture_that_is_saved_says_what_its_page_says(browser, serve):  # noqa: F811
    service = serve()
    one = ended(service, submit(service, block=[64, 128, 256], labels={"fake": "time:10,12,15"}))
    walk = Walk(browser, service).open(f"sweeps/{one}?y=cold_median_us&x=block&lang=en&view=lines").says("run once", ".board .sentence")
    walk.script("(window.blobs = [], window.made = URL.createObjectURL, URL.createObjectURL = one => (blobs.push(one), made.call(URL, one)), 1)")
    walk.click(".acts button", "SVG").until(lambda: walk.script("blobs.length"))
    walk.script("(blobs[0].text().then(text => { window.saved = new DOMParser().parseFromString(text, 'image/svg+xml'); }), 1)")
    said = walk.until(lambda: walk.script("window.saved ? [...saved.querySelectorAll('text')].map(one => one.textContent).join(' ') : ''"))
    assert "bars: 95 % interval" in said and "holds for one placement of the arrays" in said and " cpu · " in said, said
    walk.end()


def test_of_runs_at_one_placement_the_sentence_says_so(browser, serve):  # noqa: F811
    service = serve()
    fake = "time:" + ",".join(str(us + 0.1 * run) for run in range(6) for us in (10, 12, 15))
    same, new = (ended(service, submit(service, block=[64, 128, 256], repeat=6, placement=placement, labels={"fake": fake + at}))
                 for placement, at in (("keep", "@here"), ("new", "")))
    said = "Points whose runs all had one placement of the arrays have intervals for that placement alone"
    walk = Walk(browser, service).open(f"sweeps/{same}?y=cold_median_us&x=block&lang=en&view=lines").says(said, ".board .sentence")
    walk.open(f"sweeps/{new}?y=cold_median_us&x=block&lang=en&view=lines").says("at block 64, the most", ".board .sentence")
    assert said not in walk.text("main")
    first = service.get(f"/v1/sweeps/{same}?page_size=1").json()["points"][0]
    walk.open(f"experiments/{first['runs']['ids'][0]}").until(lambda: walk.all("a.button[href*='new?']"))
    assert "placement" not in walk.script("document.querySelector(\"a.button[href*='new?']\").href")
    walk.end()


def test_the_sentence_names_which_points_can_be_told_apart(browser, serve):  # noqa: F811
    service = serve()
    narrow, wide, apart = (10, 10.1, 10.2, 10.1, 10, 10.2), (8, 20, 9, 21, 10.3, 19), (12, 12.1, 12.2, 12.1, 12, 12.2)
    by_rounds = lambda *points: "time:" + ",".join(str(us) for each in zip(*points) for us in each)  # noqa: E731
    one = ended(service, submit(service, block=[64, 128, 256], repeat=6, labels={"fake": by_rounds(narrow, wide, apart)}))
    walk = Walk(browser, service).open(f"sweeps/{one}?y=cold_median_us&x=block&lang=en&view=lines")
    walk.says("It cannot be told whether block 64 is faster than block 128 from their intervals, which overlap; about", ".board .sentence")
    walk.says("It can be told that block 64 is ahead of block 256.", ".board .sentence")
    other = ended(service, submit(service, block=[64, 128, 256], repeat=6, labels={"fake": by_rounds(narrow, narrow[::-1], apart)}))
    walk.open(f"sweeps/{other}?y=cold_median_us&x=block").says("at block 64, the most 12.10 µs at 256: 20 % more.", ".board .sentence")
    walk.says("The best cannot be told from block 128 by their intervals, which overlap.", ".board .sentence")
    last = ended(service, submit(service, block=[64, 128, 256], repeat=6, labels={"fake": by_rounds(narrow, apart, apart[::-1])}))
    walk.open(f"sweeps/{last}?y=cold_median_us&x=block").says("block 128 cannot be told from block 256 by their intervals, which overlap.", ".board .sentence")
    walk.open(f"sweeps/{one}?y=cold_median_us&x=block&view=map&lang=zh").says("可以确定", ".board .sentence").open("?lang=en").end()


EQUAL = """(() => {
    let state = given[0];
    const random = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
    const noise = () => 10 * Math.exp(0.05 * (random() + random() + random() + random() - 2));
    const points = at => {
        const runs = Array.from({length: 6}, noise).sort((a, b) => a - b);
        return {point: {asked: 6, succeeded: 6}, value: (runs[2] + runs[3]) / 2 * at, range: [runs[0] * at, runs[5] * at]};
    };
    const found = given[2].map(at => m.concluded(Array.from({length: given[1]}, (_, k) => points(k === 3 ? at : 1)), true));
    return found.map(({apart, ahead, by_chance}) => [apart || ahead !== null, by_chance > 0]);
})()"""


def test_of_equal_points_none_is_ahead_whatever_their_number(browser, serve):  # noqa: F811
    """Of 33 equal points the intervals of six runs are apart somewhere in two sweeps of five."""
    walk = Walk(browser, serve()).open("sweeps?lang=en")
    for seed, points in ((1, 33), (7, 64), (11, 8)):
        found = walk.module("sweep/sure.js", EQUAL, seed, points, [1] * 100)
        assert sum(told for told, _ in found) <= 5, (points, found)
    assert any(chance for _, chance in walk.module("sweep/sure.js", EQUAL, 1, 64, [1] * 100)), "what is apart by chance is said to be"
    slow = walk.module("sweep/sure.js", EQUAL, 3, 33, [1.5] * 50)
    assert all(told for told, _ in slow), "what takes half as long again is still told"
    walk.end()


RANGES = """m.readMetrics().then(() => ["hot_ns_per_operation", "hot_gops", "cold_median_us", "measured_gld_efficiency_pct"].map(name =>
    m.metricOf(name).range({figure: () => 5, cold: {median: 5, low: 4, high: 8}, hot: {median: 10, low: 8, high: 20}})))"""


def test_whatever_is_compared_by_times_has_an_interval_and_more_runs_can_be_asked_for(browser, serve):  # noqa: F811
    walk = Walk(browser, serve()).open("")
    assert walk.module("sweep/metrics.js", RANGES) == [[4, 10], [2.5, 6.25], [4, 8], None]
    assert walk.module("sweep/charts.js", "[m.moreRuns({series: [], metric: {}}, {more: 7}), m.moreRuns({series: [], metric: {}}, null)]") == [7, 0]
    walk.end()


MAPS = """Promise.resolve(given[0]).then(values => {
    const numbers = name => ({name, kind: "number", values: [0, 1]});
    const point = (offset, block, [measured, predicted, state]) => ({values: {offset, block}, state, predicted, figure: () => measured, cold: {}, hot: {}, asked: given[1] ?? 1, succeeded: 0, stable: null});
    const rows = values.map((one, i) => point(i % 2, i >> 1, one));
    return m.mapsOf({axes: [numbers("offset"), numbers("block")], rows, running: false}, {y: "cold_median_us", x: "offset", series: "block", at: {}, zoom: null, rows: null});
}).then(spec => import([...document.scripts].find(one => one.src.endsWith("app.js")).src.replace("app.js", "charts/map.js")).then(map => {
    const {svg} = map.mapDraw(400, spec), said = [m.mapSentence(spec)].flat().join(" ");
    document.body.append(svg);
    const waiting = [...svg.querySelectorAll(".waiting-cell")].map(one => getComputedStyle(one).fill), cells = [...svg.querySelectorAll(".in-cell")].map(one => one.textContent);
    const key = svg.textContent.includes("no value");
    svg.remove();
    return [waiting, cells, key, said];
}))"""


FRAMED = """Promise.resolve(given).then(([ranges, less]) => {
    const cells = ranges.map(([low, value, high], i) => ({column: i, row: 0, value, range: [low, high], state: "succeeded", point: {}, words: () => ""}));
    const {svg} = m.mapDraw(400, {maps: [{name: "", cells}], columns: cells.map((_, i) => i), rows: [0], columnName: "x", rowName: "y", name: String, write: String, unit: "", less, numbers: true});
    return [...svg.querySelectorAll(".best-cell")].length;
})"""


HALVES = """Promise.resolve(given).then(([columns, x]) => {
    const cells = columns.flatMap(column => [0, 1].map(row => ({column, row, value: column + row, range: null, state: "succeeded", point: {}, words: () => ""})));
    const drawn = m.mapDraw(900, {maps: [{name: "", cells}], columns, rows: [0, 1], columnName: "x", rowName: "y", name: String, write: String, unit: "", less: true, numbers: true});
    const marks = drawn.marks.filter(mark => mark.words().length === 0), at = x === null ? {x: 890, y: 400} : marks[x * 2];
    return [drawn.nearer(at.x, at.y), new Set([...drawn.svg.querySelectorAll("rect")].map(one => one.getAttribute("fill")).filter(Boolean)).size];
})"""


def test_a_map_zooms_to_the_half_of_its_columns_that_is_nearest(browser, serve):  # noqa: F811
    walk = Walk(browser, serve()).open("sweeps?lang=en").says("no sweeps", "h1")
    assert walk.module("charts/map.js", HALVES, [0, 8, 11, 16, 32], None)[0]["zoom"] == [8, 16], "the middle"
    assert walk.module("charts/map.js", HALVES, [1, 8], None)[0] is None
    walk.end()


ONE_COUNTS = """m.sentenceOf(m.concluded([6, 5, 5].map((succeeded, k) => ({point: {asked: 6, succeeded, state: "cancelled"}, value: k + 1, range: [k + 0.9, k + 1.1]})), true),
    () => "everywhere", ({value}) => `stride ${value}`)"""


def test_of_one_point_that_counts_nothing_is_said_of_the_others(browser, serve):  # noqa: F811
    walk = Walk(browser, serve()).open("sweeps?lang=en").says("no sweeps", "h1")
    assert walk.module("sweep/sure.js", ONE_COUNTS) == \
        "Only stride 1 counts, and nothing can be compared with it. 2 points are left out, unstable or run too seldom; 1 more run of each may tell."
    walk.end()


def test_no_cell_is_framed_that_cannot_be_told_from_the_worst(browser, serve):  # noqa: F811
    walk = Walk(browser, serve()).open("sweeps?lang=en").says("no sweeps", "h1")
    apart, meeting = [[1, 2, 3], [4, 5, 6], [8, 9, 10]], [[1, 5, 9], [2, 6, 10], [3, 7, 11]]
    assert [walk.module("charts/map.js", FRAMED, ranges, less) for ranges in (apart, meeting) for less in (True, False)] == [2, 2, 0, 0], "the cell and the legend's"
    walk.end()


def test_a_map_shows_what_is_only_predicted_and_cells_without_a_value_as_empty(browser, serve):  # noqa: F811
    walk = Walk(browser, serve()).open("sweeps?lang=en").says("no sweeps", "h1")
    walk.module("sweep/metrics.js", "m.readMetrics()")
    waiting, cells, key, said = walk.module("sweep/charts.js", MAPS, [[5, 4, "succeeded"], [None, 3, "cancelled"], [7, 6, "succeeded"], [None, 2, "queued"]])
    assert cells == ["5.000", "7.000"] and key and len(waiting) == 3, "two cells and the legend's"
    assert "rgb(0, 0, 0)" not in waiting and "Predicted" not in said
    waiting, cells, key, said = walk.module("sweep/charts.js", MAPS, [[None, 4, "cancelled"], [None, 3, "cancelled"], [None, 6, "queued"], [None, 2, "queued"]])
    assert sorted(cells) == ["2.000", "3.000", "4.000", "6.000"] and not key and not waiting and said.startswith("Predicted, not counted.")
    *_, of_two_runs = walk.module("sweep/charts.js", MAPS, [[None, 4, "cancelled"], [None, 3, "cancelled"], [None, 6, "queued"], [None, 2, "queued"]], 2)
    assert of_two_runs == said, "no run makes a prediction surer"
    walk.end()


FITTED = """new Promise(done => {
  const calls = [], place = m.fit((width, over) => {
    calls.push([width, over]);
    const node = document.createElement("div"), inner = document.createElement("div");
    node.style.overflowX = "auto";
    inner.style.cssText = `width: ${width + 50 - over}px; height: 1px`;
    node.append(inner);
    setTimeout(() => done(calls), 200);
    return node;
  });
  place.node.style.width = "400px";
  document.body.append(place.node);
})"""


def test_what_is_wider_than_its_place_is_drawn_narrower(browser, serve):  # noqa: F811
    walk = Walk(browser, serve()).open("?lang=en").says("Nothing runs", "h1")
    assert walk.module("charts/fit.js", FITTED) == [[400, 0], [400, 50]]
    walk.end()


def test_a_few_values_are_the_ticks_of_their_axis(browser, serve):  # noqa: F811
    """Blocks of 128 and 512: round numbers alone would name neither."""
    walk = Walk(browser, serve()).open("?lang=en").says("Nothing runs", "h1")
    ticks = lambda values: walk.module("charts/axis.js", "m.xTicks(m.xScale({kind: 'number', values: given[0]}, 0, 600), 0, 616).map(one => one.textContent)", values)  # noqa: E731
    assert sorted(ticks([128, 512])) == ["128", "512"]
    assert ticks(list(range(3, 103)))[:1] == ["3"]
    walk.end()
