"""/ui/queue, in a real browser, while runs end one after the other."""
import re
import time

import pytest
from selenium.webdriver.common.actions.action_builder import ActionBuilder

from chromium import NEEDS, Walk, browser, serve  # noqa: F401
from conftest import SMALL
from test_bulk import comes, people  # noqa: F401
from test_sweep_page import submit

pytestmark = NEEDS
# How often what runs stood among those that wait, too: a table row of the same request, as the page is now.
BOTH = """(() => {
  const runs = [...document.querySelectorAll('p a')].map(one => one.getAttribute('href')).find(path => path.includes('/experiments/'));
  const waits = document.querySelector('tr[data-next]')?.dataset.next;
  return Boolean(runs && waits && runs.endsWith(waits));
})()"""

# Where the first button is, and whether the last press was on one: a line above it may come or go meanwhile.
PLACE = """(box => [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)])(document.querySelector('td.act button').getBoundingClientRect())"""

KEEP = "(keep => keep && (keep.click(), true))([...document.querySelectorAll('.jobs button')].find(one => one.textContent === 'Keep'))"
LISTEN = """document.addEventListener('pointerdown', event => window.pressed = Boolean(event.target.closest('td.act button')), true)"""


def press(walk):
    """At a place: the element may be another a moment later."""
    def on_the_button():
        hand = ActionBuilder(walk.browser)
        hand.pointer_action.move_to_location(*walk.script(PLACE)).pointer_down()
        hand.perform()
        return walk.script("window.pressed") or release(walk)
    walk.until(on_the_button)


def release(walk):
    hand = ActionBuilder(walk.browser)
    hand.pointer_action.pointer_up()
    hand.perform()


def test_a_press_that_lasts_while_runs_end_is_a_click(browser, serve):  # noqa: F811
    service = serve()
    submit(service, offset="0..399", repeat=4, labels={"fake": "sleep:0.2"})
    walk = Walk(browser, service).open("queue?lang=en").says("wait, 1 runs", "h1").says("Cancel the sweep", "table")
    walk.script(LISTEN)
    for _ in range(3):
        before = walk.text("h1")
        press(walk)
        time.sleep(1)  # some runs end while it is pressed
        release(walk)
        walk.says("Cancel", ".jobs")
        walk.until(lambda: walk.script(KEEP))
        walk.until(lambda: walk.text("h1") != before)  # what was held back is drawn
    seen = [walk.script(BOTH) for _ in range(100)]
    assert not any(seen), f"{sum(seen)} of 100: what runs waits, too"
    walk.end()


def test_waiting_times_go_on_while_one_runs_and_nothing_happens(browser, serve):  # noqa: F811
    service = serve()
    service.run({**SMALL, "labels": {"fake": "sleep:1"}})  # how long they take is known from it
    with service.busy():
        waiting = service.post(SMALL).json()
        walk = Walk(browser, service)
        # The queue page has two tables: a row for each owner, then a row for each waiting experiment.
        for page, words in ((f"experiments/{waiting['id']}?lang=en", "document.querySelector('h1').textContent"),
                            ("queue", "[...document.querySelectorAll('main tbody')].at(-1).textContent")):
            walk.open(page).until(lambda: walk.script(words))
            walk.until(lambda: "ended in" in walk.script(words) or "1 ahead" in walk.script(words))
            said = walk.script(words)
            walk.until(lambda: walk.script(words) != said)
            assert service.get(waiting["links"]["self"]).json()["state"] == "queued"
        assert "What runs and waits, one by one" in walk.text("main")
    walk.end()


# What the parts of the page say of the queue: its heading, what runs now, the owner's row, and the rows one by one.
PARTS = """(() => {
  const number = text => Number(/[\\d,]+/.exec(text)?.[0].replace(",", "") ?? NaN), last = path => path?.split("/").at(-1).split("?")[0];
  const [who, each] = [...document.querySelectorAll('main tbody')].map(body => [...body.rows]);
  const heading = document.querySelector('h1').textContent;
  return !each ? null : {
    queued: number(heading), runs: last([...document.querySelectorAll('main p a')].map(one => one.getAttribute('href')).find(path => path.includes('/experiments/'))),
    next: who[0].dataset.next, ends: who[0].cells[5].textContent,
    rows: each.map(row => ({id: last(row.querySelector('a').getAttribute('href')), place: row.cells[1].textContent, ends: row.cells[2].textContent}))
  };
})()"""


def test_all_parts_of_the_page_are_of_one_moment(browser, serve):  # noqa: F811
    service = serve()
    submit(service, offset="0..29", labels={"fake": "sleep:0.5"})
    walk = Walk(browser, service).open("queue?lang=en").says("Cancel the sweep", "table")
    seconds = lambda text: float(re.search(r"[\d.]+", text)[0]) if re.search(r"[\d.]+", text) else text  # noqa: E731
    seen = set()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and len(seen) < 5:
        parts = walk.script(PARTS)
        if not parts or parts["queued"] > 19:
            continue
        runs = [row["id"] for row in parts["rows"] if row["place"] == "running"]
        waits = [row for row in parts["rows"] if row["place"] != "running"]
        assert runs == ([parts["runs"]] if parts["runs"] else []), parts
        assert len(waits) == parts["queued"] and waits[0]["id"] == parts["next"], parts
        assert seconds(waits[-1]["ends"]) == pytest.approx(seconds(parts["ends"]), abs=1), parts  # each is rounded
        seen.add(waits[0]["id"])
    assert len(seen) > 1
    walk.end()


def test_what_is_refused_is_said_and_stays(browser, people, tmp_path):  # noqa: F811
    """The page of somebody whose role was changed, which it was not told yet."""
    service = people("ada")
    submit(service, offset="0..99", labels={"fake": "sleep:0.2"})
    walk = comes(Walk(browser, service), "ada", "queue?lang=en").says("Cancel the sweep", "table")
    walk.browser.execute_script("""const asks = window.fetch;
        window.fetch = (path, rest) => path.endsWith("/v1/whoami") ? new Promise(() => {}) : asks(path, rest);""")
    tokens = tmp_path / "tokens"
    tokens.write_text(tokens.read_text().replace("ada admin", "ada read"))
    walk.until(lambda: service.get("/v1/whoami").json()["role"] == "read")
    walk.click("button", "Pause").says("ada", "p.wrong[role=alert]")
    time.sleep(1)  # runs end, and the page is drawn again
    assert walk.text("p.wrong[role=alert]") and not service.get("/v1/queue").json()["paused"]
    walk.script("sessionStorage.clear()")
    assert any("/v1/queue/pause - " in message for message in walk.logs())
