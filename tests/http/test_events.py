"""Server-sent events: what is sent, to whom, from where on, and what they cost others."""
import resource
import signal
import socket
import threading
import time

import pytest
from conftest import SMALL, sanitized, slow_reader, token_line
from following import Stream, states

SLEEPS = {**SMALL, "labels": {"fake": "sleep:0.5"}}
LONG = {**SMALL, "labels": {"fake": "sleep:60"}}


def follow(service, path="/v1/events", **how):
    stream = Stream(service.port, path, **how)
    assert stream.status == 200, stream.headers
    return stream


def sweep_of(service, body, **headers):
    return service.request("POST", "/v1/sweeps", json=body, headers=headers).json()


def test_a_stream_is_told_what_it_is(service):
    with follow(service) as stream:
        assert stream.headers["content-type"] == "text/event-stream"
        assert stream.headers["cache-control"] == "no-store"
        assert stream.headers["x-accel-buffering"] == "no"
        assert "content-encoding" not in stream.headers and "transfer-encoding" not in stream.headers


def test_the_first_event_is_how_things_are_and_then_all_is_told(service):
    with follow(service) as stream:
        assert stream.next()[0] == "snapshot"
        name = service.run()["id"]
        seen = stream.until("state", id=name, state="succeeded")
        assert states(seen, name) == ["queued", "running", "succeeded"]
        numbers = [int(number) for _, _, number in seen if number]
        assert numbers == sorted(set(numbers))


def test_a_stream_of_one_experiment_ends_with_it(service):
    first = service.post(SLEEPS).json()["id"]
    second = service.post(SMALL).json()["id"]
    with follow(service, f"/v1/experiments/{second}/events") as stream:
        seen = stream.rest()
    kinds = [kind for kind, _, _ in seen]
    assert kinds[0] == "snapshot" and seen[0][1]["experiment"]["id"] == second
    assert "place" in kinds and kinds[-1] == "end" and seen[-1][1] == {"id": second, "state": "succeeded"}
    assert states(seen) == ["running", "succeeded"] and first not in {data.get("id") for _, data, _ in seen}


def test_of_one_that_has_ended_only_that_is_told(service):
    name = service.run()["id"]
    with follow(service, f"/v1/experiments/{name}/events") as stream:
        seen = stream.rest()
    assert [kind for kind, _, _ in seen] == ["snapshot", "end"]
    assert seen[0][1]["experiment"]["state"] == "succeeded"


def test_why_it_failed_is_told(service):
    name = service.run({**SMALL, "labels": {"fake": "error:cuda_error"}})["id"]
    with follow(service, f"/v1/experiments/{name}/events") as stream:
        assert stream.next()[1]["experiment"]["failure"] == "cuda_error"
    with follow(service) as stream:
        stream.next()
        service.run({**SMALL, "labels": {"fake": "error:cuda_error"}})
        assert stream.until("state", state="failed")[-1][1]["failure"] == "cuda_error"


def test_a_stream_of_a_sweep_tells_its_points_and_ends_with_it(service):
    service.post(SLEEPS)
    name = sweep_of(service, {**SMALL, "offset": [0, 1, 2, 3]})["id"]
    service.post(SMALL)
    with follow(service, f"/v1/sweeps/{name}/events") as stream:
        seen = stream.rest()
    assert seen[0][0] == "snapshot" and seen[0][1]["sweep"]["total"] == 4
    assert sorted(states(seen)) == ["running"] * 4 + ["succeeded"] * 4
    assert {data["sweep"] for kind, data, _ in seen if kind == "state"} == {name}
    points = [data for kind, data, _ in seen if kind == "points"]
    assert points[-1]["done"] == 4 and [kind for kind, _, _ in seen][-3:] == ["sweep", "points", "end"]
    assert seen[-1][1] == {"id": name, "state": "succeeded"}


def test_a_cancelled_sweep_is_told_point_by_point(start):
    service = start()
    service.post(LONG)
    name = sweep_of(service, {**SMALL, "offset": [0, 1, 2]})["id"]
    one = service.get(f"/v1/sweeps/{name}").json()["points"][1]["id"]
    with follow(service, f"/v1/sweeps/{name}/events") as all_of_it, follow(service, f"/v1/experiments/{one}/events") as point:
        service.delete(f"/v1/sweeps/{name}")
        seen = all_of_it.rest()
        assert states(seen) == ["cancelled"] * 3 and seen[-1][1]["state"] == "cancelled"
        assert states(point.rest()) == ["cancelled"]


def test_a_pause_is_told_and_changes_a_place(start):
    service = start()
    service.post(LONG)
    name = service.post(SMALL).json()["id"]
    with follow(service) as stream, follow(service, f"/v1/experiments/{name}/events") as one:
        stream.next()
        one.until("place", id=name)
        service.request("POST", "/v1/queue/pause")
        service.request("POST", "/v1/queue/pause")
        service.request("POST", "/v1/devices/0/drain")
        service.request("POST", "/v1/queue/resume")
        seen = stream.until("queue", device=None, paused=False)
        assert [(data["device"], data["paused"]) for kind, data, _ in seen if kind == "queue"] == \
            [(None, True), (0, True), (None, False)]
        assert one.until("place", paused=True)[-1][1]["eta_seconds"] is None


def test_what_runs_is_told(start):
    """By the real executor, on the CPU: its phases, and samples so far of what takes long."""
    service = start("--devices", "cpu", fake=False)
    body = {"kernel": "copy", "size": 1 << 20, "measure": {"min_samples": 10000, "max_seconds": 1}}
    name = service.post(body).json()["id"]
    with follow(service, f"/v1/experiments/{name}/events") as stream:
        seen = [data for kind, data, _ in stream.rest() if kind == "progress"]
    counts = [data["samples"] for data in seen if data["phase"] == "cold" and data["samples"]]
    assert counts and counts == sorted(set(counts))


def test_removals_and_what_is_brought_back_are_told(service):
    name = service.run()["id"]
    path = f"/v1/experiments/{name}"
    with follow(service) as stream, follow(service, "/v1/events?device=0") as of_device:
        for method, target in (("DELETE", f"{path}?remove=true"), ("POST", f"{path}/restore"), ("POST", f"{path}/restore")):
            assert service.request(method, target).status_code == 204
        seen = stream.until("removal", removed=False)
        told = [data for kind, data, number in seen if kind == "removal" and number]
        assert [(data["id"], data["kind"], data["sweep"], data["removed"], data["owner"]) for data in told] == [(name, "experiment", None, removed, None) for removed in (True, False)]
        service.run()
        seen = stream.until("state", state="succeeded")
        assert "removal" not in {kind for kind, _, _ in seen}, "what was there already was not brought back"
        assert "removal" not in {kind for kind, _, _ in of_device.until("state", state="succeeded")}


def test_a_device_is_told_of_without_being_asked(service):
    with follow(service) as stream:
        assert stream.until("device", device=0)[-1][1]["health"] == "healthy"


def test_last_event_id_goes_on_where_it_was(service):
    with follow(service) as stream:
        stream.next()
        service.run()
        seen = stream.until("state", state="succeeded")
        last = stream.last
    service.run()
    with follow(service, last=last) as stream:
        again = stream.until("state", state="succeeded")
    durable = [event for event in again if event[2]]
    assert states(durable) == ["queued", "running", "succeeded"]
    assert not {number for _, _, number in seen if number} & {number for _, _, number in durable}


def test_last_event_id_outlives_a_kill(start):
    service = start()
    with follow(service) as stream:
        stream.next()
        service.run()
        stream.until("state", state="running")
        last = stream.last
    service.process.kill()
    service.process.wait()
    service = start()
    service.run()
    with follow(service, last=last) as stream:
        assert states(stream.until("state", state="queued")) == ["succeeded", "queued"]


@pytest.mark.parametrize("last", ["1", "999999999999999999", "x", "-5", "1795306695000000", ""])
def test_an_id_that_is_not_known_begins_anew_and_says_so(service, last):
    with follow(service, last=last) as stream:
        kinds = [stream.next()[0] for _ in range(2)]
    assert kinds[:2] == ["reset", "snapshot"] or (last == "" and kinds[0] == "snapshot")


def test_an_id_of_another_database_begins_anew(start, tmp_path):
    one = start()
    with follow(one) as stream:
        stream.next()
        one.run()
        stream.until("state", state="succeeded")
        last = stream.last
    assert one.stop() == 0
    (tmp_path / "data").rename(tmp_path / "other")
    two = start()
    two.run()
    with follow(two, last=last) as stream:
        assert stream.next()[0] == "reset"


def test_an_experiment_that_ended_meanwhile_is_told_to_its_end(start):
    service = start()
    name = service.post(SLEEPS).json()["id"]
    with follow(service, f"/v1/experiments/{name}/events") as stream:
        last = stream.until("snapshot")[-1][2]
    service.until(lambda: service.get(f"/v1/experiments/{name}").json()["state"] == "succeeded")
    with follow(service, f"/v1/experiments/{name}/events", last=last) as stream:
        seen = stream.rest()
    assert states(seen)[-1] == "succeeded" and seen[-1][0] == "end" and "snapshot" not in {kind for kind, _, _ in seen}
    with follow(service, f"/v1/experiments/{name}/events", last=stream.last) as stream:
        assert [kind for kind, _, _ in stream.rest()] == ["end"]


def test_comments_keep_a_quiet_stream_open(start):
    service = start("--event-comment-seconds", "0.2")
    with follow(service) as stream:
        stream.until("device")
        limit = time.monotonic() + 20
        while not stream.comments:
            assert time.monotonic() < limit
            if stream.file.readline().startswith(b":"):
                stream.comments += 1


def test_a_stop_ends_streams_at_once(start):
    service = start()
    streams = [follow(service) for _ in range(50)]
    for stream in streams:
        stream.next()
    began = time.monotonic()
    assert service.stop(signal.SIGTERM) == 0
    assert time.monotonic() - began < 10
    for stream in streams:
        assert "end" not in {kind for kind, _, _ in stream.rest()}


def test_filters(start, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.touch(0o600)
    tokens.write_text(token_line("ada", "admin", "A" * 40) + token_line("bob", "run", "B" * 40) + token_line("eve", "metrics", "E" * 40))
    service = start("--token-file", str(tokens))
    ada, bob = ({"Authorization": f"Bearer {secret * 40}"} for secret in "AB")
    with follow(service, "/v1/events?owner=me", secret="B" * 40) as mine, \
            follow(service, "/v1/events?owner=ada", secret="B" * 40) as hers, follow(service, "/v1/events?device=0", secret="B" * 40) as device:
        for headers in (ada, bob):
            assert service.post(SMALL, headers={**headers, "Prefer": "wait=20"}).status_code == 200
        assert {data["owner"] for kind, data, _ in mine.until("state", state="succeeded") if kind == "state"} == {"bob"}
        assert {data["owner"] for kind, data, _ in hers.until("state", state="succeeded") if kind == "state"} == {"ada"}
        assert states(device.until("state", state="succeeded", owner="bob")) == ["queued", "running", "succeeded"] * 2
    for path in ("/v1/events", "/v1/experiments/01M809WCJ44RSHP40M6TA8ZC8Y/events"):
        assert service.get(path).status_code == 401
        assert service.get(path, headers={"Authorization": "Bearer " + "E" * 40}).status_code == 403


def test_what_nobody_owns_is_heard_as_nobodys(service):
    with follow(service, "/v1/events?owner=nobody") as nobodys, follow(service, "/v1/events?owner=ada") as hers:
        service.works()
        assert states(nobodys.until("state", state="succeeded")) == ["queued", "running", "succeeded"]
        assert service.request("POST", "/v1/queue/pause").ok and service.request("POST", "/v1/queue/resume").ok
        assert "state" not in [kind for kind, _, _ in hers.until("queue")]


def test_a_revoked_token_hears_no_more(start, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.touch(0o600)
    tokens.write_text(token_line("ada", "admin", "A" * 40) + token_line("bob", "read", "B" * 40))
    service = start("--token-file", str(tokens))
    with follow(service, secret="B" * 40) as stream:
        stream.until("device")
        tokens.write_text(token_line("ada", "admin", "A" * 40))
        assert stream.rest() is not None


@pytest.mark.parametrize("path", ["/v1/events?owner=a%20b", "/v1/events?device=7", "/v1/events?kind=state"])
def test_a_wrong_filter_is_told(service, path):
    assert service.get(path).status_code == 400


@pytest.mark.parametrize("path", ["/v1/experiments/x/events", "/v1/sweeps/01M809WCJ44RSHP40M6TA8ZC8Y/events"])
def test_of_what_is_not_there_nothing_is_told(service, path):
    assert service.get(path).status_code == 404


def test_head_is_answered_with_the_header_alone(service):
    answer = service.request("HEAD", "/v1/events")
    assert answer.status_code == 200 and answer.headers["Content-Type"] == "text/event-stream"


def test_who_follows_leaves_half_of_an_addresss_connections_to_others(start):
    service = start("--connections-per-address", "40")
    streams = [follow(service) for _ in range(20)]
    refused = service.get("/v1/events")
    assert refused.status_code == 503
    service.works()
    streams.pop().close()
    service.until(lambda: _follows(service))
    for stream in streams:
        stream.close()


def _follows(service):
    with Stream(service.port, "/v1/events") as stream:
        return stream.status == 200


@pytest.mark.slow
def test_one_that_does_not_read_is_cut_off_and_holds_up_nobody(start):
    """More happens than its socket holds; a client that reads receives all of it."""
    service = start()
    service.post(LONG)
    deaf = slow_reader(service, "/v1/events", "")
    heard = []

    def listen():
        with follow(service, timeout=60) as stream:
            while heard.count(b"cancelled") < 15000 and (line := stream.file.readline()):
                heard.extend([b"begun"] * line.startswith(b"event: snap") + [b"cancelled"] * (b'"state":"cancelled"' in line))

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    service.until(lambda: heard)
    before = service.anonymous_bytes()
    for _ in range(3):
        name = sweep_of(service, {**SMALL, "offset": list(range(100)), "block": list(range(32, 832, 16))})["id"]
        assert service.delete(f"/v1/sweeps/{name}").status_code in (200, 202)
    listener.join(60)
    assert heard.count(b"cancelled") == 15000
    assert sanitized() or service.anonymous_bytes() - before < 60e6
    service.until(lambda: "is cut off" in service.log.read_text() or _closed(deaf), 60)


def _closed(client):
    """Did the other side shut it? Looked at without reading."""
    state = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
    return state != 1  # ESTABLISHED


@pytest.mark.slow
def test_a_thousand_follow_and_hear_the_same(start):
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    service = start("--connections-per-address", "0", files=8192)
    streams = [follow(service, timeout=60) for _ in range(1000)]
    for stream in streams:
        stream.until("snapshot")
    names = [service.run()["id"] for _ in range(5)]
    heard = {tuple(number for kind, _, number in stream.until("state", id=names[-1], state="succeeded") if kind == "state")
             for stream in streams}
    assert len(heard) == 1 and len(heard.pop()) == 15
    for stream in streams:
        stream.close()
