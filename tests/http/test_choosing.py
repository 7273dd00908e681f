"""Where an experiment goes: by number, by name, anywhere, or by what a device must be; sweeps that stay and that spread."""
import csv
import io
import re

import pytest
from conftest import FAKE, SMALL

POINTS = {"kernel": "read_offset", "size": 1024, "offset": list(range(6))}


@pytest.fixture
def two(start):
    """A service with two devices, which are known."""

    def begin(*flags):
        service = start("--device", f"left={FAKE}", "--device", f"right={FAKE}", *flags, fake=False)
        service.until(lambda: all("uuid" in one for one in service.get("/v1/devices").json()["devices"]))
        return service

    return begin


def ended(service, body):
    response = service.request("POST", "/v1/sweeps", json=body, headers={"Prefer": "wait=30"})
    assert response.status_code == 200, response.text
    return response.json()


def wrong(service, body, path="/v1/experiments"):
    response = service.request("POST", path, json=body)
    assert response.status_code == 422, response.text
    return {error["pointer"]: error["detail"] for error in response.json()["errors"]}


@pytest.mark.parametrize("choice, where", [(1, {1}), ("right", {1}), ("any", {0, 1}), ({"arch": "cpu"}, set()),
                                           ({"memory_bytes": 1 << 20}, {0, 1}), ({"name": "Fake device"}, {0, 1})])
def test_an_experiment_goes_where_it_may(two, choice, where):
    service = two()
    if not where:
        assert "arch" in next(iter(wrong(service, {**SMALL, "device": {"arch": "sm_90"}})))
        where = {0, 1}  # the fake one's backend is the CPU
    done = service.run({**SMALL, "device": choice})
    assert done["request"]["device"] == choice and done["device"]["index"] in where
    assert done["device_name"] == ["left", "right"][done["device"]["index"]] and done["lost"] == []


def test_a_default_is_what_the_operator_says(two):
    service = two("--default-device", "right")
    done = service.run(SMALL)
    assert done["request"]["device"] == "right" and done["device_name"] == "right"
    sweep = ended(service, POINTS)
    assert sweep["devices"] == [{"device": 1, "device_name": "right"}] and "device" not in sweep["request"]


def test_a_source_goes_to_a_cpu_by_itself(start):
    """Its PTX is interpreted, which a CPU alone does: a service whose first device is a GPU need not be told."""
    service = start("--device", f"gpu=env FAKE_BACKEND=cuda {FAKE}", "--device", f"host={FAKE}", fake=False)
    service.until(lambda: all("uuid" in one for one in service.get("/v1/devices").json()["devices"]))
    source = {"source": "__global__ void set(int *out, unsigned n) { for (unsigned i = 0; i < n; i++) out[i] = 1; }", "n": 64}
    answer = service.post(source, headers={"Prefer": "wait=30"})
    if answer.status_code == 503:
        pytest.skip(f"no compiler: {answer.json()['detail']}")
    assert answer.json()["device_name"] == "host" and answer.json()["request"]["device"] == {"arch": "cpu"}, answer.text
    for more in ({"n": [64, 65]}, {"n": [64, 65], "spread": True}):
        assert {one["device_name"] for one in ended(service, {**source, **more})["devices"]} == {"host"}
    twice = service.post({**source, "repeat": 2}, headers={"Prefer": "wait=30"}).json()
    assert [one["device_name"] for one in twice["devices"]] == ["host"]
    assert service.run(SMALL)["device_name"] == "gpu"
    assert "must be a CPU device" in wrong(service, {**source, "device": 0})["#/device"]
    assert service.run({**source, "device": "host"})["request"]["device"] == "host"


def test_a_default_that_is_not_in_the_list_is_warned_of(two):
    service = two("--default-device", "middle")
    service.until(lambda: "--default-device middle is not in the list of devices" in service.log.read_text())
    service.stop()
    assert "--default-device" not in two("--default-device", "right").log.read_text()


def test_a_default_that_can_be_none_is_no_start(start):
    with pytest.raises(RuntimeError, match="--default-device -x"):
        start("--default-device", "-x")


@pytest.mark.parametrize("choice, pointer, word", [
    ("middle", "#/device", "there is no device \"middle\""), ("lefd", "#/device", "did you mean \"left\"?"),
    ("1", "#/device", "without quotes"), ({}, "#/device", "says nothing"), ({"archs": "sm_90"}, "#/device/archs", "unknown"),
    ({"arch": "ampere"}, "#/device/arch", "sm_90"), ({"memory_bytes": 1 << 50}, "#/device/memory_bytes", "nearest"),
    ({"counters": 1}, "#/device/counters", "true"), (5, "#/device", "2 devices: 0 (left), 1 (right)")])
def test_a_wrong_choice_is_told_with_what_would_be_right(two, choice, pointer, word):
    service = two()
    assert word in wrong(service, {**SMALL, "device": choice})[pointer]


def test_what_fits_nowhere_is_told_of_the_nearest(two):
    told = wrong(two(), {**SMALL, "device": "any", "size": 1 << 40})
    assert "of 2 devices this is the nearest, 0 (left)" in told["#/size"]


def test_a_sweep_stays_on_one_device_and_one_that_spreads_does_not(two):
    service = two()
    slow = {**POINTS, "device": "any", "labels": {"fake": "sleep:0.2"}}
    stays, spreads = ended(service, slow), ended(service, {**slow, "spread": True})
    for sweep, count in ((stays, 1), (spreads, 2)):
        assert sweep["spread"] is (count == 2) and len(sweep["devices"]) == count
        names = {one["device"]: one["device_name"] for one in sweep["devices"]}
        assert {point["device"] for point in sweep["points"]} == names.keys()
        assert all(point["device_name"] == names[point["device"]] for point in sweep["points"])
        table = list(csv.DictReader(io.StringIO(service.get(f"/v1/sweeps/{sweep['id']}.csv").text)))
        assert [row["device_alias"] for row in table] == [point["device_name"] for point in sweep["points"]]
        assert [row["device"] for row in table] == [str(point["device"]) for point in sweep["points"]]


def test_runs_on_different_devices_are_not_one_median(two):
    service = two()
    sweep = ended(service, {"kernel": "copy", "size": 1024, "device": "any", "repeat": 8, "spread": True,
                            "labels": {"fake": "sleep:0.1"}})
    points = sweep["points"]
    assert sweep["view"] == "summary" and [point["device"] for point in points] == [0, 1]
    assert sum(point["runs"]["asked"] for point in points) == 8 and {point["index"] for point in points} == {0}
    table = service.get(f"/v1/sweeps/{sweep['id']}.csv?view=summary").text
    assert [row["device_alias"] for row in csv.DictReader(io.StringIO(table))] == ["left", "right"]


def test_devices_are_an_axis_by_any_of_their_names(two):
    service = two()
    sweep = ended(service, {**SMALL, "device": [0, "right", "any", {"memory_bytes": 1}]})
    assert [point["device"] for point in sweep["points"]] == [0, 1, 0, 0]
    told = wrong(service, {**SMALL, "device": [0, "middle", {"arch": 7}]}, "/v1/sweeps")
    assert list(told) == ["#/device/2/arch"]  # a device that is not there is a failed point


def test_spread_is_a_sweeps_own(two):
    service = two()
    assert "POST /v1/sweeps" in wrong(service, {**SMALL, "spread": True})["#/spread"]
    assert "true or false" in wrong(service, {**POINTS, "spread": "yes"}, "/v1/sweeps")["#/spread"]
    sweep = ended(service, {"kernel": "copy", "size": [1024, 2048], "spread": True, "labels": {"fake": "sleep:0.1"}})
    assert len(sweep["devices"]) == 2, "without a device any of them"


def test_lists_and_paths_take_names(two):
    service = two()
    one = service.run({**SMALL, "device": "right"})["id"]
    assert service.get("/v1/devices/right").json()["index"] == 1
    for device in ("right", "1"):
        found = service.get(f"/v1/experiments?device={device}").json()["experiments"]
        assert [row["id"] for row in found] == [one] and found[0]["device_name"] == "right"
    assert service.get("/v1/experiments?device=middle").status_code == 400
    assert service.get("/v1/devices/middle").status_code == 404
    assert service.request("POST", "/v1/devices/right/drain").json()["device"] == 1


def test_what_is_wrong_leads_to_what_was_meant(two):
    service = two()
    assert "\"device\": \"right\"" in wrong(service, {**SMALL, "device": {"name": "right"}})["#/device/name"]
    assert " bytes" in wrong(service, {**SMALL, "device": {"memory_bytes": 1 << 50}})["#/device/memory_bytes"]
    assert "did you mean" not in wrong(service, {**SMALL, "peer": 1})["#/peer"], "which copy does not take"


def test_what_waits_says_what_for(two):
    service = two()
    service.request("POST", "/v1/devices/right/drain")
    waiting = service.post({**SMALL, "device": "right"}).json()
    assert waiting["device"] == 1 and waiting["waits_for"] == "right is paused"
    shown = service.get(f"/v1/experiments/{waiting['id']}").json()
    assert shown["waits_for"] == "right is paused" and shown["device_name"] == "right" and shown["lost"] == []
    assert service.run({**SMALL, "device": "any"})["device_name"] == "left"
    swept = service.request("POST", "/v1/sweeps", json={**POINTS, "device": "right"}).json()
    assert swept["waits_for"] == "right is paused" == service.get(swept["links"]["self"]).json()["waits_for"]
    left, right = service.get("/v1/queue").json()["devices"]
    assert left["waits_for"] is None and left["eta_seconds"] is not None
    assert right["waits_for"] == "right is paused" and right["eta_seconds"] is None
    assert [owner["begins_seconds"] for owner in right["owners"]] == [None], "nobody knows when it begins"
    service.request("POST", "/v1/queue/pause")
    anywhere = service.post({**SMALL, "device": "any"}).json()
    assert anywhere["device"] is None and anywhere["device_name"] is None and anywhere["waits_for"] == "the queue is paused"
    assert service.get(f"/v1/experiments/{waiting['id']}").json()["waits_for"] == "the queue is paused, and right is paused"
    assert re.search(r" info +right is paused$", service.log.read_text(), re.M) and re.search(r" info +the queue is paused$", service.log.read_text(), re.M)
