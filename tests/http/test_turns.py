"""Owners take turns; a device that is drained and a queue that is paused wait, across restarts."""
import json
import subprocess

import pytest

from conftest import BINARY, SMALL, token_line

PATHS = {"drain": ("/v1/devices/0/drain", "/v1/devices/0/resume"), "pause": ("/v1/queue/pause", "/v1/queue/resume")}


def send(service, path, who=None, body=None):
    headers = {"Authorization": f"Bearer {who}"} if who else {}
    if body is None:
        return service.request("POST", path, headers=headers)
    headers["Content-Type"] = "application/json"
    return service.request("POST", path, data=json.dumps(body), headers=headers)


@pytest.fixture
def secrets(tmp_path):
    """secrets[name] is that person's token; a name is a role as well."""
    file = tmp_path / "tokens"
    made = {}
    for name in "ann", "ben", "admin":
        command = [BINARY, "token", "add", name, "--role", "admin" if name == "admin" else "run", "--token-file", str(file)]
        made[name] = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    return {"file": str(file), **made}


def as_person(service, secret):
    service.headers = {"Authorization": f"Bearer {secret}"}
    return service


@pytest.mark.parametrize("hold, resume", PATHS.values(), ids=PATHS)
def test_what_waits_waits_until_somebody_resumes_whatever_happens_between(start, hold, resume):
    service = start()
    service.works()
    first = send(service, hold).json()
    assert first["paused"] and first["paused_by"] is None
    assert send(service, hold).json() == first
    accepted = service.post(SMALL).json()
    assert accepted["state"] == "queued" and accepted["paused"] and accepted["eta_seconds"] is None
    service.stop()
    service = start()
    waiting = service.get(f"/v1/experiments/{accepted['id']}").json()
    assert waiting["paused"] and waiting["position"] == 0 and waiting["eta_seconds"] is None
    queue = service.get("/v1/queue").json()
    device = service.get("/v1/devices/0").json()
    assert [queue["paused"], queue["devices"][0]["paused"], device["paused"]] == [
        "queue" in hold, "devices" in hold, "devices" in hold]
    assert (queue if "queue" in hold else device)["paused_since"] == first["paused_since"]
    sweep = send(service, "/v1/sweeps", body={"kernel": "copy", "size": [1024, 2048]}).json()
    assert sweep["paused"] and sweep["eta_seconds"] is None
    assert not send(service, resume).json()["paused"]
    assert service.get(f"/v1/experiments/{accepted['id']}?wait=30").json()["state"] == "succeeded"
    assert "paused" not in service.get(f"/v1/sweeps/{sweep['id']}").json()
    assert not send(service, resume).json()["paused"]


def test_there_is_no_device_9_to_drain(service):
    assert send(service, "/v1/devices/9/drain").status_code == 404


def test_only_an_admin_holds_and_resumes(start, secrets):
    service = start("--token-file", secrets["file"], ready=False)
    as_person(service, secrets["ann"]).until(lambda: service.get("/readyz").status_code == 200)
    for hold, resume in PATHS.values():
        assert send(service, hold).status_code == send(service, resume).status_code == 403
        assert send(service, hold, secrets["admin"]).json()["paused_by"] == "admin"
        assert send(service, resume, secrets["admin"]).json()["paused"] is False


def test_a_limit_for_one_owner_that_is_never_reached_is_told(start, secrets):
    limited = lambda most: start("--token-file", secrets["file"], "--queue-limit", "10", "--owner-limit", most, ready=False)  # noqa: E731
    service = limited("6")
    service.until(lambda: "listening on" in service.log.read_text())
    assert "no effect" not in service.log.read_text()
    service.stop()
    service = limited("7")
    service.until(lambda: "--owner-limit 7 has no effect: with --queue-limit 10 one owner has at most 6 waiting" in service.log.read_text())


def test_a_single_experiment_waits_for_one_of_anothers_sweep_and_is_told_so(start, secrets):
    service = as_person(start("--token-file", secrets["file"], "--queue-limit", "1000"), secrets["admin"])
    send(service, "/v1/queue/pause")
    sizes = [1024 * (i + 1) for i in range(400)]
    slow = {"labels": {"fake": "sleep:0.05"}}  # so that most of them still wait when the queue is paused again
    sweep = send(service, "/v1/sweeps", secrets["ann"], {"kernel": "copy", "size": sizes, **slow})
    assert sweep.status_code == 202, sweep.text
    own = send(service, "/v1/experiments", secrets["ben"], SMALL).json()
    assert own["position"] <= 1  # neither used anything: by name
    send(service, "/v1/queue/resume")
    service.get(f"/v1/experiments/{own['id']}?wait=30")
    send(service, "/v1/queue/pause")
    ended = service.get(f"/v1/experiments?sweep={sweep.json()['id']}&page_size=500&state=succeeded").json()["experiments"]
    started = service.get(f"/v1/experiments/{own['id']}").json()["started_at"]
    assert sum(one["started_at"] < started for one in ended) <= 1
    queue = service.get("/v1/queue").json()["devices"][0]
    assert [one["owner"] for one in queue["owners"]] == ["ann"] and 0 < queue["owners"][0]["share"] <= 1
    assert {one["owner"] for one in service.get("/v1/queue").json()["shares"]} == {"ann", "ben"}, "ben has nothing here any more"
    assert sum(one["share"] for one in service.get("/v1/queue").json()["shares"]) == pytest.approx(1, abs=0.001)
    left = service.get(f"/v1/experiments?sweep={sweep.json()['id']}&page_size=500&state=queued").json()["experiments"]
    assert queue["owners"][0]["next"] == min(one["id"] for one in left)
    assert queue["owners"][0]["begins_seconds"] is queue["owners"][0]["ends_seconds"] is None  # it is paused
    # Bounds are the owner's own, and say so.
    full = send(service, "/v1/sweeps", secrets["ann"], {"kernel": "copy", "size": sizes})
    assert full.status_code == 429 and "you have" in full.json()["detail"] and int(full.headers["Retry-After"]) == 60  # it is paused
    assert send(service, "/v1/experiments", secrets["ben"], SMALL).status_code == 202
    long = send(service, "/v1/sweeps", secrets["ben"], {"kernel": "copy", "size": sizes, "timeout_s": 3600})
    assert long.status_code == 422 and "1440000 s" in long.json()["detail"]


def test_of_many_owners_the_queue_tells_a_hundred_who_runs_and_who_asks(start, tmp_path):
    names = [f"owner{i:03}" for i in range(104)]
    file = tmp_path / "many"
    file.write_text("\n".join([*(token_line(name, "run", name) for name in names), token_line("root", "admin", "root")]) + "\n")
    file.chmod(0o600)
    service = as_person(start("--token-file", str(file)), "root")
    assert send(service, PATHS["pause"][0], "root").status_code == 200
    for name in names:
        assert send(service, "/v1/experiments", name, SMALL).status_code == 202
    # All have used nothing, so their names are their order.
    for name, told in (names[0], names[:100]), (names[-1], [*names[:100], names[-1]]):
        [device] = service.get("/v1/queue", headers={"Authorization": f"Bearer {name}"}).json()["devices"]
        assert [one["owner"] for one in device["owners"]] == told
        assert device["owner_count"] == len(names)


def test_who_runs_now_has_a_share_of_it_and_is_told_how_much_of_the_sweep_is_left(start, secrets):
    service = as_person(start("--token-file", secrets["file"]), secrets["ann"])
    send(service, "/v1/sweeps", secrets["ann"], {**SMALL, "offset": list(range(4)), "labels": {"fake": "sleep:0.5"}})
    answers = []
    service.until(lambda: answers.append(service.get("/v1/queue?experiments=5").json()) or answers[-1]["running"])
    queue = answers[-1]
    [running] = [one for one in queue["experiments"] if one["state"] == "running"]
    left = queue["queued"] + 1
    assert running["sweep_left"] == left and all("sweep_left" not in one for one in queue["experiments"] if one != running)
    assert [(one["owner"], one["share"]) for one in queue["shares"]] == [("ann", 1)], "before its end"


def test_the_queue_and_its_experiments_are_of_one_moment(start, secrets):
    service = as_person(start("--token-file", secrets["file"]), secrets["ann"])
    slow = {**SMALL, "labels": {"fake": "sleep:0.05"}}
    send(service, "/v1/sweeps", secrets["ann"], {**slow, "offset": list(range(40))})
    send(service, "/v1/sweeps", secrets["ben"], {**slow, "offset": list(range(40))})
    ran = set()
    while (queue := service.get("/v1/queue?experiments=5").json())["queued"] > 10:
        [device] = queue["devices"]
        if sum(one["queued"] > 0 for one in device["owners"]) < 2:
            break  # on a busy machine one of them may be through first
        listed = queue["experiments"]
        running, own = ([one for one in listed if one["state"] == "running"],
                        [one for one in listed if one["state"] == "queued" and one["owner"] == "ann"])
        assert [one["id"] for one in running] == ([device["running"]] if device["running"] else [])
        ran.update(one["id"] for one in running)
        owners = {one["owner"]: one for one in device["owners"]}
        assert len(own) == min(5, owners["ann"]["queued"]) and sum(one["queued"] for one in owners.values()) == queue["queued"]
        assert own[0]["id"] == owners["ann"]["next"]
        assert [one["id"] for one in listed if one["owner"] == "ben" and one["state"] == "queued"] == [owners["ben"]["next"]]
        assert [one["position"] for one in listed] == sorted(one["position"] for one in listed)
        if len(own) == owners["ann"]["queued"] and own[-1]["eta_seconds"] is not None:
            assert own[-1]["eta_seconds"] == pytest.approx(owners["ann"]["ends_seconds"], abs=0.1)  # they are read one after the other
    assert len(ran) > 5
    assert service.get("/v1/queue?experiments=0").json().keys() - service.get("/v1/queue").json().keys() == {"experiments"}
    for wrong in "-1", "101", "x", "":
        answer = service.get(f"/v1/queue?experiments={wrong}")
        assert answer.status_code == 400 and "experiments must be a number from 0 to 100" in answer.json()["detail"]
