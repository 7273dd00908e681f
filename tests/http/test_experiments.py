"""An experiment's way: submitted, waited for, listed, repeated, cancelled."""
import threading
import time

import pytest

from conftest import SMALL


def slow(seconds, **more):
    return {**SMALL, **more, "labels": {"fake": f"sleep:{seconds}"}}


def accepted(response):
    assert response.status_code == 202, response.text
    assert response.headers["Location"] == "/v1/experiments/" + response.json()["id"]
    assert int(response.headers["Retry-After"]) >= 1
    return response.json()


def test_an_experiment_is_accepted_and_its_location_leads_to_the_result(service):
    response = service.post(SMALL)
    document = accepted(response)
    assert document["state"] in ("queued", "running", "succeeded")  # the last, when it was quicker than its answer
    assert document["links"]["self"] == response.headers["Location"]
    result = service.get(response.headers["Location"] + "?wait=20").json()
    assert result["state"] == "succeeded" and result["id"] == document["id"] and result["attempt"] == 1
    assert result["submitted_at"] <= result["started_at"] <= result["finished_at"]
    assert result["correctness"]["verified"] is True


def test_every_default_is_filled_in(service):
    request = service.run({"kernel": "read_offset", "size": 1000})["request"]
    defaults = service.get("/v1/kernels/read_offset").json()["defaults"]
    assert request["offset"] == 0 and request["dtype"] == "f32" and request["block"] == defaults["block"]
    assert request["grid"] == [-(-1000 // defaults["block"][0]), 1, 1]
    assert request["measure"] == {"min_samples": 30, "noise": 0.01, "max_seconds": 1.0, "quiet_s": 0.0,
                                  "keep_samples": False}
    assert request["placement"] == "keep"


def test_a_result_of_one_experiment_can_be_asked_again_as_it_is(service):
    request = service.run({**SMALL, "offset": 11, "labels": {"course": "gpu-101"}})["request"]
    assert service.run(request)["request"] == request


def test_waiting_in_the_submission_gives_the_result(service):
    response = service.post(SMALL, headers={"Prefer": "respond-async, wait=10"})
    assert response.status_code == 200 and response.json()["state"] == "succeeded"
    assert response.headers["Preference-Applied"] == "wait=10"
    assert response.headers["Location"] == "/v1/experiments/" + response.json()["id"]


def test_waiting_ends_when_the_time_is_over(service):
    with service.busy():
        begun = time.monotonic()
        response = service.post(SMALL, headers={"Prefer": "wait=1"})
        assert 0.9 < time.monotonic() - begun
        document = accepted(response)
        assert document["state"] == "queued" and "Preference-Applied" not in response.headers
    assert service.get(document["links"]["self"], headers={"Prefer": "wait=20"}).json()["state"] == "succeeded"


def test_a_long_poll_ends_with_the_experiment(service):
    where = accepted(service.post(slow(1)))["links"]["self"]
    begun = time.monotonic()
    answers = []
    waiting = [threading.Thread(target=lambda: answers.append(service.get(where + "?wait=60").json()["state"]))
               for _ in range(20)]
    for thread in waiting:
        thread.start()
    for thread in waiting:
        thread.join()
    assert answers == ["succeeded"] * 20 and time.monotonic() - begun < 30


def test_a_wait_beyond_the_limit_is_cut_to_it(service):
    response = service.post(SMALL, headers={"Prefer": "wait=1000000"})
    assert response.headers["Preference-Applied"] == "wait=60"


def test_a_wait_of_any_length_is_a_wait(service):
    where = service.post({**SMALL, "labels": {"fake": "sleep:0.3"}}).json()["links"]["self"]
    answer = service.get(where + "?wait=99999999999999999999")
    assert answer.status_code == 200 and answer.json()["state"] == "succeeded"
    answer = service.post(SMALL, headers={"Prefer": "wait = 99999999999999999999"})
    assert answer.status_code == 200 and answer.headers["Preference-Applied"] == "wait=60"


@pytest.mark.parametrize("prefer", ["wait=soon", "wait", "wait=-1", "return=minimal", ""])
def test_preferences_that_are_not_understood_are_ignored(service, prefer):
    accepted(service.post(SMALL, headers={"Prefer": prefer}))


def test_a_failure_says_its_kind_and_detail(service):
    result = service.run({**SMALL, "labels": {"fake": "error:out_of_memory"}})
    assert result["state"] == "failed"
    assert result["failure"] == {"kind": "out_of_memory", "detail": 'it said "no"'}


def test_a_crash_fails_that_experiment_only(service):
    result = service.run({**SMALL, "labels": {"fake": "crash"}})
    assert result["state"] == "failed" and result["failure"]["kind"] == "crashed"
    service.works()


# ---- what ended never changes ----

def test_an_ended_one_carries_an_etag_and_is_not_sent_twice(service):
    where = "/v1/experiments/" + service.run()["id"]
    first = service.get(where)
    tag = first.headers["ETag"]
    assert tag.startswith('"') and first.content == service.get(where).content
    for known in (tag, "W/" + tag, f'"other", {tag}', "*"):
        again = service.get(where, headers={"If-None-Match": known})
        assert again.status_code == 304 and again.content == b"" and again.headers["ETag"] == tag
    assert service.get(where, headers={"If-None-Match": '"other"'}).status_code == 200


def test_one_that_has_not_ended_carries_no_etag(service):
    with service.busy() as one:
        response = service.get(one["links"]["self"], headers={"If-None-Match": "*"})
        assert response.status_code == 200 and "ETag" not in response.headers


def test_head_answers_as_get_does_without_the_body(service):
    where = "/v1/experiments/" + service.run()["id"]
    for path in (where, "/v1/experiments", "/v1/kernels", "/livez", "/readyz", "/openapi.yaml", "/v1/devices/0"):
        head, get = service.request("HEAD", path), service.get(path)
        assert head.status_code == get.status_code == 200 and head.content == b""
        assert head.headers.get("ETag") == get.headers.get("ETag")


# ---- idempotency ----

def test_the_same_key_and_body_give_the_same_experiment(service):
    key = {"Idempotency-Key": f"same-{time.time_ns()}"}
    first = accepted(service.post(SMALL, headers=key))
    for body in (SMALL, {**SMALL, "offset": 0}, dict(reversed(SMALL.items()))):
        assert accepted(service.post(body, headers=key))["id"] == first["id"]
    service.get(first["links"]["self"] + "?wait=20")
    again = accepted(service.post(SMALL, headers=key))
    assert again["id"] == first["id"] and again["state"] == "succeeded"
    waited = service.post(SMALL, headers={**key, "Prefer": "wait=5"})
    assert waited.status_code == 200 and waited.json()["id"] == first["id"]


def test_the_same_key_with_another_body_is_refused(service):
    key = {"Idempotency-Key": f"other-{time.time_ns()}"}
    accepted(service.post(SMALL, headers=key))
    response = service.post({**SMALL, "offset": 1}, headers=key)
    assert response.status_code == 422 and response.json()["type"].endswith("KeyReused")


def test_one_key_sent_many_times_at_once_is_one_experiment(service):
    key = {"Idempotency-Key": f"once-{time.time_ns()}"}
    ids = []
    threads = [threading.Thread(target=lambda: ids.append(service.post(SMALL, headers=key).json()["id"]))
               for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ids) == 16 and len(set(ids)) == 1


def test_without_a_key_every_submission_is_another_experiment(service):
    assert service.post(SMALL).json()["id"] != service.post(SMALL).json()["id"]


# ---- lists ----

def test_pages_hold_everything_once_newest_first(service):
    label = f"pages{time.time_ns()}"
    ids = [service.post({**SMALL, "labels": {label: str(i)}}).json()["id"] for i in range(41)]
    seen, path, pages = [], f"/v1/experiments?label={label}&page_size=20", 0
    token = ""
    while token is not None:
        page = service.get(path + (f"&page_token={token}" if token else "")).json()
        seen += [row["id"] for row in page["experiments"]]
        token, pages = page["next_page_token"], pages + 1
    assert seen == sorted(ids, reverse=True) and pages == 3
    assert len(service.get("/v1/experiments").json()["experiments"]) == 50 or len(seen) < 50
    whole = service.get(f"/v1/experiments?label={label}&page_size=500").json()
    assert [row["id"] for row in whole["experiments"]] == seen and whole["next_page_token"] is None
    for size in (16, 17, 40, 41):
        page = service.get(f"/v1/experiments?label={label}&page_size={size}").json()
        assert len(page["experiments"]) == size and (page["next_page_token"] is None) == (size == 41)


def test_filters_choose(service):
    label = f"filters{time.time_ns()}"
    service.run({"kernel": "copy", "size": 64, "labels": {label: "one:two"}})
    service.run({"kernel": "vector_add", "size": 64, "labels": {label: "three"}})
    service.run({"kernel": "copy", "size": 64, "labels": {label: "x", "fake": "error:cuda_error"}})

    def count(query):
        return len(service.get(f"/v1/experiments?label={label}{query}").json()["experiments"])

    assert (count(""), count("&kernel=copy"), count("&kernel=aos"), count("&device=0"), count("&device=1")) == \
        (3, 2, 0, 3, 0)
    assert (count(":one:two"), count(":three"), count(":four"), count("&state=failed"), count("&state=queued")) == \
        (1, 1, 0, 1, 0)
    assert (count("%3Done:two"), count("=three"), count("=four")) == (1, 1, 0)  # with the "=" that it is written with
    mistaken = service.get("/v1/experiments?label=%3Dthree")
    assert mistaken.status_code == 400 and "name=value" in mistaken.json()["detail"]


def test_a_list_says_what_was_asked_but_not_what_came_back(service):
    service.works()
    row = service.get("/v1/experiments?page_size=1").json()["experiments"][0]
    assert row["request"]["kernel"] == "read_offset" and "timing" not in row


# ---- cancelling ----

def test_a_queued_one_is_cancelled_at_once(service):
    with service.busy() as running:
        queued = accepted(service.post(SMALL))
        assert queued["state"] == "queued" and queued["position"] == 1
        response = service.delete(queued["links"]["self"])
        assert response.status_code == 200 and response.json()["state"] == "cancelled"
        assert service.get(queued["links"]["self"]).json()["state"] == "cancelled"
        assert service.delete(queued["links"]["self"]).status_code == 409
        assert service.get(running["links"]["self"]).json()["state"] == "running"
    service.works()


def test_a_running_one_is_stopped_and_the_next_one_runs(service):
    where = accepted(service.post(slow(30)))["links"]["self"]
    service.until(lambda: service.get(where).json()["state"] == "running")
    response = service.delete(where)
    document = response.json()
    # The reply is 200 if the experiment had ended before the service wrote the reply.
    expected = ("running", True) if response.status_code == 202 else ("cancelled", None)
    assert response.status_code in (200, 202) and (document["state"], document.get("cancelling")) == expected
    begun = time.monotonic()
    assert service.get(where + "?wait=20").json()["state"] == "cancelled"
    assert time.monotonic() - begun < 10
    service.works()


def test_an_ended_one_cannot_be_cancelled(service):
    response = service.delete("/v1/experiments/" + service.run()["id"])
    assert response.status_code == 409 and "succeeded" in response.json()["detail"]


def test_whoever_waits_hears_of_a_cancellation(service):
    with service.busy():
        where = accepted(service.post(SMALL))["links"]["self"]
        answers = []
        waiting = threading.Thread(target=lambda: answers.append(service.get(where + "?wait=30").json()["state"]))
        waiting.start()
        time.sleep(0.2)  # it most likely waits by then; one that comes later hears of it all the same
        service.delete(where)
        waiting.join()
        assert answers == ["cancelled"]


# ---- the queue ----

def test_positions_and_the_queue_agree(service):
    service.until(lambda: not any(service.get("/v1/queue").json()[what] for what in ("queued", "running")))
    with service.busy() as first:
        others = [accepted(service.post(SMALL)) for _ in range(3)]
        assert [other["position"] for other in others] == [1, 2, 3]
        queue = service.get("/v1/queue").json()
        assert queue["queued"] == 3 and queue["running"] == 1 and queue["devices"][0]["running"] == first["id"]
        assert others[2]["eta_seconds"] is None or others[2]["eta_seconds"] >= 0
    assert service.get(others[2]["links"]["self"] + "?wait=20").json()["state"] == "succeeded"
    assert service.get("/v1/queue").json()["queued"] == 0


def test_the_higher_priority_runs_first(service):
    with service.busy():
        low = accepted(service.post(SMALL))["links"]["self"]
        high = accepted(service.post({**SMALL, "priority": 5}))["links"]["self"]
    low, high = service.get(low + "?wait=20").json(), service.get(high + "?wait=20").json()
    assert high["started_at"] <= low["started_at"] and high["id"] > low["id"]


# ---- what there is ----

def test_kernels_are_described_and_one_has_its_source(service):
    kernels = service.get("/v1/kernels").json()["kernels"]
    names = [kernel["name"] for kernel in kernels]
    assert "read_offset" in names and names == sorted(names)
    assert all("source" not in kernel for kernel in kernels)
    for kernel in kernels:
        one = service.get("/v1/kernels/" + kernel["name"]).json()
        assert one["source"] and {**one, "source": None} == {**kernel, "source": None}


def test_a_device_tells_its_limits_and_how_it_is(service):
    service.works()
    device = service.get("/v1/devices/0").json()
    assert device["name"] == "Fake device" and device["max_threads_per_block"] == 1024
    assert device["status"]["health"] == "healthy" and device["status"]["executor_pid"] > 0
    assert service.get("/v1/devices").json()["devices"][0]["uuid"] == device["uuid"]


def test_readiness_names_this_very_instance(service):
    plain, verbose = service.get("/readyz").json(), service.get("/readyz?verbose").json()
    assert plain["instance"] == service.announced["instance"] and "checks" not in plain
    assert {check["name"] for check in verbose["checks"]} == {"store", "accepting", "list of devices", f"device 0 ({service.get('/v1/devices/0').json()['device_name']})"}
    assert service.get("/livez").json() == {"status": "alive"}


def test_a_debug_build_is_asked_for_by_name_or_by_field(service):
    """It is a kernel of its own, and told as such."""
    assert service.run({"kernel": "vector_add", "size": 1000, "debug": True})["request"] == service.run({"kernel": "vector_add_debug", "size": 1000})["request"]
    assert service.run({"kernel": "vector_add", "size": 1000, "debug": False})["request"]["kernel"] == "vector_add"
    sweep = service.request("POST", "/v1/sweeps", json={"kernel": "vector_add", "size": [1000, 2000], "debug": True}, headers={"Prefer": "wait=20"}).json()
    assert [point["request"]["kernel"] for point in sweep["points"]] == ["vector_add_debug", "vector_add_debug"]
    assert service.get(f"/v1/sweeps/{sweep['id']}").json()["request"]["kernel"] == "vector_add_debug"
