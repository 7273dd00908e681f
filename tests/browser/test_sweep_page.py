"""/ui/sweeps/{id} and /ui/compare in a real browser: a sweep grows, is chosen from, saved, cancelled; two repeats are compared; 10,000 points."""
import csv
import io
import re
import json
import xml.etree.ElementTree as xml

from chromium import NEEDS, Walk, browser, serve  # noqa: F401

pytestmark = NEEDS
SMALL = {"kernel": "read_offset", "size": 1024}
NOWHERE = "01M7YM65F54TJADP7Z58JCT8G6"

# What is saved lands in window.saved as bytes, and is not written anywhere.
KEEP = """(() => {
  window.saved = [];
  const blobs = new Map(), address = URL.createObjectURL.bind(URL);
  URL.createObjectURL = blob => { const at = address(blob); blobs.set(at, blob); return at; };
  HTMLAnchorElement.prototype.click = function () {
    if (this.download) blobs.get(this.href).arrayBuffer().then(bytes => saved.push({name: this.download, bytes: [...new Uint8Array(bytes)]}));
  };
})()"""


def submit(service, **body):
    response = service.request("POST", "/v1/sweeps", json={**SMALL, **body})
    assert response.status_code == 202, response.text
    return response.json()["id"]


def ended(service, sweep):
    service.until(lambda: service.get(f"/v1/sweeps/{sweep}?view=summary&page_size=1").json()["state"] != "running", seconds=60)
    return sweep


def choose(walk, field, value):
    walk.until(lambda: walk.all(f"#{field} option[value='{value}']"))
    walk.script("(() => { const field = document.getElementById(arguments[0]); field.value = arguments[1]; const at = performance.now(); "
                "field.dispatchEvent(new Event('change')); window.took = performance.now() - at; })()", field, value)


def saved(walk, n):
    return walk.until(lambda: (files := walk.script("window.saved")) and len(files) >= n and files)[n - 1]


def test_a_sweep_grows_in_the_page_and_can_be_chosen_from_saved_and_cancelled(browser, serve):  # noqa: F811
    service = serve()
    sweep = submit(service, offset="0..19", block=[64, 128], labels={"fake": "sleep:1"})
    walk = Walk(browser, service).open(f"sweeps/{sweep}").says("of 40 measured").says("runs now").says("done in about")
    marks = lambda: len(walk.all("svg.lines .mark.measured:not(.hollow)"))  # noqa: E731
    walk.until(lambda: marks() >= 2)
    some = marks()
    walk.until(lambda: marks() > some)
    walk.until(lambda: walk.all(".step.done") and walk.all(".step.running"))
    assert service.request("POST", "/v1/queue/pause").ok  # else it may end before it is cancelled below
    choose(walk, "choose-y", "hot_median_us")
    choose(walk, "choose-series", "none")
    address = browser.current_url
    assert "y=hot_median_us" in address and "series=none" in address and "at.block=64" in address
    browser.refresh()
    walk.says("Time, hot against offset").says("of 40 measured")
    assert browser.current_url == address and walk.script("document.querySelector('#choose-y').value") == "hot_median_us"
    walk.until(lambda: marks() >= 2)

    walk.script(KEEP)
    walk.click("button[aria-label='Save as SVG']").click("button[aria-label='Save as PNG']")
    files = {name.rpartition(".")[2]: bytes(data) for name, data in ((one["name"], one["bytes"]) for one in (saved(walk, 1), saved(walk, 2)))}
    drawing = xml.fromstring(files["svg"])
    assert drawing.tag.endswith("svg") and not any("class" in node.attrib for node in drawing.iter() if not node.tag.endswith("pattern"))
    assert any(node.tag.endswith("circle") and node.attrib["fill"].startswith("rgb") for node in drawing.iter())
    assert "By offset and block: read_offset · size 1024 · cpu · Time, hot against offset" in files["svg"].decode(), "a picture says of what it is"
    assert files["png"].startswith(b"\x89PNG") and len(files["png"]) > 2000

    walk.click(".sweep-head button", "Cancel the rest").says("of the sweep of read_offset …", ".jobs")
    walk.click(".jobs button", "Cancel them").says("of 40 were measured.", ".jobs").says("Remove")
    links = [link.get_attribute("href") for link in walk.all("a.button[download]")]
    tables = [list(csv.DictReader(io.StringIO(service.get(link[len(service.url):]).text))) for link in links]
    assert [len(table) for table in tables] == [40, 40] and "id" in tables[0][0] and "placement" not in tables[1][0]
    shown = service.get(f"/v1/sweeps/{sweep}?view=summary&page_size=1").json()
    walk.says(f"{shown['succeeded']} of 40 measured").says(f"{shown['cancelled']} cancelled")
    walk.until(lambda: len(walk.all(".sweep-table tbody tr")) == 40)
    walk.end()


def test_of_a_cancelled_sweep_only_what_was_measured_is_filled(browser, serve):  # noqa: F811
    service = serve()
    sweep = submit(service, offset=[0, 1, 2], repeat=4, labels={"fake": "sleep:0.5"})
    one = lambda: service.get(f"/v1/sweeps/{sweep}?page_size=1").json()  # noqa: E731
    service.until(lambda: one()["succeeded"] >= 2)
    assert service.request("POST", "/v1/queue/pause").ok
    service.until(lambda: not one()["running"])
    measured = one()["succeeded"]
    walk = Walk(browser, service).open("sweeps?lang=en").says("paused", "tbody").says(f"{measured} of 12", "tbody")
    walk.open(f"sweeps/{sweep}").says("paused", ".sweep-table tbody")
    assert "running" not in walk.text(".sweep-table tbody")
    assert service.delete(f"/v1/sweeps/{sweep}").ok
    walk.says(f"{measured} of 12 runs measured").says(f"{12 - measured} cancelled")
    walk.until(lambda: re.search(r"cancelled after [123] of 4 runs", walk.text(".sweep-table tbody")))
    assert "failed" not in walk.text(".sweep-table tbody") and "µs" in walk.text(".sweep-table")
    assert len(walk.all(".step.done")) < 3
    walk.open("sweeps").says(f"{measured} of 12", "tbody").says(f"– {12 - measured} cancelled", "tbody")
    walk.open(f"sweeps/{sweep}?lang=zh").says("已取消，完成").end()


def test_shapes_are_a_map_with_what_is_refused_and_runs_unfold(browser, serve):  # noqa: F811
    service = serve()
    shapes = ended(service, submit(service, kernel="sum_matrix_2d", size=[64, 64], order=["row", "column"], block=[[32, 1], [16, 2], [64, 32]]))
    walk = Walk(browser, service).open(f"sweeps/{shapes}").says("by block").says("refused")
    assert len(walk.all("svg.map .cell")) == 4 and "2048 threads" in walk.text(".reason")
    walk.script("document.querySelector('.board .drawing').focus()")
    browser.switch_to.active_element.send_keys("\ue014")  # the right arrow
    walk.until(lambda: "order row" in walk.text(".tip.at-mark"))
    choose(walk, "choose-x", "order")
    walk.says("by order").click(".segments button", "lines").says("against order")
    repeats = ended(service, submit(service, offset=[0, 1], repeat=5, labels={"fake": "time:10,11,12"}))
    walk.open(f"sweeps/{repeats}").says("10 of 10 runs measured").says("5 / 5")
    walk.click(".unfold").says("run 5", ".sweep-table")
    walk.click(".board summary").until(lambda: len(walk.all(".board table tbody tr")) == 2)
    walk.open(f"sweeps/{NOWHERE}").says("There is no such sweep")
    walk.open("sweeps/nonsense").says("There is no such sweep")
    walk.end()


def test_a_saved_chart_has_the_legend_of_what_it_shows(browser, serve):  # noqa: F811
    service = serve()
    sweep = ended(service, submit(service, offset="0..3", block=[64, 128, 256]))
    walk = Walk(browser, service).open(f"sweeps/{sweep}?lang=en")
    walk.click(".legend button", "block 128").until(lambda: "hide=" in browser.current_url)
    walk.script(KEEP)
    walk.click("button[aria-label='Save as SVG']")
    texts = [node.text for node in xml.fromstring(bytes(saved(walk, 1)["bytes"])).iter() if node.tag.endswith("text")]
    assert {"block 64", "block 256"} <= set(texts) and "block 128" not in texts, texts
    walk.end()


def test_two_repeats_are_compared_and_more_runs_join(browser, serve):  # noqa: F811
    service = serve()
    slow = ended(service, submit(service, offset=[0, 8], block=[64, 128], repeat=6, labels={"fake": "time:100,100.2,100.1"}))
    fast = ended(service, submit(service, offset=[0, 8], block=[64, 128], repeat=6, labels={"fake": "time:90,90.2,90.1"}))
    few = ended(service, submit(service, offset=[0, 8], labels={"fake": "time:50,50.1,50.2"}, block=[64, 128]))
    walk = Walk(browser, service).open(f"compare?a=sweep:{slow}&b=sweep:{fast}").says("Against A: better in 4 of 4 points, the same in 0, worse in 0")
    assert len(walk.all("tr.better")) == 4 and "1.111" in walk.text("tr.better .ratio")
    walk.click("button", "Swap A and B").says("better in 0 of 4 points, the same in 0, worse in 4")
    walk.script(KEEP)
    walk.click("button", "CSV")
    table = list(csv.DictReader(io.StringIO(bytes(saved(walk, 1)["bytes"]).decode())))
    assert [row["verdict"] for row in table] == ["worse"] * 4
    walk.open(f"compare?a={slow}&b={few}").says("none of 4 points can be told yet").says("The sides differ in more").says("placement")
    assert f"b=sweep:{few}" in browser.current_url
    walk.click("button", "All 4 points that cannot be told: 16 more of B").says("better in 4 of 4 points")
    # The pressed button no longer exists: the focus must be on another element, not on the body.
    walk.until(lambda: walk.script("document.activeElement !== document.body"))
    assert f"sweep:{few}." in browser.current_url
    browser.refresh()
    walk.says("better in 4 of 4 points")
    walk.open(f"compare?a=sweep:{slow}&b=sweep:{slow},where.offset:8").says("nothing can be compared with itself")
    walk.open(f"compare?a=sweep:{slow},where.offset:0&b=sweep:{fast},where.offset:8").says("no point in common").says("2 points are on side A alone, the first: ")
    walk.says("so that no point of one is a point of the other").until(lambda: walk.text(".differs dl").split() == ["offset", "A", "0", "B", "8"])
    assert "Nothing else differs" not in walk.text("main")
    walk.open(f"compare?a=sweep:{slow},where.offset:0&b=sweep:{fast},where.offset:8&but_for=load").says("so that no point")
    walk.click("button", "Compare although they differ in offset").says("but for load, offset (A 0, B 8)").says("in 2 of 2 points")
    alone = [service.request("POST", "/v1/experiments", json={**SMALL, "offset": offset}).json()["id"] for offset in (0, 8)]
    for one in alone:
        service.until(lambda: service.get(f"/v1/experiments/{one}").json()["state"] == "succeeded")
    walk.open("compare?a={}&b={}".format(*alone)).says("but for offset (A 0, B 8)").says("none of 1 point can be told yet")  # two that were chosen may differ
    sized = service.request("POST", "/v1/sweeps", json={**SMALL, "size": [1024, 2048]}).json()["id"]
    walk.open(f"compare?a=sweep:{sized},where.size:1024&b=sweep:{sized},where.size:2048&but_for=size").says("a longer time may only mean more work. Compare bandwidths.", ".differs")
    walk.open(f"compare?a=sweep:{slow}&b=sweep:{NOWHERE}").says("there is no sweep")
    walk.open("compare").says("Choose two sides")
    assert "read_offset · size 1024 · 4 points × 6" in walk.text("#side-A-sweep")
    choose(walk, "side-A-sweep", slow)
    choose(walk, "side-B-sweep", fast)
    walk.says("better in 4 of 4 points")
    walk.end()


def test_ten_thousand_points_stay_usable(browser, serve):  # noqa: F811
    service = serve()
    sweep = submit(service, offset="0..99", block="32..1022 step 10")
    walk = Walk(browser, service).open(f"sweeps/{sweep}").says("of 10,000 measured")
    walk.until(lambda: walk.all("canvas.marks, svg.map .cell") and "read so far" not in walk.text("main"), seconds=60)
    assert len(walk.all(".sweep-table tbody tr")) < 120
    walk.script("(() => { const frame = document.querySelector('.scroll.windowed'); frame.scrollTop = frame.scrollHeight; })()")
    walk.until(lambda: "99 1022" in walk.text(".sweep-table tbody"))
    choose(walk, "choose-series", "none")
    walk.says("against offset")
    assert walk.script("window.took") < 3000 and len(walk.all("svg.lines *")) < 2500
    service.delete(f"/v1/sweeps/{sweep}")  # what is left of it, if anything
    service.until(lambda: service.get(f"/v1/sweeps/{sweep}?view=summary&page_size=1").json()["state"] != "running")
    walk.end()


def test_transactions_are_named_by_what_the_chip_moves(browser, serve):  # noqa: F811
    """Of a chip that moves lines and segments neither the result nor the sweep says sectors."""
    service, request = serve("--devices", "cpu", fake=False), {**SMALL, "offset": 11, "block": 128}
    [made] = service.request("POST", "/v1/predictions", json={**request, "arch": "sm_20"}).json()["predictions"]
    Walk(browser, service).open(f"experiments/{service.run(request)['id']}?lang=en").says("load sectors").says("store sectors").end()
    service.stop()
    service = serve("--devices", "cpu", environment={"FAKE_PREDICTION": json.dumps({name: made[name] for name in made if name not in ("occupancy", "time")})})
    walk = Walk(browser, service).open(f"experiments/{service.run(request)['id']}?lang=en").says("load lines").says("store segments")
    shown = walk.text("main")
    assert f"load lines {made['gld_transactions']:,}" in " ".join(shown.split()) and "load sectors" not in shown
    sweep = ended(service, submit(service, offset=[0, 11]))
    walk.open(f"sweeps/{sweep}?y=sectors&lang=zh").says("事务：缓存行、段")
    walk.open(f"sweeps/{sweep}?y=sectors&lang=en").says("Transactions: lines, segments").end()


def asked(service, where):
    """What was asked for by the sweep that the browser shows."""
    return service.get("/v1/sweeps/" + where.rpartition("/")[2].partition("?")[0]).json()["request"]


def test_a_sweep_of_one_point_shows_it_while_it_runs_and_after(browser, serve):  # noqa: F811
    service = serve()
    assert service.request("POST", "/v1/queue/pause").ok
    sweep = submit(service, offset=11, block=64, repeat=6, labels={"fake": "time:10,11,12"})
    walk = Walk(browser, service).open(f"sweeps/{sweep}?lang=en").says("0 of 6 runs measured").says("Nothing is measured yet")
    assert service.request("POST", "/v1/queue/resume").ok
    walk.says("6 of 6 runs measured").says("kernel", ".choices").says("6 / 6", ".sweep-table")
    walk.until(lambda: len(walk.all("svg.lines .mark.measured")) == 1 and walk.all("svg.lines .whisker"))
    assert walk.script("[...document.querySelectorAll('#choose-y option, #choose-x option')].length") >= 2
    shown = service.get(f"/v1/sweeps/{sweep}?view=summary").json()["points"][0]["cold"]
    assert shown["ci95_us"][0] < shown["ci95_us"][1]
    choose(walk, "choose-y", "cold_median_us")
    walk.says("11.0", ".board .sentence").click(".unfold").says("run 6", ".sweep-table").end()
    shaped = service.post({"kernel": "sum_matrix_2d", "size": [256, 256], "block": [32, 8], "repeat": 2}).json()["id"]
    walk.open(f"sweeps/{ended(service, shaped)}").says("2 of 2 runs measured").says("256 × 256").says("2 / 2").end()


def test_change_of_a_sweep_asks_for_the_same_again(browser, serve):  # noqa: F811
    service = serve()
    walk = Walk(browser, service)
    for body in (
        {"kernel": "read_offset", "size": 1024, "block": [64, 128, 256, 512], "repeat": 6},
        {"kernel": "read_offset", "size": [1024, 2048], "offset": "0..4 step 2", "grid": 8},
        {"kernel": "sum_matrix_2d", "size": [[256, 256]], "block": [[32, 8]], "repeat": 2},
        {"kernel": "sum_matrix_2d", "size": [[256, 256], [64, 64]], "block": [[32, 8], [16, 16]], "order": ["row", "column"], "repeat": 2},
    ):
        sweep = ended(service, submit(service, **body))
        walk.open(f"sweeps/{sweep}?lang=en").click(".sweep-head a", "Change").until(lambda: "Run a sweep" in walk.text(".run"))
        walk.click(".run").until(lambda: "/ui/sweeps/" in browser.current_url)
        assert asked(service, browser.current_url) == body
    same = ended(service, submit(service, kernel="sum_matrix_2d", size=[256, 256], order=["row", "column"]))
    walk.open(f"sweeps/{same}").click(".sweep-head a", "Change").until(lambda: "size=256x256" in browser.current_url)
    walk.open("sweeps").says("sum_matrix_2d size 256×256, order 2 values", "tbody tr:first-child").says("block 4 values")
    assert "size 2 values" in walk.text("tbody") and "size 1 value" not in walk.text("tbody").replace("values", "")
    walk.end()


def test_a_shape_stays_one_where_a_form_makes_a_sweep(browser, serve):  # noqa: F811
    service = serve()
    walk = Walk(browser, service).open("new?kernel=sum_matrix_2d&size=256x256&block=32x8&repeat=2&lang=en")
    walk.says('"size": [[256, 256]], "block": [[32, 8]], "repeat": 2', ".beside").says("block=32x8", ".beside")
    walk.click(".run", "Run a sweep").until(lambda: "/ui/sweeps/" in browser.current_url)
    sweep = browser.current_url.rpartition("/")[2].partition("?")[0]
    assert service.get(f"/v1/sweeps/{sweep}").json()["point_count"] == 1
    walk.says("2 of 2 runs measured").end()


def test_cold_times_of_other_executors_are_told(browser, serve):  # noqa: F811
    service = serve()
    one, same = (ended(service, submit(service, offset=[0, 8], repeat=6, labels={"fake": "time:100,100.2,100.1", "n": n})) for n in "12")
    service.stop()
    service = serve()
    other = ended(service, submit(service, offset=[0, 8], repeat=6, labels={"fake": "time:100,100.2,100.1"}))
    words = "Different executor processes measured the cold times of the two sides, and their timers can be 0.16 µs apart"
    walk = Walk(browser, service).open(f"compare?a=sweep:{one}&b=sweep:{other}&lang=en").says(words)
    walk.open(f"compare?a=sweep:{one}&b=sweep:{same}").says("of 2 points", "h1")
    assert words not in walk.text("main")
    walk.end()


def test_a_ratio_that_the_medians_contradict_is_not_shown_and_ages_go_on(browser, serve):  # noqa: F811
    service = serve()
    one, other = (ended(service, submit(service, offset=[0], repeat=5, labels={"fake": f"time:{times}"})) for times in ("10,10,10,20,20", "10,10,20,20,20"))
    walk = Walk(browser, service).open(f"compare?a=sweep:{one}&b=sweep:{other}&lang=en").says("too uneven", ".forest-table")
    walk.script("document.querySelector('.forest-table .no-value').focus()")
    walk.says("The runs are too uneven for a ratio: their pairs say 1.000, the two medians 0.5", "body")
    said = lambda: walk.text(".head + p") or walk.text("main p")  # noqa: E731
    first = said()
    assert " s ago" in first
    walk.until(lambda: said() != first, 30)
    walk.end()


def test_what_the_list_says_of_its_page_is_not_said_of_all(browser, serve):  # noqa: F811
    service = serve()
    assert service.request("POST", "/v1/queue/pause").ok
    submit(service, offset=1)
    for offset in range(2, 28):
        service.delete(f"/v1/sweeps/{submit(service, offset=offset)}")
    walk = Walk(browser, service).open("sweeps?lang=en").says("Older", "nav.pages")
    assert walk.text("h1") == "Sweeps, newest first", "one on the next page waits"
    walk.click("nav.pages a", "Older").says("Of these 2: 1 sweep is paused", "h1").end()


def test_a_sweep_of_single_samples_is_drawn(browser, serve):  # noqa: F811
    """One sample has no interval; what an offset costs is drawn beside the model all the same."""
    service = serve("--devices", "cpu", fake=False)
    sweep = ended(service, submit(service, offset="0..4", size=1 << 22, measure={"min_samples": 1, "max_seconds": 0.001}))
    points = service.get(f"/v1/sweeps/{sweep}").json()["points"]
    assert all(point["result"]["timing"]["cold"]["ci95_us"] == [None, None] for point in points), points[0]["result"]["timing"]
    walk = Walk(browser, service).open(f"sweeps/{sweep}?lang=en").says("Of the bytes that the loads, or the stores, move, at most")
    walk.until(lambda: walk.all("svg.lines"))
    walk.end()
