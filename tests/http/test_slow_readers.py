"""What one client asks for and does not read, or asks for many times, is its own affair: others are answered, and memory comes
back."""
import json
import select
import socket
import threading
import time

import pytest
import requests

from conftest import sanitized

ANOTHER = "127.0.0.2"


def submit_sweep(service, points, **more):
    answer = service.request("POST", "/v1/sweeps", data=json.dumps({"kernel": "copy", "size": [1024 * (i + 1) for i in range(points)], **more}),
                             headers={"Content-Type": "application/json"})
    assert answer.status_code == 202, answer.text
    return answer.json()["id"]


def comparison(a, b):
    return json.dumps({"a": {"sweep": a}, "b": {"sweep": b}}).encode()


def ask(service, address, method, path, body=b"", buffer_bytes=4096):
    """A connection from that address whose client reads nothing by itself, and has a small buffer."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
    client.bind((address, 0))
    client.settimeout(60)
    client.connect(("127.0.0.1", service.port))
    kind = "Content-Type: application/json\r\n" if body else ""
    client.sendall(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{kind}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    return client


def begins(client):
    """The status of its answer, which the client goes on not reading."""
    return int(client.recv(13).split()[1])


def rest(client):
    received = b""
    while piece := client.recv(1 << 16):
        received += piece
    return received


@pytest.fixture
def compared(start):
    """A service that closes a connection which does not read its comparison after so many seconds, and a comparison."""
    def make(seconds, points=800):
        service = start("--queue-limit", "10000", "--request-seconds", str(seconds))
        sweeps = [submit_sweep(service, points) for _ in range(2)]
        service.until(lambda: all(service.get(f"/v1/sweeps/{sweep}?page_size=1").json()["state"] == "succeeded" for sweep in sweeps), 60)
        return service, comparison(*sweeps)

    return make


@pytest.mark.slow
def test_comparisons_that_nobody_reads_hold_up_their_own_client_alone(compared):
    service, body = compared(300)
    first, second = (ask(service, ANOTHER, "POST", "/v1/comparisons", body) for _ in range(2))
    assert begins(first) == begins(second) == 200
    waiting = [ask(service, ANOTHER, "POST", "/v1/comparisons", body) for _ in range(16)]
    for _ in range(3):
        assert service.request("POST", "/v1/comparisons", data=body, headers={"Content-Type": "application/json"}).status_code == 200
    for wrong, status in (b"{", 400), (b"{}", 422):  # answered at once, while others of that client wait
        assert begins(ask(service, ANOTHER, "POST", "/v1/comparisons", wrong)) == status
    assert not select.select(waiting, [], [], 0)[0]  # nor refused
    many = ask(service, ANOTHER, "POST", "/v1/comparisons", body)
    ready = select.select([many, *waiting], [], [], 60)[0]  # one of the 17, whichever came last
    refusal = rest(ready[0])
    assert len(ready) == 1 and refusal.startswith(b"HTTP/1.1 503 ") and b"\r\nRetry-After: " in refusal and b"16 comparisons of yours wait" in refusal
    waiting = [client for client in [many, *waiting] if client is not ready[0]]
    first.close()
    service.until(lambda: select.select(waiting, [], [], 0)[0])
    ready, = select.select(waiting, [], [], 0)[0]
    assert begins(ready) == 200 and b"]}" in rest(ready)[-20:]
    for client in (second, ready, *waiting):
        client.close()
    service.works()


@pytest.mark.slow
def test_a_reader_that_goes_on_slowly_is_cut_off(compared):
    """It would never be idle for as long as a connection may be, and hold its slot for as long as it likes."""
    service, body = compared(3, 2000)
    reader = ask(service, ANOTHER, "POST", "/v1/comparisons", body, 32768)
    assert begins(reader) == 200
    received = b""
    while piece := reader.recv(12000):
        received += piece
        time.sleep(0.1)
    assert not received.endswith(b"0\r\n\r\n")
    reader.close()
    service.works()


@pytest.mark.slow
def test_the_memory_of_comparisons_comes_back(start):
    if sanitized():
        pytest.skip("a sanitizer keeps what is freed")
    service = start("--queue-limit", "20000")
    service.request("POST", "/v1/queue/pause")
    sweep = submit_sweep(service, 5000)
    before = service.anonymous_bytes()
    statuses = []

    def compare():
        answer = requests.post(service.url + "/v1/comparisons", data=comparison(sweep, sweep), headers={"Content-Type": "application/json"}, timeout=60)
        statuses.append(answer.status_code)

    threads = [threading.Thread(target=compare) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [422] * 8  # nothing can be compared with itself
    # After a trim the next one waits fifty times its processor time, so memory may fall late.
    service.until(lambda: service.anonymous_bytes() < before + (12 << 20), seconds=120)
