"""Who may use a service, and what: tokens, roles, owners."""
import http.client
import json
import pathlib
import re
import time

import pytest
import requests

import contract
from conftest import SMALL, Service, slow_reader, token, token_line

ROLES = ["metrics", "read", "run", "admin"]
USERS = {"mon": "metrics", "rita": "read", "bob": "run", "eve": "run", "ada": "admin"}
SLOW = {**SMALL, "labels": {"fake": "sleep:60"}}


def secret(name):
    return f"the-secret-of-{name}-0123456789"


def bearer(name):
    return {"Authorization": "Bearer " + secret(name)}


def lines(users):
    return "".join(token_line(name, role, secret(name)) for name, role in users.items())


def write(path, text):
    path.write_text(text)
    path.chmod(0o600)
    return str(path)


@pytest.fixture(scope="module")
def tokens(tmp_path_factory):
    return pathlib.Path(write(tmp_path_factory.mktemp("users") / "tokens", lines(USERS)))


def with_tokens(directory, tokens):
    one = Service(directory, "--token-file", str(tokens))
    yield one
    assert one.stop() == 0


@pytest.fixture(scope="module")
def guarded(tokens, tmp_path_factory):
    """A service for all tests that do not change who may use it."""
    yield from with_tokens(tmp_path_factory.mktemp("guarded"), tokens)


@pytest.fixture(scope="module")
def tried(tokens, tmp_path_factory):
    """One on which everything is tried, also what holds it up."""
    yield from with_tokens(tmp_path_factory.mktemp("tried"), tokens)


def submit(service, name, body=SMALL, **headers):
    response = service.post(body, headers={**bearer(name), **headers})
    assert response.status_code == 202, response.text
    return response.json()


def sweep(service, name, body):
    return service.request("POST", "/v1/sweeps", json=body, headers=bearer(name))


# ---- roles ----

def operations():
    """(method, path, the least role; None: no token is asked for), from the contract."""
    for pattern, item in contract.DOCUMENT["paths"].items():
        for method in item.keys() & {"get", "post", "put", "patch", "delete"}:
            wanted = item[method].get("security", contract.DOCUMENT["security"])
            role = next((one["token"][0] for one in wanted if one), None)
            values = {"id": "0" * 26, "name": "copy", "n": "0"}
            yield method.upper(), re.sub(r"\{(\w+)\}", lambda match: values.get(match.group(1), "x"), pattern), role


OPERATIONS = sorted(operations(), key=str)


def ask(service, method, path, headers):
    body = {"json": {}} if method in ("POST", "PUT", "PATCH") else {}
    response = service.request(method, path, headers=headers, stream=True, **body)
    if response.headers["Content-Type"] == "text/event-stream":
        response.close()  # it goes on for ever
    return response


def test_the_contract_names_a_role_for_each_operation():
    assert len(OPERATIONS) > 15 and {role for _, _, role in OPERATIONS} >= {None, "metrics", "read", "run"}
    for method, path, role in OPERATIONS:
        assert role in [None, *ROLES], (method, path)
        assert (role is None) != path.startswith("/v1/") or path == "/metrics", (method, path)


@pytest.mark.parametrize("method, path, least", OPERATIONS)
def test_each_role_may_do_what_the_contract_says_and_no_more(tried, method, path, least):
    assert (ask(tried, method, path, {}).status_code == 401) == (least is not None)
    for name, role in USERS.items():
        response = ask(tried, method, path, bearer(name))
        if least is None or ROLES.index(role) >= ROLES.index(least):
            assert response.status_code not in (401, 403), response.text
        else:
            detail = response.json()["detail"]
            assert response.status_code == 403 and f"the role {least}" in detail and f"has {role}" in detail


def test_a_token_tells_who_it_is(guarded):
    for name, role in USERS.items():
        assert guarded.get("/v1/whoami", headers=bearer(name)).json() == {"name": name, "role": role}


def test_without_tokens_everybody_is_one_who_may_do_everything(start):
    service = start()
    assert service.get("/v1/whoami").json() == {"name": None, "role": "admin"}
    assert service.post({**SMALL, "priority": 150}).status_code == 202
    assert service.run()["owner"] is None


# ---- tokens that are none ----

@pytest.mark.parametrize("headers, query, words", [
    ([], "", "Authorization: Bearer TOKEN"),
    ([], "?access_token=" + secret("bob"), "not in the address"),
    (["Bearer " + secret("bob")] * 2, "", "one Authorization header"),
    ([secret("bob")], "", "Bearer TOKEN"),
    (["Basic " + secret("bob")], "", "Bearer TOKEN"),
    (["Bearer"], "", "Bearer"),
    (["Bearer  "], "", "Bearer"),
    (["Bearer x"], "", "16 to 255 characters"),
    (["Bearer " + "x" * 256], "", "16 to 255 characters"),
    (["Bearer " + secret("bob") + " more"], "", "letters, digits"),
    (["Bearer " + secret("bob")[:-1]], "", "not known"),
    (["Bearer " + secret("bob") + "x"], "", "not known"),
    (["Bearer " + secret("bob").upper()], "", "not known"),
    (["Bearer " + token_line("bob", "run", secret("bob")).split()[2].replace(":", "_")], "", "not known"),
])
def test_each_wrong_form_of_a_token_is_told_what_helps(guarded, headers, query, words):
    connection = http.client.HTTPConnection("127.0.0.1", guarded.port, timeout=20)
    connection.putrequest("GET", "/v1/queue" + query)
    for value in headers:
        connection.putheader("Authorization", value)
    connection.endheaders()
    response = connection.getresponse()
    problem = json.loads(response.read())
    assert response.status == 401 and response.headers["WWW-Authenticate"].startswith("Bearer")
    assert response.headers["Content-Type"] == "application/problem+json" and problem["status"] == 401
    assert words in problem["detail"] and secret("bob") not in problem["detail"]
    connection.close()


# ---- owners ----

def test_what_a_person_submits_is_theirs_and_everybody_may_read_it(guarded):
    one = submit(guarded, "bob")
    many = sweep(guarded, "eve", {**SMALL, "offset": [0, 1]}).json()
    for name in ("rita", "bob", "eve", "ada"):
        assert guarded.get(one["links"]["self"], headers=bearer(name)).json()["owner"] == "bob"
        assert guarded.get(many["links"]["self"], headers=bearer(name)).json()["owner"] == "eve"


def test_lists_are_filtered_by_owner(guarded):
    mine = {submit(guarded, "ada")["id"] for _ in range(3)}
    submit(guarded, "bob")
    many = sweep(guarded, "ada", {**SMALL, "offset": [0, 1]}).json()["id"]
    sweep(guarded, "bob", {**SMALL, "offset": [0, 1]})

    def listed(path, name, **headers):
        return guarded.get(path, headers={**bearer(name), **headers})

    found = listed("/v1/experiments?owner=ada&page_size=500", "rita").json()["experiments"]
    assert mine <= {one["id"] for one in found}
    assert len(found) >= 5 and {one["owner"] for one in found} == {"ada"}
    table = listed("/v1/experiments?owner=ada&columns=owner", "rita", Accept="text/csv").text.splitlines()
    assert len(table) == len(found) + 1
    for rows in table, listed(f"/v1/sweeps/{many}.csv?columns=owner", "bob").text.splitlines():
        assert rows[0] == "owner" and rows[1:] and set(rows[1:]) == {"ada"}
    assert many in [one["id"] for one in listed("/v1/sweeps?owner=ada", "bob").json()["sweeps"]]
    assert {one["owner"] for one in listed("/v1/sweeps?owner=ada", "bob").json()["sweeps"]} == {"ada"}
    page = listed("/v1/experiments?owner=ada&page_size=1", "bob").json()
    rest = listed(f"/v1/experiments?owner=ada&page_size=500&page_token={page['next_page_token']}", "bob").json()
    assert len(page["experiments"]) + len(rest["experiments"]) == len(found)
    for path in ("/v1/experiments", "/v1/sweeps"):
        name = path.rsplit("/", 1)[1]
        assert listed(path + "?owner=nobody", "bob").json()[name] == [] and {one["owner"] for one in listed(path + "?owner=me", "ada").json()[name]} == {"ada"}
        for wrong in ("", "a%20b", "x" * 33, "@me"):
            response = listed(f"{path}?owner={wrong}", "bob")
            assert response.status_code == 400 and "owner" in response.json()["detail"]


def test_what_was_submitted_without_a_token_is_found_as_nobodys(tokens, tmp_path):
    service = Service(tmp_path)
    one, many = service.run()["id"], service.request("POST", "/v1/sweeps", json={**SMALL, "offset": [0, 1]}).json()["id"]
    side = {"labels": {"of": "nobody"}, "owner": "nobody"}
    labelled = service.run({**SMALL, "labels": {"of": "nobody"}})["id"]
    assert service.stop() == 0
    service = Service(tmp_path, "--token-file", str(tokens))
    service.headers = bearer("bob")
    own = service.run({**SMALL, "labels": {"of": "nobody"}})["id"]
    found = service.get("/v1/experiments?owner=nobody").json()["experiments"]
    assert [row["id"] for row in found][::-1][0] == one and labelled in [row["id"] for row in found]
    assert own not in [row["id"] for row in found] and {row["owner"] for row in found} == {None}
    assert len(found) == 4 and len(service.get("/v1/experiments?owner=nobody&state=succeeded&sweep=" + many).json()["experiments"]) == 2
    assert [row["id"] for row in service.get("/v1/sweeps?owner=nobody").json()["sweeps"]] == [many]
    compared = service.request("POST", "/v1/comparisons", json={"a": side, "b": {**side, "owner": "bob"}})
    assert [compared.json()[each]["experiments"] for each in "ab"] == [1, 1], compared.text
    assert service.stop() == 0


def test_only_its_owner_and_an_admin_may_cancel_and_remove(guarded):
    for name, other, allowed in (("bob", "eve", "bob"), ("bob", "eve", "ada"), ("ada", "bob", "ada")):
        one = submit(guarded, name, SLOW)["links"]["self"]
        many = sweep(guarded, name, {**SLOW, "offset": [0, 1]}).json()["links"]["self"]
        for path in (one, many):
            refused = guarded.delete(path, headers=bearer(other))
            assert refused.status_code == 403 and f"{name}'s" in refused.json()["detail"]
            assert guarded.get(path, headers=bearer(other)).json()["state"] in ("queued", "running")
            assert guarded.delete(path, headers=bearer("rita")).status_code == 403
            assert guarded.delete(path, headers=bearer(allowed)).status_code in (200, 202)
            guarded.until(lambda: guarded.get(path, headers=bearer("rita")).json()["finished_at"])
            for person in (other, "rita"):
                assert guarded.delete(path + "?remove=true", headers=bearer(person)).status_code == 403
            assert guarded.delete(path + "?remove=true", headers=bearer(allowed)).status_code == 204
            assert guarded.get(path, headers=bearer("rita")).status_code == 404
            for person in (other, "rita"):
                assert guarded.request("POST", path + "/restore", headers=bearer(person)).status_code == 403
            listed = guarded.get("/v1/removals", headers=bearer("rita")).json()["removals"][0]
            assert (listed["owner"], listed["removed_by"], listed["links"]["restore"]) == (name, allowed, path + "/restore")
            for query, person, found in (("me", allowed, True), (allowed, "rita", True), ("me", "rita", False), ("nobody", "rita", False)):
                mine = guarded.get(f"/v1/removals?removed_by={query}", headers=bearer(person)).json()["removals"]
                assert (path.split("/")[-1] in [one["id"] for one in mine]) == found
            assert guarded.request("POST", path + "/restore", headers=bearer(allowed)).status_code == 204
            assert guarded.get(path, headers=bearer("rita")).status_code == 200
    assert guarded.delete("/v1/experiments/" + "0" * 26, headers=bearer("eve")).status_code == 404
    assert guarded.delete("/v1/sweeps/" + "0" * 26, headers=bearer("eve")).status_code == 404


def test_it_is_told_who_cancelled(guarded):
    running = submit(guarded, "bob", SLOW)
    guarded.until(lambda: guarded.get(running["links"]["self"], headers=bearer("bob")).json()["state"] == "running")
    alone, of_sweep = submit(guarded, "bob", SLOW), sweep(guarded, "bob", {**SLOW, "offset": [0, 1]}).json()

    def why(path, **headers):
        return guarded.get(path, headers={**bearer("bob"), **headers}).json()["failure"]["detail"]

    for one, who in ((alone, "bob"), (of_sweep, "ada"), (running, "ada")):
        assert guarded.delete(one["links"]["self"], headers=bearer(who)).status_code in (200, 202)
    assert why(alone["links"]["self"]) == "cancelled by bob before it ran"
    points = guarded.get(of_sweep["links"]["self"], headers=bearer("bob")).json()["points"]
    assert {point["failure"]["detail"] for point in points} == {"cancelled by ada with its sweep before it ran"}
    assert why(running["links"]["self"] + "?wait=20") == "cancelled by ada while it ran"


def test_what_others_remove_hides_nothing_of_mine(guarded):
    mine = submit(guarded, "bob", SMALL)["links"]["self"]
    others = [submit(guarded, "ada", SMALL)["links"]["self"] for _ in range(101)]
    for path in (mine, *others):
        guarded.until(lambda: guarded.get(path, headers=bearer("rita")).json()["finished_at"])
    for path, person in [(mine, "bob")] + [(path, "ada") for path in others]:
        assert guarded.delete(path + "?remove=true", headers=bearer(person)).status_code == 204
    for query in ("me", "bob"):
        listed = guarded.get(f"/v1/removals?removed_by={query}", headers=bearer("bob")).json()["removals"]
        assert [one["links"]["restore"] for one in listed] == [mine + "/restore"]
    assert len(guarded.get("/v1/removals", headers=bearer("bob")).json()["removals"]) == 100
    wrong = guarded.get("/v1/removals?removed_by=@", headers=bearer("bob"))
    assert wrong.status_code == 400 and "removed_by must be" in wrong.json()["detail"]


def test_what_came_before_tokens_is_an_admins(start, tokens, tmp_path):
    service = start("--grace-seconds", "0.1")
    one = service.post(SLOW).json()["links"]["self"]
    many = service.request("POST", "/v1/sweeps", json={**SLOW, "offset": [0, 1]}).json()["links"]["self"]
    assert service.stop() == 0
    service = start("--token-file", str(tokens))
    for path in (one, many):
        assert service.get(path, headers=bearer("bob")).json()["owner"] is None
        refused = service.delete(path, headers=bearer("bob"))
        assert refused.status_code == 403 and "an admin" in refused.json()["detail"]
        assert service.delete(path, headers=bearer("ada")).status_code in (200, 202)


def test_a_key_is_its_owners(guarded):
    key = {"Idempotency-Key": "the same for all"}
    first = submit(guarded, "bob", **key)["id"]
    other = submit(guarded, "eve", **key)["id"]
    assert first != other
    assert submit(guarded, "bob", **key)["id"] == first
    assert submit(guarded, "eve", {**SMALL, "labels": {}}, **key)["id"] == other
    assert guarded.post({**SMALL, "offset": 1}, headers={**bearer("eve"), **key}).status_code == 422
    assert submit(guarded, "ada", {**SMALL, "offset": 1}, **key)["id"] not in (first, other)


@pytest.mark.parametrize("body, path", [
    ({**SMALL, "priority": 101}, "/v1/experiments"), ({**SMALL, "priority": [0, 101]}, "/v1/sweeps"),
    ({**SMALL, "priority": 200, "offset": [0, 1]}, "/v1/sweeps")])
def test_to_go_before_others_is_an_admins(guarded, body, path):
    refused = guarded.request("POST", path, json=body, headers=bearer("bob"))
    assert refused.status_code == 403
    assert [wrong["pointer"] for wrong in refused.json()["errors"]] == ["#/priority"]
    assert "admin" in refused.json()["detail"]
    assert guarded.request("POST", path, json=body, headers=bearer("ada")).status_code == 202


@pytest.mark.parametrize("priority, code", [(-100, 202), (100, 202), (-101, 422), (201, 422)])
def test_a_priority_has_limits_for_everybody(guarded, priority, code):
    for name in ("bob", "ada"):
        assert guarded.post({**SMALL, "priority": priority}, headers=bearer(name)).status_code == code


# ---- changes of the file ----

@pytest.fixture
def changing(start, tmp_path):
    """A service, and the file that says who may use it."""
    path = tmp_path / "tokens"
    write(path, lines(USERS))
    return start("--token-file", str(path)), path


def code(service, name):
    return service.get("/v1/queue", headers=bearer(name)).status_code


def refused(service, name):
    """A request that is on its way while its token is revoked may find its connection closed: the next one is refused."""
    try:
        return code(service, name) == 401
    except requests.ConnectionError:
        return False


@pytest.mark.slow
def test_a_change_of_the_file_holds_without_a_restart(changing):
    service, path = changing
    made = token("add", "new", "--role", "run", "--token-file", str(path)).stdout.strip()
    headers = {"Authorization": "Bearer " + made}
    service.until(lambda: service.get("/v1/queue", headers=headers).status_code == 200)
    assert service.get("/v1/whoami", headers=headers).json() == {"name": "new", "role": "run"}
    token("revoke", "bob", "--token-file", str(path))
    service.until(lambda: refused(service, "bob"))
    assert code(service, "eve") == 200
    write(path, lines({**USERS, "eve": "read"}))  # by hand, in place
    service.until(lambda: service.post(SMALL, headers=bearer("eve")).status_code == 403)
    assert code(service, "bob") == 200
    said = [line.split("a token of ")[1] for line in service.log.read_text().splitlines() if "a token of " in line]
    assert said[:2] == ["new with the role run was added", "bob with the role run was removed"]
    assert sorted(said[2:]) == ["bob with the role run was added", "eve with the role read was added", "eve with the role run was removed",
                                "new with the role run was removed"]


@pytest.mark.slow
@pytest.mark.parametrize("text, mode, words", [("rubbish\n", 0o600, "line 1"), ("", 0o600, "no token"), (lines(USERS), 0o644, "chmod"), (None, 0, "No such file")])
def test_a_broken_file_changes_nothing_but_what_is_told(changing, text, mode, words):
    service, path = changing

    def token_check():
        checks = service.get("/readyz?verbose").json()["checks"]
        return next(check for check in checks if check["name"] == "tokens")

    assert token_check() == {"name": "tokens", "ok": True, "reason": None}
    if text is None:
        path.unlink()
    else:
        path.write_text(text)
        path.chmod(mode)
    service.until(lambda: not token_check()["ok"])
    assert words in token_check()["reason"]
    assert service.get("/readyz").status_code == 200 and code(service, "bob") == 200
    time.sleep(2.5)
    assert service.log.read_text().count("stay as they were") == 1
    write(path, lines({"ada": "admin"}))
    service.until(lambda: token_check()["ok"])
    service.until(lambda: refused(service, "bob"))
    assert code(service, "ada") == 200


def test_when_all_are_revoked_nobody_may_come_in(changing):
    service, path = changing
    for name in USERS:
        token("revoke", name, "--token-file", str(path))
    service.until(lambda: refused(service, "ada"))
    assert service.get("/readyz").status_code == 200


# ---- what is open when a token is revoked ----

def connected(service, target, name):
    return slow_reader(service, target, secret(name))


def to_the_end(connection):
    """All that comes until the other end closes."""
    data = b""
    try:
        while piece := connection.recv(1 << 20):
            data += piece
    except ConnectionError:
        pass
    return data


def test_what_a_revoked_token_has_open_ends(changing):
    service, path = changing
    many = sweep(service, "ada", {**SLOW, "offset": list(range(10000))}).json()
    where = submit(service, "ada", SLOW)["links"]["self"]
    table = f"/v1/sweeps/{many['id']}.csv"
    open_ones = {name: {"waiting": connected(service, where + "?wait=60", name),
                        "idle": connected(service, "/v1/whoami", name),
                        "streaming": connected(service, table, name)} for name in ("bob", "eve")}
    for name in open_ones:
        assert open_ones[name]["idle"].recv(1 << 16).startswith(b"HTTP/1.1 200")
        assert open_ones[name]["streaming"].recv(1).startswith(b"H")
    began = time.monotonic()
    token("revoke", "bob", "--token-file", str(path))
    assert to_the_end(open_ones["bob"]["waiting"]) == b""
    assert to_the_end(open_ones["bob"]["idle"]) == b""
    assert time.monotonic() - began < 20  # the wait was for 60, and an idle one has 30
    cut = to_the_end(open_ones["bob"]["streaming"])
    assert not cut.endswith(b"\r\n0\r\n\r\n")
    # Nobody else notices.
    open_ones["eve"]["idle"].sendall(f"GET /v1/whoami HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {secret('eve')}\r\n\r\n".encode())
    assert open_ones["eve"]["idle"].recv(1 << 16).startswith(b"HTTP/1.1 200")
    whole = b"H"
    while not whole.endswith(b"\r\n0\r\n\r\n"):
        whole += open_ones["eve"]["streaming"].recv(1 << 20)
    assert len(whole) > len(cut)
    service.delete(where, headers=bearer("ada"))
    assert b'"state":"cancelled"' in open_ones["eve"]["waiting"].recv(1 << 16)
    for connections in open_ones.values():
        for connection in connections.values():
            connection.close()


def test_another_role_ends_what_is_open_too(changing):
    service, path = changing
    body = json.dumps(SLOW)
    waiting = service.connect()
    waiting.sendall(f"POST /v1/experiments HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {secret('bob')}\r\nPrefer: wait=60\r\n"
                    f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
    service.until(lambda: service.get("/v1/queue", headers=bearer("ada")).json()["running"] == 1)
    write(path, lines({**USERS, "bob": "read"}))
    assert to_the_end(waiting) == b""
    waiting.close()
    # What it had submitted stays.
    assert service.get("/v1/experiments?owner=bob", headers=bearer("bob")).json()["experiments"][0]["state"] == "running"
    assert service.get("/v1/whoami", headers=bearer("bob")).json()["role"] == "read"
