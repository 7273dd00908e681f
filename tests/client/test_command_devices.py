"""Several devices, as the command asks for them and shows them."""
import json
import os
import signal
import threading

import pytest
from command import REFUSED, USAGE, coalesce
from conftest import SMALL, Service

RUN = ["run", "copy", "size=4096"]
SLEEPS = {**SMALL, "labels": {"fake": "sleep:60"}}


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    running = Service(tmp_path_factory.mktemp("two"), "--devices", "cpu,cpu")
    yield running
    running.stop()


@pytest.mark.parametrize("words, asked, ran", [
    (["--device", "cpu-2"], "cpu-2", {"cpu-2"}),
    (["--device", "1"], 1, {"cpu-2"}),
    (["device=cpu"], "cpu", {"cpu"}),
    (["--device", "any"], "any", {"cpu", "cpu-2"}),
    (["--device", "name=Fake device,memory_bytes=1Mi"], {"name": "Fake device", "memory_bytes": 1 << 20}, {"cpu", "cpu-2"}),
    (["device=name=Fake device"], {"name": "Fake device"}, {"cpu", "cpu-2"}),
])
def test_a_device_is_chosen_by_name_number_or_what_it_is(two, words, asked, ran):
    said = json.loads(coalesce(two, *RUN, *words, "--json").stdout)
    assert said["request"]["device"] == asked and said["device_name"] in ran
    shown = coalesce(two, "show", said["id"]).stdout
    assert f"on {said['device_name']}, Fake device" in shown
    assert "device=name=Fake device" in shown or not isinstance(asked, dict)


@pytest.mark.parametrize("words, status, told", [
    (["--device", "cpu", "device=1"], USAGE, "given twice"),
    (["--device", "memory_bytes="], USAGE, "what it must be"),
    (["--device", "cpu,arch=sm_90"], USAGE, "what it must be"),
    (["--device", "nowhere"], REFUSED, "cpu-2"),
    (["--device", "arch=sm_90"], REFUSED, "device.arch"),
    (["--spread"], USAGE, "spread"),
])
def test_what_is_wrong_with_a_device_is_told(two, words, status, told):
    assert told in coalesce(two, *RUN, *words, expect=status).stderr


def test_a_sweep_is_spread_and_its_table_names_the_devices(two):
    done = coalesce(two, "sweep", "copy", "size=1024,2048,4096,8192,16384,32768", "--spread")
    head, names = done.stdout.splitlines()[:2]
    assert ", on cpu" in head and names.split()[:2] == ["size", "device"]
    rows = [line.split() for line in done.stdout.splitlines()[3:9]]
    assert {row[1] for row in rows} <= {"cpu", "cpu-2"}
    [sweep] = json.loads(coalesce(two, "ls", "--sweeps", "-n", "1", "--json").stdout)["sweeps"]
    asked = two.get(f"/v1/sweeps/{sweep['id']}").json()
    assert asked["spread"] and asked["request"]["device"] == "any"
    coalesce(two, "sweep", "copy", "size=1024,2048", "--spread", "--device", "cpu-2")
    [sweep] = json.loads(coalesce(two, "ls", "--sweeps", "-n", "1", "--json").stdout)["sweeps"]
    assert [one["device_name"] for one in two.get(f"/v1/sweeps/{sweep['id']}").json()["devices"]] == ["cpu-2"]


def test_devices_and_what_waits_for_them_are_shown_by_name(two):
    running = [two.post({**SLEEPS, "device": name}).json() for name in ("cpu", "cpu-2")]
    waiting = [two.post({**SMALL, "device": "any"}).json() for _ in range(3)] + [two.post({**SMALL, "device": "cpu-2"}).json()]
    try:
        lines = coalesce(two, "devices").stdout.splitlines()
        assert lines[0].split()[0] == "device" and [line.split()[0] for line in lines[2:]] == ["cpu", "cpu-2"]
        assert coalesce(two, "devices", "cpu-2").stdout.startswith("cpu-2: Fake device")
        shown = coalesce(two, "queue").stdout
        assert "nobody" in shown and "cpu-2" in shown and "4 queued, 2 running" in shown
        assert "cpu-2" in coalesce(two, "top").stdout
        assert "cpu-2" in coalesce(two, "ls", "--device", "cpu-2").stdout
        offered = [line.split("\t")[0] for line in coalesce(two, "--complete", "run", "copy", "--device", "").stdout.splitlines()]
        assert offered == ["cpu", "cpu-2", "any", "arch="]
        assert coalesce(two, "--complete", "devices", "cpu-").stdout.startswith("cpu-2\t")
    finally:
        for one in [*waiting, *running]:
            two.delete(one["links"]["self"])


@pytest.mark.parametrize("words", [["run", "copy", "size=4096"], ["sweep", "copy", "size=1024,2048"]])
def test_what_a_device_waits_for_is_told_to_whoever_waits_for_it(two, words):
    two.request("POST", "/v1/devices/cpu-2/drain")
    resume = threading.Timer(5, two.request, ["POST", "/v1/devices/cpu-2/resume"])
    try:
        waiting = coalesce(two, *words, "--device", "cpu-2", "-d").stdout.strip()
        shown = coalesce(two, "queue").stdout
        assert "cpu-2 is paused" in shown and " s " not in shown, "nobody knows when it begins"
        resume.start()
        assert coalesce(two, "watch", waiting).stderr.count("it waits: cpu-2 is paused") == 1
    finally:
        resume.cancel()
        two.request("POST", "/v1/devices/cpu-2/resume")


def test_a_lost_run_is_told_with_its_device_and_why(two):
    lost = two.post({**SMALL, "device": "cpu-2", "labels": {"fake": "sleep:5"}}).json()  # until it is seen and killed, on a busy machine too
    two.until(lambda: two.get(lost["links"]["self"]).json()["state"] == "running")
    os.kill(two.get("/v1/devices/cpu-2").json()["status"]["executor_pid"], signal.SIGKILL)
    done = coalesce(two, "watch", lost["id"])
    assert "run 1 was lost, on cpu-2 at 20" in done.stdout and "SIGKILL" in done.stdout


def test_a_device_and_the_queue_are_paused_and_resumed(two):
    assert coalesce(two, "pause", "cpu-2").stdout == "cpu-2 is paused\ncoalesce resume cpu-2 lets it run again\n"
    assert [one["paused"] for one in two.get("/v1/devices").json()["devices"]] == [False, True]
    assert coalesce(two, "pause").stdout == "the whole queue is paused\ncoalesce resume lets it run again\n" and two.get("/v1/queue").json()["paused"]
    waits = coalesce(two, *RUN, "--detach").stdout.strip()
    assert coalesce(two, "resume").stdout == "the whole queue is resumed\na device that was paused by itself stays so\n"
    coalesce(two, "watch", waits)
    assert [one["paused"] for one in two.get("/v1/devices").json()["devices"]] == [False, True]
    assert coalesce(two, "resume", "cpu-2").stdout == "cpu-2 is resumed\n"
    assert json.loads(coalesce(two, "resume", "--json").stdout)["paused"] is False
    assert "nowhere" in coalesce(two, "pause", "nowhere", expect=REFUSED).stderr
