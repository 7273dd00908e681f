"""What is removed, by whom or by its age, and what is left of it."""
import csv
import io
import json
import os
import pathlib
import sqlite3
import struct
import threading
import time

import pytest
import requests
from conftest import SMALL, sanitized

pytestmark = pytest.mark.slow

BUILD = pathlib.Path(os.environ.get("COALESCED_BUILD", pathlib.Path(__file__).parents[2] / "build"))
UNKNOWN = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
SECOND = 1 / 86400  # of a day


def sweep_of(service, body, wait=30, **headers):
    headers = {"Content-Type": "application/json", "Prefer": f"wait={wait}", **headers}
    response = service.request("POST", "/v1/sweeps", data=json.dumps(body), headers=headers)
    assert response.status_code == (200 if wait else 202), response.text
    return response.json()


def remove(service, path):
    response = service.delete(path + "?remove=true")
    assert (response.status_code, response.text) == (204, ""), response.text
    assert "Content-Type" not in response.headers


def test_a_sweep_outlives_its_experiments(service):
    bodies = [{"kernel": "read_offset", "size": 1024, "offset": [0, 1, 2000], "labels": {"kept": "no"}},
              {"recipe": "read_segment_cached", "size": 1024}]
    sweeps = [sweep_of(service, body) for body in bodies]
    for before in sweeps:
        for path in {f"/v1/experiments/{point['id']}" for point in before["points"] if point["id"]}:
            tag = service.get(path).headers["ETag"]
            service.get(path, headers={"Accept-Encoding": "gzip"})
            remove(service, path)
            for headers in ({}, {"Accept-Encoding": "gzip"}, {"If-None-Match": tag}):
                assert service.get(path, headers=headers).status_code == 404
            assert service.delete(path + "?remove=true").status_code == 404
        after = service.get(before["links"]["self"] + "?page_size=500").json()
        assert (after["done"], after["removed"]) == (after["total"], before["succeeded"])
        assert after["state"] == "finished" and after["finished_at"] is None
        rows = list(csv.DictReader(io.StringIO(service.get(before["links"]["csv"]).text, newline="")))
        for old, new, row in zip(before["points"], after["points"], rows):
            if old["id"] is None:
                assert new == old
                continue
            assert (new["state"], new["id"], new["result"], new["request"]) == ("removed", old["id"], None, None)
            assert new["values"] == old["values"] and new["failure"]["kind"] == "not_found"
            assert (row["state"], row["id"], row["failure_kind"]) == ("removed", old["id"], "not_found")
    assert service.get("/v1/experiments?label=kept:no").json()["experiments"] == []
    for before in sweeps:
        remove(service, before["links"]["self"])
        assert service.get(before["links"]["self"]).status_code == 404


def test_a_sweep_goes_with_all_that_is_its(service):
    body = {**SMALL, "offset": list(range(400)), "labels": {"go": "all"}}
    gone, left = sweep_of(service, body, **{"Idempotency-Key": "all"}), sweep_of(service, {**SMALL, "offset": [1, 2]})
    ids = [one["id"] for one in service.get("/v1/experiments?label=go&page_size=500").json()["experiments"]]
    assert len(ids) == 400
    remove(service, gone["links"]["self"])
    assert service.get(gone["links"]["self"]).status_code == 404
    assert service.get(gone["links"]["csv"]).status_code == 404
    assert all(service.get(f"/v1/experiments/{one}").status_code == 404 for one in ids[::50])
    assert service.get("/v1/experiments?label=go").json()["experiments"] == []
    assert service.get(f"/v1/experiments?sweep={gone['id']}").json()["experiments"] == []
    assert gone["id"] not in [one["id"] for one in service.get("/v1/sweeps").json()["sweeps"]]
    assert service.get(left["links"]["self"]).json()["removed"] == 0
    again = sweep_of(service, body, **{"Idempotency-Key": "all"})
    assert again["id"] != gone["id"] and again["succeeded"] == 400


def test_the_key_of_what_was_removed_makes_a_new_one(service):
    def send():
        return service.post(SMALL, headers={"Idempotency-Key": "again", "Prefer": "wait=20"}).json()["id"]

    first = send()
    assert send() == first
    remove(service, f"/v1/experiments/{first}")
    second = send()
    assert second != first and send() == second


def test_what_has_not_ended_is_cancelled_first(service):
    slow = service.post({**SMALL, "labels": {"fake": "sleep:60"}}).json()["links"]["self"]
    sweep = sweep_of(service, {**SMALL, "offset": [0, 1]}, wait=0)["links"]["self"]
    for path in (sweep, slow):
        refused = service.delete(path + "?remove=true")
        assert refused.status_code == 409 and "cancel" in refused.json()["detail"], refused.text
        assert service.delete(path + "?remove=false").status_code in (200, 202)
        assert service.get(path + "?wait=20").status_code == 200
        late = service.delete(path)
        assert late.status_code == 409 and "?remove=true" in late.json()["detail"], late.text
        remove(service, path)
        assert service.get(path).status_code == 404


@pytest.mark.parametrize("path", [f"/v1/experiments/{UNKNOWN}", f"/v1/sweeps/{UNKNOWN}", "/v1/experiments/x", "/v1/sweeps/x"])
def test_what_is_not_there_cannot_be_removed(service, path):
    assert service.delete(path + "?remove=true").status_code == 404
    wrong = service.delete(path + "?remove=perhaps")
    assert wrong.status_code == 400 and "true or false" in wrong.json()["detail"]


def gone(service, path):
    return service.get(path).status_code == 404


def test_what_ended_so_many_days_ago_goes(start):
    service = start("--keep-days", str(2 * SECOND))
    sweep = sweep_of(service, {**SMALL, "offset": list(range(50))})
    alone = f"/v1/experiments/{service.run()['id']}"
    slow = service.post({**SMALL, "labels": {"fake": "sleep:60"}}).json()["links"]["self"]
    open_sweep = sweep_of(service, {**SMALL, "offset": [0, 1]}, wait=0)["links"]["self"]
    service.until(lambda: gone(service, alone) and gone(service, sweep["links"]["self"]))
    assert service.get("/v1/experiments?state=succeeded").json()["experiments"] == []
    assert service.get(slow).json()["state"] == "running"
    assert service.get(open_sweep).json()["removed"] == 0
    service.delete(slow)
    service.until(lambda: gone(service, slow) and gone(service, open_sweep))
    service.works()


def test_what_ended_lately_stays(start):
    service = start("--keep-days", "1", "--keep-bytes", "1G")
    stored = service.run()
    time.sleep(3)
    assert service.get(f"/v1/experiments/{stored['id']}").status_code == 200


def bytes_used(data):
    database = sqlite3.connect(data / "coalesced.db")
    used, = database.execute("SELECT (page_count - freelist_count) * page_size"
                             " FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()").fetchone()
    database.close()
    return used


def test_the_oldest_go_while_the_database_is_too_large(start, tmp_path):
    limit = 800 << 10
    service = start("--keep-bytes", "800K")
    first = f"/v1/experiments/{service.run()['id']}"
    for _ in range(6):
        last = sweep_of(service, {**SMALL, "offset": list(range(100))})["links"]["self"]
    open_sweep = sweep_of(service, {**SMALL, "offset": [0, 1], "labels": {"fake": "sleep:60"}}, wait=0)
    service.until(lambda: bytes_used(tmp_path / "data") <= limit)
    service.until(lambda: (tmp_path / "data" / "coalesced.db").stat().st_size <= limit + limit // 8 + (256 << 10))
    assert gone(service, first)
    sweeps = service.get("/v1/sweeps").json()["sweeps"]
    assert 2 <= len(sweeps) < 7 and all(sweep["removed"] == 0 for sweep in sweeps)
    assert service.get(last).json()["done"] == 100
    assert service.get(open_sweep["links"]["self"]).status_code == 200


def test_a_reader_meanwhile_sees_what_is_there_or_that_it_is_gone(start):
    service = start("--keep-days", str(SECOND / 2))
    wrong, over = [], threading.Event()

    def read(path):
        while not over.is_set():
            try:
                answer = requests.get(service.url + path(), timeout=20)
            except (requests.exceptions.ChunkedEncodingError, requests.exceptions.ConnectionError):
                continue  # the sweep went while it was sent, which the client sees
            if answer.status_code not in (200, 404):
                wrong.append((answer.status_code, answer.text))

    sweeps = [sweep_of(service, {**SMALL, "offset": list(range(20))}, wait=0)["id"]]
    paths = [lambda: "/v1/experiments?page_size=500", lambda: "/v1/sweeps", lambda: f"/v1/sweeps/{sweeps[-1]}",
             lambda: f"/v1/sweeps/{sweeps[len(sweeps) // 2]}.csv"]
    readers = [threading.Thread(target=read, args=(path,)) for path in paths]
    for reader in readers:
        reader.start()
    until = time.monotonic() + 6
    while time.monotonic() < until:
        sweeps.append(sweep_of(service, {**SMALL, "offset": list(range(100))}, wait=0)["id"])
        time.sleep(0.1)
    over.set()
    for reader in readers:
        reader.join()
    assert not wrong, wrong[:3]
    assert gone(service, f"/v1/sweeps/{sweeps[0]}")
    service.works()


def test_a_clock_that_jumps_ahead_makes_nothing_old(start, tmp_path):
    if sanitized():
        pytest.skip("a sanitizer wants to be preloaded first")
    control = tmp_path / "control"
    control.write_bytes(bytes(56))
    service = start("--keep-days", "50", environment={"LD_PRELOAD": str(BUILD / "tests/steered.so"), "STEERED_CONTROL": str(control),
                                                      "STEERED_FOLDER": str(tmp_path)})
    before, removed = service.run(), f"/v1/experiments/{service.run({**SMALL, 'offset': 5})['id']}"
    remove(service, removed)
    assert "brings it back until" in service.get(removed).json()["detail"]
    with control.open("r+b") as file:
        file.write(struct.pack("=iiq", 0, 0, 100 * 86400 * 10**9))
    after = service.run()
    assert after["submitted_at"][:7] > before["submitted_at"][:7]
    assert service.get("/v1/removals").json()["removals"] == [] and gone(service, removed)
    assert service.request("POST", removed + "/restore").status_code == 404
    time.sleep(5)
    assert service.get(f"/v1/experiments/{before['id']}").status_code == 200
    with sqlite3.connect(tmp_path / "data" / "coalesced.db") as database:
        assert database.execute("SELECT count(*) FROM removals").fetchone() == (0,)
