"""A disk that cannot be read, or is full, while the service runs and when it starts."""
import json
import os
import pathlib
import re
import signal
import time

import contract
import pytest
import requests
from conftest import SMALL, sanitized

LIBRARY = pathlib.Path(os.environ.get("COALESCED_BUILD", pathlib.Path(__file__).parents[2] / "build")) / "tests/failing_disk.so"


@pytest.fixture
def disk(start, tmp_path):
    """disk(*flags) -> a service whose disk fails where disk.fails("read" or "write") says so, until disk.works()."""
    if sanitized():
        pytest.skip("a sanitizer wants to be preloaded first")
    assert LIBRARY.exists()
    switch = tmp_path / "switch"

    def begin(*flags, **rest):
        return start(*flags, environment={"LD_PRELOAD": str(LIBRARY), "FAILING_DISK": str(switch)}, **rest)

    begin.fails = lambda how: switch.with_suffix("." + how).touch()
    begin.works = lambda: [switch.with_suffix("." + how).unlink(missing_ok=True) for how in ("read", "write")]
    return begin


def sent(service, path, body):
    headers = {"Content-Type": "application/json", "Prefer": "wait=20"}
    return service.request("POST", path, data=json.dumps(body), headers=headers)


@pytest.mark.parametrize("path, body", [("/v1/experiments", SMALL), ("/v1/sweeps", {**SMALL, "offset": [0, 1, 2]})])
def test_what_is_committed_and_cannot_be_read_is_202(disk, path, body):
    service = disk()
    service.works()
    disk.fails("read")
    response = sent(service, path, body)
    assert response.status_code == 202, response.text
    assert service.get(response.headers["Location"]).status_code in (500, 503)
    disk.works()
    assert service.get(response.headers["Location"] + "?wait=20").json()["state"] == "succeeded"


@pytest.mark.slow
def test_nothing_more_runs_while_the_disk_is_full(disk):
    service = disk()
    sweep = service.request("POST", "/v1/sweeps", json={**SMALL, "offset": list(range(400)), "labels": {"fake": "sleep:0.01"}}).json()

    def done():
        return service.get(sweep["links"]["self"] + "?page_size=1").json()["done"]

    service.until(lambda: done() > 5)
    disk.fails("write")
    service.until(lambda: service.get("/readyz").status_code == 503)
    service.until(lambda: service.get("/v1/queue").json()["running"] == 0)
    queue = service.get("/v1/queue?experiments=2").json()
    queued = queue["queued"]
    assert queued > 100
    sweep_now = service.get(sweep["links"]["self"] + "?page_size=1").json()
    for one in *queue["devices"], *queue["experiments"], sweep_now:
        assert one["waits_for"].startswith("the service cannot write: ") and one["eta_seconds"] is None, one
    assert [owner["begins_seconds"] for device in queue["devices"] for owner in device["owners"]] == [None]
    # One has ended, which the store does not know.
    [ended] = service.get(f"/v1/experiments?sweep={sweep['id']}&state=running").json()["experiments"]
    ended = service.get(ended["links"]["self"]).json()
    assert ended["unwritten"] and ended["state"] == "running" and ended["waits_for"].startswith("it has ended, and the service cannot write: "), ended
    service.until(lambda: sent(service, "/v1/experiments", SMALL).status_code == 503)
    assert service.get("/v1/queue").json()["queued"] == queued
    disk.works()
    service.until(lambda: done() == 400, 60)
    assert service.get("/readyz").status_code == 200


@pytest.mark.parametrize("path, body", [("/v1/experiments", SMALL), ("/v1/sweeps", {**SMALL, "offset": [0]})])
def test_an_end_that_cannot_be_written_is_told(disk, path, body):
    service = disk()
    one = service.request("POST", path, json={**body, "labels": {"fake": "sleep:1"}}).json()["links"]["self"]
    service.until(lambda: service.get(one).json()["running" if "sweeps" in path else "state"] in (1, "running"))
    disk.fails("write")
    service.until(lambda: service.get("/v1/queue").json()["running"] == 0)
    service.until(lambda: service.get("/readyz").status_code == 503)
    now = service.get(one).json()
    if "sweeps" in path:
        assert (now["queued"], now["running"], now["unwritten"], now["done"]) == (0, 0, 1, 0)
        [listed] = service.get("/v1/sweeps").json()["sweeps"]
    else:
        [listed] = service.get("/v1/experiments").json()["experiments"]
    assert now["unwritten"] and listed["unwritten"]
    assert now["state"] == "running" and now["waits_for"].startswith("it has ended, and the service cannot write: "), now
    assert now["eta_seconds"] is None
    [device] = service.get("/v1/queue").json()["devices"]
    assert device["waits_for"].startswith("the service cannot write: ") and device["queued"] == 0
    assert service.get("/v1/queue").json()["refuses"] == device["waits_for"]
    disk.works()
    service.until(lambda: service.get(one).json()["state"] == "succeeded")
    queue = service.get("/v1/queue").json()
    assert queue["refuses"] is queue["devices"][0]["waits_for"] is None
    assert "unwritten" not in service.get(one).json()


@pytest.mark.slow
@pytest.mark.parametrize("before", ["nothing", "a database", "something that ran"])
def test_a_start_on_a_full_disk_goes_on_when_there_is_space(disk, start, before):
    if before != "nothing":
        first = start()
        stored = first.run()
        if before == "something that ran":
            first.post({**SMALL, "labels": {"fake": "sleep:60"}})
            # On disk, from which it is counted; /v1/queue says it earlier.
            first.until(lambda: first.get("/v1/experiments?state=running").json()["experiments"])
        first.stop(signal.SIGKILL)
    disk.fails("write")
    service = disk(ready=False)
    assert service.get("/livez").status_code == 200
    ready = service.get("/readyz?verbose")
    assert ready.status_code == 503 and re.search("full|No space", ready.text), ready.text
    refused = service.post(SMALL)
    assert refused.status_code == 503 and re.search("full|No space", refused.text) and refused.headers["Retry-After"]
    assert service.get("/v1/experiments?state=queued").status_code == 503
    assert requests.post(service.url + "/v1/sweeps", json={"kernel": "copy", "offset": "x" * 100000}, timeout=20).status_code == 503
    for path in "", "openapi.yaml", "ui/", "ui/sweeps", "ui/assets/app.js":  # the page says the reason
        assert requests.get(f"{service.url}/{path}", timeout=20).status_code == 200, path
    assert service.log.read_text().count("trying again") == 1
    disk.works()
    service.until(lambda: service.get("/readyz").status_code == 200)
    if before == "something that ran":
        service.until(lambda: service.get("/v1/queue").json()["running"] == 1)
        service.until(lambda: service.get("/v1/experiments?state=running").json()["experiments"])
        (again,) = service.get("/v1/experiments?state=running").json()["experiments"]
        assert again["attempt"] == 2
    else:
        service.works()
    if before != "nothing":
        assert service.get(f"/v1/experiments/{stored['id']}").json()["state"] == "succeeded"


def handed_over(disk):
    """What /readyz answers on connections that the first listener had accepted, until the second answers."""
    disk.fails("write")
    service = disk(ready=False)
    clients = [requests.Session() for _ in range(100)]
    for client in clients:
        assert client.get(service.url + "/livez", timeout=20).status_code == 200
    disk.works()
    said = []
    for client in clients:  # the start is tried again each second, the first listener stays for 0.3 s after
        try:
            reply = client.get(service.url + "/readyz", timeout=20)
        except requests.ConnectionError:  # it has ended, and closed the connection just as somebody asked once more
            break
        contract.check("GET", "/readyz", reply)
        said.append(reply.text)
        if reply.status_code == 200:
            break
        time.sleep(0.03)
    service.until(lambda: service.get("/readyz").status_code == 200)
    assert service.stop() == 0
    return said


def test_who_asks_while_one_listener_hands_over_hears_what_the_contract_says(disk):
    # On a busy machine nobody may have asked in the third of a second.
    assert any("the service is stopping" in said for _ in range(3) for said in handed_over(disk))


def test_a_start_on_a_full_disk_can_be_stopped(disk):
    disk.fails("write")
    service = disk(ready=False)
    assert service.get("/readyz").status_code == 503
    # No query that there will be is called wrong meanwhile.
    for name in sorted(contract.queries()):
        assert requests.get(f"{service.url}/v1/experiments?{name}=1", timeout=20).status_code == 503, name
    assert service.stop() == 0


@pytest.mark.slow
def test_submissions_are_refused_before_the_disk_is_full(disk, tmp_path):
    """Known keys and what waits already go on; when there is space again, new ones are taken."""
    space = tmp_path / "switch.space"
    service = disk("--reserve-bytes", "10M")
    keyed = {"Idempotency-Key": "before"}
    slow = service.post({**SMALL, "labels": {"fake": "sleep:2"}}, headers=keyed).json()["id"]
    space.write_text(str((10 << 20) + 4096))
    service.until(lambda: service.post(SMALL).status_code == 507)
    refused = service.post(SMALL)
    # Another submission may have been taken from the same look at the disk.
    missing = re.search(r"(\d+) bytes are missing", refused.json()["detail"])
    assert refused.json()["type"].endswith("/Storage") and 4096 <= int(missing.group(1)) <= 8192, refused.text
    assert "--reserve-bytes" in refused.json()["detail"]
    queue = service.get("/v1/queue").json()
    assert "nearly full" in queue["refuses"] and queue["devices"][0]["waits_for"] is queue["devices"][0]["eta_seconds"] is None, queue
    sweep = sent(service, "/v1/sweeps", {**SMALL, "offset": [0, 1, 2]})
    assert sweep.status_code == 507 and int(re.search(r"(\d+) bytes", sweep.json()["detail"]).group(1)) >= 3 * 8192 - 4096
    assert service.post({**SMALL, "labels": {"fake": "sleep:2"}}, headers=keyed).json()["id"] == slow
    assert service.get(f"/v1/experiments/{slow}?wait=20").json()["state"] == "succeeded"
    space.write_text(str(1 << 30))
    service.until(lambda: service.post(SMALL).status_code == 202)
