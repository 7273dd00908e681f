"""Several devices in a real browser: by name, one that is let go and started again, a choice of them, a sweep that is spread, runs
that were lost, a comparison within each."""
import json
import os
import signal

import pytest

from chromium import NEEDS, Walk, browser, serve  # noqa: F401
from conftest import FAKE, SMALL

pytestmark = NEEDS
WHY = "job 12 queued and waiting for resources"
# Says hello when it is started first; afterwards it waits for what never comes.
SLOW = f"""#!/bin/sh
if [ -e "$0.known" ]; then
    echo "{WHY}" >&2
    exec sleep 300
fi
touch "$0.known"
exec {FAKE} "$@"
"""


@pytest.fixture
def pool(serve, tmp_path):
    script = tmp_path / "slow"
    script.write_text(SLOW)
    script.chmod(0o755)
    devices = [{"name": "one", "command": f"env FAKE_UUID=GPU-1 {FAKE}", "idle": "context", "heartbeat_s": 0, "note": "on the desk"},
               {"name": "two", "command": f"env FAKE_UUID=GPU-2 {FAKE}", "idle": "context", "heartbeat_s": 0},
               {"name": "slow", "command": str(script), "idle": "release", "idle_s": 0.1}]
    path = tmp_path / "devices.json"
    path.write_text(json.dumps({"devices": devices}))
    service = serve("--devices-file", str(path), fake=False)
    service.until(lambda: readiness(service) == {"one": "ready", "two": "ready", "slow": "away"})
    return service


def readiness(service):
    return {one["device_name"]: one["readiness"] for one in service.get("/v1/devices").json()["devices"]}


def test_a_device_that_was_let_go_is_started_and_says_what_it_waits_for(browser, pool):
    walk = Walk(browser, pool).open("").says("on the desk").says("not held").says("Nothing is held")
    walk.open("devices").says("3 devices: 2 idle, 1 not held", "h1").click("main th a", "slow").says("slow is not held", "h1")
    waits = pool.post({**SMALL, "device": "slow"}).json()
    walk.says("slow is being started", "h1").says(WHY)
    walk.open(f"experiments/{waits['id']}").says(WHY, "h1").says("slow", ".asked")
    walk.open("").says(WHY)
    walk.open("queue").says("1 waits", "h1").says("slow", "h2").says(WHY)
    pool.delete(waits["links"]["self"])
    walk.says("Nothing runs", "h1").end()


def test_a_sweep_is_spread_by_the_form_and_shown_by_its_devices(browser, pool):
    walk = Walk(browser, pool).open("new?kernel=copy&size=1024,2048,4096,8192,16384,32768")
    walk.says("Run a sweep of 6 on the default device").click("#field-spread").says("Run a sweep of 6 on any device").says("--spread")
    walk.click("#field-device").click("#field-device option", "one").says("--device one").click("#field-device").click("#field-device option", "any")
    assert "device=any" in browser.current_url and "spread=true" in browser.current_url
    walk.click(".run").says("6 of 6 measured")
    head = pool.get(walk.script("location.pathname").replace("/ui/", "/v1/")).json()
    names = sorted(one["device_name"] for one in head["devices"])
    assert head["spread"] and set(names) <= {"one", "two"}
    walk.says(", ".join(names), ".lead-line")
    if len(names) == 2:
        walk.says("device", "thead").says("device one", ".legend")
        shown = sorted({cells.text for cells in walk.all(".sweep-table tbody td code")})
        assert shown == names
    walk.end()


def test_a_lost_run_has_its_reason_and_sides_on_several_devices_are_compared_within_each(browser, pool):
    lost = pool.post({**SMALL, "device": "two", "labels": {"fake": "sleep:5"}}).json()
    pool.until(lambda: pool.get(lost["links"]["self"]).json()["state"] == "running")
    os.kill(pool.get("/v1/devices/two").json()["status"]["executor_pid"], signal.SIGKILL)
    pool.until(lambda: pool.get(lost["links"]["self"]).json()["lost"])
    walk = Walk(browser, pool).open(f"experiments/{lost['id']}").says("Runs that were lost").says("SIGKILL")
    pool.until(lambda: pool.get(lost["links"]["self"]).json()["state"] == "succeeded")
    walk.open(f"experiments/{lost['id']}").says("Runs that were lost").says("SIGKILL")  # its result has no bytes moved
    sides = []
    for us in "10,10.1,10.2", "12,12.1,12.2":
        asked = {"kernel": "copy", "size": 1024, "device": ["one", "two"], "repeat": 6, "labels": {"fake": f"time:{us}"}}
        sides.append(pool.request("POST", "/v1/sweeps", json=asked).json()["id"])
        pool.until(lambda: pool.get(f"/v1/sweeps/{sides[-1]}").json()["state"] == "succeeded")
    walk.open(f"compare?a=sweep:{sides[0]}&b=sweep:{sides[1]}").says("worse in 2", "h1").says("device", ".forest-table thead")
    walk.says("one", ".forest-table tbody").says("two", ".forest-table tbody")
    assert "GPU-1" not in walk.text("main")
    walk.open("experiments").click("#filter-device").click("#filter-device option", "two").says("that fit", "h1")
    walk.until(lambda: {*walk.script("[...document.querySelectorAll('tbody td')].map(cell => cell.textContent)")} & {"one", "two"} == {"two"})
    walk.end()


def test_a_devices_counts_follow_what_runs(browser, serve):
    service = serve()
    walk = Walk(browser, service).open("devices/0?lang=en").says("runs since the service began")
    runs = lambda: walk.script("[...document.querySelectorAll('.facts div')].find(one => one.textContent.includes('runs since')).lastChild.textContent")  # noqa: E731
    assert runs() == "0"
    walk.script("window.same = true")
    service.run()
    walk.until(lambda: runs() == "1")
    assert walk.script("window.same"), "without loading it anew"
    walk.end()
