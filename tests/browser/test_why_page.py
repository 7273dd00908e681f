"""Why a time is what it is: on a result's page, in the form while one types, of a device. The numbers are planted."""
import pytest

from chromium import NEEDS, Walk, browser, serve  # noqa: F401, and the path to tests/http

import timed  # isort: skip

pytestmark = NEEDS
SMALL = {"kernel": "read_offset", "offset": 11, "size": 4096}


@pytest.fixture
def planted(browser):
    taken = []
    yield lambda *made: taken.append(timed.plant(browser, *made))
    for take in taken:
        take()


def bars(walk):
    """The bounds as drawn: width of each bar, and which of them limit."""
    return walk.script("[...document.querySelectorAll('svg.bounds rect')].map(one => [one.width.baseVal.value, one.classList.contains('binds')])")


@pytest.mark.parametrize("language, words, calibration", [("en", ["Why this time", "Limited by the latency of memory:", timed.TIME["explanation"]["en"], "231 µs, 93 %", "The counters name the same limiter.", "Its constants are those shipped for an NVIDIA H200.", "6.8 % less"], "shipped"),
                                             ("zh", ["为什么要这么久", "瓶颈是访存延迟：", timed.TIME["explanation"]["zh"], "预计 231 µs", "计数器给出的瓶颈相同。", "此设备上测得。", "少 6.8 %"], "2026-01-20T12:00:00.000Z")])
def test_a_result_says_why_it_took_its_time(browser, serve, planted, language, words, calibration):
    service = serve("--devices", "cpu", fake=False)
    walk, result = Walk(browser, service), service.run(SMALL)
    planted(timed.TIME, {**timed.MEASURED, "calibration": calibration})
    walk.open(f"experiments/{result['id']}?lang={language}")
    for text in words:
        walk.says(text)
    drawn = bars(walk)
    longest = max(one["us"] for one in timed.TIME["bounds"])
    scale = drawn[-1][0] / longest
    assert [binds for _, binds in drawn] == [False] * 6 + [True]
    assert all(abs(width - one["us"] * scale) < 1 for (width, _), one in zip(drawn, timed.TIME["bounds"], strict=True))
    at = walk.script("[...document.querySelectorAll('svg.bounds line.at')].map(one => [one.classList[1], one.x1.baseVal.value])")
    assert [name for name, _ in at] == ["measured", "predicted"] and abs(at[1][1] - at[0][1] - (248.3 - 247.5) * scale) < 0.2
    walk.until(lambda: {"offset=11", "size=4096", "block=256"} <= set(walk.script("document.querySelector('.changes a').search").strip("?").split("&")))
    walk.click(".panel button", "Run the best" if language == "en" else "运行最快的一种")
    walk.until(lambda: "/sweeps/" in browser.current_url)
    assert service.get("/v1/sweeps").json()["sweeps"][0]["point_count"] == 2
    walk.end()


def test_a_time_that_is_not_known_is_a_line_and_no_panel(browser, serve, planted):
    service = serve("--devices", "cpu", fake=False)
    result = service.run(SMALL)
    planted(timed.MISSING, timed.MISSING)
    walk = Walk(browser, service).open(f"experiments/{result['id']}?lang=en").says("Why it takes that long is not known: " + timed.MISSING["reason"])
    assert not bars(walk) and "Why this time" not in walk.text("h2")
    walk.click(".why a", "What a GPU is predicted to take").until(lambda: {"kernel=read_offset", "offset=11"} <= set(browser.current_url.split("?")[1].split("&")))
    walk.open("new?kernel=copy").says(timed.MISSING["reason"])
    assert not any(one.is_displayed() for one in walk.all("svg.bounds")) and "Predicted time" in walk.text("h2")
    walk.end()


def test_the_form_tells_the_time_while_one_types(browser, serve, planted):
    both = {**timed.TIME, "close_second": "dram"}
    planted(both)
    walk = Walk(browser, serve("--devices", "cpu", fake=False)).open("new?kernel=read_offset&offset=11&lang=en").says("Predicted time 248 µs").says("as an NVIDIA H200 would take it; nothing has run")
    walk.until(lambda: len(bars(walk)) == 7)
    assert walk.script("document.querySelector('svg.bounds').getAttribute('aria-label')").startswith("Limited by latency × warps, and DRAM is close. predicted")
    assert [binds for _, binds in bars(walk)] == [False, True, False, False, False, False, True]
    asked = "performance.getEntriesByType('resource').filter(one => one.name.endsWith('/v1/predictions')).length"
    before = walk.script(asked)
    walk.type("#field-offset", "2")
    walk.until(lambda: walk.script(asked) >= before + 2)
    walk.click(".changes a").until(lambda: "block=256" in browser.current_url)
    walk.end()


def test_a_device_shows_its_constants(browser, serve, planted):
    planted()
    walk = Walk(browser, serve("--devices", "cpu", fake=False)).open("devices/0?lang=zh").says("预测时间所用的常数").says("在此设备上测得").says("相邻两个线程块启动的间隔")
    assert walk.script("document.querySelector('a[href$=\"/sweeps/01M7YM65F54TJADP7Z58JCT8G6\"]') !== null")
    assert "0.20 %" in walk.text("table").replace("\u00a0", " ")
    walk.end()


def test_a_sweep_has_the_predicted_times_beside_the_measured_ones(browser, serve, planted):
    service = serve("--devices", "cpu", fake=False)
    sweep = service.request("POST", "/v1/sweeps", json={"kernel": "copy", "size": [4096, 8192, 16384]}).json()["id"]
    service.until(lambda: service.get(f"/v1/sweeps/{sweep}").json()["state"] != "running")
    planted()
    walk = Walk(browser, service).open(f"sweeps/{sweep}?lang=en&y=cold_median_us").says("predicted, µs", ".sweep-table").says("hollow: predicted")
    assert walk.text(".sweep-table").count("248.3") == 3 and walk.text(".sweep-table").count("latency × warps") == 3
    browser.set_window_size(700, 1000)
    lines = walk.script("""[...document.querySelectorAll(".sweep-table td")].filter(cell => cell.textContent === "latency × warps").map(cell => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return range.getClientRects().length;
    })""")
    browser.set_window_size(1280, 1000)
    assert lines == [1, 1, 1]
    walk.until(lambda: len(walk.all("svg .mark.hollow")) >= 3)
    walk.end()


def test_digits_behind_a_point_are_no_number_of_their_own(browser, serve):
    walk = Walk(browser, serve()).open("?lang=en")
    said = walk.module("charts/bounds.js", "m.explained({en: 'Of 0.0015 us, 0.00063 us; 131072 blocks, 12345.5 us'})")
    assert said.replace("\u00a0", " ") == "Of 0.0015 µs, 0.00063 µs; 131,072 blocks, 12,345.5 µs"
    walk.end()
