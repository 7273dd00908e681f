"""The page in a real browser: its frame, the lab, the queue, devices and the lists."""
import http.server
import signal
import threading
import urllib.request

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from chromium import NEEDS, Walk, browser, serve  # noqa: F401
from conftest import SMALL, token_line

pytestmark = NEEDS
SECRET = {"ada": "the-secret-of-ada-0123456789", "bob": "the-secret-of-bob-0123456789"}
SLEEPS = {**SMALL, "labels": {"fake": "sleep:60"}}


def words(walk):
    return walk.text("h1")


def test_a_walk_through_all_pages_in_both_languages(browser, serve):
    service = serve()
    service.works()
    failed = service.run({**SMALL, "labels": {"fake": "error:cuda_error"}})
    assert failed["state"] == "failed"
    walk = Walk(browser, service).open("")
    walk.says("Nothing runs, nothing waits.", "h1").says("Fake device").says("read_offset").says("failed: cuda error")
    walk.click("nav a", "Experiments").says("newest first", "h1").says("succeeded")
    assert browser.current_url == service.url + "/ui/experiments" and "Experiments" in browser.title
    walk.click("#filter-state").click("#filter-state option", "failed")
    walk.until(lambda: "state=failed" in browser.current_url)
    walk.says("that fit", "h1").until(lambda: len(walk.all("tbody tr")) == 1)
    browser.refresh()
    walk.says("that fit", "h1").until(lambda: len(walk.all("tbody tr")) == 1)
    browser.back()
    walk.until(lambda: len(walk.all("tbody tr")) == 2)
    walk.click("nav a", "Sweeps").says("no sweeps", "h1")
    walk.open("queue").says("Nothing runs", "h1")
    walk.open("devices/0").says("Fake device").says("233.5 kB").says("runs since the service began").says("the model of time is for GPUs", ".panel")
    walk.open("no/such").says("There is no page at this address", "h1")
    walk.click("main a").says("Nothing runs", "h1")
    walk.click(".languages button", "中文").says("没有任务运行", "h1").says("最近的结果")
    assert walk.script("document.documentElement.lang") == "zh-CN"
    for path, said in ("experiments", "最新在前"), ("sweeps", "没有扫描"), ("queue", "没有任务"):
        walk.open(path).says(said, "h1")
    walk.open("devices/0").says("限制与计数").open("devices").says("1 个设备", "h1")
    walk.open("?lang=en").says("Nothing runs", "h1")
    walk.end()


def test_mine_waits_is_shown_and_cancelled_by_hand(browser, serve, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text("".join(token_line(name, role, SECRET[name]) for name, role in (("ada", "admin"), ("bob", "run"))))
    tokens.chmod(0o600)
    service = serve("--token-file", str(tokens), ready=False)
    service.headers = {"Authorization": f"Bearer {SECRET['ada']}"}
    service.until(lambda: service.get("/readyz").status_code == 200)
    running = service.post(SLEEPS).json()
    service.headers = {"Authorization": f"Bearer {SECRET['bob']}"}
    mine = service.post(SMALL).json()
    walk = Walk(browser, service).open("queue").says("asks for a token", ".asks")
    walk.type("#token", "wrong").click(".asks button").says("token", ".wrong")
    walk.type("#token", SECRET["bob"]).click(".asks button").says("1 waits, 1 runs", "h1")
    assert walk.script("[sessionStorage.token, document.cookie, JSON.stringify(localStorage)]")[:2] == [SECRET["bob"], ""]
    assert SECRET["bob"] not in walk.script("JSON.stringify(localStorage)") + browser.current_url
    walk.says("you").says("bob", ".state")
    assert not walk.all("button.button:not(.menu)"), "bob may pause nothing"
    walk.click("tr.mine button", "Cancel").says("nothing waits", "h1")
    assert service.get(mine["links"]["self"]).json()["state"] == "cancelled"
    walk.open("").says("1 runs", "h1").says("ada", ".devices")
    walk.script("sessionStorage.setItem('token', arguments[0])", SECRET["ada"])
    # What runs goes on to its end, and is told, though the device is paused.
    walk.open("devices/0").click(".head button", "Pause").says("Paused by ada", ".box").says("measures", "h1")
    walk.open("devices").says("1 device: 1 measuring", "h1").says("Paused by ada")
    walk.open("devices/0").click(".head button", "Resume").until(lambda: not walk.all(".box"))
    walk.script("sessionStorage.clear()")
    walk.open("").says("asks for a token", ".asks")
    walk.end()
    service.headers = {"Authorization": f"Bearer {SECRET['ada']}"}
    service.delete(running["links"]["self"])


@pytest.fixture
def ada_and_bob(serve, tmp_path):  # noqa: F811
    """A paused service, and what submits as one of the two."""
    tokens = tmp_path / "tokens"
    tokens.write_text("".join(token_line(name, role, SECRET[name]) for name, role in (("ada", "admin"), ("bob", "run"))))
    tokens.chmod(0o600)
    service = serve("--token-file", str(tokens), ready=False)
    service.headers = {"Authorization": f"Bearer {SECRET['ada']}"}
    service.until(lambda: service.get("/readyz").status_code == 200)
    assert service.request("POST", "/v1/queue/pause").ok
    return service, lambda name, path, body: service.request("POST", path, json=body, headers={"Authorization": f"Bearer {SECRET[name]}"}).json()


def comes(walk, name, path):
    walk.open("")
    walk.script("sessionStorage.setItem('token', arguments[0])", SECRET[name])
    return walk.open(path)


def test_a_person_whose_token_was_revoked_is_not_shown_as_signed_in(browser, ada_and_bob, tmp_path):  # noqa: F811
    walk = comes(Walk(browser, ada_and_bob[0]), "bob", "queue?lang=en").says("bob", ".state")
    (tmp_path / "tokens").write_text(token_line("ada", "admin", SECRET["ada"]))
    walk.says("token", ".asks").until(lambda: "bob" not in walk.text(".state"))
    assert not walk.text("main") and not walk.text(".state .short"), "what was so before"
    walk.type("#token", SECRET["ada"]).click(".asks button").says("ada", ".state").says("The queue is paused by ada", "h1")
    walk.end()


def test_a_role_that_changes_is_told_on_the_open_page(browser, ada_and_bob, tmp_path):  # noqa: F811
    service, submits = ada_and_bob
    role = lambda name: (tmp_path / "tokens").write_text(token_line("ada", "admin", SECRET["ada"]) + token_line("bob", name, SECRET["bob"]))  # noqa: E731
    walk = comes(Walk(browser, service), "bob", "new?kernel=copy&lang=en").says("may run", ".state")
    role("read")
    walk.until(lambda: "may run" not in walk.text(".state") and "bob" in walk.text(".state"))
    walk.says("The token of bob has the role read", ".when")
    submits("ada", "/v1/experiments", SMALL)
    role("run")
    walk.says("may run", ".state")
    submits("bob", "/v1/experiments", SMALL)
    walk.open("queue").says("Yours").until(lambda: len(walk.all("button[data-key^='own ']")) == 1)
    role("metrics")
    walk.says("The token of bob has the role metrics: it may read /metrics alone", "h1").says("metrics alone", ".state")
    assert not walk.all("main button") and not walk.all("main table")
    role("read")
    walk.says("may look", ".state").says("Yours")
    assert not walk.all("main button"), "may cancel nothing"
    role("admin")
    walk.says("admin", ".state").until(lambda: walk.all("button[data-key^='own ']"))
    assert "Resume" in walk.text(".head")


def test_a_whole_sweep_is_cancelled_only_after_a_question(browser, ada_and_bob):  # noqa: F811
    service, submits = ada_and_bob
    first, second = (submits("bob", "/v1/sweeps", {**SMALL, "offset": [0, 1, 2], "repeat": 4}) for _ in range(2))
    one = submits("bob", "/v1/experiments", SMALL)
    state = lambda which: service.get(which["links"]["self"]).json()["state"]  # noqa: E731
    walk = comes(Walk(browser, service), "ada", "queue?lang=en").says("The queue is paused by ada", "h1")
    walk.says("and 24 more of bob's wait")
    assert walk.until(lambda: walk.all("td a.row-link"))[0].get_attribute("href").endswith(f"/ui/sweeps/{first['id']}"), "which of the two"
    assert walk.all("td a.quiet")[0].get_attribute("href").endswith("/ui/experiments?state=queued&owner=bob")
    walk.click("td.act button", "Cancel the sweep").says("Cancel the 12 runs not ended of bob's sweep of read_offset …", ".jobs")
    walk.click(".jobs button", "Keep").until(lambda: not walk.text(".jobs"))
    assert state(first) == "running"
    walk.until(lambda: "cancel" in walk.script("document.activeElement.dataset.key || \"\""))
    walk.click("td.act button", "Cancel the sweep").click(".jobs button", "Cancel them")
    walk.says("12 runs of bob's sweep of read_offset …", ".jobs").says("are cancelled; 0 of 12 were measured.", ".jobs")
    assert state(first) == "cancelled" and state(second) == "running"
    walk.click(".jobs button", "Close").until(lambda: not walk.text(".jobs"))
    comes(walk, "ada", f"sweeps/{second['id']}").click(".sweep-head button", "Cancel the rest").says("Cancel the 12 runs", ".jobs")
    walk.click(".jobs button", "Cancel them").says("12 runs of bob's sweep", ".jobs")
    walk.open("queue").says("read_offset", "td").click("td.act button", "Cancel").says("Cancel bob's read_offset offset 0", ".jobs")
    walk.click(".jobs button", "Cancel it").says("is cancelled.", ".jobs")
    assert state(one) == "cancelled"
    comes(walk, "ada", f"sweeps/{first['id']}?lang=zh").says("运行前由 ada 连同扫描取消")
    walk.end()


def test_a_button_to_cancel_stays_until_the_next_one_is_known(browser, ada_and_bob):  # noqa: F811
    """Runs of 0.3 s would take it away under the hand."""
    service, submits = ada_and_bob
    submits("bob", "/v1/sweeps", {**SLEEPS, "offset": [0, 1, 2]})
    walk = comes(Walk(browser, service), "ada", "queue?lang=en").says("Cancel the sweep", "td.act")
    walk.script("""(() => { const fetched = window.fetch;
      window.fetch = (address, options) => String(address).includes("/v1/experiments/") ? new Promise(() => {}) : fetched(address, options); })()""")
    assert service.request("POST", "/v1/queue/resume").ok
    walk.says("2 wait, 1 runs", "h1")
    assert "Cancel the sweep" in walk.text("td.act")
    walk.says("Runs now: bob", ".panel p")
    walk.click(".head button", "Pause").says("The queue is paused by ada", "h1").until(lambda: "Resume" in walk.script("document.activeElement.textContent"))
    walk.end()


def test_who_goes_next_is_the_services_word(browser, serve):  # noqa: F811
    walk = Walk(browser, serve()).open("?lang=en").says("Nothing", "h1")
    owner = {"queued": 2, "running": False, "next": None, "begins_seconds": None, "ends_seconds": None}  # as while it is paused
    queue = {"devices": [{"owners": [{**owner, "owner": "eve", "share": 0.2}, {**owner, "owner": "bob", "share": 0.8}]}]}
    rows = walk.module("waiting.js", "[...m.shares(given[0], null)[1].querySelectorAll('tbody tr')].map(row => row.textContent)", queue)
    assert [row.endswith("goes next") for row in rows] == [False, True] and rows[1].startswith("eve")
    walk.end()


def test_small_parts_say_what_they_should(browser, serve):  # noqa: F811
    walk = Walk(browser, serve()).open("?lang=en").says("Nothing", "h1")
    asked = {"kernel": "src-1", "n": 500, "tolerance": 0, "block": [32, 8, 1]}  # of a kernel of one's own, which has no size
    assert walk.module("parts.js", "m.askedText(given[0])", asked) == "n 500, 32\u00a0×\u00a08"
    assert walk.module("parts.js", "m.askedText(given[0])", {"kernel": "copy", "size": 4096, "block": [64, 1, 1]}).endswith("size 4096")
    assert [walk.module("creation/values.js", "m.shapeOf(given[0])", text) for text in ("x", "32x", "32x8", "7", "1 << 20")] == ["x", "32x", [32, 8], 7, 1 << 20]
    # Of a running sweep: what is measured, runs and waits adds up, also before its head is read again.
    points = [{"state": "running", "asked": 2, "succeeded": one, "runs": [{"state": state} for state in states]}
              for one, states in ((1, ("succeeded", "running")), (0, ("queued", "failed")))]
    sweep = {"head": {"point_count": 2, "succeeded": 0, "queued": 4, "total": 4}, "running": True, "read": 2, "points": points}
    assert walk.module("sweep/progress.js", "m.runsOf(given[0])", sweep) == {"succeeded": 1, "queued": 1}
    assert walk.module("sweep/progress.js", "m.runsOf(given[0]).queued", {**sweep, "read": 1}) == 4
    # Two sides that were measured within a second, one after the other.
    sides = [[{"value": f"2026-11-25T10:00:00.{a}Z/2026-11-25T10:00:00.{b}Z"}] for a, b in ((100, 200), (300, 400))]
    said = walk.module("compare/differs.js", "m.measuredRow(...given).textContent", *sides)
    assert "00.100" in said and "00.400" in said, said
    # A sweep of 30 rounds, cancelled when two points had 2 runs and 1: 5 more make 6, not 35.
    cancelled = [{"head": {"repeat": 30, "point_count": 2, "request": {}}, "running": 0, "points": [{"succeeded": 2}, {"succeeded": 1}]},
                 {"spec": {"maps": []}, "relative": {"more": 5}}]
    assert walk.module("sweep/more.js", "[m.moreButton(...given, {})].flat()[0].textContent", *cancelled) == "Run again, 6 runs of each"
    walk.end()


def test_what_a_button_resumes_is_named(browser, ada_and_bob):  # noqa: F811
    service, _ = ada_and_bob
    assert service.request("POST", "/v1/devices/0/drain").ok
    walk = comes(Walk(browser, service), "ada", "queue?lang=en").says("The queue is paused by ada", "h1")
    assert {button.text for button in walk.all("main button") if "esume" in button.text} == {"Resume the queue", "Resume this device"}
    walk.open("devices").says("1 paused", "h1")
    walk.open("devices/0").says("The device and the whole queue (by ada) are paused: what waits begins when both are resumed", ".box")
    walk.end()


def test_a_page_that_was_left_holds_no_connection(browser, serve):
    """A browser opens six to one origin, and keeps pages that were left as they were."""
    service = serve()
    walk = Walk(browser, service)
    for _ in range(5):
        for path in "queue", "sweeps":
            walk.open(path).until(lambda: words(walk) not in ("", "…"), 8)
    browser.back()
    walk.says("Nothing runs", "h1")
    service.post(SLEEPS)
    walk.says("1 runs", "h1")
    walk.end()


def test_the_service_is_restarted_in_the_middle(browser, serve):
    service = serve()
    service.works()
    walk = Walk(browser, service).open("").says("read_offset")
    assert service.stop() == 0
    walk.says("Connection lost", ".notices").says("read_offset").says("Nothing runs", "h1")
    again = serve("--port", str(service.port))
    walk.until(lambda: not walk.all(".lost:not([hidden])"))
    again.post(SLEEPS)
    walk.says("1 runs", "h1")
    walk.end()
    again.stop(signal.SIGKILL)


@pytest.fixture
def prefixed():
    """A proxy that hands /gpu/... on without the prefix, as one of a laboratory would."""
    target = []

    class Proxy(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            if not self.path.startswith("/gpu/"):
                return self.send_error(404)
            request = urllib.request.Request(target[0] + self.path[4:], headers={name: value for name, value in self.headers.items() if name in ("Accept", "Prefer")})
            try:
                reply = urllib.request.urlopen(request, timeout=30)
            except urllib.error.HTTPError as error:
                reply = error
            body = reply.read()
            self.send_response(reply.status)
            for name in ("Content-Type", "Content-Security-Policy"):
                if reply.headers[name]:
                    self.send_header(name, reply.headers[name])
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield lambda service: target.append(service.url) or f"http://127.0.0.1:{server.server_port}/gpu"
    server.shutdown()
    server.server_close()


def test_behind_a_proxys_path_and_by_keyboard(browser, serve, prefixed):
    service = serve()
    service.works()
    walk = Walk(browser, service, prefixed(service)).open("devices/0").says("Fake device")
    walk.click("nav a", "Lab").says("Nothing runs", "h1").says("read_offset")
    assert browser.current_url == walk.url + "/ui/"
    # The first stop of a keyboard leads to the content.
    walk.open("queue").says("Nothing runs", "h1")
    browser.switch_to.active_element.send_keys("\ue004")
    assert walk.script("document.activeElement.className") == "skip"
    browser.switch_to.active_element.send_keys("\ue007")
    assert walk.script("document.activeElement.id") == "main"
    walk.end()


def test_on_a_phone_nothing_but_tables_goes_sideways(browser, serve):
    service = serve()
    service.works()
    walk = Walk(browser, service)
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True})
    try:
        for path in "", "experiments", "sweeps", "queue", "devices/0":
            walk.open(path).until(lambda: words(walk) not in ("", "…"))
            assert walk.script("Math.max(document.documentElement.scrollWidth, innerWidth)") == 390, path
        assert not walk.all("#nav")[0].is_displayed()
        walk.click(".menu").click("#nav a", "Lab").says("Nothing runs", "h1")
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    walk.end()


ORDERS = """const seen = new Set(), done = arguments[0], timer = setInterval(() => seen.add(
    [...document.querySelectorAll(".panel tr:has(td.when) th")].map(one => one.textContent).join()), 30);
setTimeout(() => { clearInterval(timer); done([...seen].filter(one => one.includes(","))); }, 4000);"""


def test_rows_of_the_queue_keep_their_places_under_the_pointer_and_with_the_focus(browser, ada_and_bob):  # noqa: F811
    service, submits = ada_and_bob
    for name in "ada", "bob":
        submits(name, "/v1/sweeps", {**SMALL, "offset": list(range(30)), "labels": {"fake": "sleep:0.7"}})
    walk = comes(Walk(browser, service), "ada", "queue?lang=en").says("Cancel the sweep")
    assert service.request("POST", "/v1/queue/resume").ok
    orders = lambda: browser.execute_async_script(ORDERS)  # noqa: E731
    walk.until(lambda: len(orders()) == 2)
    walk.until(lambda: not ActionChains(browser).move_to_element(walk.all("td.when")[0]).perform())  # it may be drawn anew meanwhile
    assert len(orders()) == 1
    ActionChains(browser).move_to_element(walk.all("h1")[0]).perform()
    walk.until(lambda: len(orders()) == 2)
    walk.script("document.querySelector('td.act button').focus()")
    assert len(orders()) == 1
    walk.end()


def seen(walk, css):
    return walk.script("document.querySelector(arguments[0]).checkVisibility()", css)


def test_filters_are_skipped_with_a_key_and_a_date_takes_one_stop(browser, serve):
    service = serve()
    service.run()
    walk = Walk(browser, service).open("experiments?lang=en").says("newest first", "h1")
    tab = lambda: browser.switch_to.active_element.send_keys(Keys.TAB) or browser.switch_to.active_element  # noqa: E731
    skip = walk.all("form .skip")[0]
    assert skip.location["y"] < 0
    walk.script("arguments[0].focus()", skip)
    walk.until(lambda: skip.location["y"] >= 0)
    skip.send_keys(Keys.ENTER)
    assert walk.script("document.activeElement.id") == "list" and "#" not in browser.current_url
    walk.script("arguments[0].focus()", skip)
    assert [tab().text.split("\n")[0] for _ in range(5)][-1] == "submitted" and tab().get_attribute("id") == "list"
    assert not seen(walk, "#filter-since")
    walk.open("experiments?since=2020-01-01T00:00:00Z&lang=zh").until(lambda: seen(walk, "#filter-since"))
    assert walk.script("document.querySelector('form .skip').textContent") == "跳到列表"
    walk.end()


def test_who_changes_a_filter_by_keys_stays_in_it(browser, serve):
    service = serve()
    service.run()
    walk = Walk(browser, service).open("experiments?lang=en").says("newest first", "h1")
    field = walk.until(lambda: walk.all("#filter-state"))[0]
    field.send_keys(Keys.ARROW_DOWN)
    walk.until(lambda: "state=queued" in browser.current_url and walk.script("document.activeElement.id") == "filter-state")
    browser.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    walk.until(lambda: "state=running" in browser.current_url and walk.script("document.activeElement.id") == "filter-state")
    walk.end()


def test_what_nobody_owns_is_found_by_the_word_of_the_list(browser, serve):
    service = serve()
    service.run({**SMALL, "labels": {"lesson": "offsets"}})
    walk = Walk(browser, service).open("experiments?lang=zh").says("lesson=offsets", "tbody")
    walk.type("#filter-label", "lesson=offsets" + Keys.ENTER).until(lambda: browser.current_url.endswith("label=lesson%3Aoffsets") and len(walk.all("tbody tr")) == 1)
    assert walk.all("#filter-label")[0].get_attribute("value") == "lesson=offsets"
    walk.open("experiments?lang=zh").says("未署名", "tbody")
    walk.type("#filter-owner", "未署名" + Keys.ENTER).until(lambda: browser.current_url.endswith("owner=nobody") and len(walk.all("tbody tr")) == 1)
    assert walk.all("#filter-owner")[0].get_attribute("value") == "未署名"
    walk.open("sweeps?owner=ada&lang=en").says("Nothing fits these filters", "h1")
    walk.end()


def test_filters_are_folded_on_a_phone_and_stay_as_the_reader_left_them(browser, serve):
    service = serve()
    service.run()
    walk = Walk(browser, service)
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True})
    try:
        walk.open("experiments?kernel=read_offset&label=no:such&lang=en").says("Filters (2 in use)", "summary")
        assert not seen(walk, "#filter-state")
        walk.click(".fold > summary").click("#filter-state").click("#filter-state option", "succeeded").says("Filters (3 in use)", "summary")
        walk.until(lambda: seen(walk, "#filter-state"))
        walk.click(".fold > summary").until(lambda: not seen(walk, "#filter-state"))
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    walk.until(lambda: seen(walk, "#filter-state"))
    assert not seen(walk, ".fold > summary")
    walk.end()


def test_owners_on_a_page_have_colours_of_their_own_as_long_as_there_are_enough(browser, serve):
    walk = Walk(browser, serve()).open("")
    names = ["ada", "bob", "cyd", "dan", "eve", "fay", "gil"]
    colours = walk.module("parts.js", "(m.ownerColoursClear(), [...given[0], ...given[0]].map(one => m.ownerColour(one, null)))", names)
    assert len(set(colours)) == 7 and colours[:7] == colours[7:]
    alone = [dict(walk.module("parts.js", "given.map(one => (m.ownerColoursClear(), [one, m.ownerColour(one, null)]))", *order)) for order in (names, names[::-1])]
    assert alone[0] == alone[1] and alone[0]["ada"] == colours[0], "it follows from the name where nobody has it"
    assert walk.module("parts.js", "[m.ownerColour('hal', null), m.ownerColour('ada', {name: 'ada'}), m.ownerColour(null, null)]")[1:] == ["you", "other"]
    shown = walk.script("[...arguments[0], 'you', 'other'].map(one => { const i = document.createElement('i'); i.className = 'square ' + one;"
                        " document.body.append(i); return getComputedStyle(i).backgroundColor; })", colours[:7])
    assert len(set(shown)) == 9
    walk.end()


def test_what_has_no_time_is_not_called_unstable(browser, serve):
    walk = Walk(browser, serve()).open("")
    row = {"state": "succeeded", "kernel": "source", "stable": False, "hot_ns_per_operation": None, "operations": None, "cold_effective_gbps": None,
           "cold_median_us": None, "hot_median_us": None, "working_set_bytes": 1}
    notes = walk.module("parts.js", "given.map(row => m.resultCells(row, null)[2].textContent)", row, {**row, "cold_median_us": 5}, {**row, "hot_median_us": 5})
    assert notes == ["", "△ unstable", "△ unstable"]
    walk.end()


def test_a_cancelled_sweep_says_what_still_runs(browser, ada_and_bob):  # noqa: F811
    service, submits = ada_and_bob
    sweep = submits("ada", "/v1/sweeps", {**SMALL, "offset": list(range(4)), "labels": {"fake": "sleep:60"}})
    assert service.request("POST", "/v1/queue/resume").ok
    service.until(lambda: service.get(sweep["links"]["self"]).json()["running"] == 1)
    walk = comes(Walk(browser, service), "ada", f"sweeps/{sweep['id']}?lang=en").click(".sweep-head button", "Cancel the rest")
    walk.says("Cancel the 4 runs not ended", ".jobs").click(".jobs button", "Cancel them")
    walk.says("are cancelled; 0 of 4 were measured.", ".jobs")
    ended = "4 runs of your sweep of read_offset" in walk.text(".jobs")  # on a busy machine the running one has ended by then
    assert ended or "1 was running and ends, or is cancelled, in a moment." in walk.text(".jobs"), walk.text(".jobs")
    walk.end()
