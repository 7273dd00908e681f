"""Where a request ends, and what is said about it: what is not certain is answered with 400 and a close."""
import re

import pytest

POST = b"POST /v1/experiments HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
INNER = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(INNER), INNER)

# What a header may say in ways that a proxy in front reads otherwise than the library does: INNER is the body to one
# of the two and a request to the other.
UNCLEAR = {
    "a folded length": POST + b"Content-Length:\r\n %d\r\n\r\n" % len(INNER) + INNER,
    "a length folded with a tab": POST + b"Content-Length:\r\n\t%d\r\n\r\n" % len(INNER) + INNER,
    "a length whose end is folded": POST + b"Content-Length: 3\r\n %d\r\n\r\n" % len(INNER) + INNER,
    "a length that follows a blank line's start": POST + b"X-A: b\r\n Content-Length: %d\r\n\r\n" % len(INNER) + INNER,
    "a folded coding": POST + b"Transfer-Encoding:\r\n chunked\r\n\r\n" + CHUNKED,
    "a folded list of codings": POST + b"Transfer-Encoding: chunked\r\n , identity\r\n\r\n" + CHUNKED,
    "a first line that is folded": b"GET /livez HTTP/1.1\r\n Content-Length: %d\r\nHost: localhost\r\n\r\n" % len(INNER) + INNER,
    "two lengths": POST + b"Content-Length: 0\r\nContent-Length: %d\r\n\r\n" % len(INNER) + INNER,
    "the same length twice": POST + b"Content-Length: %d\r\n" % len(INNER) * 2 + b"\r\n" + INNER,
    "a list of lengths": POST + b"Content-Length: %d, %d\r\n\r\n" % (len(INNER), len(INNER)) + INNER,
    "a length with a sign": POST + b"Content-Length: +%d\r\n\r\n" % len(INNER) + INNER,
    "a length below zero": POST + b"Content-Length: -1\r\n\r\n" + INNER,
    "a length in hexadecimal": POST + b"Content-Length: 0x%x\r\n\r\n" % len(INNER) + INNER,
    "an empty length": POST + b"Content-Length:\r\n\r\n" + INNER,
    "a length and a coding": POST + b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n" % len(CHUNKED) + CHUNKED,
    "two codings": POST + b"Transfer-Encoding: chunked\r\n" * 2 + b"\r\n" + CHUNKED,
    "a coding that is not known": POST + b"Transfer-Encoding: xchunked\r\n\r\n" + CHUNKED,
    "a list of codings": POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + CHUNKED,
    "identity": POST + b"Transfer-Encoding: identity\r\nContent-Length: %d\r\n\r\n" % len(INNER) + INNER,
    "a blank before the colon": POST + b"Content-Length : %d\r\n\r\n" % len(INNER) + INNER,
    "a tab before the colon": POST + b"Transfer-Encoding\t: chunked\r\n\r\n" + CHUNKED,
    "a CR in a name": POST + b"Content-Length\r: %d\r\n\r\n" % len(INNER) + INNER,
    "a vertical tab before a coding": POST + b"Transfer-Encoding: \x0bchunked\r\n\r\n" + CHUNKED,
    "a coding behind a quote": POST + b'Transfer-Encoding: "chunked"\r\n\r\n' + CHUNKED,
    "a name that a fold makes a length": b"GET /v1/queue HTTP/1.1\r\nHost: localhost\r\nContent: %d\r\n -Length\r\n\r\n" % len(INNER) + INNER,
    "a name whose end is folded": b"GET /v1/queue HTTP/1.1\r\nHost: localhost\r\nContent-Len: %d\r\n gth\r\n\r\n" % len(INNER) + INNER,
    "a name that a fold makes a coding": POST + b"Transfer: chunked\r\n -Encoding\r\n\r\n" + CHUNKED,
    "a name that a fold makes a host": b"GET /livez HTTP/1.1\r\nHo: a\r\n st\r\n\r\n",
    "any field that is folded": b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Foo: a\r\n b\r\n\r\n",
    "a folded key": POST + b"Idempotency-Key:\r\n once\r\nContent-Length: 2\r\n\r\n{}",
    "a key whose end is folded": POST + b"Idempotency-Key: once\r\n more\r\nContent-Length: 2\r\n\r\n{}",
    "a folded preference": POST + b"Prefer: wait=\r\n 1\r\nContent-Length: 2\r\n\r\n{}",
    "a folded tag": b"GET /v1/kernels HTTP/1.1\r\nHost: localhost\r\nIf-None-Match:\r\n *\r\n\r\n",
    "a coding in HTTP/1.0": POST.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n"
                            + CHUNKED,
}


def said(client):
    """All that comes until the service closes."""
    client.settimeout(10)
    received = b""
    try:
        while piece := client.recv(65536):
            received += piece
    except ConnectionError:
        pass
    return received


@pytest.mark.parametrize("case", UNCLEAR)
def test_an_unclear_header_is_one_answer_and_a_close(service, case):
    with service.connect() as client:
        client.sendall(UNCLEAR[case])
        answer = said(client)
    # A length that is no number the library answers itself, and says its status twice.
    assert set(re.findall(rb"HTTP/1\.[01] (\d+) ", answer)) == {b"400"}, answer
    assert answer.count(b"application/problem+json") <= 1 and b"alive" not in answer


@pytest.mark.parametrize("form", [b"Transfer-Encoding: Chunked\r\n\r\n" + b"2;x=y\r\n{}\r\n0\r\nX-T: 1\r\n\r\n",
                                  b"X-Empty:\r\nX-Blanks: \t a  b \t\r\nContent-Length: 2\r\n\r\n{}"],
                         ids=["chunked", "empty, and with blanks around"])
def test_what_is_clear_is_read(service, form):
    with service.connect() as client:
        client.sendall(POST + form + INNER.replace(b"Host", b"Connection: close\r\nHost"))
        answer = said(client)
    assert answer.startswith(b"HTTP/1.1 422 ") and answer.count(b"HTTP/1.1 200 ") == 1


@pytest.mark.parametrize("path", ["/v1/experiments", "/v1/sweeps", "/v1/kernels", "/livez", "/v1/devices/0", "/nowhere"])
def test_head_has_no_body(service, path):
    """A list has no length beforehand; its HEAD ends with the connection, which it says, and not with an empty chunk."""
    with service.connect() as client:
        client.sendall(f"HEAD {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() + INNER.replace(b"Host", b"Connection: close\r\nHost"))
        answer = said(client)
    head, _, rest = answer.partition(b"\r\n\r\n")
    if b"Connection: close" in head:
        assert rest == b""
    else:
        assert rest.startswith(b"HTTP/1.1 200 ") and rest.endswith(b'{"status":"alive"}\n')
    assert b"Content-Length: 0" not in head
