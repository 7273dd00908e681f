"""Where a result's arrays lay, and its raw samples, with the program's own executor on the CPU."""
import contextlib
import csv
import io
import sqlite3
import statistics

import pytest

from conftest import Service

MEASURE = {"min_samples": 12, "noise": 1, "max_seconds": 1}
SMALL = {"kernel": "copy", "size": 4096, "measure": MEASURE}
KEPT = {**SMALL, "measure": {**MEASURE, "keep_samples": True}}
CSV = {"Accept": "text/csv"}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    one = Service(tmp_path_factory.mktemp("samples"), "--devices", "cpu", fake=False)
    yield one
    assert one.stop() == 0


def test_a_placement_is_kept_until_another_is_wanted(service):
    wanted = [None, None, "keep", "new", "keep", None, "new", "new"]
    results = [service.run({**SMALL, **({"placement": one} if one else {})}) for one in wanted]
    names = [result["placement"]["name"] for result in results]
    assert names[0] == names[1] == names[2] and names[3] == names[4] == names[5]
    assert len(set(names)) == 4
    assert [result["placement"]["new"] for result in results[1:]] == [one == "new" for one in wanted[1:]]
    assert [result["request"]["placement"] for result in results] == [one or "keep" for one in wanted]
    larger = service.run({**SMALL, "size": 1 << 20})["placement"]
    assert larger["new"] and larger["name"] not in names
    assert service.run(SMALL)["placement"] == {"name": larger["name"], "new": False}
    sweep = service.request("POST", "/v1/sweeps", json={**SMALL, "size": [4096, 8192]}, headers={"Prefer": "wait=30"}).json()
    rows = list(csv.DictReader(io.StringIO(service.get(sweep["links"]["csv"]).text, newline="")))
    assert [row["placement"] for row in rows] == [larger["name"]] * 2


def test_two_executors_name_their_placements_differently(service, start):
    other = start("--devices", "cpu", fake=False)
    assert other.run(SMALL)["placement"]["name"] != service.run(SMALL)["placement"]["name"]


def test_an_interval_says_what_it_holds_for(service):
    for timing in (service.run(SMALL)["timing"][kind] for kind in ("cold", "hot")):
        low, high = timing["ci95_us"]
        assert low < timing["median_us"] < high and timing["interval_of"] == "placement"
        # What is counted in beside the samples' own noise vanishes in the digits of a sample that was disturbed enough.
        width = (high - low) / 2 / timing["median_us"]
        assert timing["rounds"] >= 5 and width > timing["noise"] * (1 - 1e-6)


def test_samples_are_those_that_the_statistics_are_of(service):
    result = service.run(KEPT)
    path = f"/v1/experiments/{result['id']}/samples"
    samples = service.get(path).json()
    assert (samples["experiment"], samples["placement"]) == (result["id"], result["placement"])
    rows = list(csv.DictReader(io.StringIO(service.get(path, headers=CSV).text, newline="")))
    assert service.get(path, headers=CSV).text == service.get(path + ".csv").text
    for kind in ("cold", "hot"):
        timing, series = result["timing"][kind], samples[kind]
        us = series["samples_us"]
        assert result["samples"][kind] == timing["samples"] == len(us) == sum(series["rounds"])
        assert len(series["rounds"]) == timing["rounds"]
        assert all(series[name] == timing[name] for name in ("discarded", "launches_per_sample"))
        assert statistics.median(us) == pytest.approx(timing["median_us"], rel=1e-5)
        assert (min(us), max(us)) == pytest.approx((timing["min_us"], timing["max_us"]), rel=1e-5)
        of_kind = [row for row in rows if row["time"] == kind]
        assert [float(row["us"]) for row in of_kind] == us
        assert [int(row["index"]) for row in of_kind] == list(range(len(us)))
        assert [sum(int(row["round"]) == r for row in of_kind) for r in range(timing["rounds"])] == series["rounds"]
    tag = service.get(path).headers["ETag"]
    assert service.get(path, headers={"If-None-Match": tag}).status_code == 304


def rows_of(service, one):
    with contextlib.closing(sqlite3.connect(service.directory / "data" / "coalesced.db")) as store:
        return store.execute("SELECT count(*) FROM samples WHERE experiment = ?", [one]).fetchone()[0]


def test_samples_go_with_their_experiment(start):
    service = start("--undo-seconds", "0", "--devices", "cpu", fake=False)
    one = service.run(KEPT)["id"]
    path = f"/v1/experiments/{one}"
    assert service.get(path + "/samples").status_code == 200 and rows_of(service, one) == 1
    assert service.delete(path + "?remove=true").status_code == 204
    assert service.get(path + "/samples").status_code == 404
    assert service.get(path + "/samples.csv").status_code == 404
    service.until(lambda: rows_of(service, one) == 0)


def test_samples_outlive_the_service(start):
    service = start("--devices", "cpu", fake=False)
    path = f"/v1/experiments/{service.run(KEPT)['id']}/samples"
    before = service.get(path).json()
    assert service.stop() == 0
    assert start("--devices", "cpu", fake=False).get(path).json() == before


def test_whoever_kept_none_is_told_how(service):
    result = service.run(SMALL)
    assert result["samples"] == {"kept": False}
    answer = service.get(f"/v1/experiments/{result['id']}/samples")
    assert answer.status_code == 404 and '"keep_samples": true' in answer.json()["detail"]
    assert service.get("/v1/experiments/01ARZ3NDEKTSV4RRFFQ69G5FAV/samples").status_code == 404


@pytest.mark.parametrize("wrong,pointer,told", [
    ({"placement": "anew"}, "#/placement", "keep, new"), ({"placement": 1}, "#/placement", "keep, new"),
    ({"measure": {"keep_samples": 1}}, "#/measure/keep_samples", "true or false"),
    ({"measure": {"keep_sample": True}}, "#/measure/keep_sample", "keep_samples")])
def test_what_is_wrong_is_told_with_what_would_be_right(service, wrong, pointer, told):
    response = service.post({**SMALL, **wrong})
    assert response.status_code in (400, 422)
    error = response.json()["errors"][0]
    assert error["pointer"] == pointer and told in error["detail"]
