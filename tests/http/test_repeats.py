"""Sweeps and experiments that are repeated: rounds over all points, each with experiments of its own."""
import concurrent.futures
import json
import signal
import statistics

import pytest

from conftest import SMALL
from test_sweeps import accepted, refused, run, send, table

REPEATED = {**SMALL, "offset": [0, 1, 0], "repeat": 7, "labels": {"fake": "vary"}}


def test_each_round_runs_every_point_and_the_rounds_take_turns(service):
    sweep = run(service, REPEATED)
    assert (sweep["repeat"], sweep["point_count"], sweep["total"], sweep["done"], sweep["succeeded"]) == (7, 3, 21, 21, 21)
    assert sweep["view"] == "summary" and sweep["state"] == "succeeded"
    runs = [point["runs"] for point in sweep["points"]]
    assert [one["asked"] for one in runs] == [one["succeeded"] for one in runs] == [7, 7, 7]
    assert runs[0]["ids"] == runs[2]["ids"]  # what asks for the same shares an experiment in each round
    ids = runs[0]["ids"] + runs[1]["ids"]
    assert len(set(ids)) == 14
    experiments = [service.get(f"/v1/experiments/{one}").json() for one in ids]
    assert [one["repeat_index"] for one in experiments] == [*range(7), *range(7)]
    assert {one["request"]["placement"] for one in experiments} == {"new"}
    assert not any("repeat" in one["request"] for one in experiments)
    began = sorted(experiments, key=lambda one: (one["started_at"], one["id"]))
    assert [one["repeat_index"] for one in began] == sorted(one["repeat_index"] for one in experiments)
    listed = service.get(f"/v1/experiments?sweep={sweep['id']}").json()["experiments"]
    assert sorted(one["repeat_index"] for one in listed) == sorted([*range(7), *range(7)])


def test_a_point_has_the_median_of_its_runs_and_an_interval_over_them(service):
    sweep = run(service, REPEATED)
    for point in sweep["points"]:
        results = [service.get(f"/v1/experiments/{one}").json() for one in point["runs"]["ids"]]
        for time in ("cold", "hot"):
            medians = sorted(one["timing"][time]["median_us"] for one in results)
            found = point[time]
            assert found["median_us"] == pytest.approx(statistics.median(medians), rel=1e-6)
            assert found["ci95_us"] == pytest.approx([medians[0], medians[-1]], rel=1e-6)  # 1/64 on either side
            assert (found["min_us"], found["max_us"]) == pytest.approx((medians[0], medians[-1]), rel=1e-6)
            assert found["interval_of"] == "runs"
            one = results[-1]
            bytes_moved = one["bandwidth"][time]["effective_gbps"] * one["timing"][time]["median_us"]
            assert found["effective_gbps"] == pytest.approx(bytes_moved / found["median_us"], rel=1e-5)
        assert point["verified"] is True
        assert point["cold"]["of_peak"] == pytest.approx(0.5 * results[-1]["timing"]["cold"]["median_us"]
                                                         / point["cold"]["median_us"], rel=1e-6)


def test_few_runs_have_no_interval_and_say_why(service):
    point = run(service, {**SMALL, "offset": [0], "repeat": 5})["points"][0]
    assert point["hot"]["ci95_us"] is None
    assert "6 runs" in point["hot"]["ci95_reason"]
    assert point["hot"]["median_us"] > 0


def test_the_table_has_a_row_a_run_and_the_runs_view_a_point_a_run(service):
    sweep = run(service, REPEATED)
    rows = table(service.get(sweep["links"]["csv"]).text)
    order = [(str(index), str(round)) for index in range(3) for round in range(7)]
    assert [(row["index"], row["repeat_index"]) for row in rows] == order
    assert {row["sweep"] for row in rows} == {sweep["id"]}
    token, found = "0", []
    while token:
        page = service.get(f"/v1/sweeps/{sweep['id']}?view=runs&page_size=4&page_token={token}").json()
        assert page["view"] == "runs"
        found += page["points"]
        token = page["next_page_token"]
    assert [(str(one["index"]), str(one["repeat_index"])) for one in found] == order
    assert [one["id"] for one in found] == [row["id"] for row in rows]
    assert all(one["result"] and one["values"] == {"offset": [0, 1, 0][one["index"]]} for one in found)


def test_a_summary_comes_in_pages_of_points(service):
    sweep = accepted(service, {**SMALL, "offset": "0..4", "repeat": 3})
    service.until(lambda: service.get(f"/v1/sweeps/{sweep['id']}").json()["done"] == 15)
    page = service.get(f"/v1/sweeps/{sweep['id']}?page_size=2&page_token=2").json()
    assert [one["index"] for one in page["points"]] == [2, 3]
    assert page["next_page_token"] == "4"
    page = service.get(f"/v1/sweeps/{sweep['id']}?page_size=2&page_token=4").json()
    assert [one["index"] for one in page["points"]] == [4] and page["next_page_token"] is None


def test_a_point_that_cannot_be_launched_is_so_in_every_round(service):
    sweep = run(service, {**SMALL, "block": [32, 2048], "repeat": 3})
    assert (sweep["total"], sweep["failed"], sweep["succeeded"], sweep["state"]) == (6, 3, 3, "finished")
    point = sweep["points"][1]
    assert point["state"] == "failed" and point["failure"]["errors"][0]["pointer"] == "#/block"
    assert point["runs"] == {"asked": 3, "ended": 3, "succeeded": 0, "placements": 0, "ids": []}
    assert point["hot"]["median_us"] is None and point["verified"] is None
    rows = table(service.get(sweep["links"]["csv"]).text)
    assert [(row["index"], row["repeat_index"], row["state"]) for row in rows[3:]] == [
        ("1", str(round), "failed") for round in range(3)]


@pytest.mark.parametrize("repeat", [0, -1, 1001, "3", 2.5, None, [2, 3], True])
def test_a_wrong_number_of_rounds_is_told(service, repeat):
    for path in ("/v1/sweeps", "/v1/experiments"):
        response = service.request("POST", path, json={**SMALL, "repeat": repeat})
        problem = refused(response, 422, "from 1 to 1000")
        assert [error["pointer"] for error in problem["errors"]] == ["#/repeat"]


def test_points_times_rounds_are_limited(service):
    problem = refused(send(service, {**SMALL, "offset": "0..100", "repeat": 100}), 422, "10100 runs", "10000")
    assert problem["errors"][0]["pointer"] == "#/repeat"


def test_one_round_is_no_repetition(service):
    sweep = run(service, {**SMALL, "offset": [0], "repeat": 1})
    assert sweep["repeat"] == 1 and sweep["view"] == "runs"
    assert "repeat_index" not in sweep["points"][0]
    assert sweep["points"][0]["request"]["placement"] == "keep"
    single = service.request("POST", "/v1/experiments", json={**SMALL, "repeat": 1}, headers={"Prefer": "wait=30"}).json()
    assert single["state"] == "succeeded" and "repeat_index" not in single


def test_the_arrays_stay_where_they_lie_for_who_wants_that(service):
    sweep = run(service, {**SMALL, "offset": [0], "repeat": 2, "placement": "keep"})
    page = service.get(f"/v1/sweeps/{sweep['id']}?view=runs").json()
    assert {one["request"]["placement"] for one in page["points"]} == {"keep"}
    refused(send(service, {**SMALL, "placement": "other"}), 422, "#/placement", "keep, new")


def test_an_experiment_that_is_repeated_is_a_sweep_of_one_point(service):
    body = {"kernel": "sum_matrix_2d", "size": [64, 64], "block": [32, 8], "repeat": 3, "labels": {"a": "b"}}
    response = service.request("POST", "/v1/experiments", json=body)
    assert response.status_code == 202
    sweep = response.json()
    assert response.headers["Location"] == sweep["links"]["self"] == "/v1/sweeps/" + sweep["id"]
    assert (sweep["repeat"], sweep["point_count"], sweep["total"]) == (3, 1, 3)
    response = service.request("POST", "/v1/experiments", json=body, headers={"Prefer": "wait=30"})
    assert response.status_code == 200
    page = response.json()
    assert page["view"] == "summary" and page["points"][0]["values"] == {}
    one = service.get(f"/v1/experiments/{page['points'][0]['runs']['ids'][2]}").json()
    assert one["request"]["block"] == [32, 8, 1] and one["repeat_index"] == 2
    again = run(service, page["request"])  # as a sweep it is the same
    assert again["point_count"] == 1 and again["state"] == "succeeded"


def test_an_experiment_that_is_repeated_has_no_axes(service):
    def problem(**fields):
        response = service.request("POST", "/v1/experiments", json={**SMALL, "repeat": 3, **fields})
        return {error["pointer"]: error["detail"] for error in refused(response, 422)["errors"]}
    assert "POST /v1/sweeps" in problem(offset=[0, 1])["#/offset"]
    assert "POST /v1/sweeps" in problem(offset="0..4")["#/offset"]
    assert "1024" in problem(block=2048)["#/block"]
    refused(service.request("POST", "/v1/experiments", data="{\"repeat\": 3",
                            headers={"Content-Type": "application/json"}), 400, "line 1")


def test_a_key_names_the_whole_repetition(service):
    for path, body in (("/v1/sweeps", REPEATED), ("/v1/experiments", {**SMALL, "repeat": 3})):
        headers = {"Idempotency-Key": "repeat " + path}
        first = service.request("POST", path, json=body, headers=headers)
        again = service.request("POST", path, json=body, headers=headers)
        assert first.status_code == again.status_code == 202
        assert first.json()["id"] == again.json()["id"]
        refused(service.request("POST", path, json={**body, "repeat": 4}, headers=headers), 422, "Idempotency-Key")


def test_a_recipe_can_be_repeated(service):
    sweep = run(service, {"recipe": "aos_soa", "size": 4096, "grid": 32, "repeat": 2})
    assert sweep["recipe"] == "aos_soa" and sweep["total"] == 4
    for point in sweep["points"]:
        assert point["published"]["gld_efficiency_pct"] > 0
        assert point["predicted"]["device_arch"]["gld_transactions"] > 0
    assert "placement" not in json.dumps(sweep["points"][0]["published"]["differs"])
    rows = table(service.get(sweep["links"]["csv"]).text)
    assert len(rows) == 4 and all(row["published_gld_efficiency_pct"] for row in rows)


def test_rounds_are_cancelled_together(start):
    service = start()
    sweep = accepted(service, {**SMALL, "offset": [0, 1], "repeat": 4, "labels": {"fake": "sleep:5"}})
    service.delete(f"/v1/sweeps/{sweep['id']}")
    service.until(lambda: service.get(f"/v1/sweeps/{sweep['id']}").json()["state"] == "cancelled")
    ended = service.get(f"/v1/sweeps/{sweep['id']}").json()
    assert (ended["total"], ended["cancelled"]) == (8, 8)
    assert {point["state"] for point in ended["points"]} == {"cancelled"}
    assert service.get("/v1/queue").json()["devices"][0]["queued"] == 0


def test_what_is_removed_of_a_repetition_is_missed_and_all_of_it_goes(service):
    sweep = run(service, {**SMALL, "offset": [0, 1], "repeat": 2})
    first, second = sweep["points"][0]["runs"]["ids"]
    assert service.delete(f"/v1/experiments/{second}?remove=true").status_code == 204
    page = service.get(f"/v1/sweeps/{sweep['id']}").json()
    assert (page["removed"], page["total"]) == (1, 4)
    assert page["points"][0]["state"] == "removed" and page["points"][0]["runs"]["succeeded"] == 1
    rows = table(service.get(sweep["links"]["csv"]).text)
    assert [row["state"] for row in rows] == ["succeeded", "removed", "succeeded", "succeeded"]
    assert service.delete(f"/v1/sweeps/{sweep['id']}?remove=true").status_code == 204
    assert service.get(f"/v1/sweeps/{sweep['id']}").status_code == 404
    assert service.get(f"/v1/experiments/{first}").status_code == 404


@pytest.mark.kills
def test_rounds_survive_a_kill(start):
    service = start()
    sweep = accepted(service, {**SMALL, "offset": [0, 1, 0], "repeat": 10, "labels": {"fake": "sleep:0.05"}})
    service.until(lambda: service.get(f"/v1/sweeps/{sweep['id']}").json()["done"] >= 5)
    service.stop(signal.SIGKILL)
    service = start()
    service.until(lambda: service.get(f"/v1/sweeps/{sweep['id']}").json()["state"] != "running")
    page = service.get(f"/v1/sweeps/{sweep['id']}").json()
    assert (page["state"], page["succeeded"], page["total"]) == ("succeeded", 30, 30)
    assert [point["runs"]["succeeded"] for point in page["points"]] == [10, 10, 10]
    assert page["points"][0]["runs"]["ids"] == page["points"][2]["runs"]["ids"]


def test_a_sweep_that_is_waited_for_is_accepted_when_the_service_stops(start):
    """Its address is what finds it again after the next start."""
    service = start()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        reply = pool.submit(service.request, "POST", "/v1/sweeps", headers={"Prefer": "wait=60"}, timeout=60,
                            json={"kernel": "copy", "size": [1024, 2048], "labels": {"fake": "sleep:30"}})
        service.until(lambda: service.get("/v1/sweeps").json()["sweeps"])
        service.stop()
        reply = reply.result()
    assert reply.status_code == 202 and reply.headers["Location"].startswith("/v1/sweeps/")
    assert start().get(reply.headers["Location"]).status_code == 200
