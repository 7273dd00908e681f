"""Counters, where there are none: the CPU device."""
import csv
import io

import pytest

from conftest import Service

SMALL = {"kernel": "read_offset", "size": 4099, "offset": 11,
         "measure": {"min_samples": 5, "noise": 1, "max_seconds": 0.05}}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    one = Service(tmp_path_factory.mktemp("counters"), "--devices", "cpu", fake=False)
    yield one
    assert one.stop() == 0


@pytest.mark.parametrize("wanted, kept", [
    (True, True), ([], True), (["sm__cycles_active.avg", "shared_bank_conflicts"],) * 2, (["a" * 127],) * 2])
def test_a_cpu_has_none_and_the_experiment_succeeds(service, wanted, kept):
    result = service.run({**SMALL, "counters": wanted})
    assert result["state"] == "succeeded" and result["timing"]["cold"]["median_us"] > 0
    assert result["request"]["counters"] == kept
    assert result["counters"]["status"] == "unavailable"
    assert "cpu" in result["counters"]["reason"] and "GPU" in result["counters"]["remedy"]
    dram = result["bandwidth"]["dram_bytes"]
    assert dram == {"status": "unavailable", "reason": result["counters"]["reason"]}
    assert result["bandwidth"]["cold"]["dram_gbps"] is None
    assert "dram_gbps" not in result["bandwidth"]["hot"]
    assert result["bandwidth"]["sector_bytes"]["status"] == "unavailable"


def test_without_being_asked_nothing_is_counted(service):
    result = service.run(SMALL)
    assert result["request"]["counters"] is False
    assert result["counters"]["status"] == result["bandwidth"]["dram_bytes"]["status"] == "not_requested"


def test_a_stored_request_asks_for_the_same_again(service):
    body = {**SMALL, "counters": ["sm__cycles_active.avg"]}
    first = service.post(body, headers={"Idempotency-Key": "counters"})
    again = service.post(body, headers={"Idempotency-Key": "counters"})
    assert first.headers["Location"] == again.headers["Location"]
    other = service.post({**SMALL, "counters": ["sm__cycles_active.max"]}, headers={"Idempotency-Key": "counters"})
    assert other.status_code == 422
    request = service.run(body)["request"]
    assert service.run(request)["request"] == request


@pytest.mark.parametrize("wanted, pointer, words", [
    (["a"] * 17, "#/counters", ["16", "17"]),
    ([f"m{i}" for i in range(17)], "#/counters", ["16", "17"]),
    (["a" * 128], "#/counters/0", ["127"]),
    ([""], "#/counters/0", ["127"]),
    (["ok", "not ok"], "#/counters/1", ["letters"]),
    (["ok", "ok"], "#/counters/1", ["twice"]),
    (["µ"], "#/counters/0", ["letters"]),
    ([1], "#/counters/0", ["name"]),
    ([["a"]], "#/counters/0", ["name"]),
    ({"a": 1}, "#/counters", ["true or false"]),
    (None, "#/counters", ["true or false"]),
])
def test_a_wrong_list_is_refused_with_its_limit(service, wanted, pointer, words):
    response = service.post({**SMALL, "counters": wanted})
    assert response.status_code == 422
    first = response.json()["errors"][0]
    assert first["pointer"] == pointer
    assert all(word in first["detail"] for word in words), first


def test_a_list_is_no_axis(service):
    sweep = service.request("POST", "/v1/sweeps", headers={"Content-Type": "application/json", "Prefer": "wait=30"},
                            json={**SMALL, "offset": [0, 11], "counters": ["a.sum", "b.sum"]}).json()
    assert sweep["total"] == 2
    service.until(lambda: service.get(f"/v1/sweeps/{sweep['id']}").json()["done"] == 2)
    rows = list(csv.DictReader(io.StringIO(service.get(f"/v1/sweeps/{sweep['id']}.csv").text, newline="")))
    assert [row["counters_status"] for row in rows] == ["unavailable"] * 2
    assert {row["measured_gld_transactions"] for row in rows} == {""}
