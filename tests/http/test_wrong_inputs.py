"""Whatever is sent gets its status and a message that helps, and the next good request works."""
import json
import socket

import pytest
import requests

from conftest import SMALL


@pytest.fixture(autouse=True)
def the_next_good_request_works(service):
    yield
    service.works()


def refused(response, status, *words):
    assert response.status_code == status, response.text
    for word in words:
        assert word in response.text, response.text
    return response.json()


def pointers(response):
    return [error["pointer"] for error in response.json()["errors"]]


@pytest.mark.parametrize("body, words", [
    ("", ["empty"]),
    ("{", ["line 1, column 1"]),
    ('{"kernel": "read_offset",\n  "size": }', ["line 2, column 11"]),
    ("kernel=read_offset", ["line 1"]),
    ('{"kernel": "read_offset"} and more', ["line 1", "end of file"]),
    ('{"kernel": "read_offset", "size": NaN}', ["NaN"]),
    ('{"kernel": "read_offset", "size": Infinity}', ["Infinity"]),
    ('{"kernel": "read_offset", "kernel": "copy"}', ["duplicate", "kernel"]),
    ('{"kernel": "read_offset", "measure": {"noise": 1, "noise": 2}}', ["duplicate", "noise"]),
    ('{"kernel": "read_offset", "size": 1e999}', ["line 1", "overflow"]),
    ('{"kernel": "read_offset", "labels": {"a": "x\\u0000"}}', ["line 1", "u0000 is not allowed\""]),
    ("[]", ["object"]),
    ('"read_offset"', ["object"]),
    ("17", ["object"]),
    ("null", ["object"]),
    (b'{"kernel": "\xff\xfe"}', ["line 1"]),
    (b'{"kernel": "a\x00b"}', ["line 1"]),
    ("[" * 60000, ["line 1", "depth"]),
])
def test_a_body_that_is_not_json_is_400_with_its_place(service, body, words):
    refused(service.post(body), 400, *words)


@pytest.mark.parametrize("fields, words", [
    ('"size": 99999999999999999999', ["#/size", "an integer", "above 9223372036854775807"]),
    ('"size": 1024, "block": -99999999999999999999', ["#/block", "below -9223372036854775808"]),
    ('"size": 1024, "block": [32, 99999999999999999999]', ["#/block/1", "above 9223372036854775807"]),
    ('"size": 1024, "measure": {"noise": 99999999999999999999}', ["#/measure/noise", "from 0 to 1"]),
])
def test_an_integer_beyond_64_bits_names_its_field_alone(service, fields, words):
    response = service.post(f'{{"kernel": "read_offset", {fields}}}')
    refused(response, 422, *words)
    assert len(response.json()["errors"]) == 1


@pytest.mark.parametrize("field, value", [
    ("kernel", 7), ("kernel", None), ("kernel", ["copy"]),
    ("dtype", 32), ("dtype", "f16"),
    ("size", "big"), ("size", 1.5), ("size", None), ("size", {}), ("size", []), ("size", [1, 2, 3]), ("size", True),
    ("block", "256"), ("block", 1.5), ("block", [1, 2, 3, 4]), ("block", [256, "1"]), ("block", {}),
    ("grid", "1"), ("grid", 1.5), ("grid", [[1]]),
    ("offset", "11"), ("offset", 1.5), ("offset", [1]), ("offset", None),
    ("load", 1), ("load", "slow"),
    ("device", "0"), ("device", 0.5), ("device", [0]),
    ("measure", 1), ("measure", []),
    ("counters", 1), ("counters", "yes"),
    ("transfers", 1), ("transfers", "some"),
    ("timeout_s", "60"), ("timeout_s", None),
    ("priority", "high"), ("priority", 1.5),
    ("labels", []), ("labels", "x"), ("labels", {"a": 1}),
])
def test_a_wrong_type_names_its_field(service, field, value):
    response = service.post({**SMALL, field: value})
    refused(response, 422)
    assert any(pointer == "#/" + field or pointer.startswith(f"#/{field}/") for pointer in pointers(response))


@pytest.mark.parametrize("field", ["min_samples", "noise", "max_seconds", "quiet_s"])
def test_a_wrong_type_within_measure_names_its_field(service, field):
    response = service.post({**SMALL, "measure": {field: "x"}})
    refused(response, 422)
    assert pointers(response) == [f"#/measure/{field}"]


def test_an_unknown_kernel_is_named(service):
    refused(service.post({"kernel": "warp_drive"}), 422, "#/kernel", "warp_drive")


def test_a_request_without_a_kernel_says_so(service):
    refused(service.post({"size": 4}), 422, "#/kernel")


def test_an_unknown_field_is_named(service):
    refused(service.post({**SMALL, "ofset": 11}), 422, "#/ofset")
    refused(service.post({**SMALL, "measure": {"samples": 11}}), 422, "#/measure/samples")


def test_a_parameter_of_another_kernel_is_unknown(service):
    refused(service.post({"kernel": "vector_add", "offset": 11}), 422, "#/offset")


@pytest.mark.parametrize("size", [0, -1, -(2 ** 63)])
def test_a_size_below_one_is_refused(service, size):
    assert pointers(service.post({**SMALL, "size": size})) == ["#/size"]


@pytest.mark.parametrize("size, dtype", [(2 ** 63 - 1, "f32"), (2 ** 62, "f64"), (2 ** 61, "f64"), (2 ** 60, "f32")])
def test_size_times_element_must_not_overflow(service, size, dtype):
    refused(service.post({**SMALL, "size": size, "dtype": dtype}), 422, "#/size", "overflow")


def test_rows_times_columns_must_not_overflow(service):
    refused(service.post({"kernel": "sum_matrix_2d", "size": [2 ** 40, 2 ** 40]}), 422, "#/size", "overflow")


def test_memory_that_the_device_does_not_have_is_refused_before_queueing(service):
    refused(service.post({**SMALL, "size": 2 ** 30}), 422, "#/size", str(1 << 30))


@pytest.mark.parametrize("kernel, block, word", [
    ("read_offset", 0, "#/block"),
    ("read_offset", -256, "#/block"),
    ("read_offset", 2048, "1024"),
    ("read_offset", [256, 8], "y must be 1, is 8"),
    ("sum_matrix_2d", [256, 8], "2048 threads a block, the limit of the newest GPUs is 1024"),
    ("sum_matrix_2d", [2 ** 40, 2 ** 40], "#/block"),
])
def test_a_block_that_cannot_be_launched_names_the_limit(service, kernel, block, word):
    refused(service.post({"kernel": kernel, "block": block}), 422, "#/block", word)


def test_a_grid_that_does_not_cover_the_size_says_how_many_are_needed(service):
    refused(service.post({**SMALL, "block": 256, "grid": 3}), 422, "#/grid", "at least 4 blocks")


def test_a_grid_beyond_the_limit_is_refused(service):
    refused(service.post({**SMALL, "grid": 2 ** 40}), 422, "#/grid", "2147483647")


def test_an_offset_beyond_the_size_is_refused_and_one_equal_to_it_is_not(service):
    refused(service.post({**SMALL, "offset": 1025}), 422, "#/offset", "1024")
    refused(service.post({**SMALL, "offset": -1}), 422, "#/offset")
    assert service.run({**SMALL, "offset": 1024})["state"] == "succeeded"


@pytest.mark.parametrize("device", [1, 17, -1, 2 ** 62])
def test_a_device_that_is_not_there_is_refused_with_how_many_there_are(service, device):
    response = service.post({**SMALL, "device": device})
    refused(response, 422, "this service has 1")
    assert pointers(response) == ["#/device"]


def test_all_wrong_fields_are_named_at_once(service):
    response = service.post({**SMALL, "size": 0, "device": 9, "timeout_s": 0, "priority": 1000})
    refused(response, 422, "4 fields are wrong")
    assert sorted(pointers(response)) == ["#/device", "#/priority", "#/size", "#/timeout_s"]


def test_a_list_of_what_is_wrong_that_is_cut_says_so(service):
    for body in ({**SMALL, "offset": ["x"] * 10000}, {"kernel": ["x"] * 10000}):
        response = service.request("POST", "/v1/sweeps", json=body)
        document = refused(response, 422, "more than 16 fields are wrong, 16 of which are listed")
        assert len(document["errors"]) == 16


def test_numbers_out_of_their_range_are_refused(service):
    for measure in ({"min_samples": 0}, {"min_samples": 10 ** 9}, {"noise": -1}, {"max_seconds": 0},
                    {"max_seconds": 1e6}, {"quiet_s": -1}, {"quiet_s": 60.5}):
        response = service.post({**SMALL, "measure": measure})
        assert pointers(response) == ["#/measure/" + list(measure)[0]]


# ---- the envelope ----

def test_a_wrong_method_is_405_with_those_that_are_allowed(service):
    for method, path, allow in (("PUT", "/v1/experiments", {"GET", "HEAD", "POST"}),
                                ("PUT", "/v1/kernels", {"GET", "HEAD", "POST"}),
                                ("POST", "/v1/recipes", {"GET", "HEAD"}),
                                ("POST", "/v1/experiments/01ARZ3NDEKTSV4RRFFQ69G5FAV", {"GET", "HEAD", "DELETE"}),
                                ("BREW", "/livez", {"GET", "HEAD"})):
        response = service.request(method, path)
        refused(response, 405)
        assert set(response.headers["Allow"].split(", ")) == allow


@pytest.mark.parametrize("path", ["/nothing", "/v1", "/v1/experiments/", "/v1/experiments/a/b", "/v1/kernels/x%2fy",
                                  "/livez/", "//", "/v1/experiments/" + "x" * 3000])
def test_an_unknown_path_is_404(service, path):
    refused(service.get(path), 404)


@pytest.mark.parametrize("path", ["/v1/experiments/01ARZ3NDEKTSV4RRFFQ69G5FAV", "/v1/experiments/nonsense",
                                  "/v1/kernels/warp_drive", "/v1/devices/1", "/v1/devices/x", "/v1/devices/-1",
                                  "/v1/devices/99999999999999999999"])
def test_an_unknown_name_is_404(service, path):
    refused(service.get(path), 404)


def test_an_unknown_experiment_cannot_be_cancelled(service):
    refused(service.delete("/v1/experiments/01ARZ3NDEKTSV4RRFFQ69G5FAV"), 404)
    refused(service.delete("/v1/experiments/nonsense"), 404)


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "text/plain", "application/jsonp", "nonsense"])
def test_a_wrong_content_type_is_415(service, kind):
    refused(service.post(SMALL, headers={"Content-Type": kind}), 415, "application/json")


def test_a_missing_content_type_is_415(service):
    for headers in ({}, {"Content-Type": ""}):
        response = service.request("POST", "/v1/experiments", data=json.dumps(SMALL).encode(), headers=headers)
        refused(response, 415, "say", "Content-Type: application/json", "curl --json")
    form = {"Content-Type": "application/x-www-form-urlencoded"}  # what curl -d says unless it is told
    refused(service.post(SMALL, headers=form), 415, "application/json", "curl --json")


def test_a_body_that_is_encoded_is_415(service):
    for coding in ("gzip", "identity, br"):
        refused(service.post(SMALL, headers={"Content-Encoding": coding}), 415, coding)
    assert service.post(SMALL, headers={"Content-Encoding": "identity"}).status_code == 202


def test_content_types_may_have_parameters(service):
    assert service.post(SMALL, headers={"Content-Type": "Application/JSON ; charset=utf-8"}).status_code == 202


@pytest.mark.parametrize("accept", ["text/html", "application/json;q=0", "image/*, text/*;q=0.5",
                                    "*/*, application/json;q=0"])
def test_a_representation_that_does_not_exist_is_406(service, accept):
    refused(service.get("/v1/queue", headers={"Accept": accept}), 406, "application/json")


@pytest.mark.parametrize("accept", ["*/*", "application/*", "text/html, application/json;q=0.1", "",
                                    "text/html, */*;q=0.8"])
def test_what_accept_allows_is_sent(service, accept):
    assert service.get("/v1/queue", headers={"Accept": accept}).status_code == 200


@pytest.mark.parametrize("query, word", [
    ("kernle=copy", "kernle"), ("page_size=0", "page_size"), ("page_size=501", "page_size"), ("page_size=x", "500"),
    ("state=done", "succeeded"), ("device=x", "device"), ("page_token=nonsense", "next_page_token"),
    ("label=", "label"), ("state=failed&state=queued", "more than once"), ("page_size=", "page_size"),
])
def test_a_query_that_makes_no_sense_is_400_and_named(service, query, word):
    refused(service.get("/v1/experiments?" + query), 400, word)


@pytest.mark.parametrize("path", [
    "/v1/queue%00x", "/livez%00", "/v1/kernels/copy%00x", "/v1/recipes/read_segment_cached%00x", "/v1/kernels/%zz",
    "/v1/kernels/%", "/v1/kernels/%ff", "/v1/experiments?label=a%00b", "/v1/experiments?kernel=copy%00zzz",
    "/v1/experiments?state=failed%00zzz", "/v1/experiments?page_size=1%00abc", "/v1/experiments?kernel%00abc=nope",
    "/v1/experiments?label=a%zz", "/v1/experiments?label=a%", "/v1/experiments?label=a%4", "/v1/experiments?label=%FF",
    "/v1/experiments?label=%ED%A0%80"])
def test_an_address_that_cannot_be_meant_is_400(service, path):
    with service.connect() as client:  # as it is: a client's library would mend some of these
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        assert client.makefile("rb").read().startswith(b"HTTP/1.1 400 ")


def test_a_nul_does_not_cut_an_id_short(service):
    where = service.post({**SMALL, "labels": {"fake": "sleep:0.5"}}).json()["links"]["self"]
    refused(service.delete(where + "%00zzz"), 400)
    refused(service.get(where + "%00?wait=1"), 400)
    refused(service.get(where + "?wait=1%00"), 400)
    assert service.get(where + "?wait=20").json()["state"] == "succeeded"


def test_what_is_escaped_well_is_read(service):
    service.run({**SMALL, "labels": {"escaped": "caf\u00e9 & more"}})
    for query in ("label=escaped:caf%C3%A9%20%26+more", "l%61bel=escaped%3Acaf%c3%a9+%26%20more"):
        assert len(service.get("/v1/experiments?" + query).json()["experiments"]) == 1
    assert service.get("/v1/kernels/co%70y").status_code == 200


def test_unknown_query_parameters_are_refused_everywhere(service):
    for path in ("/v1/queue", "/v1/kernels", "/v1/devices/0", "/livez", "/readyz"):
        refused(service.get(path + "?x=1"), 400, "x")
    refused(service.get("/v1/experiments/01ARZ3NDEKTSV4RRFFQ69G5FAV?wait=soon"), 400, "wait")


# ---- bodies ----

def test_a_body_of_one_mebibyte_is_413(service):
    body = json.dumps({**SMALL, "labels": {"x": "y" * (1 << 20)}})[:1 << 20]
    refused(service.post(body), 413, "65536")


def test_a_body_just_over_the_limit_is_413_and_one_at_it_is_read(service):
    assert service.post(json.dumps(SMALL).ljust(65536)).status_code == 202
    refused(service.post(json.dumps(SMALL).ljust(65537)), 413, "65536")


def test_a_chunked_body_over_the_limit_is_413(service):
    refused(service.post(b"x" * 1000 for _ in range(1000)), 413, "65536")


def test_a_chunked_body_within_the_limit_is_read(service):
    text = json.dumps(SMALL).encode()
    assert service.post(text[i:i + 7] for i in range(0, len(text), 7)).status_code == 202


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_of_a_hundred_mebibytes_is_not_read(service, chunked):
    piece = b"x" * (1 << 20)
    body = (piece for _ in range(100)) if chunked else piece * 100
    before = service.anonymous_bytes()
    try:
        refused(service.post(body), 413)
    except requests.ConnectionError:
        pass  # closed while the client was sending
    assert service.anonymous_bytes() < before + (4 << 20)


def test_a_client_that_asks_first_is_refused_before_it_sends(service):
    with service.connect() as client:
        client.sendall(b"POST /v1/experiments HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                       b"Content-Length: 100000000\r\nExpect: 100-continue\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 413 ")


def test_a_body_for_a_path_that_is_not_there_is_read_so_that_the_answer_is_seen(service):
    refused(service.request("POST", "/nothing", data=b"x" * 500000), 404)


@pytest.mark.parametrize("key", ["", "k" * 256])
def test_an_idempotency_key_has_a_length(service, key):
    refused(service.post(SMALL, headers={"Idempotency-Key": key}), 400, "Idempotency-Key")


def raw(service, request):
    """The status, the headers' bytes, and whether the connection is closed after it."""
    with service.connect() as client:
        client.sendall(request)
        stream = client.makefile("rb")
        head = b"".join(iter(stream.readline, b"\r\n"))
        stream.read(int(head.split(b"Content-Length: ")[1].split()[0]))
        client.settimeout(0.5)
        try:
            closed = stream.read(1) == b""
        except TimeoutError:
            closed = False
    return int(head.split()[1]), head, closed


PREDICTION = b'{"kernel": "copy", "arch": "sm_90"}'
ASK = b"POST /v1/predictions HTTP/1.1\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize("head, body", [
    pytest.param(b"Host: localhost\r\nContent-Length: %d\r\nContent-Length: 4\r\n" % len(PREDICTION), PREDICTION, id="lengths"),
    pytest.param(b"Host: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n",
                 b"%x\r\n%b\r\n0\r\n\r\n" % (len(PREDICTION), PREDICTION), id="a length and chunks"),
    pytest.param(b"Host: localhost\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
                 b"%x\r\n%b\r\n0\r\n\r\n" % (len(PREDICTION), PREDICTION), id="encodings"),
    pytest.param(b"Host: localhost\r\nTransfer-Encoding : chunked\r\nContent-Length: %d\r\n" % len(PREDICTION), PREDICTION, id="a blank"),
    pytest.param(b"Host: localhost\r\nTransfer-Encoding: gzip, chunked\r\n", PREDICTION, id="a coding"),
])
def test_a_body_whose_end_is_in_doubt_is_refused_and_the_connection_closed(service, head, body):
    status, sent, closed = raw(service, ASK + head + b"\r\n" + body)
    assert status == 400 and closed and b"Coalesced-Instance" in sent


@pytest.mark.parametrize("head, status", [
    (b"GET /livez HTTP/1.1\r\n", 400), (b"GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n", 400),
    (b"GET /livez HTTP/1.1\r\nHost:\r\n", 400), (b"GET /livez HTTP/1.1\r\nHost: \t \r\n", 400),
    (b"GET /livez HTTP/1.0\r\nHost:\r\n", 400), (b"GET /livez HTTP/1.0\r\n", 200)])
def test_a_host_is_named_once(service, head, status):
    assert raw(service, head + b"\r\n")[0] == status


@pytest.mark.parametrize("target, host, status", [
    (b"http://localhost/v1/queue", b"localhost", 200), (b"HTTP://LOCALHOST:80/readyz?verbose", b"localhost:80", 200),
    (b"https://localhost", b"localhost", 200), (b"http://localhost?x=1", b"localhost", 400), (b"http://localhost/nothing", b"localhost", 404),
    (b"http://evil.example/v1/queue", b"localhost", 400), (b"http://localhost/v1/queue", b"evil.example", 421),
    (b"http://evil.example/v1/queue", b"evil.example", 421), (b"http://me@localhost/v1/queue", b"localhost", 400),
    (b"http://evil.example", b"", 400), (b"http:///v1/queue", b"localhost", 400)])
def test_the_absolute_form_is_taken_from_whoever_names_the_same_host_twice(service, target, host, status):
    """The address is what counts, says RFC 9112, 3.2.2; whoever looks at the Host only must not see another one."""
    assert raw(service, b"GET %b HTTP/1.1\r\nHost: %b\r\n\r\n" % (target, host))[0] == status


def test_headers_that_are_lists_may_come_in_several_lines(service):
    where = service.run()["id"]
    tag = service.get(f"/v1/experiments/{where}", headers={"Accept-Encoding": "identity"}).headers["ETag"].encode()
    for path, lines, status in (
            (b"/v1/queue", b"Accept: text/csv\r\nAccept: application/json\r\n", 200),
            (b"/v1/queue", b"Accept: text/csv\r\nAccept: text/html\r\n", 406),
            (b"/v1/queue", b"Accept: */*\r\nAccept: application/json;q=0\r\n", 406),
            (b"/v1/experiments/" + where.encode(), b'If-None-Match: "a"\r\nIf-None-Match: %b\r\n' % tag, 304)):
        head = b"GET %b HTTP/1.1\r\nHost: localhost\r\n%b\r\n" % (path, lines)
        with service.connect() as client:
            client.sendall(head)
            assert client.recv(4096).startswith(b"HTTP/1.1 %d " % status)


HEAD = b"POST /v1/experiments HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize("sent", [
    pytest.param(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 500, id="TLS"),
    pytest.param(b"nonsense\r\n\r\n", id="nonsense"),
    pytest.param(b"GET\r\n\r\n", id="no path"),
    pytest.param(b"\0" * 1000, id="zeros"),
    pytest.param(b"GET / HTTP/9.9\r\n\r\n", id="version"),
    pytest.param(b"G" * 20000, id="an endless method"),
    pytest.param(b"GET /" + b"x" * 20000, id="an endless path"),
    pytest.param(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X-A: b\r\n" * 5000 + b"\r\n", id="too many headers"),
    pytest.param(HEAD + b"Content-Length: -5\r\n\r\n{}", id="a negative length"),
    pytest.param(HEAD + b"Content-Length: 99999999999999999999999\r\n\r\n{}", id="a huge length"),
    pytest.param(HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", id="a broken chunk"),
])
def test_what_is_not_http_is_answered_or_closed(service, sent):
    with service.connect() as client:
        try:
            client.sendall(sent)
            client.shutdown(socket.SHUT_WR)
            while client.recv(4096):
                pass
        except TimeoutError:
            raise
        except OSError:
            pass  # closed while it was sent
