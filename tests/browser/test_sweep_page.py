"""/ui/sweeps/{id} and /ui/compare in a real browser: a sweep grows, is chosen from, saved, cancelled; two repeats are compared; 10,000 points."""
import csv
import io
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
    assert service.request("POST", "/v1/queue/pause").ok  # else it may end before it is cancelled below
    assert walk.all(".step.done") and walk.all(".step.running")
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
    assert files["png"].startswith(b"\x89PNG") and len(files["png"]) > 2000

    walk.click(".sweep-head button", "Cancel the rest").says("cancelled").says("Remove")
    links = [link.get_attribute("href") for link in walk.all("a.button[download]")]
    tables = [list(csv.DictReader(io.StringIO(service.get(link[len(service.url):]).text))) for link in links]
    assert [len(table) for table in tables] == [40, 40] and "id" in tables[0][0] and "placement" not in tables[1][0]
    shown = service.get(f"/v1/sweeps/{sweep}?view=summary&page_size=1").json()
    walk.says(f"{shown['succeeded']} of 40 measured").says(f"{shown['cancelled']} cancelled")
    walk.until(lambda: len(walk.all(".sweep-table tbody tr")) == 40)
    walk.end()


def test_shapes_are_a_map_with_what_is_refused_and_runs_unfold(browser, serve):  # noqa: F811
    service = serve()
    shapes = ended(service, submit(service, kernel="sum_matrix_2d", size=[64, 64], order=["row", "column"], block=[[32, 1], [16, 2], [64, 32]]))
    walk = Walk(browser, service).open(f"sweeps/{shapes}").says("by block").says("refused")
    assert len(walk.all("svg.map .cell")) == 4 and "2048 threads" in walk.text(".reason")
    walk.script("document.querySelector('.board .drawing').focus()")
    browser.switch_to.active_element.send_keys("\ue014")  # the right arrow
    walk.until(lambda: "order row" in walk.text(".tip.at-mark"))
    choose(walk, "choose-x", "order")
    walk.says("against order")
    repeats = ended(service, submit(service, offset=[0, 1], repeat=5, labels={"fake": "time:10,11,12"}))
    walk.open(f"sweeps/{repeats}").says("10 of 10 runs measured").says("5 / 5")
    walk.click(".unfold").says("run 5", ".sweep-table")
    walk.click(".board summary").until(lambda: len(walk.all(".board table tbody tr")) == 2)
    walk.open(f"sweeps/{NOWHERE}").says("There is no such sweep")
    walk.open("sweeps/nonsense").says("There is no such sweep")
    walk.end()


def test_two_repeats_are_compared_and_more_runs_join(browser, serve):  # noqa: F811
    service = serve()
    slow = ended(service, submit(service, offset=[0, 8], block=[64, 128], repeat=6, labels={"fake": "time:100,100.2,100.1"}))
    fast = ended(service, submit(service, offset=[0, 8], block=[64, 128], repeat=6, labels={"fake": "time:90,90.2,90.1"}))
    few = ended(service, submit(service, offset=[0, 8], labels={"fake": "time:50,50.1,50.2"}, block=[64, 128]))
    walk = Walk(browser, service).open(f"compare?a=sweep:{slow}&b=sweep:{fast}").says("Against A: better in 4 of 4 points, worse in 0")
    assert len(walk.all("tr.better")) == 4 and "1.111" in walk.text("tr.better .ratio")
    walk.click("button", "Swap A and B").says("better in 0 of 4 points, worse in 4")
    walk.script(KEEP)
    walk.click("button", "CSV")
    table = list(csv.DictReader(io.StringIO(bytes(saved(walk, 1)["bytes"]).decode())))
    assert [row["verdict"] for row in table] == ["worse"] * 4
    walk.open(f"compare?a={slow}&b={few}").says("none of 4 points can be told yet").says("The sides differ in more").says("placement")
    assert f"b=sweep:{few}" in browser.current_url
    walk.click("button", "Run all 4 points of B").says("more runs of B asked for").says("better in 4 of 4 points")
    assert f"sweep:{few}." in browser.current_url
    browser.refresh()
    walk.says("better in 4 of 4 points")
    walk.open(f"compare?a=sweep:{slow}&b=sweep:{slow},where.offset:8").says("nothing can be compared with itself")
    walk.open(f"compare?a=sweep:{slow},where.offset:0&b=sweep:{fast},where.offset:8").says("no point in common").says("alone")
    walk.open(f"compare?a=sweep:{slow}&b=sweep:{NOWHERE}").says("there is no sweep")
    walk.open("compare").says("Choose two sides")
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
