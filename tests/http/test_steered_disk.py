"""A disk that fails in one way and works in the others: what is answered then stays true."""
import pathlib
import signal
import sys
import threading

import contract
import pytest
import requests
from conftest import BINARY, SMALL, sanitized

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
from soak.machine import Machine  # noqa: E402

SWEEP = {**SMALL, "offset": [0, 1, 2]}


@pytest.fixture
def machine(tmp_path):
    if sanitized():
        pytest.skip("a sanitizer wants to be preloaded first")
    return Machine(tmp_path, pathlib.Path(BINARY).parent / "tests" / "steered.so")


@pytest.mark.kills
def test_what_a_failed_sync_refused_is_not_there_after_a_kill(start, machine):
    service = start(environment=machine.environment)
    stored = service.run()["id"]
    machine.fail("EIO on sync")
    assert service.post(SMALL).status_code == 503
    assert service.request("POST", "/v1/sweeps", json=SWEEP).status_code == 503
    service.stop(signal.SIGKILL)
    machine.fail("none")
    again = start(environment=machine.environment)
    assert [row["id"] for row in again.get("/v1/experiments").json()["experiments"]] == [stored]
    assert again.get("/v1/sweeps").json()["sweeps"] == []
    assert machine.hits()["EIO on sync"] > 0


@pytest.mark.kills
def test_what_could_not_be_written_over_yet_is_uncertain(start, machine):
    """The sync of a commit fails, and then every write: what the commit wrote stays in the log until writes go through."""
    service = start(environment=machine.environment)
    stored = service.run()["id"]
    machine.fail("EIO on sync", after="EIO on write")
    mended = threading.Timer(0.5, machine.fail, ["none"])
    mended.start()
    assert service.post(SMALL).status_code == 503
    service.stop(signal.SIGKILL)
    mended.join()
    again = start(environment=machine.environment)
    assert [row["id"] for row in again.get("/v1/experiments").json()["experiments"]] == [stored]
    assert machine.hits()["EIO on sync"] == 1 and machine.hits()["EIO on write"] > 0


@pytest.mark.parametrize("path, body", [("/v1/experiments", SMALL), ("/v1/sweeps", SWEEP)])
def test_an_ended_one_is_not_answered_as_queued_when_it_cannot_be_read(start, machine, path, body):
    service = start(environment=machine.environment)

    def send(**headers):
        return service.request("POST", path, json=body, headers={"Idempotency-Key": "one", **headers})

    first = send(Prefer="wait=20")
    assert first.status_code == 200
    service.post(SMALL)  # a change, after which nobody has read: no page that is in memory is as the store is now
    service.until(lambda: service.get("/v1/queue").json()["queued"] + service.get("/v1/queue").json()["running"] == 0)
    machine.fail("EIO on read")
    again = send()
    assert again.status_code == 503, again.text
    assert first.json()["id"] in again.json()["detail"] and again.headers["Retry-After"]
    machine.fail("none")
    assert send().json()["state"] == first.json()["state"]


@pytest.mark.kills
@pytest.mark.parametrize("fault", ["EIO on write", "EIO on sync", "EIO on read"])
def test_one_failure_at_the_start_is_not_the_end(start, machine, fault):
    """Wherever it happens: the service tries again, and what ran when it was killed runs again."""
    first = start(environment=machine.environment)
    for passes in range(0, 60, 5):
        name = first.post({**SMALL, "labels": {"fake": "sleep:60"}}).json()["id"]
        # On disk, from which it is counted.
        first.until(lambda: [row["id"] for row in first.get("/v1/experiments?state=running").json()["experiments"]] == [name])
        first.stop(signal.SIGKILL)
        before = machine.hits()[fault]
        machine.fail_once(fault, passes)
        again = start(environment=machine.environment, ready=False)
        again.until(lambda: requests.get(again.url + "/readyz", timeout=20).status_code == 200)
        again.until(lambda: again.get(f"/v1/experiments/{name}").json()["state"] == "running")
        assert again.get(f"/v1/experiments/{name}").json()["attempt"] == 2
        again.delete(f"/v1/experiments/{name}")
        first = again
        if machine.hits()[fault] == before:  # the start had ended before
            break
    assert passes > 1


def parameters(operation):
    """The query parameters of an operation of the contract, with references followed."""
    for one in operation.get("parameters", []):
        while "$ref" in one:
            one = contract._follow(one["$ref"])
        if one["in"] == "query":
            yield one["name"]


def test_every_request_is_answered_with_why_not_yet(start, machine):
    machine.fail("ENOSPC")
    service = start(environment=machine.environment, ready=False)
    asked = [(method.upper(), path, name) for path, operations in contract.DOCUMENT["paths"].items() if path.startswith("/v1/")
             for method, operation in operations.items() if method in ("get", "post", "delete") for name in parameters(operation)]
    assert len(asked) > 10
    for method, path, name in asked:
        reply = service.request(method, f"{path.format(id='0' * 26, n=0, name='x')}?{name}=1", data=b"{}")
        assert reply.status_code == 503 and "cannot start yet" in reply.text, (method, path, name, reply.text)
    machine.fail("none")
    # Whoever asks while one listener hands over to the next may hear that the first is stopping.
    service.until(lambda: requests.get(service.url + "/readyz", timeout=20).status_code == 200)
