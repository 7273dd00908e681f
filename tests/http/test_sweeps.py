"""Sweeps: one request for many experiments."""
import csv
import io
import itertools
import json
import signal
import statistics
import threading
import time

import pytest
import requests

from conftest import SMALL, sanitized

LARGE = {"kernel": "read_offset", "size": 1048576, "offset": list(range(100)), "block": [32 * i for i in range(1, 11)],
         "dtype": ["f32", "f64"], "load": ["default"], "priority": [0, 1, 2, 3, 4]}


def send(service, body, **headers):
    return service.request("POST", "/v1/sweeps", data=body if isinstance(body, (str, bytes)) else json.dumps(body),
                           headers={"Content-Type": "application/json", **headers})


def run(service, body, wait=30):
    response = send(service, body, Prefer=f"wait={wait}")
    assert response.status_code == 200, response.text
    assert response.headers["Preference-Applied"] == f"wait={wait}"
    return response.json()


def accepted(service, body, **headers):
    response = send(service, body, **headers)
    assert response.status_code == 202, response.text
    sweep = response.json()
    assert response.headers["Location"] == sweep["links"]["self"] == "/v1/sweeps/" + sweep["id"]
    assert int(response.headers["Retry-After"]) >= 1
    return sweep


def points(service, sweep, size=500):
    """All of them, page by page."""
    token, found = "0", []
    while token:
        page = service.get(f"/v1/sweeps/{sweep['id']}?page_size={size}&page_token={token}").json()
        found += page["points"]
        token = page["next_page_token"]
    return found


def table(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def refused(response, status, *words):
    assert response.status_code == status, response.text
    for word in words:
        assert word in response.text, response.text
    return response.json()


# ---- what comes of one ----

def test_the_product_comes_in_the_order_of_the_axes_the_last_one_fastest(service):
    sweep = run(service, {**SMALL, "block": [64, 32], "offset": [0, 11, 5]})
    assert (sweep["state"], sweep["total"], sweep["done"], sweep["succeeded"], sweep["failed"]) == ("succeeded", 6, 6, 6, 0)
    wanted = [{"block": block, "offset": offset} for block in (64, 32) for offset in (0, 11, 5)]
    assert [point["values"] for point in sweep["points"]] == wanted
    assert [point["index"] for point in sweep["points"]] == list(range(6))
    for point in sweep["points"]:
        assert point["request"]["block"] == [point["values"]["block"], 1, 1] and point["request"]["load"] == "default"
        assert point["result"]["timing"]["cold"]["median_us"] == 1.7
        whole = service.get("/v1/experiments/" + point["id"]).json()
        assert {name: whole[name] for name in point["result"]} == point["result"]
    assert sweep["finished_at"] >= sweep["submitted_at"] and sweep["request"]["offset"] == [0, 11, 5]


def test_a_request_without_a_list_is_a_sweep_of_one_point(service):
    sweep = run(service, SMALL)
    assert sweep["total"] == 1 and sweep["points"][0]["values"] == {}


def test_a_size_of_two_numbers_is_one_shape_for_two_dimensions_and_two_sizes_for_one(service):
    sweep = run(service, {"kernel": ["copy", "sum_matrix_2d"], "size": [64, 128]})
    assert [point["values"] for point in sweep["points"]] == [
        {"kernel": "copy", "size": 64}, {"kernel": "copy", "size": 128}, {"kernel": "sum_matrix_2d", "size": [64, 128]}]
    sweep = run(service, {"kernel": "sum_matrix_2d", "size": [[64, 128], [32, 32]], "block": [[32, 8], 16]})
    assert [point["request"]["size"] for point in sweep["points"]] == [[64, 128]] * 2 + [[32, 32]] * 2
    assert [point["request"]["block"] for point in sweep["points"]] == [[32, 8, 1], [16, 1, 1]] * 2


def test_what_cannot_be_launched_is_a_failed_point_that_names_the_limit(service):
    sweep = run(service, {"kernel": "sum_matrix_2d", "size": [512, 512], "block": [[32, 8], [256, 8]]})
    assert (sweep["state"], sweep["succeeded"], sweep["failed"], sweep["done"], sweep["refused"]) == ("finished", 1, 1, 2, 1)
    good, bad = sweep["points"]
    assert good["state"] == "succeeded" and bad["state"] == "failed" and bad["id"] is None and bad["result"] is None
    assert bad["failure"]["kind"] == "invalid" and "1024" in bad["failure"]["detail"]
    assert bad["failure"]["errors"][0]["pointer"] == "#/block"
    assert bad["request"]["block"] == [256, 8]


def test_points_of_which_none_can_be_launched_are_a_sweep_all_the_same(service):
    sweep = run(service, {"kernel": "sum_matrix_2d", "size": [512, 512], "block": [[256, 8], [512, 8]]})
    assert (sweep["state"], sweep["failed"], sweep["total"]) == ("finished", 2, 2)
    assert "block" in sweep["points"][1]["failure"]["errors"][0]["pointer"]
    assert service.delete("/v1/sweeps/" + sweep["id"]).status_code == 409


def test_equal_points_run_once(service):
    sweep = run(service, {**SMALL, "offset": [3, 4, 3, 3]})
    ids = [point["id"] for point in sweep["points"]]
    assert sweep["total"] == sweep["done"] == 4 and ids[0] == ids[2] == ids[3] != ids[1]
    listed = service.get(f"/v1/experiments?sweep={sweep['id']}").json()["experiments"]
    assert {row["id"] for row in listed} == set(ids) and len(listed) == 2
    assert all(row["links"]["sweep"] == "/v1/sweeps/" + sweep["id"] == service.get(row["links"]["self"]).json()["links"]["sweep"] for row in listed)


def test_a_kernel_that_lacks_a_parameter_fails_its_points_alone(service):
    sweep = run(service, {"kernel": ["read_offset", "copy"], "size": 64, "offset": [0, 1]})
    assert [point["state"] for point in sweep["points"]] == ["succeeded"] * 2 + ["failed"] * 2


def test_an_experiment_that_failed_is_a_failed_point(service):
    sweep = run(service, {**SMALL, "offset": [0, 1], "labels": {"fake": "error:cuda_error"}})
    assert sweep["state"] == "finished" and sweep["failed"] == 2
    assert sweep["points"][0]["failure"] == {"kind": "cuda_error", "detail": 'it said "no"'}


# ---- what is wrong ----

@pytest.mark.parametrize("body, pointer", [
    ({"size": [1, 2]}, "#/kernel"), ({"kernel": []}, "#/kernel"), ({"kernel": ["copy", "nope"]}, "#/kernel/1"),
    ({"kernel": ["copy", 7]}, "#/kernel/1"), ({**SMALL, "nope": 1}, "#/nope"), ({**SMALL, "nope": [1, 2]}, "#/nope/0"),
    ({**SMALL, "offset": [0, "x"]}, "#/offset/1"), ({**SMALL, "offset": [[1, 2]]}, "#/offset/0"),
    ({**SMALL, "block": [[32], [32, "y"]]}, "#/block/1/1"), ({**SMALL, "block": [32, [1, 2, 3, 4]]}, "#/block/1"),
    ({**SMALL, "labels": ["a"]}, "#/labels"), ({**SMALL, "counters": [True, False]}, "#/counters/0"),
    ({**SMALL, "measure": [{}]}, "#/measure"), ({**SMALL, "dtype": ["f32", "f16"]}, "#/dtype/1"),
    ({"kernel": "sum_matrix_2d", "size": [1, 2, 3]}, "#/size/0"), ({**SMALL, "load": ["ca", "fast"]}, "#/load/1"),
    ({**SMALL, "grid": [None, "x"]}, "#/grid/1"), ({**SMALL, "block": [True]}, "#/block/0"), ({**SMALL, "device": [0, 7]}, "#/device/1"),
])
def test_what_no_kernel_can_read_is_refused_where_it_stands(service, body, pointer):
    assert pointer in [error["pointer"] for error in refused(send(service, body), 422)["errors"]]


@pytest.mark.parametrize("body", ["", "[]", "{", '{"kernel": "copy", "kernel": "copy"}', "7"])
def test_what_is_no_object_is_malformed(service, body):
    refused(send(service, body), 400)


def test_more_than_10000_points_are_refused_with_their_number(service):
    refused(send(service, {**SMALL, "offset": list(range(137)), "priority": list(range(73))}), 422, "10001", "10000")
    refused(send(service, {**SMALL, "offset": [0] * 3000, "priority": [0] * 3000, "timeout_s": [1] * 3000}), 422, "27000000000")
    huge = {name: [0] * 4000 for name in ("size", "block", "grid", "offset", "load", "dtype", "device", "priority")}
    refused(send(service, {"kernel": "read_offset", **huge}), 422, "10000")


def test_a_body_may_have_a_mebibyte(service):
    body = json.dumps({**SMALL, "offset": [0, 1]})
    assert send(service, body.ljust(1 << 20)).status_code == 202
    refused(send(service, body.ljust((1 << 20) + 1)), 413, "1048576")
    refused(service.post(body.ljust(65537)), 413, "65536")
    many = json.dumps({**SMALL, "offset": ["x"] * 200000})
    refused(send(service, many), 422, "200000")


def test_a_sweep_that_is_not_there_is_not_found(service):
    for path in ("/v1/sweeps/nope", "/v1/sweeps/nope.csv", "/v1/sweeps/" + "0" * 26, "/v1/sweeps/" + "0" * 26 + ".csv"):
        refused(service.get(path), 404)
    refused(service.delete("/v1/sweeps/" + "0" * 26), 404)
    refused(service.get("/v1/sweeps/" + service.run()["id"]), 404)


@pytest.mark.parametrize("query", ["page_size=0", "page_size=501", "page_token=x", "page_token=-1", "wait=x", "nope=1"])
def test_a_query_that_makes_no_sense_is_refused(service, query):
    sweep = accepted(service, SMALL)
    refused(service.get(f"/v1/sweeps/{sweep['id']}?{query}"), 400)


def test_other_methods_are_told_what_there_is(service):
    response = service.request("PUT", "/v1/sweeps/" + "0" * 26)
    assert response.status_code == 405
    assert sorted(response.headers["Allow"].split(", ")) == ["DELETE", "GET", "HEAD"]
    assert service.request("DELETE", "/v1/sweeps/" + "0" * 26 + ".csv").headers["Allow"] == "GET, HEAD"


# ---- lists and tables ----

def test_pages_of_points_are_all_points(service):
    sweep = run(service, {**SMALL, "offset": list(range(53))})
    assert len(sweep["points"]) == 50 and sweep["next_page_token"] == "50"
    for size in (1, 15, 16, 17, 52, 53, 54):
        assert [point["index"] for point in points(service, sweep, size)] == list(range(53))
    beyond = service.get(f"/v1/sweeps/{sweep['id']}?page_token=53").json()
    assert beyond["points"] == [] and beyond["next_page_token"] is None


def test_sweeps_are_listed_newest_first_page_by_page(service):
    ids = [run(service, SMALL)["id"] for _ in range(17)][::-1]
    for size in (1, 7, 8, 9, 16, 17, 500):
        listed = service.get(f"/v1/sweeps?page_size={size}").json()
        seen = [row["id"] for row in listed["sweeps"]]
        while listed["next_page_token"]:
            listed = service.get(f"/v1/sweeps?page_size={size}&page_token={listed['next_page_token']}").json()
            seen += [row["id"] for row in listed["sweeps"]]
        assert seen[:17] == ids and seen == sorted(set(seen), reverse=True)
    for asked in {"kernel": ["copy", "copy_ldg"], "size": 4096}, SMALL, {"recipe": "read_segment_cached", "size": 4096}:
        assert run(service, asked) and service.get("/v1/sweeps").json()["sweeps"][0]["kernel"] == asked.get("kernel")
    refused(service.get("/v1/sweeps?page_token=x"), 400)


def test_a_table_is_a_row_a_point_by_accept_and_by_name(service):
    sweep = run(service, {"kernel": "sum_matrix_2d", "size": [64, 32], "block": [[32, 8], [512, 512]], "dtype": ["f32", "f64"]})
    by_name = service.get(f"/v1/sweeps/{sweep['id']}.csv")
    by_accept = service.get(f"/v1/sweeps/{sweep['id']}", headers={"Accept": "text/csv"})
    assert by_name.text == by_accept.text and by_name.headers["Content-Type"] == "text/csv"
    assert by_name.text.endswith("\r\n") and by_name.text.count("\r\n") == 5
    rows = table(by_name.text)
    assert [row["index"] for row in rows] == ["0", "1", "2", "3"]
    first, last = rows[0], rows[3]
    assert (first["kernel"], first["dtype"], first["size_elements"], first["size_rows"], first["size_columns"]) == \
        ("sum_matrix_2d", "f32", "2048", "64", "32")
    assert (first["block_x"], first["block_y"], first["block_z"], first["state"]) == ("32", "8", "1", "succeeded")
    assert float(first["cold_median_us"]) == 1.7 and first["verified"] == "true" and first["failure_kind"] == ""
    assert last["state"] == "failed" and last["failure_kind"] == "invalid" and last["id"] == ""
    assert last["failure_detail"].startswith("block: ") and last["cold_median_us"] == ""
    assert service.get(f"/v1/sweeps/{sweep['id']}", headers={"Accept": "text/html"}).status_code == 406


def test_the_header_is_the_same_whatever_was_asked(service):
    headers = set()
    for body in (SMALL, {"kernel": "sum_matrix_2d", "size": [64, 64]}, {"kernel": ["copy", "strided"], "size": 64}):
        headers.add(service.get(f"/v1/sweeps/{run(service, body)['id']}.csv").text.split("\r\n")[0])
    headers.add(service.get("/v1/experiments", headers={"Accept": "text/csv"}).text.split("\r\n")[0])
    names = headers.pop().split(",")
    assert not headers and len(names) == len(set(names))
    assert {"index", "offset", "load", "order", "stride", "pattern", "cold_effective_gbps", "requested_load_bytes"} <= set(names)


def test_texts_that_hold_commas_and_quotes_are_one_cell(service):
    sweep = run(service, {**SMALL, "labels": {"fake": "error:cuda_error"}})
    text = service.get(f"/v1/sweeps/{sweep['id']}.csv").text
    assert '"it said ""no"""' in text
    assert table(text)[0]["failure_detail"] == 'it said "no"'


def test_experiments_are_a_table_too(service):
    sweep = run(service, {**SMALL, "offset": list(range(60))})
    rows = table(service.get(f"/v1/experiments?sweep={sweep['id']}", headers={"Accept": "text/csv"}).text)
    assert [row["offset"] for row in rows] == [str(i) for i in range(59, -1, -1)]
    rows = table(service.get(f"/v1/experiments?sweep={sweep['id']}&page_size=7", headers={"Accept": "text/csv"}).text)
    assert len(rows) == 7 and all(row["index"] == "" for row in rows)
    refused(service.get("/v1/experiments?sweep=x"), 400)


@pytest.mark.parametrize("accept, kind", [
    ("*/*", "application/json"), ("text/*", "text/csv"), ("text/csv, */*;q=0.5", "text/csv"),
    ("application/json, text/csv", "application/json"), ("text/csv;q=0.2, application/json;q=0.1", "text/csv")])
def test_accept_chooses(service, accept, kind):
    assert service.get("/v1/experiments?page_size=1", headers={"Accept": accept}).headers["Content-Type"] == kind


# ---- while it runs ----

def slow(seconds, **fields):
    return {**SMALL, "labels": {"fake": f"sleep:{seconds}"}, **fields}


def test_results_are_there_as_they_come(service):
    sweep = accepted(service, slow(0.3, offset=list(range(8))))
    service.until(lambda: service.get(sweep["links"]["self"]).json()["done"] >= 2)
    now = service.get(sweep["links"]["self"]).json()
    assert now["state"] == "running" and 2 <= now["done"] < 8 and now["eta_seconds"] > 0
    states = [point["state"] for point in now["points"]]
    assert states[:2] == ["succeeded"] * 2 and states[-1] == "queued" and now["points"][0]["result"]
    rows = table(service.get(sweep["links"]["csv"]).text)
    assert len(rows) == 8 and rows[0]["cold_median_us"] and not rows[7]["cold_median_us"]
    ended = service.get(sweep["links"]["self"] + "?wait=30").json()
    assert ended["state"] == "succeeded" and "eta_seconds" not in ended


def test_a_wait_ends_with_the_sweep_and_not_before(service):
    begun = time.monotonic()
    response = send(service, slow(0.1, offset=[0, 1, 2, 3]), Prefer="wait=30")
    assert response.status_code == 200 and response.json()["done"] == 4 and 0.4 <= time.monotonic() - begun < 10
    response = send(service, slow(2, offset=[0, 1]), Prefer="wait=1")
    assert response.status_code == 202 and response.json()["state"] == "running"
    assert service.get(response.headers["Location"], headers={"Prefer": "wait=20"}).json()["state"] == "succeeded"


def test_a_cancelled_sweep_stops_what_runs_and_never_begins_the_rest(service):
    sweep = accepted(service, slow(30, offset=list(range(20))))
    service.until(lambda: service.get(sweep["links"]["self"]).json()["running"] == 1)
    waits = []
    waiting = threading.Thread(target=lambda: waits.append(service.get(sweep["links"]["self"] + "?wait=20").json()))
    waiting.start()
    response = service.delete(sweep["links"]["self"])
    stopped = {200: 20, 202: 19}  # the executor may have been ended by the time of the answer
    assert response.json()["cancelled"] == stopped[response.status_code]
    assert response.json().get("cancelling", False) is (response.status_code == 202)
    waiting.join()
    assert waits[0]["state"] == "cancelled" and waits[0]["cancelled"] == 20 and waits[0]["done"] == 20
    assert service.delete(sweep["links"]["self"]).status_code == 409
    service.works()


def test_one_that_has_not_begun_is_cancelled_at_once(service):
    with service.busy() as blocker:
        sweep = accepted(service, {**SMALL, "offset": list(range(20))})
        response = service.delete(sweep["links"]["self"])
        assert response.status_code == 200 and response.json()["state"] == "cancelled"
        assert {point["failure"]["kind"] for point in points(service, sweep)} == {"cancelled"}
        assert service.get(blocker["links"]["self"]).json()["state"] == "running"
    service.works()


@pytest.mark.parametrize("first, state", [(2, "finished"), (0, "cancelled")])
def test_its_experiments_can_be_cancelled_alone(service, first, state):
    with service.busy():
        sweep = accepted(service, {**SMALL, "offset": [0, 1, 2]})
        assert all(service.delete("/v1/experiments/" + one["id"]).status_code == 200 for one in points(service, sweep)[first:])
    ended = service.get(sweep["links"]["self"] + "?wait=20").json()
    assert (ended["state"], ended["succeeded"], ended["cancelled"]) == (state, first, 3 - first) and sweep["id"] in str(service.get(f"/v1/sweeps?state={state}").json())


# ---- submitting again, and too much ----

def test_the_same_key_gives_the_same_sweep(service):
    key = f"sweep-{time.time_ns()}"
    body = {**SMALL, "offset": [0, 1]}
    first = accepted(service, body, **{"Idempotency-Key": key})
    again = accepted(service, json.dumps(body, indent=4), **{"Idempotency-Key": key})
    assert again["id"] == first["id"]
    refused(send(service, {**SMALL, "offset": [0, 2]}, **{"Idempotency-Key": key}), 422, "another request")
    refused(service.post(SMALL, headers={"Idempotency-Key": key}), 422, "another request")
    refused(send(service, body, **{"Idempotency-Key": "x" * 256}), 400)


def test_the_same_text_as_an_experiment_is_another_request(service):
    key = {"Idempotency-Key": f"both-{time.time_ns()}"}
    request = json.dumps(service.run()["request"], separators=(",", ":"))
    assert service.post(request, headers=key).status_code == 202
    refused(send(service, request, **key), 422, "another request")


def test_many_sweeps_at_once_are_all_answered(service):
    statuses = []

    def one(number):
        statuses.append(send(service, {**SMALL, "offset": list(range(10)), "priority": number}).status_code)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [202] * 32


def test_all_fit_into_the_queue_or_none_does(start):
    service = start("--queue-limit", "10")
    with service.busy():
        first = accepted(service, {**SMALL, "offset": list(range(8))}, **{"Idempotency-Key": "k"})
        response = send(service, {**SMALL, "offset": [10, 11, 12]})
        refused(response, 429, "3 experiments", "8 wait", "10 may")
        refused(send(service, {**SMALL, "offset": [10, 11, 12]}, **{"Idempotency-Key": "l"}), 429, "3 experiments")
        assert accepted(service, {**SMALL, "offset": list(range(8))}, **{"Idempotency-Key": "k"})["id"] == first["id"]
        accepted(service, {**SMALL, "offset": [10, 11]})
        assert service.get("/v1/queue").json()["queued"] == 10


# ---- ends of the service ----

@pytest.mark.kills
def test_killed_in_the_middle_it_completes_and_each_point_ends_once(start):
    service = start()
    sweep = accepted(service, slow(0.02, offset=list(range(100)), block=[32, [256, 8]]))
    for done in (120, 150):
        service.until(lambda: service.get(sweep["links"]["self"] + "?page_size=1").json()["done"] >= done)
        service.stop(signal.SIGKILL)
        service = start()
    ended = service.get(sweep["links"]["self"] + "?wait=60").json()
    assert (ended["state"], ended["succeeded"], ended["failed"], ended["done"]) == ("finished", 100, 100, 200)
    found = points(service, sweep)
    assert [point["values"]["offset"] for point in found] == [offset for offset in range(100) for _ in range(2)]
    assert all(point["result"] for point in found if point["id"]) and max(p.get("attempt", 0) for p in found) <= 3
    assert service.delete(sweep["links"]["self"]).status_code == 409


def test_stopped_in_the_middle_it_goes_on_and_can_be_cancelled_then(start):
    service = start()
    sweep = accepted(service, slow(0.3, offset=list(range(50))))
    service.until(lambda: service.get(sweep["links"]["self"]).json()["done"] >= 1)
    assert service.stop() == 0
    service = start()
    service.until(lambda: service.get(sweep["links"]["self"]).json()["running"] == 1)
    assert service.delete(sweep["links"]["self"]).status_code in (200, 202)
    ended = service.get(sweep["links"]["self"] + "?wait=20").json()
    assert ended["state"] == "cancelled" and ended["done"] == 50 and ended["cancelled"] >= 40


# ---- 10,000 ----

class Watch:
    """Asks /livez all the while, and how large the service is."""

    def __init__(self, service):
        self.service, self.times, self.largest, self.ended = service, [], 0, False
        self.thread = threading.Thread(target=self.run)

    def run(self):
        with requests.Session() as session:
            while not self.ended:
                begun = time.monotonic()
                assert session.get(self.service.url + "/livez").status_code == 200
                self.times.append(time.monotonic() - begun)
                self.largest = max(self.largest, self.service.anonymous_bytes())
                time.sleep(0.01)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *what):
        self.ended = True
        self.thread.join()


@pytest.mark.alone
@pytest.mark.slow
def test_10000_points(start):
    service = start()
    with Watch(service) as watch:
        begun = service.processor_s()
        sweep = accepted(service, LARGE)
        took = service.processor_s() - begun
        assert sweep["total"] == 10000
        with requests.Session() as session:
            service.until(lambda: session.get(f"{service.url}{sweep['links']['self']}?page_size=1").json()["done"] == 10000, 300)
        rows = table(requests.get(service.url + sweep["links"]["csv"]).text)
        found = points(service, sweep)
    assert [int(row["index"]) for row in rows] == [point["index"] for point in found] == list(range(10000))
    wanted = itertools.product(LARGE["offset"], LARGE["block"], LARGE["dtype"], ["default"], LARGE["priority"])
    for point, row, values in zip(found, rows, wanted):
        assert tuple(point["values"].values()) == values and point["state"] == row["state"] == "succeeded"
        assert row["id"] == point["id"] and float(row["cold_median_us"]) == 1.7
    if not sanitized():
        # This very process is busy reading meanwhile: the bounds are loose, but a thread that was held would show.
        middle, longest = statistics.median(watch.times), max(watch.times)
        print(f"accepted in {took:.3f} s, /livez {middle * 1e3:.1f} to {longest * 1e3:.0f} ms, {watch.largest / 1e6:.1f} MB")
        assert took < 1 and watch.largest < 64e6 and middle < 0.05 and longest < 2
