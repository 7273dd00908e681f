"""What one client asks for and does not read, or asks for many times, is its own affair: others are answered, and memory comes
back."""
import json
import select
import socket
import threading

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


def ask(service, address, method, path, body=b""):
    """A connection from that address whose client reads nothing by itself, and has little room for what comes."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
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


def test_comparisons_that_nobody_reads_hold_up_their_own_client_alone(start):
    service = start("--queue-limit", "10000")
    sweeps = [submit_sweep(service, 800) for _ in range(2)]
    service.until(lambda: all(service.get(f"/v1/sweeps/{sweep}?page_size=1").json()["state"] == "succeeded" for sweep in sweeps), 60)
    body = comparison(*sweeps)
    first, second = (ask(service, ANOTHER, "POST", "/v1/comparisons", body) for _ in range(2))
    assert begins(first) == begins(second) == 200
    waiting = [ask(service, ANOTHER, "POST", "/v1/comparisons", body) for _ in range(8)]
    for _ in range(3):
        assert service.request("POST", "/v1/comparisons", data=body, headers={"Content-Type": "application/json"}).status_code == 200
    assert not select.select(waiting, [], [], 0)[0]  # nor refused
    first.close()
    service.until(lambda: select.select(waiting, [], [], 0)[0])
    turn, = select.select(waiting, [], [], 0)[0]
    assert begins(turn) == 200 and b"]}" in rest(turn)[-20:]
    for client in (second, turn, *waiting):
        client.close()
    service.works()


def test_the_memory_of_comparisons_comes_back(start):
    if sanitized():
        pytest.skip("a sanitizer keeps what is freed")
    service = start("--queue-limit", "20000")
    service.request("POST", "/v1/queue/pause")
    sweep = submit_sweep(service, 5000)
    before = service.resident_bytes()
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
    service.until(lambda: service.resident_bytes() < before + (12 << 20))
