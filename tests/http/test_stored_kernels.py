"""Kernels that users bring and store: named by their content, seen by whom they may be seen, gone when nobody needs them."""
import signal
import sqlite3

import pytest

from conftest import Service, token_line

SCALE = """extern "C" __global__ void scale(const float *in, float *out, unsigned n, float by)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = by * in[i];
}
"""
DEFINITION = {"source": SCALE, "threads": "n"}
USERS = {"rita": "read", "bob": "run", "eve": "run", "ada": "admin"}


def secret(name):
    return f"the-secret-of-{name}-0123456789"


def variant(i):
    return {**DEFINITION, "source": f"// {i}\n{SCALE}"}


class As:
    """A user's requests."""

    def __init__(self, service, name):
        self.service, self.headers = service, {"Authorization": "Bearer " + secret(name)} if name else {}

    def __call__(self, method, path, **rest):
        return self.service.request(method, path, headers=self.headers, **rest)

    def store(self, status=201, **definition):
        answer = self("POST", "/v1/kernels", json=definition or DEFINITION)
        assert answer.status_code == status, answer.text
        return answer.json()

    def stored(self):
        return [one["name"] for one in self("GET", "/v1/kernels").json()["stored"]]

    def predict(self, **fields):
        return self("POST", "/v1/predictions", json={"arch": "sm_90", **fields})


@pytest.fixture(scope="module", autouse=True)
def compiler(service):
    answer = service.request("POST", "/v1/kernels", json=DEFINITION)
    if answer.status_code == 503:
        pytest.skip(f"no compiler: {answer.json()['detail']}")
    assert answer.status_code == 201, answer.text
    service.delete("/v1/kernels/" + answer.json()["name"])


@pytest.fixture
def anybody(service):
    """Of a service without tokens; what it stored is taken away."""
    one = As(service, None)
    yield one
    for name in one.stored():
        assert one("DELETE", f"/v1/kernels/{name}").status_code == 204


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    directory = tmp_path_factory.mktemp("guarded")
    tokens = directory / "tokens"
    tokens.write_text("".join(token_line(name, role, secret(name)) for name, role in USERS.items()))
    tokens.chmod(0o600)
    one = Service(directory, "--token-file", str(tokens), "--owner-kernels", "3")
    yield one
    assert one.stop() == 0


@pytest.fixture
def people(guarded):
    ada = As(guarded, "ada")
    yield {name: As(guarded, name) for name in USERS}
    for name in {*ada.stored()}:
        assert ada("DELETE", f"/v1/kernels/{name}").status_code == 204


def test_a_kernel_is_stored_under_the_name_of_its_content(anybody):
    answer = anybody("POST", "/v1/kernels", json={**DEFINITION, "title": "Doubled", "public": True})
    made = answer.json()
    assert answer.status_code == 201 and answer.headers["Location"] == made["links"]["self"] == "/v1/kernels/" + made["name"]
    assert made["title"] == "Doubled" and made["public"] and made["entry"] == "scale" and made["owner"] is None
    assert anybody.stored() == [made["name"]]
    shown = anybody("GET", made["links"]["self"]).json()
    assert shown["source"] == SCALE and shown["title"] == "Doubled" and shown["threads"] == ["n"]
    assert [one["name"] for one in shown["arguments"]] == ["in", "out", "n", "by"]
    assert [one["name"] for one in shown["parameters"]] == ["by"] and shown["parameters"][0]["type"] == "number"
    assert ".entry scale" in shown["compiled"]["ptx"] and shown["compiled"]["architecture"].startswith("sm_")
    # What was derived from the source may be said, too: it is the same kernel.
    said = {"source": SCALE, "entry": "scale", "threads": ["n"], "arguments": shown["arguments"]}
    again = anybody.store(200, **said)
    assert again["name"] == made["name"] and again["title"] == "scale" and not again["public"]
    assert anybody.store(**DEFINITION, shared_bytes=64)["name"] != made["name"]


def test_the_same_prediction_by_name_as_with_the_source(anybody):
    name = anybody.store()["name"]
    asked = {"n": 5000, "by": 0.5, "block": 128}
    by_name, with_source = anybody.predict(kernel=name, **asked), anybody.predict(**DEFINITION, **asked)
    assert by_name.status_code == with_source.status_code == 200, by_name.text
    by_name, with_source = by_name.json(), with_source.json()
    assert by_name["predictions"] == with_source["predictions"] and by_name["check"] == with_source["check"]
    definition = {"source", "entry", "arguments", "threads"}
    assert {key: value for key, value in with_source["request"].items() if key not in definition} == by_name["request"]
    assert by_name["request"]["kernel"] == name and by_name["request"]["grid"] == [40, 1, 1]


def test_shared_memory_is_a_default_that_a_request_may_change(anybody):
    name = anybody.store(**DEFINITION, shared_bytes=4096)["name"]
    assert anybody("GET", f"/v1/kernels/{name}").json()["shared_bytes"] == 4096
    for said, found in (({}, 4096), ({"shared_bytes": 0}, 0)):
        assert anybody.predict(kernel=name, n=64, **said).json()["request"]["shared_bytes"] == found


@pytest.mark.parametrize("wrong, pointer", [
    ({"n": 4}, "#/n"), ({"block": 32}, "#/block"), ({"titel": "x"}, "#/titel"), ({"title": 3}, "#/title"),
    ({"title": "x" * 201}, "#/title"), ({"public": "yes"}, "#/public"), ({"shared_bytes": -1}, "#/shared_bytes"),
    ({"shared_bytes": 1 << 20}, "#/shared_bytes"), ({"source": 7}, "#/source"), ({"source": "int x;"}, "#/source"),
    ({"source": "/" * 65537}, "#/source"), ({"threads": "m"}, "#/threads"), ({"entry": "other"}, "#/entry"),
    ({"source": SCALE.replace("by * ", "bye * ")}, "#/source"), ({"kernel": "copy"}, "#/kernel")])
def test_wrong_members_are_named_and_nothing_is_stored(anybody, wrong, pointer):
    answer = anybody("POST", "/v1/kernels", json={**DEFINITION, **wrong})
    assert answer.status_code == 422, answer.text
    assert any(error["pointer"].startswith(pointer) for error in answer.json()["errors"]), answer.text
    assert anybody.stored() == []


def test_what_the_compiler_says_has_its_line(anybody):
    error = anybody("POST", "/v1/kernels", json={"source": SCALE.replace("by * ", "bye * ")}).json()["errors"][0]
    assert error["line"] == 5 and "bye" in error["detail"]


def test_a_body_that_is_too_large_is_refused(anybody):
    assert anybody("POST", "/v1/kernels", json={"source": "x" * (256 << 10)}).status_code == 413
    for broken in ("[]", "{", '{"source": "a", "source": "b"}'):
        assert anybody("POST", "/v1/kernels", data=broken, **{}).status_code == 415  # without its type
    answer = anybody.service.request("POST", "/v1/kernels", data="{", headers={"Content-Type": "application/json"})
    assert answer.status_code == 400


@pytest.mark.parametrize("wrong, pointer", [
    ({"source": SCALE}, "#/kernel"), ({"arguments": []}, "#/arguments"), ({"threads": "n"}, "#/threads"),
    ({"kernel": "src-0123456789ab"}, "#/kernel"), ({"kernel": "src-"}, "#/kernel"), ({"offset": 1}, "#/offset"), ({"n": -1}, "#/n"), ({"n": None, "size": -1}, "#/size")])
def test_a_request_with_a_name_is_checked_as_any_other(anybody, wrong, pointer):
    name = anybody.store()["name"]
    answer = anybody.predict(**{key: value for key, value in {"kernel": name, "n": 64, **wrong}.items() if value is not None})
    assert answer.status_code == 422 and any(error["pointer"] == pointer for error in answer.json()["errors"]), answer.text


def test_the_list_of_the_suite_is_cached_until_something_is_stored(anybody):
    first = anybody("GET", "/v1/kernels")
    assert first.headers["ETag"] and first.json()["stored"] == []
    name = anybody.store()["name"]
    assert anybody.stored() == [name]
    assert anybody("DELETE", f"/v1/kernels/{name}").status_code == 204
    assert anybody("GET", "/v1/kernels").headers["ETag"] == first.headers["ETag"]
    for method in ("GET", "DELETE"):
        assert anybody(method, f"/v1/kernels/{name}").status_code == 404
    assert anybody("DELETE", "/v1/kernels/copy").status_code == 409


def test_a_kernel_is_its_owners_unless_it_is_public(people):
    name, shared = people["bob"].store()["name"], people["bob"].store(**variant(1), public=True)["name"]
    assert people["ada"].store(**variant(2))["owner"] == "ada"
    assert {*people["bob"].stored()} == {name, shared} and people["eve"].stored() == people["rita"].stored() == [shared]
    assert len(people["ada"].stored()) == 3
    for who in ("eve", "rita"):
        assert people[who]("GET", f"/v1/kernels/{name}").status_code == 404
        assert people[who].predict(kernel=name, n=64).status_code == 422
        assert people[who]("GET", f"/v1/kernels/{shared}").json()["owner"] == "bob"
        assert people[who].predict(kernel=shared, n=64).status_code == 200
    assert people["eve"]("DELETE", f"/v1/kernels/{name}").status_code == 404
    assert people["eve"]("DELETE", f"/v1/kernels/{shared}").status_code == 403
    assert people["rita"]("POST", "/v1/kernels", json=DEFINITION).status_code == 403
    assert people["ada"]("GET", f"/v1/kernels/{name}").json()["source"] == SCALE
    assert people["ada"]("DELETE", f"/v1/kernels/{name}").status_code == 204
    assert people["bob"].stored() == [shared]


def test_two_may_have_the_same_kernel(people):
    name = people["bob"].store()["name"]
    assert people["eve"].store(**DEFINITION, title="mine")["name"] == name
    assert people["eve"]("GET", f"/v1/kernels/{name}").json()["title"] == "mine"
    assert people["bob"]("DELETE", f"/v1/kernels/{name}").status_code == 204
    assert people["bob"]("GET", f"/v1/kernels/{name}").status_code == 404
    assert people["eve"].predict(kernel=name, n=64).status_code == 200


def test_an_owner_has_a_limit_that_is_named(people):
    for i in range(3):
        people["bob"].store(**variant(i))
    refused = people["bob"]("POST", "/v1/kernels", json=variant(3))
    assert refused.status_code == 409 and "3 kernels" in refused.json()["detail"]
    assert people["bob"].store(200, **variant(2))  # that one is there
    assert people["eve"].store(**variant(3))
    assert people["bob"]("DELETE", f"/v1/kernels/{people['bob'].stored()[0]}").status_code == 204
    assert people["bob"].store(**variant(4))


def test_a_kernel_that_got_its_201_is_there_after_a_kill(start):
    service = start()
    made = [As(service, None).store(**variant(i))["name"] for i in range(5)]
    service.stop(signal.SIGKILL)
    again = As(start(), None)
    assert {*again.stored()} == {*made}
    assert again.predict(kernel=made[3], n=64).status_code == 200


def test_another_content_of_the_same_name_is_refused(start, tmp_path):
    service = start()
    name = As(service, None).store()["name"]
    service.stop()
    database = sqlite3.connect(tmp_path / "data" / "coalesced.db")
    database.execute("UPDATE sources SET definition = replace(definition, 'by * in', 'by + in')")
    database.commit()
    database.close()
    refused = As(start(), None)("POST", "/v1/kernels", json=DEFINITION)
    assert refused.status_code == 409 and name in refused.json()["detail"]


def test_what_nobody_uses_goes_with_the_policy_of_retention(start, tmp_path):
    service = start("--keep-days", "0.5")
    old, new = (As(service, None).store(**variant(i))["name"] for i in range(2))
    assert service.stop() == 0
    database = sqlite3.connect(tmp_path / "data" / "coalesced.db")
    database.execute("UPDATE stored_kernels SET stored_ms = stored_ms - 86400000 WHERE name = ?", [old])
    database.commit()
    service = start("--keep-days", "0.5")
    service.until(lambda: As(service, None).stored() == [new])
    assert database.execute("SELECT name FROM sources").fetchall() == [(new,)]
    database.close()


def test_a_service_that_takes_no_source_says_so(start):
    anybody = As(start("--source", "off"), None)
    assert anybody("POST", "/v1/kernels", json=DEFINITION).json()["errors"][0]["pointer"] == "#/source"
    assert anybody.predict(kernel="src-0123456789ab", n=64).json()["errors"][0]["pointer"] == "#/kernel"


# The text of such a function tells nothing of its parameters: the compiler does.
HIDDEN = """#define KERNEL(name, type) extern "C" __global__ void name(const type *in, type *out, type by)
KERNEL(scale, float) { out[threadIdx.x] = by * in[threadIdx.x]; }
"""
BUFFERS = [{"name": "in", "type": "f32", "elements": 32}, {"name": "out", "type": "f32", "elements": 32}]


@pytest.mark.parametrize("arguments, pointer, said", [
    (BUFFERS, "#/arguments", "has 3 parameters"),
    ([*BUFFERS, {"name": "by", "type": "f64"}], "#/arguments/2", "takes 8 bytes, and parameter 3 of the function has 4"),
    ([*BUFFERS, {"name": "by", "type": "i32"}], "#/arguments/2", "floating-point"),
    ([BUFFERS[0], {"name": "by", "type": "f32"}, BUFFERS[1]], "#/arguments/1", "takes 4 bytes, and parameter 2 of the function has 8")])
def test_a_kernel_whose_arguments_are_not_its_parameters_is_not_stored(anybody, arguments, pointer, said):
    answer = anybody("POST", "/v1/kernels", json={"source": HIDDEN, "entry": "scale", "arguments": arguments})
    assert answer.status_code == 422, answer.text
    assert [error["pointer"] for error in answer.json()["errors"]][0] == pointer and said in answer.text


def test_a_kernel_that_a_macro_makes_is_stored_with_the_right_arguments(anybody):
    assert anybody.store(source=HIDDEN, entry="scale", arguments=[*BUFFERS, {"name": "by", "type": "f32"}])["name"]
    struct = "struct Pair { float a; int b; };\n" + HIDDEN.replace("type by", "Pair by").replace("by *", "by.a * by.b *")
    fields = [{"name": "a", "type": "f32"}, {"name": "b", "type": "i32"}]
    assert anybody.store(source=struct, entry="scale", arguments=[*BUFFERS, {"name": "by", "fields": fields}])["name"]
