"""Several rows of a list, or points of a sweep, are chosen and acted on at once: what was done is counted, what was not is told by row."""
import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from chromium import NEEDS, Walk, browser, serve  # noqa: F401
from conftest import SMALL, token_line
from test_sweep_page import ended, submit

pytestmark = NEEDS
SECRET = {"ada": "the-secret-of-ada-0123456789", "bob": "the-secret-of-bob-0123456789", "eve": "the-secret-of-eve-0123456789", "mia": "the-secret-of-mia-0123456789"}
BOXES = "tbody .choose input"
# How many requests of this kind were under way at once, and how many in all.
COUNT = """(() => {
  const fetched = window.fetch;
  window.counts = {now: 0, most: 0, all: 0};
  window.fetch = async (address, options) => {
    if (!["DELETE", "POST"].includes(options?.method)) return fetched(address, options);
    counts.most = Math.max(counts.most, ++counts.now);
    counts.all++;
    try { return await fetched(address, options); } finally { counts.now--; }
  };
})()"""


def at_once(service, n, **rest):
    """Ids of so many experiments, the newest first."""
    return [service.run({**SMALL, "offset": offset, **rest})["id"] for offset in range(n)][::-1]


def chosen(walk):
    """Which rows are, by their place; a row says so, too."""
    boxes = walk.script("[...document.querySelectorAll('tbody tr')].map(row => [row.querySelector('.choose input')?.checked, row.classList.contains('chosen')])")
    assert all(bool(box) == marked for box, marked in boxes)
    return [at for at, (box, _) in enumerate(boxes) if box]


def box(walk, at):
    return walk.until(lambda: len(walk.all(BOXES)) > at and walk.all(BOXES))[at]


def pick(walk, at):
    """A click; the row may be drawn anew just then, or lie below the bar."""
    def clicked():
        walk.script("arguments[0].scrollIntoView({block: 'center'})", box(walk, at))
        box(walk, at).click()
        return True
    walk.until(clicked)


def shift_click(browser, walk, at):  # noqa: F811
    ActionChains(browser).key_down(Keys.SHIFT).click(box(walk, at)).key_up(Keys.SHIFT).perform()


@pytest.fixture
def people(serve, tmp_path):  # noqa: F811
    tokens = tmp_path / "tokens"
    tokens.write_text("".join(token_line(name, role, SECRET[name]) for name, role in (("ada", "admin"), ("bob", "run"), ("eve", "read"), ("mia", "metrics"))))
    tokens.chmod(0o600)
    service = serve("--token-file", str(tokens), ready=False)

    def is_now(name):
        service.headers = {"Authorization": f"Bearer {SECRET[name]}"}
        return service

    is_now("ada").until(lambda: service.get("/readyz").status_code == 200)
    return is_now


def comes(walk, name, path):
    """The page as that person has it."""
    walk.open("no/such").script("sessionStorage.setItem('token', arguments[0])", SECRET[name])
    return walk.open(path)


def test_rows_are_chosen_by_mouse_and_by_keys(browser, serve):  # noqa: F811
    service = serve("--devices", "cpu", fake=False)
    at_once(service, 6)
    walk = Walk(browser, service).open("experiments?lang=en")
    pick(walk, 1)
    walk.says("1 chosen", ".chosen-bar")
    shift_click(browser, walk, 4)
    walk.says("4 chosen", ".chosen-bar")
    assert chosen(walk) == [1, 2, 3, 4]
    assert walk.script("getSelection().toString()") == ""
    pick(walk, 2)
    walk.until(lambda: chosen(walk) == [1, 3, 4])
    every = "thead .choose input"
    assert walk.script(f"document.querySelector('{every}').indeterminate")
    walk.click(every).says("6 chosen", ".chosen-bar")
    walk.click(every).until(lambda: not walk.all(".chosen-bar")[0].is_displayed())

    walk.script("document.querySelector('tbody .choose input').focus()")
    press = lambda *keys: browser.switch_to.active_element.send_keys(*keys)  # noqa: E731
    press(Keys.SPACE)
    walk.until(lambda: chosen(walk) == [0])
    press(Keys.ARROW_DOWN)
    press(Keys.ARROW_DOWN)
    ActionChains(browser).key_down(Keys.SHIFT).send_keys(Keys.SPACE).key_up(Keys.SHIFT).perform()
    walk.until(lambda: chosen(walk) == [0, 1, 2])
    ActionChains(browser).key_down(Keys.SHIFT).send_keys(Keys.ARROW_DOWN).key_up(Keys.SHIFT).perform()
    walk.until(lambda: chosen(walk) == [0, 1, 2, 3])
    press(Keys.CONTROL, "a")
    walk.until(lambda: chosen(walk) == [0, 1, 2, 3, 4, 5])
    assert walk.script("document.activeElement.matches('tbody .choose input')")
    press(Keys.ENTER)
    press(Keys.TAB)
    assert walk.script("document.activeElement.matches('.chosen-bar button')")
    walk.script("document.querySelector('tbody .choose input').focus()")
    press(Keys.ESCAPE)
    walk.until(lambda: chosen(walk) == [])
    walk.end()


def test_experiments_are_removed_after_one_question_and_come_back_by_one_undo(browser, serve):  # noqa: F811
    service = serve("--devices", "cpu", fake=False)
    ids = at_once(service, 12)
    walk = Walk(browser, service).open("experiments?lang=en")
    walk.until(lambda: len(walk.all(BOXES)) == 12)
    walk.script(COUNT)
    pick(walk, 0)
    shift_click(browser, walk, 10)
    walk.click(".chosen-bar button", "Remove 11").says("Remove 11 experiments?", ".chosen-bar .confirm [aria-hidden]")
    assert walk.script("document.activeElement.textContent") == "Keep them" and walk.script("counts.all") == 0
    walk.click(".chosen-bar button", "Keep them").click(".chosen-bar button", "Remove 11").click(".chosen-bar button", "Remove them")
    walk.says("11 experiments are removed. Until", ".removals")
    walk.until(lambda: len(walk.all("tbody tr")) == 1)
    assert walk.script("counts.all") == 11 and 1 < walk.script("counts.most") <= 4
    assert len(walk.all(".removals button")) == 1 and not walk.text(".jobs")
    assert [one["id"] for one in service.get("/v1/experiments").json()["experiments"]] == [ids[-1]]
    browser.refresh()
    walk.says("11 experiments are removed", ".removals")
    walk.open("experiments?lang=zh").says("11 个实验已删除", ".removals").open("queue?lang=en").says("11 experiments are removed", ".removals")
    walk.click(".removals button", "Undo").says("11 of 11 brought back.", ".jobs").until(lambda: not walk.text(".removals"))
    assert browser.current_url.endswith("/ui/queue?lang=en"), "nobody is led away"
    walk.click("nav a", "Experiments").until(lambda: len(walk.all("tbody tr")) == 12)
    assert not walk.text(".jobs"), "what went well goes with the page"

    pick(walk, 3)  # a single one goes at once, as its own page has it
    walk.click(".chosen-bar button", "Remove 1").says(f"…{ids[3][-6:]} is removed", ".removals").until(lambda: len(walk.all("tbody tr")) == 11)
    walk.click(".removals button", "Undo").until(lambda: len(walk.all("tbody tr")) == 12 and browser.current_url.endswith("/ui/experiments"))
    walk.end()


def test_what_cannot_be_done_is_told_by_row_and_stays_chosen(browser, people):  # noqa: F811
    service = people("bob")
    over = service.run({**SMALL, "offset": 1})["id"]
    mine = [service.post({**SMALL, "offset": offset, "labels": {"fake": "sleep:60"}}).json()["id"] for offset in (2, 3)]
    theirs = people("ada").post({**SMALL, "offset": 4, "labels": {"fake": "sleep:60"}}).json()["id"]
    walk = Walk(browser, service)
    comes(walk, "bob", "experiments?lang=en")
    walk.click("thead .choose input").says("4 chosen", ".chosen-bar")
    walk.click(".chosen-bar button", "Cancel 2").click(".chosen-bar button", "Cancel them").says("2 of 4 cancelled.", ".jobs").says("2 not cancelled:", ".jobs")
    told = [line.text for line in walk.all(".jobs li")]
    assert sorted(told) == [f"read_offset offset 1, block 512, size 1024 …{over[-6:]} has ended already", f"read_offset offset 4, block 512, size 1024 …{theirs[-6:]} belongs to ada"], told
    walk.says("2 chosen", ".chosen-bar")
    walk.until(lambda: all(service.get(f"/v1/experiments/{one}").json()["state"] == "cancelled" for one in mine))
    assert service.get(f"/v1/experiments/{theirs}").json()["state"] in ("queued", "running")

    # What the service refuses, because the list is older than the state, in its own words.
    comes(walk, "ada", "experiments?lang=en").until(lambda: len(walk.all(BOXES)) == 4)
    walk.click("thead .choose input").says("4 chosen", ".chosen-bar")
    walk.script("""(() => { const fetched = window.fetch;
      window.fetch = (address, options) => fetched(options?.method === 'DELETE' && address.includes(arguments[0]) ? address.replace(arguments[0], arguments[1]) : address, options); })()""",
                over, "01M7YM65F54TJADP7Z58JCT8G6")
    walk.click(".chosen-bar button", "Remove 3").click(".chosen-bar button", "Remove them").says("2 of 4 removed.", ".jobs")
    walk.says(f"size 1024 …{over[-6:]} there is no experiment", ".jobs").says(f"size 1024 …{theirs[-6:]} has not ended yet", ".jobs")
    walk.says("2 experiments are removed", ".removals").says("2 chosen", ".chosen-bar").end()
    service.delete(f"/v1/experiments/{theirs}")


def test_an_admin_is_asked_before_a_cancellation_with_the_owners(browser, people):  # noqa: F811
    assert people("ada").request("POST", "/v1/queue/pause").ok
    waits = people("bob").post({**SMALL, "offset": 1}).json()["id"]
    service = people("ada")
    walk = Walk(browser, service)
    comes(walk, "ada", "experiments?lang=en").until(lambda: len(walk.all(BOXES)) == 1)
    walk.click("thead .choose input").click(".chosen-bar button", "Cancel 1")
    walk.says("Cancel the 1 experiment that has not ended? This includes what bob submitted.", ".chosen-bar")
    walk.click(".chosen-bar button", "Cancel them").says("1 of 1 cancelled.", ".jobs")
    walk.until(lambda: service.get(f"/v1/experiments/{waits}").json()["state"] == "cancelled")
    walk.end()


def test_who_may_only_look_has_no_button_that_refuses(browser, people):  # noqa: F811
    service = people("bob")
    sweeps = [ended(service, submit(service, offset=[0, 1, 2], labels={"fake": how})) for how in ("error:cuda_error", "vary")]
    walk = Walk(browser, service)
    for path in "experiments", "sweeps", f"sweeps/{sweeps[0]}", f"sweeps/{sweeps[1]}":
        comes(walk, "eve", f"{path}?lang=en").says("eve", ".state")
        walk.click("thead .choose input").says("chosen", ".chosen-bar")
        words = {button.text for button in walk.all(".chosen-bar button, .chosen-bar a")}
        assert words <= {"Choose none", "Keep as side A", "Compare the two"}, words
        assert "again" not in " ".join(button.text for button in walk.all("main button"))
    comes(walk, "bob", f"sweeps/{sweeps[0]}?lang=en").says("Run 3 failed points again").end()


def test_sweeps_are_cancelled_run_again_removed_and_two_are_compared(browser, serve):  # noqa: F811
    service = serve()
    old, new = (ended(service, submit(service, offset=[0, 1, 2], repeat=6, labels={"fake": times})) for times in ("time:100,100.2,100.1", "time:90,90.2,90.1"))
    assert service.request("POST", "/v1/queue/pause").ok
    waits = submit(service, offset="0..9")
    walk = Walk(browser, service).open("sweeps?lang=en").says("1 sweep is paused", "h1")
    assert "" not in walk.script("[...document.querySelectorAll('thead th')].map(head => head.textContent || head.querySelector('[aria-label]')?.ariaLabel)")
    pick(walk, 1)
    pick(walk, 2)
    walk.click(".chosen-bar a", "Compare the two").says("Against A: better in 3 of 3 points")
    assert f"a=sweep:{old}&b=sweep:{new}" in browser.current_url
    browser.back()
    walk.says("2 chosen", ".chosen-bar")
    walk.open("sweeps").click("thead .choose input").says("3 chosen", ".chosen-bar")
    walk.click(".chosen-bar button", "Cancel 1").says("Cancel the 10 experiments that have not ended?", ".chosen-bar")
    walk.click(".chosen-bar button", "Cancel them").says("1 of 3 cancelled.", ".jobs").says("has ended already", ".jobs")
    walk.until(lambda: service.get(f"/v1/sweeps/{waits}").json()["state"] == "cancelled")
    walk.says("2 chosen", ".chosen-bar").click(".chosen-bar button", "Run 2 again").says("2 of 2 submitted.", ".jobs")
    walk.until(lambda: len(walk.all(BOXES)) == 5 and len(walk.all(".jobs a")) == 2)
    newest = [one["id"] for one in service.get("/v1/sweeps?page_size=2").json()["sweeps"]]
    assert sorted(link.get_attribute("href").rpartition("/ui/")[2] for link in walk.all(".jobs a")) == sorted(f"sweeps/{one}" for one in newest)
    assert service.request("POST", "/v1/queue/resume").ok
    walk.says("have ended", "h1").click("thead .choose input").click(".chosen-bar button", "Remove 5")
    walk.says("Remove 5 sweeps with 82 experiments?", ".chosen-bar").click(".chosen-bar button", "Remove them").says("no sweeps", "h1")
    walk.says("5 sweeps are removed", ".removals").click(".removals button", "Undo").until(lambda: len(walk.all("tbody tr")) == 5)
    walk.end()


def test_points_are_run_again_in_few_sweeps_removed_and_compared_as_sets(browser, serve):  # noqa: F811
    service = serve()
    sweep = ended(service, submit(service, offset=[0, 1, 2, 3], block=[64, 128], repeat=6, labels={"fake": "vary"}))
    walk = Walk(browser, service).open(f"sweeps/{sweep}?lang=en").says("48 of 48 runs measured")
    walk.until(lambda: len(walk.all(BOXES)) == 8)
    for at in (2, 3, 6, 7):  # offsets 1 and 3, with both blocks: one sweep can ask for that
        pick(walk, at)
    walk.click(".chosen-bar button", "Run 4 again").says("4 of 4 submitted.", ".jobs")
    [link] = walk.until(lambda: walk.all(".jobs a"))
    again = service.get("/v1/sweeps/" + link.get_attribute("href").rpartition("/")[2]).json()
    assert {name: again["request"][name] for name in ("offset", "block", "repeat")} == {"offset": [1, 3], "block": [64, 128], "repeat": 6}
    ended(service, again["id"])

    # All points with block 64 against all with block 128.
    rows = [row.text.split()[1] for row in walk.all(".sweep-table tbody tr")]
    for at in (at for at, block in enumerate(rows) if block == "64"):
        pick(walk, at)
    walk.click(".chosen-bar button", "Keep as side A").says("Side A: read_offset, 4 points, block 64", ".chosen-bar").says("0 chosen", ".chosen-bar")
    for at in (at for at, block in enumerate(rows) if block == "128"):
        pick(walk, at)
    walk.click(".chosen-bar a", "Compare with A").says("of 4 points", "h1")
    assert f"a=sweep:{sweep},where.block:64&b=sweep:{sweep},where.block:128&but_for=block" in browser.current_url

    walk.open(f"sweeps/{sweep}").until(lambda: len(walk.all(BOXES)) == 8)
    walk.script("sessionStorage.removeItem('side A')")
    pick(walk, 0)
    shift_click(browser, walk, 1)
    walk.click(".chosen-bar button", "Remove 2").says("Remove 12 experiments?", ".chosen-bar").click(".chosen-bar button", "Remove them")
    walk.until(lambda: walk.text(".sweep-table tbody").count("removed") >= 2)
    assert service.get(f"/v1/sweeps/{sweep}?page_size=1").json()["removed"] == 12
    walk.says("12 experiments are removed", ".removals").click(".removals button", "Undo").says("12 of 12 brought back", ".jobs")
    walk.says("48 of 48 runs measured").end()


def test_failed_points_are_run_again_and_those_that_cannot_be_launched_are_not(browser, serve):  # noqa: F811
    service = serve()
    sweep = ended(service, submit(service, kernel="sum_matrix_2d", size=[64, 64], order=["row", "column"], block=[[32, 1], [16, 2], [64, 32]], labels={"fake": "error:cuda_error"}))
    walk = Walk(browser, service).open(f"sweeps/{sweep}?lang=en").says("✕ 4 failed · ✕ 2 refused", ".progress-words")
    walk.click(".sweep-head button", "Run 4 failed points again").says("4 of 4 submitted.", ".jobs")
    [link] = walk.until(lambda: walk.all(".jobs a"))
    again = service.get("/v1/sweeps/" + link.get_attribute("href").rpartition("/")[2]).json()
    assert again["point_count"] == 4 and again["request"]["block"] == [[32, 1], [16, 2]] and again["request"]["order"] == ["row", "column"]
    walk.open(f"sweeps/{sweep}?lang=zh").says("再次运行 4 个失败的点").end()


def test_cancelled_points_are_run_again(browser, serve):  # noqa: F811
    service = serve()
    sweep = submit(service, kernel="read_offset", size=1024, offset=[0, 1, 2], labels={"fake": "sleep:1"})
    service.until(lambda: service.get(f"/v1/sweeps/{sweep}").json()["done"])
    service.delete(f"/v1/sweeps/{sweep}")
    walk = Walk(browser, service).open(f"sweeps/{sweep}?lang=en").click(".sweep-head button", "Run 2 cancelled points again").says("2 of 2 submitted.", ".jobs")
    [link] = walk.until(lambda: walk.all(".jobs a"))
    again = service.get("/v1/sweeps/" + link.get_attribute("href").rpartition("/")[2]).json()
    assert again["point_count"] == 2 and again["request"]["offset"] == [1, 2]
    walk.end()


def test_all_undecided_points_get_more_runs_at_once(browser, serve):  # noqa: F811
    service = serve()
    slow = ended(service, submit(service, offset=[0, 8], block=[64, 128], repeat=6, labels={"fake": "time:100,100.2,100.1"}))
    one, other = (ended(service, submit(service, offset=[0, 8], block=[64, 128], labels={"fake": times})) for times in ("time:50,50.1,50.2", "time:60,60.1,60.2"))
    walk = Walk(browser, service).open(f"compare?a=sweep:{one}&b=sweep:{other}&lang=en").says("none of 4 points can be told yet")
    walk.script(COUNT)
    assert service.request("POST", "/v1/queue/pause").ok
    walk.click("button", "All 4 points that cannot be told: 16 more of A, 16 more of B").says("16 more runs of A asked for").says("16 more runs of B asked for")
    walk.says("more runs of 4 points are under way", "h1").says("more runs are under way", "tbody tr")
    assert f"a=sweep:{one}." in browser.current_url and f"b=sweep:{other}." in browser.current_url
    made = service.get("/v1/sweeps").json()["sweeps"][:-3][::-1]
    asked = [service.get(sweep["links"]["self"]).json()["request"] for sweep in made]
    assert [request["labels"]["fake"][5:7] for request in asked] == ["50", "60", "60", "50", "50", "60", "60", "50"], "a sweep a side and round"
    assert all(sweep["total"] == 4 and request["placement"] == "new" for sweep, request in zip(made, asked))
    browser.refresh()
    walk.says("more runs of 4 points are under way", "h1")
    assert service.request("POST", "/v1/queue/resume").ok
    walk.says("worse in 4", "h1").until(lambda: "asked for" not in walk.text("main"))
    assert "under way" not in walk.text("main")
    # What one side is refused is told, and the other side's runs join nevertheless.
    few = ended(service, submit(service, offset=[0, 8], block=[64, 128], labels={"fake": "time:70,70.1,70.2"}))
    walk.open(f"compare?a=sweep:{few}&b=sweep:{ended(service, submit(service, offset=[0, 8], block=[64, 128], labels={'fake': 'time:80,80.1,80.2'}))}").says("none of 4 points")
    walk.script("""(() => { const fetched = window.fetch;
      window.fetch = (address, options) => fetched(address, options?.method === 'POST' && options.body.includes('time:80') ? {...options, body: '{"kernel": "nope"}'} : options); })()""")
    walk.click("button", "All 4 points that cannot be told").says("16 of 32 submitted.", ".jobs").says("nope", ".jobs li")
    assert len(walk.all(".jobs li")) == 1
    walk.until(lambda: f"a=sweep:{few}." in browser.current_url)
    assert slow not in browser.current_url
    walk.end()


def test_further_runs_of_a_comparison_are_few_sweeps_and_are_cancelled_together(browser, serve):  # noqa: F811
    service = serve()
    sides = [[ended(service, submit(service, offset=[0, 8], repeat=3, labels={"fake": f"time:{us},{us},{us}"})) for us in times] for times in ((50, 70, 90), (51, 71, 91))]
    one, other = (".".join(sweeps) for sweeps in sides)
    walk = Walk(browser, service).open(f"compare?a=sweep:{one}&b=sweep:{other}&lang=en").says("none of 2 points can be told yet")
    assert service.request("POST", "/v1/queue/pause").ok
    walk.click(".again button", "of A").says("more runs: ask for all of them?", ".jobs").click(".jobs button", "Not now").until(lambda: not walk.text(".jobs"))
    assert len(service.get("/v1/sweeps").json()["sweeps"]) == 6
    walk.click(".again button", "of A").click(".jobs button", "Ask for them").says("more runs of 2 points are under way", "h1")
    made = service.get("/v1/sweeps").json()["sweeps"][:-6]
    assert len(made) == 8 and all(sweep["total"] > 50 for sweep in made), "four of each side"
    browser.refresh()
    walk.says("more runs of 2 points are under way", "h1")
    walk.until(lambda: walk.script("[...document.querySelectorAll('#side-A-sweep option')].filter(one => one.textContent.includes('2 points × 3')).length") == 2)
    walk.click("button", "Cancel the further runs that have not ended").says("8 sweeps that have not ended?", ".jobs").click(".jobs button", "Cancel them").says("none of 2 points can be told yet", "h1")
    assert all(sweep["state"] == "cancelled" for sweep in service.get("/v1/sweeps").json()["sweeps"][:-6])
    walk.until(lambda: "Cancel the further runs" not in walk.text("main"))
    assert len({service.get(sweep["links"]["self"]).json()["request"]["labels"]["coalesced.turns"] for sweep in made}) == 1
    walk.open("sweeps?lang=en").says("Further runs that a comparison asked for are not in this list")
    assert "coalesced.turns" not in walk.text("tbody") and len(walk.all("tbody tr")) == 6
    walk.click("main a", "Show them").says("coalesced.turns=", "tbody").click("main a", "Leave them out").says("not in this list")
    assert service.get("/v1/sweeps?without_label=a%3Ab").status_code == 400
    walk.open("compare?lang=en").until(lambda: walk.script("document.querySelectorAll('#side-A-sweep option[value^=\"0\"]').length") == 6)
    walk.end()


def test_more_runs_of_experiments_ask_for_all_that_these_asked_for(browser, serve):  # noqa: F811
    """Also after runs of another point became a part of the side, and of a side that is chosen by a label."""
    service = serve()
    asked = {"kernel": "grid_stride", "grid": 3, "transfers": "pageable", "measure": {"max_seconds": 0.25}, "labels": {"fake": "time:50,90,20"}}
    ids = {block: [service.run({**asked, "block": block, "size": size})["id"] for size in (4096, 8192)] for block in (64, 128)}
    for block in 64, 128:
        service.run({**asked, "block": block, "size": 2048, "labels": {"who": "ada"}})
    walk = Walk(browser, service)
    sides = [f"{letter}=experiment:{'.'.join(ids[block])}" for letter, block in (("a", 64), ("b", 128))]
    labelled = [f"{letter}=label:who=ada,where.block:{block}" for letter, block in (("a", 64), ("b", 128))]
    for both, sizes in (sides, (4096, 8192)), (labelled, (2048,)):
        walk.open(f"compare?{'&'.join(both)}&but_for=block&lang=en")
        for row, size in enumerate(sizes):
            walk.until(lambda: "asked for" not in walk.text("main") and "under way" not in walk.text("main") and len(walk.all("tbody button")) > row)
            before = service.get("/v1/sweeps?page_size=500").json()["sweeps"]
            walk.all("tbody button")[row].click()
            made = walk.until(lambda: len(now := service.get("/v1/sweeps?page_size=500").json()["sweeps"]) == len(before) + 8 and now[:8])
            for sweep in made:
                again = service.get(sweep["links"]["self"]).json()["points"][0]["request"]
                assert (again["size"], again["grid"], again["transfers"], again["measure"]["max_seconds"]) == (size, [3, 1, 1], "pageable", 0.25)
                assert {"who", "fake"} & set(again["labels"])
        walk.until(lambda: "under way" not in walk.text("main"))
        assert "on side A alone" not in walk.text("main")
    walk.end()


def test_no_more_runs_are_offered_of_a_side_with_several_values(browser, serve):  # noqa: F811
    service = serve()
    one, other = (".".join(service.run({**SMALL, "block": block})["id"] for block in blocks) for blocks in ((64, 128), (256, 512)))
    walk = Walk(browser, service).open(f"compare?a=experiment:{one}&b=experiment:{other}&but_for=block&lang=en").says("cannot tell", "tbody")
    assert not walk.all("tbody button") and walk.all("tbody [data-tip*='A has several values of block here']")
    walk.end()


def test_a_side_whose_time_is_over_is_offered_no_more_runs(browser, serve):  # noqa: F811
    service = serve()
    for side in "ab":
        for _ in range(2):
            service.run({**SMALL, "labels": {"side": side, "fake": "time:5,6,7"}})
    sides = "a=label:side=a,until:{until}&b=label:side=b&lang=en"
    walk = Walk(browser, service).open(f"compare?{sides.format(until='2099-01-01')}").says("A side a, until 2099-01-01")
    walk.until(lambda: walk.all("tbody button"))
    now = service.get("/v1/experiments").json()["experiments"][0]["submitted_at"][:-1] + "9Z"
    walk.open(f"compare?{sides.format(until=now)}").says("cannot tell", "tbody")
    assert not walk.all("tbody button") and walk.all(f"tbody [data-tip*='A ends at {now}']")
    walk.end()


def test_a_comparison_follows_experiments_that_wait(browser, serve):  # noqa: F811
    service = serve()
    assert service.request("POST", "/v1/queue/pause").ok
    one, other = (service.post({**SMALL, "block": block}).json()["id"] for block in (64, 128))
    walk = Walk(browser, service).open(f"compare?a=experiment:{one}&b=experiment:{other}&but_for=block&lang=en").says("Neither side has a run that can be compared")
    assert service.request("POST", "/v1/queue/resume").ok
    walk.says("cannot tell", "tbody").end()


def test_who_may_read_numbers_alone_is_told_so(browser, people):  # noqa: F811
    walk = Walk(browser, people("ada"))
    for path in "", "queue":
        comes(walk, "mia", f"{path}?lang=en").says("The token of mia has the role metrics: it may read /metrics alone.", "h1")
    browser.get_log("browser")  # it has each 403
    walk.end()
