"""The staircases of an occupancy, on the form and in the lesson: drawn as GET /v1/occupancy has them, and redrawn with what is chosen."""
import re

import pytest

from chromium import NEEDS, Walk, browser  # noqa: F401
from conftest import Service

pytestmark = NEEDS

# Of each drawing: the name of the figure, the steps of its line, where its dot stands, the words below.
SEEN = """[...document.querySelectorAll("svg.stairs g")].map(one => [one.dataset.axis, (one.querySelector(".step").getAttribute("d").match(/L/g).length + 1) / 2,
    one.querySelector(".now") ? one.querySelector(".halo").textContent : null, one.lastElementChild.matches(".halo") ? [...one.querySelectorAll(".small")].at(-1).textContent : one.lastElementChild.textContent])"""


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    running = Service(tmp_path_factory.mktemp("page"), fake=False)
    yield running
    assert running.stop() == 0


def wanted(service, query):
    one = service.get(f"/v1/occupancy?{query}").json()["occupancies"][0]
    now = {"registers": one["registers_per_thread"], "shared_bytes": one["shared_bytes_per_block"], "threads": one["threads_per_block"]}

    def words(side, text):
        return [text.format(side["blocks_per_sm"], "block" if side["blocks_per_sm"] == 1 else "blocks", side["at"])] if side else []
    return [[axis, len(steps), None if now[axis] is None else str(now[axis]),
             ", ".join(words(one["thresholds"][axis]["more"], "{} {} at {}") + words(one["thresholds"][axis]["fewer"], "{} {} at {}"))] for axis, steps in one["staircases"].items()]


def seen(walk):
    """Without what separates thousands."""
    return [[axis, steps, now and re.sub(r"\D", "", now), re.sub(r"(?<=\d),(?=\d)", "", words.replace("\u00a0", " "))] for axis, steps, now, words in walk.script(SEEN)]


def test_the_form_asks_for_the_staircases_of_what_is_typed(browser, service):
    walk = Walk(browser, service)
    for kernel, typed in (("copy", "block=128&shared_bytes=4096"), ("register_pressure", "dtype=i32&values=64&block=256")):
        asked = {name: int(value) if value.isdigit() else value for name, value in (one.split("=") for one in typed.split("&"))}
        registers = service.request("POST", "/v1/predictions", json={"kernel": kernel, "arch": "sm_90", **asked}).json()["predictions"][0]["occupancy"]["registers_per_thread"]
        walk.open(f"new?kernel={kernel}&{typed}")
        launch = f"arch=sm_90&block={asked['block']}&registers_per_thread={registers}&shared_bytes={asked.get('shared_bytes', 0)}"
        walk.until(lambda: seen(walk) == wanted(service, launch), 30)
    walk.end()


def test_the_lesson_draws_the_chip_that_is_chosen(browser, service):
    walk = Walk(browser, service)
    walk.open("lessons/multiprocessor")
    walk.until(lambda: seen(walk) == wanted(service, "arch=sm_12&block=512&registers_per_thread=16&parameter_bytes=24"), 30)
    assert ["registers", "16", "1 block at 17"] == [seen(walk)[0][k] for k in (0, 2, 3)]
    walk.end()


def test_a_result_draws_those_of_the_code_that_ran(browser, service):
    done = service.run({"kernel": "register_pressure", "dtype": "i32", "values": 64, "block": 256, "size": 65536, "measure": {"min_samples": 1, "max_seconds": 0.01}})
    walk = Walk(browser, service)
    walk.open(f"experiments/{done['id']}")
    walk.until(lambda: seen(walk) == wanted(service, "arch=sm_90&block=256&registers_per_thread=71"), 30)
    walk.end()
