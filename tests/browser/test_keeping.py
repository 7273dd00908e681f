"""What was typed, what has the focus and what was removed stay with who uses the page."""
import time
from urllib.parse import unquote

import pytest

from chromium import NEEDS, Walk, browser, serve  # noqa: F401
from conftest import SMALL, Service
from test_bulk import comes, people
from test_sweep_page import ended, submit  # noqa: F401

try:
    from selenium.webdriver.common.keys import Keys
except ImportError:
    pass
pytestmark = NEEDS


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    one = Service(tmp_path_factory.mktemp("keeping"), "--devices", "cpu", fake=False)
    yield one
    assert one.stop() == 0


def press(browser, *keys):  # noqa: F811
    for key in keys:
        browser.switch_to.active_element.send_keys(key)


def focus(walk):
    return walk.script("document.activeElement.id || document.activeElement.dataset.key || document.activeElement.tagName")


def sweep_of(service, **asked):
    answer = service.request("POST", "/v1/sweeps", json={**SMALL, **asked}, headers={"Prefer": "wait=30"}).json()
    assert answer["state"] in ("succeeded", "finished"), answer
    return answer["id"]


def test_a_name_that_is_no_kernels_is_not_run_as_another_one(browser, service):  # noqa: F811
    walk = Walk(browser, service).open("new?kernel=read_offset&size=4096&lang=en").click("#field-kernel")
    press(browser, Keys.CONTROL + "a", "copyy", Keys.TAB)
    walk.says("There is no kernel copyy. The nearest name is copy; below is read_offset.", ".picker")
    assert "size=4096" in browser.current_url
    before = len(service.get("/v1/experiments").json()["experiments"])
    walk.click(".run").says("There is no kernel copyy", ".form-foot")
    assert focus(walk) == "field-kernel" and "/ui/new" in browser.current_url
    assert len(service.get("/v1/experiments").json()["experiments"]) == before
    press(browser, Keys.CONTROL + "a", "nosuchthing", Keys.TAB)
    walk.says("There is no kernel nosuchthing; below is read_offset.", ".picker").click("#field-kernel")
    press(browser, Keys.CONTROL + "a", "copyy", Keys.TAB)
    walk.click(".picker a", "copy")
    walk.until(lambda: "kernel=copy" in browser.current_url and "size=4096" in browser.current_url and "There is no kernel" not in walk.text("main"))
    walk.click(".run").until(lambda: "/experiments/" in browser.current_url)
    walk.end()


def test_another_kernel_is_asked_for_the_same_as_far_as_it_can_be(browser, service):  # noqa: F811
    asked = "offset=0,11&size=65536&block=64,128&dtype=f64&load=cg&repeat=3&lang=en"
    walk = Walk(browser, service).open(f"new?kernel=read_offset&{asked}").says("Run a sweep of 12", ".run").click("#field-kernel")
    press(browser, Keys.CONTROL + "a", "write_offset", Keys.TAB)
    walk.until(lambda: "kernel=write_offset" in browser.current_url)
    at = unquote(browser.current_url)
    assert all(part in at for part in ("offset=0,11", "size=65536", "block=64,128", "dtype=f64", "repeat=3")), at
    walk.says("Run a sweep of 12", ".run").click("#field-kernel")
    press(browser, Keys.CONTROL + "a", "transpose", Keys.TAB)  # of two dimensions
    walk.until(lambda: "kernel=transpose" in browser.current_url)
    assert "size=" not in browser.current_url and "block=" not in browser.current_url and "offset=" not in browser.current_url
    walk.click("#field-kernel")
    press(browser, Keys.CONTROL + "a", "write_offset", Keys.TAB)  # what transpose has no field for is there again
    walk.until(lambda: all(part in unquote(browser.current_url) for part in ("offset=0,11", "size=65536", "block=64,128")))
    walk.end()


def test_a_number_with_its_separators_is_one_number(browser, service):  # noqa: F811
    walk = Walk(browser, service).open("new?kernel=read_offset&offset=1&lang=en")
    walk.until(lambda: walk.all("#field-size"))
    hint = lambda: walk.script("document.getElementById('field-size').closest('.form-field').textContent")  # noqa: E731
    for typed, asked, said in (("1,048,576", "", "4.194 MB"), ("16,777,216", "size=16,777,216", "3 values: an axis; for one number write 16777216"),
                               ("0..10 step 0", "", "elements")):
        walk.script("document.getElementById('field-size').focus()")
        press(browser, Keys.CONTROL + "a", typed)
        walk.until(lambda: said in hint().replace("\u00a0", " ") and asked in walk.text(".typed-parts").replace(" \\\n  ", " "))
    walk.until(lambda: "an axis" not in hint())  # a range with a step of 0 is none
    walk.open("new?kernel=read_offset&offset=4,5&lang=en").says("Drawn and predicted for the first of 2 points: offset 4.", "main").end()


def test_a_time_that_is_typed_filters_when_it_is_whole(browser, service):  # noqa: F811
    service.run()
    walk = Walk(browser, service).open("experiments?until=2099-11-27T00:14:00Z&lang=en")
    walk.until(lambda: walk.all("#filter-until"))
    walk.script("document.getElementById('filter-until').focus()")
    press(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, "1", "5")
    assert ":15" in walk.script("document.getElementById('filter-until').value") and "until=2099-11-27T00:14:00Z" in browser.current_url
    press(browser, Keys.ENTER)
    walk.until(lambda: "00:15:00Z" in unquote(browser.current_url) and walk.all("main tbody tr"))
    walk.script("document.getElementById('filter-until').focus()")
    press(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, "2", "0")
    walk.script("document.getElementById('filter-owner').focus()")
    press(browser, "ana", Keys.TAB, "who=phone")
    assert focus(walk) == "filter-label" and "owner" not in browser.current_url, "the list is not read again under who types"
    press(browser, Keys.ENTER)
    walk.until(lambda: all(one in unquote(browser.current_url) for one in ("00:20:00Z", "owner=ana", "label=who:phone")) and focus(walk) == "filter-label")
    press(browser, Keys.CONTROL + "a", Keys.BACKSPACE, Keys.SHIFT + Keys.TAB)
    press(browser, Keys.CONTROL + "a", Keys.BACKSPACE)
    assert focus(walk) == "filter-owner" and "owner=ana" in browser.current_url
    walk.script("document.querySelector('nav a').focus()")
    walk.until(lambda: "label" not in browser.current_url and "owner" not in browser.current_url)
    walk.until(lambda: focus(walk) == "list")
    walk.end()


def test_the_fields_of_a_comparison_keep_the_focus(browser, service):  # noqa: F811
    one, other = (sweep_of(service, offset=[0, 8], kernel=kernel) for kernel in ("read_offset", "write_offset"))
    walk = Walk(browser, service).open(f"compare?a=sweep:{one}&lang=en")
    walk.until(lambda: walk.all("#side-B-sweep option"))
    walk.script("document.getElementById('side-A-rest').focus()")
    press(browser, "where.offset:0", Keys.TAB)
    walk.until(lambda: "where.offset" in browser.current_url)
    walk.until(lambda: focus(walk) == "side-B-sweep")
    assert f"a=sweep:{one}" in unquote(browser.current_url)
    walk.script(f"(field => (field.value = '{other}', field.dispatchEvent(new Event('change'))))(document.getElementById('side-B-sweep'))")
    walk.says("no point in common")
    # The end of an id, as the lists show it, will do.
    walk.open(f"compare?a=sweep:…\u2060{one[-6:]}&b={other[-6:]}&lang=en").says("no point in common")
    walk.until(lambda: f"a=sweep:{one}&b=sweep:{other}" in unquote(browser.current_url))
    walk.open(f"compare?a=sweep:{one}&b=QQQQQQ&lang=en").says("No id among the newest 500 ends in QQQQQQ: give the whole one")
    walk.open(f"compare?a=sweep:{one}&b=xx&lang=en").says("“xx” is neither an id nor NAME:VALUE")
    walk.open(f"compare?a=sweep:{one}&b={'0' * 26}&lang=en").says(f"There is no experiment and no sweep {'0' * 26}")
    walk.open(f"compare?a=sweep:{one},where.ofset:1&b=sweep:{other}&lang=en").says("Side A, where.ofset: no experiment has a field of that name")
    walk.open(f"compare?a=sweep:{one}&b=sweep:{other}&lang=en").says("no point in common")
    walk.says("Compare although they differ in kernel").script("document.querySelector('[data-key=allow]').focus()")
    press(browser, Keys.ENTER)
    walk.until(lambda: "but_for=" in browser.current_url)
    walk.until(lambda: focus(walk) == "H1")
    walk.says("Points that ask for the same but for kernel")
    assert "sha256" not in walk.text("main"), "another kernel has another source"
    walk.click("summary", "What is compared").until(lambda: walk.all("#option-same")[0].is_displayed())
    for typed, there in ("60", False), ("1", True):  # in percent, up to 50
        walk.script("document.getElementById('option-same').focus()")
        press(browser, Keys.CONTROL + "a", typed, Keys.TAB)
        walk.until(lambda: ("same=1" in browser.current_url) == there and "same=60" not in browser.current_url)
    walk.says("same, within 1 %")
    walk.end()


def test_a_lesson_that_is_asked_keeps_the_focus_at_what_it_made(browser, service):  # noqa: F811
    walk = Walk(browser, service).open("lessons/blocks?lang=en")
    for _ in range(3):
        walk.click(".answers button", "I do not know")
    walk.until(lambda: len(walk.all(".reply")) == 3)
    walk.script("document.querySelector('.own button').focus()")
    press(browser, Keys.ENTER)
    link = "document.activeElement.getAttribute('href')"
    walk.until(lambda: "/sweeps/" in (walk.script(link) or ""))
    walk.says("Measured here on a CPU", ".own")
    assert "/sweeps/" in walk.script(link)
    [blocks, shipped] = walk.script("[...document.querySelector('[data-tile=blocks]').querySelectorAll('dd')].map(one => one.textContent)")
    assert (blocks, shipped) == ("4096", "H200: 262,144"), "of the size that ran here, and of the lesson's"
    walk.says("size 1,048,576", "[data-tile=time] dt").end()


def test_an_owner_brings_back_what_another_one_removed(browser, people):  # noqa: F811
    service = people("bob")
    identity = service.run()["id"]
    assert people("ada").delete(f"/v1/experiments/{identity}?remove=true").ok
    walk = comes(Walk(browser, service), "eve", f"experiments/{identity}?lang=en").says("was removed by ada: bob or an admin can bring it back until", ".detail")
    walk.until(lambda: walk.script("performance.getEntriesByType('resource').filter(one => one.name.endsWith('/v1/whoami')).length >= 2"))
    assert not walk.script("[...document.querySelectorAll('main button')].some(one => one.checkVisibility())"), "a reader may not"
    walk = comes(Walk(browser, service), "bob", f"experiments/{identity}?lang=zh").says("已被 ada 删除", ".detail").says("bob 或管理员可以恢复", ".detail")
    walk.click("main button", "撤销").says("GB/s", "h1")
    assert people("bob").get(f"/v1/experiments/{identity}").ok
    walk.open("?lang=en").end()


def test_what_is_pressed_keeps_the_focus_though_it_draws_its_panel_anew(browser, service):  # noqa: F811
    walk = Walk(browser, service).open("new?kernel=read_offset&size=4096&offset=1&lang=en")
    walk.until(lambda: walk.all(".chips [data-key='side gst']") or walk.all("[data-key='side gst']"))
    assert walk.script("(chips => chips.scrollWidth <= chips.clientWidth)(document.querySelector('.chips'))"), "its columns are in its panel"
    held = "document.activeElement !== document.body && document.activeElement.isConnected && document.activeElement.matches(arguments[0])"
    for pressed, key, came in (
            ("[data-key='side gst']", Keys.ENTER, "[...document.querySelectorAll('[data-key=\"side gst\"]')].some(one => one.ariaPressed === 'true')"),
            (".memory-panel summary", Keys.ENTER, "document.querySelector('.memory-panel details').open"),
            ("[data-key='chip 0']", Keys.ARROW_DOWN, "document.querySelector('[data-key=\"chip 0\"]').dataset.of === 'sm_21'"),
            ("[data-key='chip 0']", Keys.ARROW_DOWN, "document.querySelector('[data-key=\"chip 0\"]').dataset.of === 'sm_30'"),
            (".languages [lang^=zh]", Keys.ENTER, "document.documentElement.lang.startsWith('zh')"),
            (".languages [lang=en]", Keys.ENTER, "document.documentElement.lang === 'en'")):
        walk.until(lambda: walk.all(pressed))
        walk.script("document.querySelector(arguments[0]).focus()", pressed)
        press(browser, key)
        walk.until(lambda: walk.script(came))
        walk.until(lambda: walk.script(held, pressed))
    walk.end()


def test_escape_from_the_bar_goes_back_to_the_row(browser, service):  # noqa: F811
    sweep_of(service, offset=[0, 8, 16, 24])
    walk = Walk(browser, service).open("experiments?lang=en")
    box = walk.until(lambda: walk.all("tbody .choose input"))[2]
    key = box.get_attribute("data-key")
    box.send_keys(Keys.SPACE)
    walk.says("1 chosen", ".chosen-bar")
    press(browser, Keys.ENTER, Keys.TAB, Keys.ESCAPE)
    walk.until(lambda: not walk.all(".chosen-bar")[0].is_displayed())
    walk.until(lambda: focus(walk) == key)
    walk.end()


def test_a_step_back_leads_to_the_place_and_the_link_that_was_followed(browser, service):  # noqa: F811
    ended(service, submit(service, offset=list(range(40))))
    walk = Walk(browser, service).open("experiments?lang=en")
    links = lambda: walk.script("[...document.querySelectorAll('main tbody a')].map(one => one.href)")  # noqa: E731
    walk.until(lambda: len(links()) >= 40)
    followed = links()[30]
    walk.script(f"(a => (a.scrollIntoView(), a.focus()))(document.querySelector('main a[href=\"{followed.partition(service.url)[2]}\"]'))")
    top = walk.script("scrollY")
    assert top > 300
    press(browser, Keys.ENTER)
    walk.until(lambda: browser.current_url == followed and walk.all("main .grid"))
    browser.back()
    there = lambda: walk.script("document.activeElement.href") == followed and abs(walk.script("scrollY") - top) < 2  # noqa: E731
    walk.until(there)
    # A page that was left by a step is found again where it was left then.
    walk.script("scrollTo(0, 100)")
    browser.forward()
    walk.until(lambda: browser.current_url == followed and walk.all("main .grid"))
    browser.back()
    walk.until(lambda: len(links()) >= 40 and walk.script("scrollY") == 100)
    walk.end()


def test_a_step_back_finds_its_place_in_a_list_that_scrolls_by_itself(browser, service):  # noqa: F811
    many = ended(service, submit(service, offset=list(range(300)), size=1024, measure={"min_samples": 3, "max_seconds": 0.01}))
    walk = Walk(browser, service).open(f"sweeps/{many}?lang=en")
    table = "[...document.querySelectorAll('main .windowed')].find(one => one.clientHeight && one.querySelector('tbody a'))"
    links = lambda: walk.script(f"[...({table})?.querySelectorAll('tbody a') ?? []].map(one => one.href)")  # noqa: E731
    walk.until(lambda: 20 < len(links()) < 300)
    first = links()[0]
    walk.script(f"({table}).scrollTop = 4000")
    walk.until(lambda: links()[0] != first)
    followed = links()[len(links()) // 2]
    walk.script(f"[...({table}).querySelectorAll('tbody a')].find(one => one.href === arguments[0]).focus()", followed)
    press(browser, Keys.ENTER)
    walk.until(lambda: browser.current_url == followed)
    browser.back()
    walk.until(lambda: walk.script("document.activeElement.href") == followed)
    walk.end()


def test_the_focus_stays_where_a_baseline_is_pinned_and_a_notice_closed(browser, service):  # noqa: F811
    one, other = service.run(), service.run()
    walk = Walk(browser, service).open(f"experiments/{one['id']}?lang=en")
    for key, then in (("pin", "unpin"), ("unpin", "pin")):
        walk.until(lambda: walk.all(f"[data-key={key}]"))
        walk.script(f"document.querySelector('[data-key={key}]').focus()")
        press(browser, Keys.ENTER)
        walk.until(lambda: walk.script("document.activeElement.dataset.key") == then)
    walk.open(f"experiments/{other['id']}").click("main button", "Remove")
    walk.until(lambda: walk.all(".removals button"))
    walk.script("document.querySelector('.removals button').focus()")
    press(browser, Keys.ENTER)
    walk.until(lambda: walk.all(".jobs [data-key^=close]"))
    walk.script("document.querySelector('.jobs [data-key^=close]').focus()")
    press(browser, Keys.ENTER)
    walk.until(lambda: not walk.all(".jobs [data-key^=close]") and walk.script("document.activeElement.localName") == "h1")
    walk.end()


def test_a_recipes_page_keeps_what_was_chosen(browser, service):  # noqa: F811
    walk = Walk(browser, service).open("recipes/read_segment_cached?lang=en").click("#recipe-repeat")
    press(browser, Keys.CONTROL + "a", "3", Keys.TAB)
    walk.script("(choice => { choice.selectedIndex = 1; ['input', 'change'].forEach(name => choice.dispatchEvent(new Event(name))); })(document.querySelector('#recipe-size'))")
    chosen = "[document.querySelector('#recipe-repeat')?.value, document.querySelector('#recipe-size')?.selectedIndex]"
    walk.until(lambda: walk.text(".typed-line").endswith("coalesce recipe read_segment_cached size=16777216 repeat=3"))
    walk.click(".languages button", "中文").says("轮数", ".recipe-run").until(lambda: walk.script(chosen) == ["3", 1])
    browser.refresh()
    walk.until(lambda: walk.script(chosen) == ["3", 1])
    walk.click(".languages button", "EN").end()


def test_a_slider_that_a_finger_moves_takes_the_place_of_what_was_typed(browser, service):  # noqa: F811
    """A finger leaves the focus in the text field, which would go on showing its text. Several values are not replaced."""
    walk = Walk(browser, service).open("new?kernel=read_offset&lang=en").click("#field-offset")
    press(browser, Keys.CONTROL + "a", "5")
    walk.until(lambda: "offset=5" in browser.current_url)
    walk.script("(slider => { slider.value = 64; slider.dispatchEvent(new Event('input')); })(document.querySelector('[data-field=offset] input[type=range]'))")
    walk.until(lambda: "offset=64" in browser.current_url and walk.script("document.querySelector('#field-offset').value") == "64")
    walk.click("#field-offset")
    press(browser, Keys.CONTROL + "a", "0, 1, 11")
    walk.until(lambda: walk.script("document.querySelector('[data-field=offset] input[type=range]').disabled"))
    walk.end()


def test_a_drawing_made_anew_keeps_the_focus_on_the_same_word(browser, service):  # noqa: F811
    """In a row that moved down, and outside of tables, where several words look alike."""
    walk = Walk(browser, service).open("?lang=en").says("Nothing", "h1")
    focused = walk.module("dom.js", """(() => {
        const node = document.body.appendChild(document.createElement("div")), word = text => m.h("span", {tabindex: "0"}, text);
        const row = name => m.h("tr", {}, m.h("td", {}, m.h("a", {href: "#" + name}, name)), m.h("td", {}, word("no value"), word("unstable")));
        const draw = names => m.redraw(node, m.h("p", {}, word("cold"), word("cold")), m.h("table", {}, m.h("tbody", {}, names.map(row))));
        draw(["a", "b"]);
        const after = (place, names) => {
            node.querySelectorAll("span")[place].focus();
            draw(names);
            const {activeElement: now} = document;
            return [now.textContent, now.closest("tr")?.textContent ?? [...node.querySelectorAll("span")].indexOf(now)];
        };
        return [after(5, ["c", "a", "b"]), after(1, ["d", "c"])];
    })()""")
    assert focused == [["unstable", "bno valueunstable"], ["cold", 1]]
    walk.end()


def test_what_is_typed_before_the_lists_have_come_stays(browser, service):  # noqa: F811
    sweep_of(service, offset=[0, 1])
    walk = Walk(browser, service).open("?lang=en").says("Nothing", "h1")
    slow = {"offline": False, "latency": 1200, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", slow)
    walk.click("#nav a", "Compare").until(lambda: walk.all("#side-A-rest"))
    walk.all("#side-A-rest")[0].send_keys("label:who=phone")
    time.sleep(5)  # both lists have come, which draw the form
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", {**slow, "latency": 0})
    assert walk.script("document.querySelector('#side-A-rest').value") == "label:who=phone"
    walk.end()


def test_without_a_connection_a_page_waits_and_what_was_pressed_says_so(browser, service):  # noqa: F811
    walk = Walk(browser, service).open("new?kernel=copy&size=4096&lang=en").says("Run", ".run, main")
    network = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", network)
    walk.click(".form-foot button").says("no answer yet: it is tried again when the connection is back, as it was when pressed")
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", {**network, "offline": False})
    walk.until(lambda: "/experiments/" in browser.current_url)
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", network)
    walk.click("nav a", "Recipes").says("Parts of it could not be loaded. It is tried again when the connection is back.")
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", {**network, "offline": False})
    walk.says("Latency by footprint")
    assert walk.script("[...document.styleSheets].some(one => one.href?.includes('learning.css'))")
    walk.logs()  # has what failed without a connection
