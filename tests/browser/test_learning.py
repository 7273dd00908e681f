"""/ui/recipes and /ui/lessons in a real browser: a recipe run to its end beside its published figures, a lesson guessed and asked."""
import csv
import io
import json
import re
import statistics

import pytest

from chromium import NEEDS, Walk, browser  # noqa: F401
from conftest import Service

pytestmark = NEEDS
# A slider is moved as a hand does: its value, and the event that follows.
MOVE = "const slider = document.querySelector(arguments[0]); slider.value = arguments[1]; slider.dispatchEvent(new Event('input', {bubbles: true}))"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    running = Service(tmp_path_factory.mktemp("learning"), fake=False)
    yield running
    assert running.stop() == 0


def explained(service, **question):
    answer = service.request("POST", "/v1/predictions", json={"arch": "sm_90", "explain": True, **question})
    return answer.json()["explain"]


def tile(walk, name):
    return walk.text(f"[data-tile={name}] dd:not(.shipped)").replace("\u00a0", " ")


def cells(walk, heading):
    """The rows of the table of the panel with that heading."""
    return walk.script("""[...document.querySelectorAll('.panel')].filter(panel => panel.querySelector('h2')?.textContent === arguments[0])
        .flatMap(panel => [...panel.querySelectorAll('tbody tr')].map(row => [...row.cells].map(cell => cell.textContent.replaceAll('\\u00a0', ' '))))""", heading)


def test_a_recipe_is_run_and_stands_beside_what_was_published(browser, service):
    walk = Walk(browser, service).open("recipes").says("Published tables").says("Tesla M2070")
    walk.click("a", "Misaligned loads through L1").says("Misaligned loads through L1", "h1").says("Not yet run here")
    walk.until(lambda: cells(walk, "Efficiency of loads") and "no value" not in cells(walk, "Efficiency of loads")[1][:4])
    recipe = service.get("/v1/recipes/read_segment_cached").json()
    published = {row[0]: dict(zip(recipe["published"]["columns"], row)) for row in recipe["published"]["rows"]}
    assert cells(walk, "Efficiency of loads")[1] == ["offset 11", str(published[11]["gld_efficiency_pct"]), "50.00", "80.00", "no value"]
    assert [row[1] for row in cells(walk, "Load transactions")] == [f"{published[n]['gld_transactions']:,}" for n in (0, 11, 128)]
    made = service.get("/v1/recipes/read_segment_cached/predictions?arch=sm_90").json()["points"]
    assert [float(row[1]) for row in walk.until(lambda: cells(walk, "Predicted time, and what limits"))] == pytest.approx([point["prediction"]["time"]["predicted_us"] for point in made], abs=0.005)
    walk.click(".recipe-run button", "Run on").says("3 of 3 succeeded").says("It is a CPU")
    [sweep] = service.get("/v1/sweeps").json()["sweeps"]
    assert sweep["recipe"] == "read_segment_cached" and f"sweep={sweep['id']}" in browser.current_url
    points = service.get(f"/v1/sweeps/{sweep['id']}?view=summary").json()["points"]
    times = cells(walk, "Time")
    assert [row[0] for row in times] == ["offset 0", "offset 11", "offset 128"]
    for row, point in zip(times, points):
        assert row[1] == f"{point['published']['elapsed_ms']} [{point['published']['marks']['elapsed_ms']}]"
        ratio = f"{100 * point['cold']['median_us'] / points[0]['cold']['median_us']:.1f}"
        assert row[5].removesuffix(" ◌") == (ratio if point["stable"] and points[0]["stable"] else "no value")
        assert ("△" in row[4]) == (not point["stable"]), "nothing is concluded from what is not stable"
    predicted = points[1]["predicted"]
    assert cells(walk, "Load transactions")[1][2:4] == [f"{predicted[arch]['gld_transactions']:,}" for arch in ("published_arch", "device_arch")]
    walk.open("recipes/read_segment_cached").says("3 of 3 succeeded")  # found again by its recipe
    walk.says("has no hardware counters that can be read here").until(lambda: not walk.all("#recipe-counters")[0].is_enabled())
    without = '[...document.querySelectorAll("td .no-value")].map(one => one.dataset.tip)'
    walk.until(lambda: "Counters were not asked for." in walk.script(without))
    asked = service.request("POST", "/v1/sweeps", json={"recipe": "read_segment_cached", "counters": True}).json()  # by the API
    walk.open(f"recipes/read_segment_cached?sweep={asked['id']}").until(lambda: any("asked for, but cannot be read on" in said for said in walk.script(without)))
    other = service.request("POST", "/v1/sweeps", json={"recipe": "read_segment_cached", "size": 65536}).json()
    walk.open(f"recipes/read_segment_cached?sweep={other['id']}&lang=en").says("Differs here: size 65,536, published 1,048,576.", "p.warn")
    walk.says("as an NVIDIA H200 would take it, by the model, with size 1,048,576").says("3 of 3 succeeded")
    assert service.delete(f"{other['links']['self']}?remove=true").status_code == 204  # the newest is shown, below
    part = service.request("POST", "/v1/sweeps", json={"recipe": "read_segment_cached", "offset": [0, 1]}).json()  # of its points only one
    walk.open(f"recipes/read_segment_cached?sweep={part['id']}&lang=en").says("2 of 2 succeeded")
    assert [row[:2] for row in cells(walk, "Time")] == [*[row[:2] for row in times], ["offset 1", "no value"]], "what was published stays"
    assert [row[4] == "no value" for row in cells(walk, "Time")] == [False, True, True, False]
    assert cells(walk, "Efficiency of loads")[1] == ["offset 11", str(published[11]["gld_efficiency_pct"]), "50.00", "80.00", "no value"]
    assert service.delete(f"{part['links']['self']}?remove=true").status_code == 204
    walk.open("recipes/matrix_column_major?lang=zh")  # of two dimensions; the reason of a point is in the form that it leads to
    assert [row[2] for row in walk.until(lambda: cells(walk, "预测时间与瓶颈"))] == ["通往 L2 的通路"] * 3
    walk.click("a", "通往 L2 的通路").says("瓶颈是通往 L2 的通路").until(lambda: {"order=column", "block=32x32"} <= set(browser.current_url.split("?")[1].split("&")))
    conflicts = {tuple(one["values"].values()): one["prediction"]["shared_load_bank_conflicts"]
                 for one in service.get("/v1/recipes/bank_strides/predictions?arch=sm_90").json()["points"]}
    walk.open("recipes/bank_strides?lang=en").until(lambda: [(row[0], row[1]) for row in cells(walk, "Bank conflicts")] ==
                                                    [(f"stride {stride}", f"{n:,}") for (stride,), n in conflicts.items()])
    walk.open("recipes/no_such?lang=en").says("There is no such recipe", "h1")
    walk.end()


PUBLISHED_HEADINGS = {"elapsed_ms": ("Time", "时间"), "gld_efficiency_pct": ("Efficiency of loads", "读取效率"), "gst_efficiency_pct": ("Efficiency of stores", "写入效率"),
                      "gld_transactions": ("Load transactions", "读取事务"), "gst_transactions": ("Store transactions", "写入事务")}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_published_table_has_its_figures_marks_and_notes_as_the_service_says(browser, service, language):
    """Before it was run here: published, predicted for that chip, for sm_90; each mark's sentence, each note."""
    walk = Walk(browser, service)
    for summary in service.get("/v1/recipes").json()["recipes"]:
        answer = service.get(f"/v1/recipes/{summary['name']}/predictions?arch=sm_90").json()
        head, points = answer["published"], answer["points"]
        if head is None:
            continue
        walk.open(f"recipes/{summary['name']}?lang={language}")
        walk.until(lambda: walk.all("main table"))
        for column in set(head["columns"]) & set(PUBLISHED_HEADINGS):
            rows = walk.until(lambda: cells(walk, PUBLISHED_HEADINGS[column][language == "zh"]))
            for row, point in zip(rows, points, strict=True):
                figure, mark = (point["published"] or {}).get(column), (point["published"] or {}).get("marks", {}).get(column)
                told = (f"{figure:.15g}" + (f" [{mark}]" if mark else ""),) if figure is not None else ("no value", "无值")
                assert row[1].replace(",", "") in told, (summary["name"], row)
                made = point.get("predicted", {}).get("published_arch", {}).get(column)
                if column != "elapsed_ms" and made is not None:
                    assert float(row[2].replace(",", "")) == pytest.approx(made, abs=0.005), (summary["name"], row)
        shown = walk.script("document.querySelector('main').innerText").replace("\u00a0", " ")
        used = {mark for point in points for mark in (point["published"] or {}).get("marks", {}).values()}
        for mark in head["marks"]:
            assert (f"[{mark['mark']}] {mark[language]}" in shown) == (mark["mark"] in used), (summary["name"], mark)
        assert all(note[language] in shown for note in head["notes"]), summary["name"]
        assert "NaN" not in shown and head["device"][language] in shown
    walk.open("recipes?lang=en").end()


def test_no_answer_stands_before_its_question_and_the_picture_is_the_services(browser, service):
    walk = Walk(browser, service).open("lessons").says("13 lessons", "h1")
    walk.click("a", "What does a misaligned load cost?").says("Lesson 1 of 13")
    walk.until(lambda: walk.all("svg.neighbours"))
    hidden = ("5: 128 bytes", "Only 2.0", "247.5", "Fermi", "13.39")
    assert not [words for words in hidden if words in browser.page_source] and tile(walk, "sectors").startswith("?")
    for offset in (11, 8, 3, 0):
        walk.script(MOVE.replace("const", "(() => { const", 1) + " })()", "[data-control=offset]", offset)
        accesses = [explained(service, kernel="read_offset", size=67108864, block=512, offset=offset, explain={"block": 0, "warp": warp})["accesses"][0] for warp in (0, 1)]
        sectors = {sector["address"] for access in accesses for sector in access["sectors"]}
        walk.until(lambda: len(walk.all("svg.neighbours .sector.touched")) == len(sectors))
        words = {address for access in accesses for address in access["addresses"]}
        walk.until(lambda: len(walk.all("svg.neighbours .used")) == len(words))
    walk.click(".guess-choice", "8").says("5: 128 bytes").says("Your guess: 8")
    walk.until(lambda: tile(walk, "sectors") == "5" and tile(walk, "efficiency") == "80 %")
    assert tile(walk, "time").startswith("?") and "Only 2.0" not in browser.page_source
    assert not walk.all(".answers .button.primary:not(:disabled)"), "there is no guess yet"
    walk.script(MOVE.replace("const", "(() => { const", 1) + " })()", ".guess-input", 20)
    walk.click(".languages button", "中文").says("请", "main").click(".languages button", "EN").until(lambda: walk.all(".answers .button.primary:not(:disabled)"))
    walk.click(".answers .button.primary").says("Only 2.0 %").says("your guess: 20 %", "svg.guess-scale").says("Fermi, past the L1: 27 %", "svg.guess-scale")
    walk.until(lambda: tile(walk, "time") == "247.5 µs" and tile(walk, "against") == "+ 2.0 %")
    browser.refresh()
    walk.says("Only 2.0 %").says("your guess: 20 %", "svg.guess-scale").says("Your guess: 8")
    walk.until(lambda: tile(walk, "sectors") == "5")
    walk.click(".languages button", "中文").says("只慢 2.0 %").says("未对齐读取的代价有多大？", "h1").says("第 1 课，共 13 课")
    assert "2.0" in walk.text("svg.guess-scale") and json.loads(walk.script("sessionStorage['lesson.offsets']"))["guesses"] == {"0": 2, "1": 20}
    walk.script(MOVE.replace("const", "(() => { const", 1) + " })()", "[data-control=offset]", 8)  # what the next question asks about
    walk.until(lambda: "8" in walk.text(".control-name output") and tile(walk, "sectors") == "4" and tile(walk, "time").startswith("?"))
    walk.click(".answers button", "我不知道").says("用时与偏移 11 相同").says("下一课")
    walk.open("lessons?lang=en").says("3 of 3 answered")
    walk.end()


def test_the_least_value_can_be_guessed_without_a_move(browser, service):
    walk = Walk(browser, service).open("lessons/offsets?lang=en")
    walk.script("sessionStorage.clear()")
    walk.open("lessons/offsets?lang=en").click(".guess-choice", "8").says("5: 128 bytes")
    walk.until(lambda: walk.all(".guess-input") and not walk.all(".answers .button.primary:not(:disabled)"))
    walk.all(".guess-input")[0].send_keys("\ue011")  # Home
    walk.click(".answers .button.primary:not(:disabled)").says("your guess: 0 %", "svg.guess-scale")
    walk.script("sessionStorage.clear()")
    walk.end()


# Curves whose last point is not where their lane's word is.
ASTRAY = """[...document.querySelectorAll('svg.memory [data-curve]')].filter(path => {
    const end = path.getPointAtLength(path.getTotalLength());
    return Math.abs(end.x - Number(path.dataset.to)) > 0.5;
}).length"""
WAITING = "[...document.querySelectorAll('svg.memory .bank.in-turn')].filter(one => one.getBoundingClientRect().width > 0).length"


def test_the_banks_of_a_lesson_follow_the_slider(browser, service):
    walk = Walk(browser, service).open("lessons/banks")
    walk.click(".guess-choice", "8").says("As you guessed")
    # The slider counts from 0, strides from 1.
    for stride, waiting in ((8, 28), (23, 0), (32, 7), (2, 16)):
        walk.script(MOVE.replace("const", "(() => { const", 1) + " })()", "[data-control=stride]", stride - 1)
        walk.until(lambda: walk.script("document.querySelectorAll('svg.memory [data-curve]').length") and walk.script(WAITING) == waiting)
        walk.until(lambda: walk.script(ASTRAY) == 0)
    assert walk.script("[...document.querySelectorAll('svg.memory .head, svg.memory .number')].map(one => one.textContent)") == \
        ["requests", "turns", "conflicts", "1", "2", "1"]
    walk.end()


# The first look at the sweep is answered as it was, but not before the sweep has ended and that was told.
LATE = """(() => {
  const ask = window.fetch;
  let held = false;
  window.fetch = async (url, ...rest) => {
    const answer = await ask(url, ...rest);
    if (held || !/sweeps\\/[^/]+\\?page_size=1$/.test(url)) return answer;
    held = true;
    while ((await (await ask(url)).json()).state === "running") await new Promise(next => setTimeout(next, 100));
    await new Promise(next => setTimeout(next, 1000));
    return answer;
  };
})()"""


def test_the_end_of_a_lessons_sweep_is_seen_though_it_came_during_a_look(browser, service):
    walk = Walk(browser, service).open("lessons/strides").says("When does low efficiency hurt?", "h1")
    for _ in range(3):
        walk.click(".answers button", "I do not know")
    walk.script(LATE)
    walk.click(".own button", "Ask this CPU").says("Measured here on a CPU")
    tops = "[...document.querySelectorAll('.tile')].map(one => one.getBoundingClientRect().top)"
    assert len(walk.all(".tile .shipped")) == 2 and len(set(walk.script(tops))) == 1, "both values of a device stand in one row"
    walk.script("sessionStorage.clear()")
    walk.end()
    for sweep in service.get("/v1/sweeps?label=lesson:strides").json()["sweeps"]:
        assert service.delete(f"/v1/sweeps/{sweep['id']}?remove=true").status_code == 204


# Two events in one piece; who listens ends it at the first.
ENDED = """const done = arguments[0], assets = [...document.scripts].find(one => one.src.endsWith("app.js")).src.replace(/app.js$/, "");
import(assets + "api.js").then(({events}) => {
  const ask = window.fetch, body = 'event: state\\ndata: 1\\n\\nevent: state\\ndata: 2\\n\\n', seen = [];
  window.fetch = async () => new Response(body, {headers: {"Content-Type": "text/event-stream"}});
  const stop = events("/v1/events", {onEvent: event => {
    seen.push(event.event);
    if (event.event === "state") stop();
  }});
  setTimeout(() => {
    window.fetch = ask;
    done(seen);
  }, 300);
})"""


def test_after_the_end_of_a_stream_no_event_comes(browser, service):
    walk = Walk(browser, service).open("lessons?lang=en")
    walk.until(lambda: walk.all("h1"))
    browser.set_script_timeout(60)
    assert browser.execute_async_script(ENDED) == ["open", "state"]
    walk.end()


def test_a_lesson_is_asked_of_the_device_here(browser, service):
    walk = Walk(browser, service).open("lessons/strides").says("When does low efficiency hurt?", "h1")
    walk.until(lambda: walk.all("svg.memory"))
    assert not walk.script("document.querySelector('[data-control=stride]').disabled === false"), "the picture would tell the answer"
    for _ in range(3):
        walk.click(".answers button", "I do not know")
    walk.until(lambda: len(walk.all(".reply")) == 3)
    for stride in (8, 5, 32):
        walk.script(MOVE.replace("const", "(() => { const", 1) + " })()", "[data-control=stride]", stride - 1)
        [load, _] = explained(service, kernel="strided", size=16777216, block=256, stride=stride)["accesses"]
        walk.until(lambda: walk.script("document.querySelector('svg.memory .access').dataset.transactions") == str(len(load["transactions"])) == tile(walk, "sectors"))
    walk.until(lambda: tile(walk, "time") == "296.2 µs")
    walk.click(".own button", "Ask this CPU").says("Measured here on a CPU")
    [sweep] = [one for one in service.get("/v1/sweeps?label=lesson:strides").json()["sweeps"]]
    points = {point["values"]["stride"]: point["result"] for point in service.get(f"/v1/sweeps/{sweep['id']}").json()["points"]}
    assert sweep["state"] == "succeeded" and len(points) == 8
    rows = walk.script("[...document.querySelectorAll('.measured-rows tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")
    assert [row[2] for row in rows][:2] == ["100.0", "114"] and len(rows) == 8
    stable = {stride: result["stability"]["stable"] for stride, result in points.items()}
    for row, (stride, result) in zip(rows, sorted(points.items())):
        cold = result["timing"]["cold"]
        shown = [float(number) for number in re.findall(r"[\d.]+", row[3].replace(",", ""))]
        expected = [cold["median_us"], *(cold["ci95_us"] if cold["ci95_us"][0] else [])]
        assert row[0] == f"stride {stride}" and shown == pytest.approx(expected, rel=1e-3)
        assert ("△" in row[3]) == (not stable[stride])
        assert (row[4] == "no value") == (not (stable[stride] and stable[1])), "nothing is concluded from what is not stable"
    unsure = sum(not one for one in stable.values())
    assert (f"{unsure} of the sweep’s 8 points are not stable" in walk.text(".own")) == (unsure > 0)
    assert "△" not in walk.text("svg.guess-scale"), "a ratio of what is not stable has no value"
    assert ("hold only ratios" in walk.text(".own")) == any(row[4] != "no value" for row in rows[1:])
    assert "this CPU" in walk.text("[data-tile=time] dt") and "this CPU" in walk.text(".answers")
    assert re.fullmatch(r"H200, size 16,777,216: [\d.]+ µs", walk.text("[data-tile=time] .shipped").replace("\u00a0", " ")), "the lesson's own value stays beside it"
    browser.refresh()
    walk.says("Measured here on a CPU").until(lambda: "this CPU" in walk.text("[data-tile=time] dt"))
    walk.end()


def test_values_that_are_not_stable_are_marked_and_asked_again_in_several_runs(browser, tmp_path):
    service = Service(tmp_path, environment={"FAKE": "odd"})
    walk = Walk(browser, service).open("lessons/offsets").says("misaligned", "h1")
    for _ in range(len(walk.until(lambda: walk.all(".lesson-steps i")))):
        walk.click(".answers button", "I do not know")
    walk.click(".own button", "Ask this CPU").says("8 of the sweep’s 22 points are not stable: no conclusion is drawn from their times")
    walk.says("this CPU: no value △ unstable", ".answers")
    assert not walk.all("svg.guess-scale circle.own")
    walk.click(".own button", "6 runs of each").until(lambda: walk.all("svg.guess-scale circle.own:not(.unsure)"))
    assert "not stable" not in walk.text(".own") and "△" not in walk.text("svg.guess-scale .label.own")
    [sweep] = [one for one in service.get("/v1/sweeps?label=lesson:offsets").json()["sweeps"] if one["repeat"] == 6]
    assert sweep["state"] == "succeeded"
    walk.script("sessionStorage.clear()")
    walk.end()
    service.stop()


def test_a_lesson_of_a_matrix_says_the_shape_that_ran(browser, service):
    walk = Walk(browser, service).open("lessons/5?lang=en").says("Lesson 5", ".lesson-number")
    for _ in range(len(walk.until(lambda: walk.all(".lesson-steps i")))):
        walk.click(".answers button", "I do not know")
    walk.click(".own button", "Ask this CPU").says("with a size of 1024 × 1024", ".own")
    walk.says("H200, µs, size 8192 × 8192", ".measured-rows thead").says("size 1024 × 1024", ".measured-rows thead")
    walk.says("size=1024x1024", ".typed-line").end()


def test_of_several_runs_a_lesson_shows_the_medians(browser, service):
    walk = Walk(browser, service).open("lessons/footprint?lang=en").says("Lesson 8", ".lesson-number")
    for _ in range(len(walk.until(lambda: walk.all(".lesson-steps i")))):
        walk.click(".answers button", "I do not know")
    walk.click(".own button", "Ask this CPU").says("with sizes of 1024 to 262,144", ".own")
    [sweep] = service.get("/v1/sweeps?label=lesson:footprint").json()["sweeps"]
    asked = service.get(f"/v1/sweeps/{sweep['id']}?page_size=1").json()["request"]
    again = service.request("POST", "/v1/sweeps", json={**asked, "repeat": 6}).json()["id"]
    service.until(lambda: service.get(f"/v1/sweeps/{again}?page_size=1").json()["state"] != "running", seconds=120)
    runs = csv.DictReader(io.StringIO(service.get(f"/v1/sweeps/{again}.csv?view=runs").text))
    hot = [float(run["hot_ns_per_operation"]) for run in runs if run["size_elements"] == "1024"]
    walk.module("teaching/progress.js", "m.stateKeep('footprint', {...m.stateOf('footprint'), sweep: given[0]})", again)
    browser.refresh()
    walk.says("with sizes of", ".own")
    [shown] = [row for row in walk.script("[...document.querySelectorAll('.measured-rows tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")
               if row[0].replace("\u00a0", " ") == "4 KB, hot"]
    value, low, high = (float(number) for number in re.findall(r"[\d.]+", shown[3]))
    assert len(hot) == 6 and value == pytest.approx(statistics.median(hot), rel=2e-3) and low <= value <= high
    assert "sizes differ" not in walk.text("main"), "it is the same sizes, but for one"
    walk.script("sessionStorage.clear()")
    walk.end()


MEET = """(([low, high], [from, to]) => Boolean(m.meetMark({range: [low, high]}, {range: [from, to]})))(...given)"""


def test_a_ratio_of_two_whose_intervals_meet_is_marked(browser, service):
    walk = Walk(browser, service).open("lessons/offsets?lang=en").says("misaligned", "h1")
    assert [walk.module("teaching/figures.js", MEET, *pair) for pair in (([1, 3], [2, 4]), ([2, 4], [1, 3]), ([1, 2], [3, 4]), ([3, 4], [1, 2]))] == [True, True, False, False]
    walk.end()
