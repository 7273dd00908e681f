"""What is removed on the page can be brought back on the page: Undo stays on screen until the service deletes it."""
from chromium import NEEDS, Walk, browser, serve  # noqa: F401
from conftest import SMALL

pytestmark = NEEDS


def sweep_of(service, offsets):
    sweep = service.request("POST", "/v1/sweeps", json={**SMALL, "offset": offsets}, headers={"Prefer": "wait=30"}).json()
    assert sweep["state"] in ("succeeded", "finished"), sweep
    return sweep["id"]


def in_view(walk, css):
    return walk.script("(node => {const at = node.getBoundingClientRect();"
                       " return at.height > 0 && at.top >= 0 && at.bottom <= innerHeight})(document.querySelector(arguments[0]))", css)


def test_an_experiment_comes_back_from_any_page(browser, serve):
    service = serve("--devices", "cpu", fake=False)
    one = service.run()["id"]
    walk = Walk(browser, service).open(f"experiments/{one}")
    walk.click(".result-buttons button", "Remove").says("no experiments", "h1")
    walk.says(f"…{one[-6:]} is removed", ".removals")
    assert not walk.all("tbody tr")
    for words in "Sweeps", "Lessons", "New":
        walk.click("nav a", words).until(lambda words=words: words.lower() in browser.current_url)
        walk.until(lambda: in_view(walk, ".removals button"))
    walk.until(lambda: walk.all(".creation-form .run"))
    browser.refresh()
    walk.click(".removals button", "Undo").says("1 of 1 brought back.", ".jobs")
    assert "/ui/new" in browser.current_url and walk.all(".creation-form .run"), "what is typed there stays"
    walk.click(".jobs a", f"See …{one[-6:]}").says("GB/s", "h1")
    walk.until(lambda: not walk.text(".removals"))
    assert service.get(f"/v1/experiments/{one}").status_code == 200
    walk.end()


def test_what_somebody_else_removes_leaves_every_page(browser, serve):
    service = serve("--devices", "cpu", fake=False)
    one = sweep_of(service, [0, 1])
    change = {True: ("DELETE", f"/v1/sweeps/{one}?remove=true"), False: ("POST", f"/v1/sweeps/{one}/restore")}
    run = service.get(f"/v1/experiments?sweep={one}").json()["experiments"][0]["id"]
    walk = Walk(browser, service)
    for path, there, gone in (("sweeps", "2 of 2", "no sweeps"), (f"experiments/{run}", "read_offset", "There is no such"), (f"sweeps/{one}", "2 of 2", "There is no such"), ("", one[-6:], None)):
        walk.open(f"{path}?lang=en").says(there, "main")
        assert service.request(*change[True]).ok
        walk.until(lambda: one not in walk.script("document.querySelector('main').innerHTML") if gone is None else gone in walk.text("main h1"))
        assert service.request(*change[False]).ok
        walk.says(there, "main")
    walk.end()


def test_an_open_comparison_follows_the_removal_of_a_side(browser, serve):
    service = serve("--devices", "cpu", fake=False)
    a, b = sweep_of(service, [0, 1]), sweep_of(service, [0, 1])
    walk = Walk(browser, service).open(f"compare?a=sweep:{a}&b=sweep:{b}&lang=en").says("of 2 points can be told", "main")
    assert service.request("DELETE", f"/v1/sweeps/{b}?remove=true").ok
    walk.says("was removed", "main")
    assert service.request("POST", f"/v1/sweeps/{b}/restore").ok
    walk.says("of 2 points can be told", "main")
    walk.end()


def test_an_undo_counts_what_is_left(browser, serve):
    service = serve()
    one = service.request("POST", "/v1/sweeps", json={**SMALL, "offset": [0, 1, 2]}, headers={"Prefer": "wait=30"}).json()
    ids = [row["id"] for row in service.get(f"/v1/experiments?sweep={one['id']}").json()["experiments"]]
    walk = Walk(browser, service).open("experiments?lang=en")
    walk.until(lambda: len(walk.all("tbody tr")) == 3)
    walk.click("thead .choose input").click(".chosen-bar button", "Remove 3").click(".chosen-bar button", "Remove them").says("3 experiments are removed", ".removals")
    assert service.request("POST", f"/v1/experiments/{ids[0]}/restore").ok
    walk.says("2 experiments are removed", ".removals").click(".removals button", "Undo").says("2 of 2 brought back", ".jobs")
    walk.end()


def test_more_than_one_experiment_goes_after_a_question(browser, serve):
    service = serve("--devices", "cpu", fake=False)
    one = sweep_of(service, [0, 1, 2])
    walk = Walk(browser, service).open(f"sweeps/{one}")
    walk.click(".sweep-head button", "Remove").says("Remove the whole sweep, with its 3 points?", ".confirm")
    assert walk.script("document.activeElement.textContent") == "Keep them"
    walk.click(".confirm button", "Keep them").until(lambda: not walk.all(".confirm"))
    assert service.get(f"/v1/sweeps/{one}").status_code == 200
    walk.click(".sweep-head button", "Remove").click(".confirm button", "Remove them").says("no sweeps", "h1")
    walk.says("with 3 experiments is removed", ".removals")
    assert service.get(f"/v1/sweeps/{one}").status_code == 404
    walk.open("?lang=zh").says("已删除", ".removals").open("?lang=en")
    walk.open("sweeps").click(".removals button", "Undo").says("3 of 3", "tbody")
    assert browser.current_url.endswith("/ui/sweeps"), "who looks at the list sees it there"
    walk.end()


def test_a_run_of_a_sweep_that_was_removed_did_not_fail(browser, serve):
    service = serve()
    one = service.request("POST", "/v1/sweeps", json={**SMALL, "offset": [0, 1], "repeat": 3}, headers={"Prefer": "wait=30"}).json()
    run = service.get(f"/v1/experiments?sweep={one['id']}").json()["experiments"][0]["id"]
    walk = Walk(browser, service).open(f"experiments/{run}").click(".result-buttons button", "Remove").says("is removed", ".removals")
    walk.open(f"sweeps/{one['id']}?lang=en").says("5 of 6 runs measured · 1 removed").says("removed, 2 of 3 runs are left", ".sweep-table")
    assert "succeeded" in walk.text(".sweep-head") and "failed" not in walk.text("main"), walk.text("main")
    assert service.get(f"/v1/sweeps/{one['id']}").json()["state"] == "succeeded"
    walk.click(".removals button", "Undo").says("6 of 6 runs measured")
    assert f"/ui/sweeps/{one['id']}" in browser.current_url
    walk.end()


def test_who_came_from_a_filtered_list_is_there_again(browser, serve):
    service = serve("--devices", "cpu", fake=False)
    one = [service.run({**SMALL, "offset": offset})["id"] for offset in (1, 2)][-1]
    walk = Walk(browser, service).open("experiments?kernel=read_offset").click(f"a[href$='{one}']").says("GB/s", "h1")
    walk.click(".result-buttons button", "Remove").until(lambda: browser.current_url.endswith("/ui/experiments?kernel=read_offset"))
    walk.until(lambda: len(walk.all("tbody tr")) == 1)
    walk.until(lambda: walk.script("document.activeElement.textContent") == "Undo")
    walk.click(".removals button", "Undo").until(lambda: len(walk.all("tbody tr")) == 2)
    assert browser.current_url.endswith("/ui/experiments?kernel=read_offset")
    walk.end()


def test_an_undo_goes_when_its_time_is_over_and_in_every_tab(browser, serve):
    service = serve("--devices", "cpu", "--undo-seconds", "20", fake=False)
    one, other, theirs = (service.run({**SMALL, "offset": offset})["id"] for offset in range(3))
    walk = Walk(browser, service).open(f"experiments/{one}").says("GB/s", "h1")
    first = browser.current_window_handle
    browser.switch_to.new_window("tab")
    walk.open("experiments").says("offset 1")
    service.delete(f"/v1/experiments/{theirs}?remove=true")
    browser.switch_to.window(first)
    walk.click(".result-buttons button", "Remove").says("is removed", ".removals")
    browser.switch_to.window(next(tab for tab in browser.window_handles if tab != first))
    walk.open("experiments").says(f"…{one[-6:]} is removed", ".removals")
    assert theirs[-6:] not in walk.text(".removals"), "nobody here removed it"
    walk.open(f"experiments/{theirs}").says(f"…{theirs[-6:]} is removed", ".removals")
    walk.until(lambda: not walk.text(".removals"))
    browser.close()
    browser.switch_to.window(first)
    assert service.get(f"/v1/experiments/{other}").status_code == 200
    walk.end()


def test_what_cannot_come_back_goes_after_a_question(browser, serve):
    service = serve("--devices", "cpu", "--undo-seconds", "0", fake=False)
    one, other = (service.run({**SMALL, "offset": offset})["id"] for offset in range(2))
    walk = Walk(browser, service).open(f"experiments/{one}?lang=en").says("GB/s", "h1")
    walk.click(".result-buttons button", "Remove").says("This service deletes at once: nothing can be restored.", ".jobs").click(".jobs button", "Keep it")
    assert service.get(f"/v1/experiments/{one}").ok
    walk.click(".result-buttons button", "Remove").click(".jobs button", "Remove").says("newest first", "h1")
    assert service.get(f"/v1/experiments/{one}").status_code == 404
    walk.click("thead .choose input").click(".chosen-bar button", "Remove 1").says("nothing can be restored", ".chosen-bar").click(".chosen-bar button", "Keep them")
    assert service.get(f"/v1/experiments/{other}").ok
    walk.end()
