"""What was removed is in no list and no count, and can be restored for a while."""
import concurrent.futures
import json
import signal
import time

import pytest
from conftest import SMALL, token_line

UNKNOWN = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


def sweep_of(service, body, **headers):
    headers = {"Content-Type": "application/json", "Prefer": "wait=30", **headers}
    response = service.request("POST", "/v1/sweeps", data=json.dumps(body), headers=headers)
    assert response.status_code == 200, response.text
    return response.json()


def removed(service):
    return {one["id"]: one for one in service.get("/v1/removals").json()["removals"]}


def restore(service, path):
    return service.request("POST", path + "/restore")


def ids(service, path):
    name = "sweeps" if path.startswith("/v1/sweeps") else "experiments"
    return [one["id"] for one in service.get(path).json()[name]]


def test_an_experiment_is_restored_as_it_was(service):
    before = service.run({**SMALL, "labels": {"undo": "one"}})
    path = f"/v1/experiments/{before['id']}"
    tag = service.get(path).headers["ETag"]
    began = time.time()
    assert service.delete(path + "?remove=true").status_code == 204
    gone = service.get(path)
    assert gone.status_code == 404 and f"POST {path}/restore brings it back until 20" in gone.json()["detail"], gone.text
    assert service.get(path, headers={"If-None-Match": tag}).status_code == 404
    for refused in (service.delete(path), service.delete(path + "?remove=true"), service.get(path + "/events")):
        assert refused.status_code == 404 and "was removed" in refused.json()["detail"]
    zh = service.get(path, headers={"Accept-Language": "zh"}).json()["detail"]
    assert "已删除" in zh and "removed" not in zh
    assert ids(service, "/v1/experiments?label=undo:one") == [] and before["id"] not in ids(service, "/v1/experiments")
    one = removed(service)[before["id"]]
    assert one in service.get("/v1/removals?removed_by=me").json()["removals"]
    assert (one["sweep"], one["experiments"], one["owner"], one["removed_by"]) == (False, 1, None, None)
    until = time.mktime(time.strptime(one["restorable_until"][:19], "%Y-%m-%dT%H:%M:%S")) - time.timezone
    assert began + 590 < until < time.time() + 610 and one["links"]["restore"] == path + "/restore"
    assert restore(service, path).status_code == 204
    assert service.get(path).json() == before and ids(service, "/v1/experiments?label=undo:one") == [before["id"]]
    assert before["id"] not in removed(service)
    assert restore(service, path).status_code == 204  # there is nothing to do
    assert service.get(path).json() == before


def test_a_sweep_goes_and_comes_back_with_all_that_is_its(service):
    before = sweep_of(service, {**SMALL, "offset": list(range(40)), "labels": {"undo": "many"}})
    path, point = before["links"]["self"], f"/v1/experiments/{before['points'][0]['id']}"
    page = service.get(path).json()
    assert service.get(point).status_code == 200
    assert service.delete(path + "?remove=true").status_code == 204
    assert service.get(path).status_code == service.get(path + ".csv").status_code == 404
    gone = service.get(point)
    assert gone.status_code == 404 and f"with its sweep: POST {path}/restore" in gone.json()["detail"]
    for query in ("/v1/experiments?label=undo:many", f"/v1/experiments?sweep={before['id']}"):
        assert ids(service, query) == []
    assert before["id"] not in ids(service, "/v1/sweeps")
    compared = service.request("POST", "/v1/comparisons", json={"a": {"sweep": before["id"]}, "b": {"sweep": before["id"]}})
    assert compared.status_code == 422, compared.text
    assert (removed(service)[before["id"]]["sweep"], removed(service)[before["id"]]["experiments"]) == (True, 40)
    assert restore(service, f"/v1/experiments/{before['id']}").status_code == 404
    assert restore(service, path).status_code == 204
    assert service.get(path).json() == page and service.get(point).status_code == 200
    assert len(ids(service, "/v1/experiments?label=undo:many")) == 40


def test_a_point_that_was_removed_is_not_counted_until_it_is_restored(service):
    before = sweep_of(service, {**SMALL, "offset": [0, 1, 2]})
    path, point = before["links"]["self"], f"/v1/experiments/{before['points'][1]['id']}"
    page = service.get(path).json()
    assert service.delete(point + "?remove=true").status_code == 204
    after = service.get(path).json()
    assert (after["removed"], after["succeeded"], after["points"][1]["state"]) == (1, 2, "removed")
    assert restore(service, point).status_code == 204
    assert service.get(path).json() == page


def test_points_that_share_an_experiment_are_one_that_is_removed(service):
    sweep = sweep_of(service, {**SMALL, "offset": [0, 1, 1, 2], "block": [512, 2048], "repeat": 2})
    there = {identity for point in sweep["points"] for identity in point["runs"]["ids"] if identity}
    assert len(there) < sweep["total"]
    assert service.delete(f"/v1/experiments/{min(there)}?remove=true").status_code == 204
    assert service.delete(sweep["links"]["self"] + "?remove=true").status_code == 204
    assert removed(service)[sweep["id"]]["experiments"] == len(there) - 1


def test_sweeps_are_found_by_the_state_that_each_shows(service):
    wide = {"kernel": "sum_matrix_2d", "size": [512, 512]}
    well, one_gone = (sweep_of(service, {**SMALL, "offset": [0, offset]}) for offset in (1, 2))
    assert service.delete(one_gone["points"][0]["links"]["self"] + "?remove=true").status_code == 204
    finished = [sweep_of(service, {**SMALL, "offset": [0, 1], "labels": {"fake": "error:cuda_error"}}),
                sweep_of(service, {**wide, "block": [[256, 8], [32, 8]]}),
                sweep_of(service, {**wide, "block": [[256, 8], [512, 8]]})]
    slow = json.dumps({**SMALL, "offset": [0, 1, 2], "labels": {"fake": "sleep:30"}})
    running, stopped = (service.request("POST", "/v1/sweeps", data=slow, headers={"Content-Type": "application/json"})
                        .json()["id"] for _ in range(2))
    assert service.delete(f"/v1/sweeps/{stopped}").status_code < 300
    here = {"running": {running}, "succeeded": {well["id"], one_gone["id"]}, "cancelled": {stopped},
            "finished": {one["id"] for one in finished}}
    listed = service.get("/v1/sweeps?page_size=500").json()["sweeps"]
    for state, some in here.items():
        found = [one["id"] for one in listed if one["state"] == state]
        assert some <= set(found)
        assert ids(service, f"/v1/sweeps?page_size=500&state={state}") == found
        assert ids(service, f"/v1/sweeps?page_size=1&state={state}") == found[:1]
    service.delete(f"/v1/sweeps/{running}")
    assert "running, succeeded, finished or cancelled" in service.get("/v1/sweeps?state=failed").json()["detail"]


def test_a_point_comes_back_after_its_sweep(service):
    sweep = sweep_of(service, {**SMALL, "offset": [0, 1, 2]})
    path, point = sweep["links"]["self"], f"/v1/experiments/{sweep['points'][1]['id']}"
    for one in point, path:
        assert service.delete(one + "?remove=true").status_code == 204
    refused = restore(service, point)
    assert refused.status_code == 409 and f"POST {path}/restore first" in refused.json()["detail"]
    listed = removed(service)
    assert sweep["id"] in listed and sweep["points"][1]["id"] not in listed
    for one in path, point:
        assert restore(service, one).status_code == 204
    assert service.get(point).status_code == 200 and service.get(path).json()["removed"] == 0


def test_the_key_of_what_was_removed_is_free_and_its_own_again_when_restored(service):
    def send(body=SMALL):
        return service.post(body, headers={"Idempotency-Key": "removed", "Prefer": "wait=20"}).json()["id"]

    first = send()
    path = f"/v1/experiments/{first}"
    service.delete(path + "?remove=true")
    restore(service, path)
    assert send() == first
    service.delete(path + "?remove=true")
    second = send()
    assert second != first
    restore(service, path)
    assert send() == second and service.get(path).status_code == 200


def test_a_kill_leaves_what_was_removed_as_it_was(start):
    service = start()
    one, sweep = service.run(), sweep_of(service, {**SMALL, "offset": [0, 1]})
    paths = [f"/v1/experiments/{one['id']}", sweep["links"]["self"]]
    for path in paths:
        assert service.delete(path + "?remove=true").status_code == 204
    service.stop(signal.SIGKILL)
    service = start()
    for path in paths:
        assert service.get(path).status_code == 404
        assert restore(service, path).status_code == 204
        assert service.get(path).status_code == 200
    service.stop()


@pytest.mark.slow
def test_what_was_removed_is_deleted_when_its_time_is_over(start):
    service = start("--undo-seconds", "1")
    sweep = sweep_of(service, {**SMALL, "offset": [0, 1]})
    path = sweep["links"]["self"]
    assert service.delete(path + "?remove=true").status_code == 204
    service.until(lambda: not removed(service))
    assert "there is no sweep" in service.get(path).json()["detail"]
    assert restore(service, path).status_code == 404
    service.works()


def test_what_is_there_is_restored_already_and_what_is_not_cannot_be(service):
    here, sweep = service.run()["id"], sweep_of(service, {**SMALL, "offset": [0, 1]})["links"]["self"]
    for path in f"/v1/experiments/{here}", sweep, sweep:
        assert restore(service, path).status_code == 204 and service.get(path).status_code == 200
    for path in f"/v1/experiments/{UNKNOWN}", f"/v1/sweeps/{UNKNOWN}", "/v1/sweeps/x", f"/v1/sweeps/{here}":
        refused = restore(service, path)
        assert refused.status_code == 404 and "there is no" in refused.json()["detail"]


def test_two_that_restore_at_once_both_hear_that_it_is_there(service):
    paths = [f"/v1/experiments/{service.run()['id']}" for _ in range(10)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for path in paths:
            assert service.delete(path + "?remove=true").status_code == 204
            assert [reply.status_code for reply in pool.map(lambda one: restore(service, one), [path] * 4)] == [204] * 4


def test_who_may_not_restore_is_told_who_may(start, tmp_path):
    tokens = tmp_path / "tokens"
    secrets = {name: f"the-secret-of-{name}-0123456789" for name in ("ada", "bob", "eve")}
    tokens.write_text("".join(token_line(name, role, secrets[name]) for name, role in (("ada", "admin"), ("bob", "run"), ("eve", "run"))))
    tokens.chmod(0o600)
    service = start("--token-file", str(tokens), ready=False)
    service.until(lambda: service.get("/readyz").status_code == 200)
    headers = {name: {"Authorization": f"Bearer {secret}"} for name, secret in secrets.items()}
    path = "/v1/experiments/" + service.request("POST", "/v1/experiments", json=SMALL, headers={**headers["bob"], "Prefer": "wait=30"}).json()["id"]

    def refused(method, address, **language):
        reply = service.request(method, address, headers={**headers["eve"], **language})
        assert reply.status_code == 403, reply.text
        return reply.json()["detail"]

    assert "bob or an admin may end or remove it" in refused("DELETE", path + "?remove=true")
    for _ in range(2):  # removed, and there
        assert "bob or an admin may restore it" in refused("POST", path + "/restore") and "remove" not in refused("POST", path + "/restore")
        chinese = refused("POST", path + "/restore", **{"Accept-Language": "zh"})
        assert "bob 或管理员可以恢复它" in chinese and "删除" not in chinese and "experiment" not in chinese
        assert service.delete(path + "?remove=true", headers=headers["bob"]).status_code in (204, 404)
