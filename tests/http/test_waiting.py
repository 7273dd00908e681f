"""What keeps an experiment or a sweep from beginning, and what is kept of runs that were lost: over HTTP, with devices that are
starting, unhealthy, gone, or that die under their work."""
import json
import os
import signal

import pytest
from conftest import FAKE, SMALL

POINTS = {"kernel": "read_offset", "size": 1024, "offset": [0, 1, 2]}


def entry(name, command=FAKE, **rest):
    return {"name": name, "command": command, **rest}


@pytest.fixture
def listed(start, tmp_path):
    """listed(entries ...) -> a service with these devices; service.list(entries ...) changes them."""
    path = tmp_path / "devices.json"

    def write(*entries):
        path.with_suffix(".new").write_text(json.dumps({"devices": list(entries)}))
        path.with_suffix(".new").replace(path)

    def begin(*entries, **rest):
        write(*entries)
        service = start("--devices-file", str(path), fake=False, **rest)

        def times_read():
            return service.log.read_text().count("the list of devices was read")

        def change(*entries):
            before = times_read()
            write(*entries)
            service.process.send_signal(signal.SIGHUP)
            service.until(lambda: times_read() > before)
        service.list = change
        return service

    return begin


def device(service, name):
    return service.get(f"/v1/devices/{name}").json()


def known(service, *names):
    service.until(lambda: all("uuid" in device(service, name) for name in names))


def waits(service, kind, one):
    return service.get(f"/v1/{kind}/{one}").json().get("waits_for")


def until_waits(service, kind, one, *words):
    service.until(lambda: all(word in (waits(service, kind, one) or "") for word in words))


def sweep(service, **rest):
    response = service.request("POST", "/v1/sweeps", json={**POINTS, **rest})
    assert response.status_code == 202, response.text
    return response.json()["id"]


def test_a_device_that_starts_says_what_its_start_waits_for(listed, tmp_path):
    """It has run before, so that what it can is known; then its command waits as srun does."""
    gate = tmp_path / "gate"
    script = tmp_path / "slow"
    script.write_text(f'#!/bin/sh\necho "job 17 queued and waiting for resources" >&2\n'
                      f'while ! [ -e {gate} ]; do sleep 0.05; done\nexec {FAKE} "$@"\n')
    script.chmod(0o755)
    service = listed(entry("slow", idle_s=0.2))
    service.works()
    service.list(entry("slow", str(script), idle_s=0.2))
    service.until(lambda: device(service, "slow")["readiness"] == "away")
    one = service.post({**SMALL, "device": "slow"}).json()["id"]
    for kind, waiting in (("experiments", one), ("sweeps", sweep(service, device="slow"))):
        until_waits(service, kind, waiting, "slow is being started", "job 17 queued")
    assert device(service, "slow")["readiness"] == "starting"
    gate.touch()
    service.until(lambda: service.get(f"/v1/experiments/{one}").json()["state"] == "succeeded")
    assert "waits_for" not in service.get(f"/v1/experiments/{one}").json()


def test_a_device_that_cannot_be_used_says_why(listed):
    service = listed(entry("bad"))
    service.works()
    service.list(entry("bad", "/bin/false"))
    one = service.post({**SMALL, "device": "bad"}).json()
    until_waits(service, "experiments", one["id"], "bad cannot be used now, and is tried again: ", "1")
    assert device(service, "bad")["status"]["health"] == "unhealthy"
    assert service.delete(f"/v1/experiments/{one['id']}").status_code == 200


@pytest.mark.parametrize("how", ["gone", "broken"])
def test_a_sweep_that_stays_on_a_device_which_is_no_more_says_so_and_can_be_cancelled(listed, how):
    service = listed(entry("left"), entry("right"))
    known(service, "left", "right")
    service.request("POST", "/v1/devices/right/drain")
    stays = sweep(service, device="any", labels={"fake": "sleep:1"})
    service.until(lambda: service.get(f"/v1/sweeps/{stays}").json()["devices"] == [{"device": 0, "device_name": "left"}])
    service.list(*[entry("left", "/bin/false")][:how == "broken"], entry("right"))
    service.request("POST", "/v1/devices/right/resume")
    word = "left is not in the list" if how == "gone" else "left cannot be used now"
    advice = "\"spread\": true, it may run on right"
    until_waits(service, "sweeps", stays, word, advice)
    waiting = service.get(f"/v1/experiments?sweep={stays}&state=queued").json()["experiments"]
    assert service.get(f"/v1/sweeps/{stays}").json()["eta_seconds"] is None, "points ran, but no more can"
    assert service.get(f"/v1/experiments/{waiting[0]['id']}").json()["eta_seconds"] is None
    assert len(waiting) >= 1 and word in waits(service, "experiments", waiting[0]["id"])
    assert advice in waits(service, "experiments", waiting[0]["id"])
    # What is for that device alone has no such advice, and what goes anywhere runs.
    alone = service.post({**SMALL, "device": "left"})
    assert alone.status_code == (422 if how == "gone" else 202) and "spread" not in alone.text
    assert service.run({**SMALL, "device": "any"})["device_name"] == "right"
    assert service.delete(f"/v1/sweeps/{stays}").status_code == 200
    done = service.get(f"/v1/sweeps/{stays}").json()
    assert done["state"] == "cancelled" and "waits_for" not in done and done["queued"] == done["running"] == 0
    again = service.request("POST", "/v1/sweeps", json={**POINTS, "device": "any", "spread": True}, headers={"Prefer": "wait=30"})
    assert again.status_code == 200 and again.json()["devices"] == [{"device": 1, "device_name": "right"}]


def test_what_goes_anywhere_waits_for_no_device_that_left(listed):
    """What knew one device alone when it was submitted takes another one that came since."""
    service = listed(entry("left"))
    known(service, "left")
    service.request("POST", "/v1/devices/left/drain")
    one, points = service.post({**SMALL, "device": "any"}).json(), sweep(service, device={"memory_bytes": 1})
    assert one["device"] is None and one["waits_for"] == "left is paused"
    service.list(entry("left"), entry("right"))
    service.until(lambda: service.get(f"/v1/experiments/{one['id']}").json()["state"] == "succeeded")
    service.until(lambda: service.get(f"/v1/sweeps/{points}").json()["state"] == "succeeded")
    assert service.get(f"/v1/sweeps/{points}").json()["devices"] == [{"device": 1, "device_name": "right"}]


def test_a_restart_with_another_list_keeps_what_waits(listed):
    service = listed(entry("left"))
    known(service, "left")
    service.request("POST", "/v1/devices/left/drain")
    one, points = service.post(SMALL).json()["id"], sweep(service, device="left")
    assert service.stop() == 0
    service = listed(entry("right"))
    until_waits(service, "experiments", one, "left is not in the list")
    assert service.get(f"/v1/experiments/{one}").json()["eta_seconds"] is service.get(f"/v1/sweeps/{points}").json()["eta_seconds"] is None
    assert "4 experiments wait for devices that are not in the list" in service.log.read_text()
    gone = device(service, "left")
    assert not gone["in_list"] and gone["readiness"] == "unhealthy" and gone["status"]["reason"] == "nothing begins here before it is in the list again"
    assert service.stop() == 0
    service = listed(entry("left"), entry("right"))
    service.request("POST", "/v1/devices/left/resume")
    service.until(lambda: service.get(f"/v1/experiments/{one}").json()["state"] == service.get(f"/v1/sweeps/{points}").json()["state"] == "succeeded")


def test_a_run_that_was_lost_is_told_with_why(listed):
    """The executor is killed by somebody in the middle of a run: that is counted, kept, and it runs again."""
    service = listed(entry("dies"))
    known(service, "dies")
    one = service.post({**SMALL, "device": "any", "labels": {"fake": "sleep:1.5"}}).json()["id"]
    service.until(lambda: service.get(f"/v1/experiments/{one}").json()["state"] == "running")
    os.kill(device(service, "dies")["status"]["executor_pid"], signal.SIGKILL)
    service.until(lambda: service.get(f"/v1/experiments/{one}").json()["state"] == "succeeded", seconds=60)
    shown = service.get(f"/v1/experiments/{one}").json()
    assert shown["attempt"] == 2 and len(shown["lost"]) == 1
    lost = shown["lost"][0]
    assert (lost["attempt"], lost["device"]) == (1, 0) and "killed by SIGKILL" in lost["why"]
