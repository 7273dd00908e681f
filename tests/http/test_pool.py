"""The list of devices: from options and from a file, and what happens when it changes while experiments run."""
import json
import os
import signal
import sqlite3
import time

import pytest
from conftest import FAKE, SMALL


def write(path, *entries):
    """In one step, as an editor does: nobody sees half of it."""
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps({"devices": list(entries)}))
    beside.chmod(0o644)
    beside.replace(path)


def fake(name, **rest):
    return {"name": name, "command": FAKE, **rest}


def numbers(service):
    """Of all names that there ever were, by the store."""
    with sqlite3.connect(f"file:{service.directory / 'data' / 'coalesced.db'}?mode=ro", uri=True) as db:
        return dict(db.execute("SELECT name, number FROM devices"))


def present(service):
    return [device["index"] for device in service.get("/v1/devices").json()["devices"] if device["in_list"]]


def known(service, *wanted):
    """Those are all that there are, and have said what they are."""
    devices = {device["index"]: device for device in service.get("/v1/devices").json()["devices"] if device["in_list"]}
    return sorted(devices) == sorted(wanted) and all("uuid" in device for device in devices.values())


def told(service, text):
    return service.log.read_text().count(text)


def list_check(service):
    checks = service.get("/readyz?verbose").json()["checks"]
    return next(check for check in checks if check["name"] == "list of devices")


@pytest.fixture
def listed(start, tmp_path):
    """listed(entries ...) -> a service with that file, which is at service.file."""

    def begin(*entries, flags=(), **rest):
        path = tmp_path / "devices.json"
        write(path, *entries)
        service = start("--devices-file", str(path), *flags, fake=False, **rest)
        service.file = path
        return service

    return begin


def test_devices_are_given_by_option_with_commands_of_their_own(start):
    service = start("--device", f"one={FAKE}", "--device", f"two={FAKE}", fake=False)
    service.until(lambda: known(service, 0, 1))
    assert numbers(service) == {"one": 0, "two": 1} and present(service) == [0, 1]
    assert service.run({**SMALL, "device": 1})["state"] == "succeeded"
    assert service.get("/v1/devices/1").json()["uuid"] == "fake-auto-0"


def test_all_kinds_of_lists_are_one(start, tmp_path):
    path = tmp_path / "devices.json"
    write(path, fake("many", count=2, device="cpu:7"), {"name": "plain"})
    service = start("--devices", "cpu,cpu", "--device", f"one={FAKE}", "--devices-file", str(path))
    assert numbers(service) == {"cpu": 0, "cpu-2": 1, "one": 2, "many-1": 3, "many-2": 4, "plain": 5}
    service.until(lambda: known(service, *range(6)))
    assert [device["uuid"] for device in service.get("/v1/devices").json()["devices"]] == [
        "fake-cpu", "fake-cpu", "fake-auto-0", "fake-cpu-7", "fake-cpu-7", "fake-auto-0"]


def test_auto_in_a_file_stands_for_the_devices_of_this_machine(start, tmp_path):
    path = tmp_path / "devices.json"
    write(path, fake("first"), {"auto": True})
    service = start("--devices-file", str(path), environment={"FAKE_DEVICES": "2"})
    assert numbers(service) == {"first": 0, "cpu": 1, "cpu-2": 2}


@pytest.mark.parametrize("flags, said", [
    (["--device", "nonsense"], "NAME=COMMAND"), (["--device", "7=x"], "all digits"), (["--device", "a="], "NAME=COMMAND"),
    (["--device", "a=x", "--device", "a=y"], "twice"), (["--device", "a='x"], "quote"),
    (["--devices-file", "/nonexistent"], "/nonexistent")])
def test_a_list_that_makes_no_sense_is_refused_at_the_start(start, flags, said):
    with pytest.raises(RuntimeError, match="did not start") as refused:
        start(*flags, fake=False)
    assert said in str(refused.value)


@pytest.mark.slow
@pytest.mark.parametrize("by", ["signal", "look"])
def test_a_list_that_changes_holds_without_a_restart(listed, by):
    service = listed(fake("one"))

    def reread(*entries):
        write(service.file, *entries)
        if by == "signal":
            service.process.send_signal(signal.SIGHUP)

    reread(fake("one"), fake("two"))
    service.until(lambda: known(service, 0, 1))
    assert service.run({**SMALL, "device": 1})["state"] == "succeeded"
    process = service.get("/v1/devices/0").json()["status"]["executor_pid"]
    reread(fake("two"), fake("three"))
    service.until(lambda: known(service, 1, 2))
    assert numbers(service) == {"one": 0, "two": 1, "three": 2}
    if process:
        service.until(lambda: not os.path.exists(f"/proc/{process}"))
    assert service.run({**SMALL, "device": 2})["state"] == "succeeded"
    reread(fake("one"))
    service.until(lambda: present(service) == [0])
    assert service.run({**SMALL, "device": 0})["state"] == "succeeded"


@pytest.mark.slow
def test_what_runs_on_a_device_that_is_removed_ends_there(listed):
    service = listed(fake("stays"), fake("goes"))
    service.until(lambda: known(service, 0, 1))
    slow = service.post({**SMALL, "device": 1, "labels": {"fake": "sleep:2"}}).json()["id"]
    service.until(lambda: service.get(f"/v1/experiments/{slow}").json()["state"] == "running")
    waits = service.post({**SMALL, "device": 1}).json()["id"]
    write(service.file, fake("stays"))
    service.process.send_signal(signal.SIGHUP)
    service.until(lambda: present(service) == [0])
    service.works()
    ended = service.get(f"/v1/experiments/{slow}?wait=20").json()
    assert ended["state"] == "succeeded" and ended["attempt"] == 1
    service.until(lambda: told(service, "its worker has ended") == 1)
    assert service.get(f"/v1/experiments/{waits}").json()["state"] == "queued"
    healthy = [line for line in service.get("/metrics").text.splitlines() if line.startswith("coalesced_device_healthy{")]
    assert healthy == ['coalesced_device_healthy{device="0"} 1']
    write(service.file, fake("goes"), fake("stays"))
    service.process.send_signal(signal.SIGHUP)
    assert service.get(f"/v1/experiments/{waits}?wait=20").json()["state"] == "succeeded"


def test_a_device_that_changed_gets_another_worker_and_keeps_its_number(listed):
    service = listed(fake("one"), fake("two", device="cpu:1"))
    service.until(lambda: known(service, 0, 1))
    assert service.run({**SMALL, "device": 1})["state"] == "succeeded"
    write(service.file, fake("two", device="cpu:2"), fake("one", note="as it was"))
    service.process.send_signal(signal.SIGHUP)
    service.until(lambda: told(service, "its worker has ended") == 1)
    assert service.run({**SMALL, "device": 1})["state"] == "succeeded"
    assert service.get("/v1/devices/1").json()["uuid"] == "fake-cpu-2"
    assert numbers(service) == {"one": 0, "two": 1}
    assert told(service, "two is another device than before: fake-cpu-2") == 1
    assert told(service, "its worker has ended") == 1, "a note is no reason for another worker"


def test_a_wrong_file_changes_nothing_and_is_told_once(listed):
    service = listed(fake("one"))
    for text, said in [('{"devices": [{"name": "one", "comand": "x"}]}', "command"), ("{", "line 1"), ('{"devices": []}', "empty")]:
        service.file.write_text(text)
        service.until(lambda: said in (list_check(service)["reason"] or ""))
        service.process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
    service.file.unlink()
    service.until(lambda: "No such file" in (list_check(service)["reason"] or ""))
    assert present(service) == [0] and told(service, "the devices stay as they were") == 4
    service.works()
    write(service.file, fake("one"), fake("two"))
    service.until(lambda: list_check(service)["ok"])
    assert present(service) == [0, 1]


def test_a_hangup_ends_nothing_where_there_is_no_file(start):
    service = start()
    process = service.get("/v1/devices/0").json()["status"]["executor_pid"]
    service.process.send_signal(signal.SIGHUP)
    service.until(lambda: told(service, "the list of devices was read") == 1)
    service.works()
    assert process in (None, service.get("/v1/devices/0").json()["status"]["executor_pid"])
    assert told(service, "its worker has ended") == 0


def test_a_list_that_everybody_may_write_is_refused(listed):
    service = listed(fake("one"))
    service.file.chmod(0o666)
    service.until(lambda: "chmod o-w" in (list_check(service)["reason"] or ""))


@pytest.mark.slow
def test_twenty_reloads_lose_nothing_and_run_nothing_twice(listed, tmp_path):
    journal = tmp_path / "journal"
    service = listed(fake("stays"), fake("changes"), environment={"FAKE_WORK_LOG": str(journal)})
    service.until(lambda: known(service, 0, 1))
    ids = []
    for i in range(20):
        for device in (0, "changes", "any"):
            for how in ({}, {"labels": {"fake": "sleep:0.1"}}, {}):
                ids.append(service.post({**SMALL, "device": device, **how}).json()["id"])
        more = [fake("comes")] if i % 2 else []
        write(service.file, *more, fake("changes", hold_s=i), fake("stays", note=f"{i}"))
        service.process.send_signal(signal.SIGHUP)
        service.until(lambda: told(service, "the list of devices was read") >= i + 1)
    ended = [service.get(f"/v1/experiments/{one}?wait=60").json() for one in ids]
    assert {(one["state"], one["attempt"]) for one in ended} == {("succeeded", 1)}
    assert sorted(journal.read_text().split()) == sorted(ids)


@pytest.mark.slow
def test_numbers_and_what_is_known_outlive_a_restart(listed):
    service = listed(fake("one"), fake("two", device="cpu:2"))
    service.until(lambda: known(service, 0, 1))
    service.stop()
    never = {"command": "sleep 600", "device": "cpu:2"}
    service = listed({"name": "three", **never}, {"name": "two", **never}, directory=service.directory, ready=False)
    assert numbers(service) == {"one": 0, "two": 1, "three": 2} and present(service) == [1, 2]
    write(service.file, {"name": "two", **never}, {"name": "three", **never}, {"name": "one", **never})
    service.process.send_signal(signal.SIGHUP)
    service.until(lambda: present(service) == [0, 1, 2])
    for known_before in (0, 1):  # one came with the start, the other later
        service.until(lambda: service.get(f"/v1/devices/{known_before}").json()["readiness"] == "away")
        assert service.get(f"/v1/devices/{known_before}").json()["status"]["health"] == "healthy"
    two, three = (service.get(f"/v1/devices/{i}").json() for i in (1, 2))
    assert two["uuid"] == "fake-cpu-2" and "uuid" not in three
    assert service.post({**SMALL, "device": 1}).status_code == 202
    assert service.post({**SMALL, "device": 2}).status_code == 503


def test_an_unknown_uuid_under_an_old_name_is_told_once_and_kept(listed):
    for i, uuid in enumerate(["here", "there", "there"]):
        service = listed(fake("one"), environment={"FAKE_UUID": uuid})
        service.works()
        assert told(service, "one is another device than before: there") == (1 if i == 1 else 0)
        service.stop()


@pytest.mark.slow
def test_where_no_device_of_the_list_has_a_number_a_request_is_told_so(listed):
    service = listed(fake("old"))
    assert service.stop() == 0
    with sqlite3.connect(service.directory / "data" / "coalesced.db") as db:
        db.executemany("INSERT INTO devices (number, name) VALUES (?, ?)", [(number, f"old-{number}") for number in range(1, 128)])
        db.executemany("INSERT INTO holds (device, owner, since_ms) VALUES (?, '', 1)", [(number,) for number in range(128)])
    service = listed(fake("new"), directory=service.directory, ready=False)
    assert present(service) == [] and "no number is left for device new" in list_check(service)["reason"]
    refused = service.post(SMALL)
    assert refused.status_code == 422
    assert refused.json()["errors"] == [{"pointer": "#/device", "detail": "no device in the list can be used"}]
    sweep = service.request("POST", "/v1/sweeps", json=SMALL).json()  # of a sweep each point says so
    assert "no device in the list can be used" in service.get(sweep["links"]["csv"]).text
