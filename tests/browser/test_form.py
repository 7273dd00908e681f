"""The form of /ui/new on the screens that people have: its Run button, what keeps one from running, and what it says of the queue."""
import time

import pytest

from chromium import NEEDS, Walk, browser, serve  # noqa: F401
from conftest import SMALL, token_line
from test_sweep_page import ended, submit

try:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys
except ImportError:
    pass

pytestmark = NEEDS
SECRET = {"ada": "the-secret-of-ada-0123456789", "rita": "the-secret-of-rita-0123456789"}


@pytest.fixture
def sized(browser):
    """sized(width, height): the window's inside."""
    yield lambda width, height: browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.fixture
def guarded(serve, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text("".join(token_line(name, role, SECRET[name]) for name, role in (("ada", "admin"), ("rita", "read"))))
    tokens.chmod(0o600)
    service = serve("--token-file", str(tokens), ready=False)
    service.headers = {"Authorization": f"Bearer {SECRET['ada']}"}
    service.until(lambda: service.get("/readyz").status_code == 200)
    return service


def run_in_view(walk):
    return walk.script("(at => at.height > 0 && at.top >= 0 && at.bottom <= innerHeight)(document.querySelector('.run').getBoundingClientRect())")


@pytest.mark.parametrize("width, height", [(1280, 625), (1366, 657), (1440, 757), (390, 700), (1280, 1000)])
def test_the_run_button_is_on_the_screen_as_the_page_opens(browser, serve, sized, width, height):
    service = serve()
    sized(width, height)
    walk = Walk(browser, service).open("new?kernel=read_offset")
    walk.until(lambda: "Run on" in walk.text(".run"))
    walk.until(lambda: walk.all("svg.memory"))
    assert run_in_view(walk)
    walk.script("scrollTo(0, 400)")
    assert run_in_view(walk)
    one = service.run()["id"]
    service.delete(f"/v1/experiments/{one}?remove=true")
    walk.removed_here(f"/v1/experiments/{one}")
    browser.refresh()  # the bar with Undo lies below it
    walk.says("is removed", ".removals").until(lambda: walk.all("svg.memory"))
    assert walk.script("document.querySelector('.run').getBoundingClientRect().bottom"
                       " <= document.querySelector('.removals').getBoundingClientRect().top")
    walk.end()


FOCUS_IS_COVERED = """(focused => {
    const {left, right, top, bottom} = focused.getBoundingClientRect(),
          at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return focused !== document.body && !(at && (focused.contains(at) || at.contains(focused))) && focused.outerHTML;
})(document.activeElement)"""


def test_the_bar_with_run_covers_no_field_that_has_the_focus(browser, serve, sized):
    service = serve()
    sized(390, 500)
    walk = Walk(browser, service).open("new?kernel=read_offset")
    walk.until(lambda: walk.all("svg.memory"))
    fields = set()
    for _ in range(40):
        ActionChains(browser).send_keys(Keys.TAB).perform()
        assert not walk.script(FOCUS_IS_COVERED)
        fields.add(walk.script("document.activeElement.closest('.form-field')?.dataset.field"))
    assert {"size", "offset", "block"} <= fields
    walk.end()


def test_run_goes_to_the_field_that_is_wrong_and_says_it_beside_the_button(browser, serve, sized):
    service = serve()
    sized(1280, 625)
    walk = Walk(browser, service).open("new?kernel=read_offset")
    for query, field in ("noise=9", "noise"), ("block=4096", "block"), ("timeout_s=-1", "timeout_s"):
        walk.open(f"new?kernel=read_offset&{query}").until(lambda: walk.all(f"[data-field={field}].is-wrong"))
        said = walk.script("document.querySelector(arguments[0]).textContent", f"#wrong-{field}")
        walk.script("document.querySelectorAll('form details').forEach(one => one.open = false)")
        walk.click(".run").says(said, ".form-foot .wrong")
        assert walk.script("document.activeElement.matches(arguments[0])", f"[data-field={field}] input")
        assert run_in_view(walk) and "/ui/new" in browser.current_url
    assert service.get("/v1/experiments").json()["experiments"] == []
    walk.end()


def test_a_paused_queue_is_told_once_and_truthfully(browser, guarded):
    walk = Walk(browser, guarded).open("")
    walk.type("#token", SECRET["ada"]).click(".token button").says("Nothing runs", "h1")
    assert guarded.request("POST", "/v1/queue/pause").status_code == 200
    walk.open("new?kernel=read_offset").says("The queue is paused by ada: what waits begins when somebody resumes it", ".when")
    assert "at once" not in walk.text(".when")
    one = guarded.post(SMALL).json()["id"]
    walk.open(f"experiments/{one}").says("It waits: the queue is paused by ada", "h1")
    assert "device" not in walk.text(".waiting") and "begins" not in walk.text(".waiting")
    walk.open(f"experiments/{one}?lang=zh").says("正在等待：队列已由 ada 暂停", "h1").open("?lang=en")
    guarded.request("POST", "/v1/queue/resume")
    guarded.request("POST", "/v1/devices/0/drain")
    walk.open("new?kernel=read_offset").says("Paused by ada", ".when")
    guarded.request("POST", "/v1/devices/0/resume")
    walk.until(lambda: walk.text(".when") and "Paused" not in walk.text(".when"))
    walk.end()


def test_a_reader_gets_no_run_button_to_press_and_the_reason(browser, guarded):
    walk = Walk(browser, guarded).open("")
    walk.script("sessionStorage.clear()")
    walk.open("new?kernel=read_offset").type("#token", SECRET["rita"]).click(".token button")
    walk.says("The token of rita has the role read", ".when")
    assert not walk.all(".run")[0].is_enabled()
    for path, button in ("recipes/read_segment_unroll", ".recipe-run button"), ("lessons/offsets", ".own button"):
        walk.open(path).until(lambda button=button: walk.all(button) and not walk.all(button)[0].is_enabled())
        assert "role read" in walk.script("document.querySelector(arguments[0]).nextSibling.textContent", button)
    walk.end()


def forms_shown(walk):
    return walk.all(".token")


def test_the_open_menu_scrolls_and_its_question_fits_a_phone(browser, guarded, sized):
    walk = Walk(browser, guarded).open("?lang=en")
    walk.script(f"sessionStorage.setItem('token', '{SECRET['rita']}')")
    sized(683, 324)  # 200 % of a laptop
    walk.open("?lang=en").click(".button.menu").until(lambda: walk.script("document.querySelector('.top').scrollHeight > 324"))
    owner = walk.until(lambda: walk.all("button.owner"))[0]
    assert walk.script("document.querySelector('.top').clientHeight") <= 324
    walk.script("arguments[0].scrollIntoView()", owner)
    assert walk.script("arguments[0].getBoundingClientRect().bottom", owner) <= 324
    sized(390, 844)
    walk.click("button.owner").says("Forget the token in all tabs?", ".state")
    assert walk.script("document.documentElement.scrollWidth") == 390
    walk.script("sessionStorage.clear()")
    walk.end()


def test_a_token_is_asked_for_once_and_forgotten_after_a_question(browser, guarded):
    walk = Walk(browser, guarded).open("")
    walk.script("sessionStorage.clear()")
    first = browser.current_window_handle
    walk.open("").says("asks for a token", ".asks")
    browser.switch_to.new_window("tab")
    second = browser.current_window_handle
    try:
        walk.open("queue").says("asks for a token", ".asks")
        walk.type("#token", SECRET["rita"]).click(".token button").says("Nothing runs", "h1")
        walk.says("rita", ".owner").says("may look", ".owner")
        browser.switch_to.window(first)  # it waited for one, and takes that
        walk.says("Nothing runs", "h1").until(lambda: not forms_shown(walk))
        walk.open("experiments").says("no experiments", "h1").says("may look", ".owner")
        browser.switch_to.window(second)
        walk.script("sessionStorage.clear()")
        walk.open("experiments").says("no experiments", "h1")
        assert not forms_shown(walk) and SECRET["rita"] not in walk.script("JSON.stringify(localStorage) + document.cookie")
        walk.click("button.owner").says("Forget the token in all tabs?", ".state")
        assert walk.script("document.activeElement.textContent") == "Keep it"
        walk.click(".confirm button", "Keep it").says("rita", ".owner")
        walk.click("button.owner").click(".confirm button", "Forget it").says("asks for a token", ".asks")
        browser.switch_to.window(first)
        walk.until(lambda: "rita" not in walk.text(".owner"))
        assert walk.script("sessionStorage.token ?? null") is None
        browser.switch_to.window(second)
        walk.type("#token", SECRET["ada"]).click(".token button").says("ada", ".owner")
        browser.switch_to.window(first)  # who one is there, too, without a reload
        walk.says("ada", ".owner").says("admin", ".owner")
        walk.click("button.owner").click(".confirm button", "Forget it").says("asks for a token", ".asks")
        browser.refresh()
        walk.says("asks for a token", ".asks")
    finally:
        browser.switch_to.window(second)
        browser.close()
        browser.switch_to.window(first)
    walk.end()


@pytest.mark.parametrize("query, field, first", [("block=96", "block", "64"), ("load=cg,default", "load", "default")])
def test_a_field_in_which_somebody_types_never_goes_away(browser, serve, query, field, first):
    walk = Walk(browser, serve()).open(f"new?kernel=read_offset&{query}")
    free = walk.until(lambda: [one for one in walk.all(f"[data-field={field}] .text-field input") if one.is_displayed()])[0]
    free.click()
    walk.script("arguments[0].select()", free)
    for letter in first:
        browser.switch_to.active_element.send_keys(letter)
        assert free.is_displayed() and walk.script("document.activeElement === arguments[0]", free)
    rest = ", 128, 256" if field == "block" else ", cg"
    browser.switch_to.active_element.send_keys(rest)
    assert walk.script("arguments[0].value", free) == first + rest
    walk.until(lambda: "Run a sweep" in walk.text(".run"))
    walk.end()


def said_of(walk, field):
    return walk.script("document.getElementById(arguments[0]).textContent", f"wrong-{field}")


def block_field(walk, block):
    """The field in which a block that is not among those on offer stands, all of it selected; the page is open there, and drawn."""
    walk.open(f"new?kernel=read_offset&block={block}&lang=en").until(lambda: walk.all(".predicted-parts svg"))
    free = walk.until(lambda: [one for one in walk.all("[data-field=block] .text-field input") if one.is_displayed()])[0]
    free.click()
    walk.script("arguments[0].select()", free)
    return free


def test_what_is_beside_a_refused_form_says_what_it_is_of(browser, serve):
    walk = Walk(browser, serve())
    free = block_field(walk, 96)
    for digit in "204":
        free.send_keys(digit)
        walk.until(lambda: walk.script("!document.querySelector('.beside').classList.contains('stale')"))
        time.sleep(0.5)  # as long as the picture of the beginning takes
    free.send_keys("8")
    walk.says("What is typed is refused. These are for block 96.", ".before")
    free = block_field(walk, 2)
    colours = "[...document.querySelectorAll('.beside .panel:not(:has(.typed)) :is(h2, .why)')].map(one => getComputedStyle(one).color)"
    as_drawn = walk.script(colours)
    free.send_keys("2048")
    walk.says("What is typed is refused. These are for block 2.", ".before")
    greyed = walk.script(colours)
    assert len(greyed) == len(as_drawn) >= 5 and not set(greyed) & set(as_drawn)
    walk.script("arguments[0].select()", free)
    free.send_keys("64")
    walk.until(lambda: walk.script(colours) == as_drawn and not walk.text(".before"))
    walk.end()


@pytest.mark.parametrize("field, query, fault", [
    ("offset", "offset=0,8,x", 'must be an integer, is "x"'),
    ("offset", "offset=9..2", "“9..2” has no value: a range goes up"),
    ("offset", "offset=1,9..2", "“9..2” has no value"),
    ("offset", "offset=0..8 step", "“0..8 step” is no range"),
    ("offset", "offset=0..10 step 0", "“0..10 step 0” is no range"),
    ("offset", "offset=0..1000000", "> 10,000 runs in all, and a sweep has at most 10,000"),
    ("block", "offset=0..1023&block=64,128,256,512&repeat=6", "24,576 runs in all, and a sweep has at most 10,000"),
    ("block", "block=64,128, 256", "can be read in two ways"),
    ("size", "size=65,536, 131,072", "can be read in two ways"),
    ("size", "size=1,024,2,048", "can be read in two ways"),
    ("device", "device=gpu7", "there is no device “gpu7” here; there are: "),
    ("device", "device=arch%3Dsm_10", "there is no device “arch=sm_10” here"),
    ("block", "block=64,64,128", "has the value 64 twice; one shape is written 64x64"),
    ("size", "size=2^70", "must be an integer, is above 9223372036854775807"),
    ("size", "size=1.5M", 'is "1.5M" (write 1500000, or 1572864 in powers of 1024)'),
    ("block", "block=64,4096", "is 4096; CUDA would refuse the launch: \"invalid configuration argument\"; only values that fit run"),
    ("labels", "labels=who=ub try=1", "“who=ub try=1” is no label: write name=value"),
    ("labels", "labels=x==", "“x==” is no label"),
    ("labels", "labels=a=1,a=2", "the label a stands twice"),
    ("labels", "labels=try", "“try” is no label"),
    ("repeat", "repeat=0", "must be a number of rounds from 1 to 1000"),
])
def test_a_field_says_what_is_wrong_with_it_as_one_types(browser, serve, field, query, fault):
    walk = Walk(browser, serve()).open(f"new?kernel=read_offset&lang=en&{query}")
    walk.until(lambda: fault in said_of(walk, field))
    walk.open("new?kernel=read_offset&offset=0,8&size=2Ki&labels=who=ub, try:1&block=64,128").until(lambda: "Run a sweep" in walk.text(".run") and walk.all("svg.memory"))
    assert not walk.all(".is-wrong") and '"size": 2048' in walk.text("pre.typed") and '"labels": {"who": "ub", "try": "1"}' in walk.text("pre.typed")
    walk.end()


def test_a_range_is_written_with_powers_and_suffixes(browser, serve):
    walk = Walk(browser, serve()).open("new?kernel=read_offset&size=2^10..4Ki by x2&offset=0&lang=en")
    walk.until(lambda: "Run a sweep" in walk.text(".run") and '"size": "1024..4096 by x2"' in walk.text("pre.typed"))
    assert not walk.all(".is-wrong")
    walk.open("new?kernel=read_offset&size=1,024, 2,048&lang=en").until(lambda: '"size": [1024, 2048]' in walk.text("pre.typed"))
    walk.open("new?kernel=read_offset&size=4Ki..1Ki&lang=en").until(lambda: "“4Ki..1Ki” has no value: a range goes up" in said_of(walk, "size"))
    walk.end()


def test_a_priority_is_typed_and_stands_in_the_list_of_what_waits(browser, serve):
    service = serve()
    assert service.request("POST", "/v1/queue/pause").ok
    walk = Walk(browser, service).open("new?kernel=read_offset&size=2Ki&priority=7&lang=en")
    walk.until(lambda: '"priority": 7' in walk.text("pre.typed") and walk.all("svg.memory"))
    walk.click("button", "Run on").until(lambda: "/experiments/" in browser.current_url)
    walk.open("experiments").says("priority 7", "tbody")
    walk.end()


def test_a_phone_shows_the_sweeps_without_scrolling_and_how_far_they_are(browser, serve, sized):
    service = serve()
    ended(service, submit(service, offset=[0, 1]))
    assert service.request("POST", "/v1/queue/pause").ok
    submit(service, offset=[2, 3, 4])
    sized(390, 800)
    walk = Walk(browser, service).open("sweeps?lang=en").says("0 of 3", "tbody").says("2 of 2", "tbody")
    assert walk.script("(box => box.scrollWidth - box.clientWidth)(document.querySelector('.scroll'))") <= 0
    walk.end()


def test_a_size_of_the_wrong_shape_has_no_bytes(browser, serve):
    walk = Walk(browser, serve()).open("new?kernel=read_offset&size=144&lang=en").says("576 B of elements")
    walk.open("new?kernel=read_offset&size=26x144&lang=en").until(lambda: said_of(walk, "size"))
    assert "14.98" not in walk.text("form")
    walk.open("new?kernel=transpose&size=26x144&lang=en").says("14.98 kB of elements")
    walk.end()


@pytest.mark.parametrize("width", [1280, 1366])
def test_a_field_shows_what_is_typed_beside_or_above_its_hint(browser, serve, sized, width):
    sized(width, 700)
    walk = Walk(browser, serve()).open("new?kernel=read_offset&size=1048576,2097152,4194304&offset=1048576&lang=en")
    walk.until(lambda: walk_fields(browser) and walk.all("svg.memory"))
    assert not [name for name, inside, wide in walk_fields(browser) if inside > wide]
    walk.end()


def test_a_label_looks_like_none_of_the_parameters_and_is_found_as_it_is_written(browser, serve):
    service = serve()
    ended(service, submit(service, offset=[0, 1], labels={"who": "ub", "lesson": "strides"}))
    service.run()
    walk = Walk(browser, service).open("sweeps?lang=zh").says("lesson=strides", "tbody .label-mark").open("sweeps?lang=en")
    walk.until(lambda: [one.text.split() for one in walk.all("tbody .label-mark")] == [["label", "who=ub"], ["label", "lesson=strides"]])
    walk.open("experiments").until(lambda: len(walk.all("tbody tr")) == 3)
    walk.type("#filter-label", "who=ub\ue007").until(lambda: len(walk.all("tbody tr")) == 2)
    walk.end()


def walk_fields(browser):
    """Each text field that is shown: its name, how wide its text is and how wide it is itself."""
    return browser.execute_script("return [...document.querySelectorAll('.text-field input')].filter(one => one.checkVisibility() && one.value)"
                                  ".map(one => [one.name, one.scrollWidth, one.clientWidth])")


@pytest.mark.parametrize("query", ["labels=fake:sleep:1", "repeat=3"])
def test_after_run_the_focus_is_on_the_heading_of_what_was_asked_for(browser, serve, query):
    walk = Walk(browser, serve()).open(f"new?kernel=read_offset&size=1024&{query}&lang=en")
    walk.until(lambda: "Run" in walk.text(".run") and walk.all("svg.memory"))
    walk.script("document.querySelector('.run').focus()")
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    walk.until(lambda: "/ui/new" not in browser.current_url)
    walk.says("1.000 GB/s")
    walk.until(lambda: walk.script("document.activeElement.tagName") == "H1")
    walk.end()


def test_a_recipe_and_a_lesson_say_that_the_queue_is_paused(browser, serve):
    service = serve()
    service.works()
    assert service.request("POST", "/v1/queue/pause").ok
    sweep, lesson = (service.request("POST", "/v1/sweeps", json=body).json() for body in (
        {"recipe": "read_segment_cached"}, {"kernel": "strided", "stride": [1, 2], "labels": {"lesson": "strides"}}))
    walk = Walk(browser, service).open(f"recipes/read_segment_cached?sweep={sweep['id']}&lang=en")
    walk.says(f"0 of {sweep['total']} measured").says("The queue is paused: what waits begins when somebody resumes it", "main")
    walk.open("lessons/strides?lang=en")
    for _ in range(3):
        walk.click(".answers button", "I do not know")
    walk.until(lambda: len(walk.all(".reply")) == 3)
    walk.script(f"(kept => sessionStorage['lesson.strides'] = JSON.stringify({{...kept, sweep: '{lesson['id']}'}}))(JSON.parse(sessionStorage['lesson.strides']))")
    walk.open("lessons/strides?lang=en")
    walk.says("0 of 2 measured").says("The queue is paused: what waits begins when somebody resumes it", "main")
    walk.end()


def test_a_comparison_of_what_has_not_run_says_so(browser, serve):
    service = serve()
    service.works()
    assert service.request("POST", "/v1/queue/pause").ok
    one, other = (service.post({**SMALL, "offset": offset}).json()["id"] for offset in (0, 1))
    walk = Walk(browser, service).open(f"compare?a=experiment:{one}&b=experiment:{other}&lang=en").says("Neither side has a run that can be compared", "h1")
    walk.says("Left out of A: 1 not ended.")
    assert "may differ in" not in walk.text(".compare-note")
    walk.end()


def test_a_phone_shows_what_is_unstable_beside_its_value_and_says_what_is_cancelled(browser, serve, sized):
    service = serve()
    service.works()
    service.run({**SMALL, "labels": {"fake": "unstable:noise"}})
    assert service.request("POST", "/v1/queue/pause").status_code == 200
    assert service.delete(service.post({**SMALL, "offset": 6}).json()["links"]["self"]).ok
    sized(390, 800)
    walk = Walk(browser, service).open("experiments?lang=en").says("cancelled", "tbody")
    values = walk.until(lambda: [one.text for one in walk.all("tbody td.number:not(.quiet)")])
    assert values == ["– cancelled", "1.000 GB/s", "1.000 GB/s"]
    [note] = [one for one in walk.all("tbody td") if one.text == "△ unstable"]
    assert note.rect["x"] + note.rect["width"] <= walk.script("innerWidth")
    walk.end()


def test_a_phone_shows_results_and_verdicts_beside_what_they_are_of(browser, serve, sized):
    service = serve()
    service.run()
    slow, fast = (ended(service, submit(service, block=[64, 128], repeat=6, labels={"fake": times})) for times in ("time:100,100.2,100.1", "time:90,90.2,90.1"))
    sized(390, 800)
    edge = "(css => document.querySelector(css).getBoundingClientRect().%s)(arguments[0])"
    walk = Walk(browser, service).open("experiments?lang=en").says("1.000 GB/s")
    assert walk.script(edge % "right", "tbody td.number strong") <= walk.script("innerWidth")
    walk.open(f"compare?a=sweep:{slow}&b=sweep:{fast}").says("better in 2 of 2 points", "h1")
    ticks = walk.until(lambda: walk.all(".forest.head .tick"))
    assert len(ticks) == 3
    assert walk.script(edge % "right", "tbody .verdict") <= walk.script("innerWidth"), "without scrolling"
    assert walk.script(edge % "left", "tbody th") >= 0 and walk.text("tbody th").split() == ["64", "128"]
    walk.script("(frame => { frame.scrollLeft = frame.scrollWidth; })(document.querySelector('.forest-table').parentNode)")
    assert walk.script(edge % "right", "tbody .forest-cell") <= walk.script("innerWidth") and walk.script(edge % "left", "tbody th") >= 0
    walk.end()
