"""Clients that are slow, many, or gone."""
import json
import random
import resource
import socket
import struct
import threading
import time

import pytest
import requests

from conftest import SMALL, sanitized

HEAD = (b"POST /v1/experiments HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n")
BODY = json.dumps(SMALL).encode()

# A fifth of a second: it is counted by sample, and again for each change that is tried.
SLOW = {"kernel": "gather", "size": 100000000, "device_name": "NVIDIA H200", "what_if": True}


def closed_within(client, seconds):
    """Does the server close the connection by then? What it sends is read."""
    limit = time.monotonic() + seconds
    try:
        while time.monotonic() < limit:
            client.settimeout(max(limit - time.monotonic(), 0.01))
            if not client.recv(4096):
                return True
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    return False


def drip(client, data, stop):
    """A byte each tenth of a second, from a thread of its own."""
    def run():
        try:
            for byte in data:
                client.sendall(bytes([byte]))
                if stop.wait(0.1):
                    return
        except OSError:
            pass
    thread = threading.Thread(target=run)
    thread.start()
    return thread


@pytest.mark.parametrize("before, dripped", [
    (b"", b"GET /livez HTTP/1.1\r\nHost: localhost\r\n" + b"X-A: b\r\n" * 100),
    (HEAD % 500 + b"\r\n", b" " * 500),
    (HEAD.replace(b"Content-Length: %d", b"Transfer-Encoding: chunked") + b"\r\n", b"1\r\n \r\n" * 100),
], ids=["head", "body", "chunks"])
@pytest.mark.alone
@pytest.mark.slow
def test_a_request_that_drips_is_cut_off(service, before, dripped):
    with service.connect() as client:
        stop = threading.Event()
        client.sendall(before)
        begun = time.monotonic()
        thread = drip(client, dripped, stop)
        assert closed_within(client, 8)
        stop.set()
        thread.join()
        assert 2 < time.monotonic() - begun < 6  # the service of this file allows 3 s
    service.works()


def test_a_body_that_never_ends_is_cut_off_after_a_mebibyte(service):
    with service.connect() as client:
        client.sendall(HEAD.replace(b"Content-Length: %d", b"Transfer-Encoding: chunked") + b"\r\n")
        sent = 0
        with pytest.raises(OSError):
            while sent < 100 << 20:
                client.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
                sent += 65536
        assert sent < 40 << 20  # what the kernels' buffers on the way swallowed
    service.works()


@pytest.mark.slow
def test_a_body_that_never_comes_is_cut_off(service):
    with service.connect() as client:
        client.sendall(HEAD % 100 + b"\r\n{")
        assert closed_within(client, 8)
    service.works()


@pytest.mark.slow
def test_a_connection_that_says_nothing_is_closed(service):
    with service.connect() as client:
        assert closed_within(client, 8)


@pytest.mark.alone
def test_a_thousand_idle_connections_leave_room_for_others(start):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    service = start()
    service.works()
    before = service.anonymous_bytes()
    idle = [service.connect() for _ in range(1000)]
    try:
        for client in idle[:500]:  # half of them have been used
            client.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for client in idle[:500]:
            assert client.recv(4096).startswith(b"HTTP/1.1 200 ")
        begun = time.monotonic()
        service.works()
        assert time.monotonic() - begun < 2
        if not sanitized():
            assert service.anonymous_bytes() - before < 24 << 20
    finally:
        for client in idle:
            client.close()
    service.works()


def test_at_the_limit_who_is_idle_longest_makes_room(start):
    """With few descriptors; at its limit the library would stop accepting."""
    service = start("--request-seconds", "600", files=600)
    idle = [service.connect() for _ in range(500)]
    try:
        for _ in range(3):
            begun = time.monotonic()
            service.works()
            assert time.monotonic() - begun < 5
        assert closed_within(idle[0], 30)
        idle[-1].sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert idle[-1].recv(4096).startswith(b"HTTP/1.1 200 ")
    finally:
        for client in idle:
            client.close()


def test_slow_requests_hold_up_nobody(service):
    """However slow the machine is: five others are answered before most of the slow ones are."""
    body = json.dumps(SLOW).encode()
    request = (HEAD % len(body)).replace(b"experiments", b"predictions") + b"\r\n" + body
    clients = [service.connect() for _ in range(12)]
    answers = 0
    try:
        for client in clients:
            client.sendall(request * 3)
        time.sleep(0.2)
        for _ in range(5):
            assert service.get("/livez").status_code == 200
        for client in clients:
            client.setblocking(False)
            try:
                answers += client.recv(1 << 20).count(b"HTTP/1.1 200 ")
            except BlockingIOError:
                pass
        assert answers <= 18  # of 36
    finally:
        for client in clients:
            client.close()
    service.works()


def test_a_service_stops_under_slow_requests_and_tables_that_nobody_reads(start):
    service = start()
    sweep = service.request("POST", "/v1/sweeps", json={**SMALL, "offset": list(range(1000))}, headers={"Prefer": "wait=60"})
    assert sweep.json()["state"] == "succeeded"
    slow = json.dumps(SLOW).encode()
    clients = [service.connect() for _ in range(208)]
    try:
        for client in clients[:200]:
            client.sendall((HEAD % len(slow)).replace(b"experiments", b"predictions") + b"\r\n" + slow)
        for client in clients[200:]:
            client.sendall(b"GET /v1/experiments HTTP/1.1\r\nHost: localhost\r\nAccept: text/csv\r\n\r\n" * 30)
        time.sleep(0.3)
        assert service.stop() == 0
    finally:
        for client in clients:
            client.close()


@pytest.mark.parametrize("count", [127, 128, 129, 256])
def test_that_many_requests_at_once_are_all_answered(service, count):
    """While the handlers are busy with others: 128 at once is where libmicrohttpd's epoll mode stalls."""
    stop = threading.Event()

    def keep_busy():
        while not stop.is_set():
            service.post(SMALL)
            service.get("/v1/experiments?page_size=100")

    busy = [threading.Thread(target=keep_busy) for _ in range(3)]
    clients = [service.connect() for _ in range(count)]
    try:
        for thread in busy:
            thread.start()
        time.sleep(0.1)
        request = HEAD % len(BODY) + b"Connection: close\r\n\r\n" + BODY
        begun = time.monotonic()
        for client in clients:
            client.sendall(request)
        for client in clients:
            assert client.recv(4096).startswith(b"HTTP/1.1 202 ")
        assert time.monotonic() - begun < 10
    finally:
        stop.set()
        for thread in busy:
            thread.join()
        for client in clients:
            client.close()
    service.until(lambda: service.get("/v1/queue").json()["queued"] == 0)
    service.works()


@pytest.mark.parametrize("count", [128, 256])
def test_that_many_waiting_at_once_are_all_woken(service, count):
    where = service.post({**SMALL, "labels": {"fake": "sleep:1"}}).json()["links"]["self"]
    clients = [service.connect() for _ in range(count)]
    try:
        for client in clients:
            client.sendall(f"GET {where}?wait=30 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        for client in clients:
            assert b'"state":"succeeded"' in client.recv(65536)
    finally:
        for client in clients:
            client.close()


def test_clients_that_leave_while_they_wait_are_noticed(service):
    where = service.post({**SMALL, "labels": {"fake": "sleep:30"}}).json()["links"]["self"]

    def sockets():
        with open(f"/proc/{service.process.pid}/net/tcp") as table:
            local = f"0100007F:{service.port:04X}"
            return sum(1 for line in table if line.split()[1] == local and line.split()[3] == "08")  # CLOSE_WAIT

    clients = [service.connect() for _ in range(50)]
    for client in clients:
        client.sendall(f"GET {where}?wait=60 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    time.sleep(0.3)
    for client in clients:
        client.close()
    service.until(lambda: sockets() == 0, seconds=5)
    service.delete(where)
    service.get(where + "?wait=20")
    service.works()


def half_closed(service, request):
    """What a client gets that sends no more once it has asked, after interim responses."""
    with service.connect() as client:
        client.sendall(request)
        client.shutdown(socket.SHUT_WR)
        received = b""
        while piece := client.recv(65536):
            received += piece
    while received.startswith(b"HTTP/1.1 100 "):
        received = received.partition(b"\r\n\r\n")[2]
    return received


@pytest.mark.slow
@pytest.mark.parametrize("prefer, status", [(b"", b"202"), (b"Prefer: wait=20\r\n", b"200")], ids=["at once", "waits"])
@pytest.mark.parametrize("label", ["", "sleep:2.5"])
def test_a_client_that_sends_no_more_gets_the_answer_to_its_post(service, prefer, status, label):
    body = json.dumps({**SMALL, "labels": {"fake": label}}).encode()
    answer = half_closed(service, HEAD % len(body) + prefer + b"\r\n" + body)
    assert answer.startswith(b"HTTP/1.1 " + status), answer
    service.until(lambda: service.get("/v1/queue").json()["devices"][0]["running"] is None)


@pytest.mark.parametrize("path", ["/v1/experiments", "/v1/kernels", "/v1/devices/0", "/livez"])
def test_a_client_that_sends_no_more_gets_the_answer_to_its_get(service, path):
    assert half_closed(service, f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()).startswith(b"HTTP/1.1 200 ")


@pytest.mark.slow
def test_a_client_that_sends_no_more_and_waits_for_a_sweep_gets_its_end(service):
    body = {**SMALL, "offset": [0, 1], "labels": {"fake": "sleep:1.2"}}
    where = f"/v1/sweeps/{service.request('POST', '/v1/sweeps', json=body).json()['id']}"
    answer = half_closed(service, f"GET {where}?wait=30 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 200 ") and b'"state":"succeeded"' in answer


def test_requests_one_after_the_other_in_one_connection(service):
    with service.connect() as client:
        client.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
        received = b""
        while received.count(b'{"status":"alive"}') < 20:
            piece = client.recv(65536)
            assert piece
            received += piece
        assert received.count(b"HTTP/1.1 200 ") == 20


@pytest.mark.slow
def test_a_reader_that_takes_its_time_gets_all_of_a_long_list(service):
    for _ in range(200):
        service.post(SMALL)
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(b"GET /v1/experiments?page_size=200 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        received = b""
        while piece := client.recv(8192):
            received += piece
            time.sleep(0.005)
    assert received.count(b'"state"') == 200 and received.rstrip().endswith(b"0")
    service.until(lambda: service.get("/v1/queue").json()["queued"] == 0)


def test_http_1_0_is_answered(service):
    with service.connect() as client:
        client.sendall(b"GET /v1/experiments HTTP/1.0\r\n\r\n")
        received = b""
        while piece := client.recv(8192):
            received += piece
    assert received.startswith(b"HTTP/1.") and b'"experiments"' in received


@pytest.mark.parametrize("method, path, body", [
    ("POST", "/v1/experiments", b'{"kernel":"copy","size":1024,"block":128}'),
    ("POST", "/v1/sweeps", b'{"kernel":"copy","size":[1024,2048],"block":128}'),
    ("DELETE", "/v1/experiments/{id}", b""),
    ("DELETE", "/v1/sweeps/{id}", b""),
])
def test_a_client_that_resets_its_connection_at_any_moment_costs_nothing(start, method, path, body):
    """What it asked for is on its way to the disk, and no client is left for the answer."""
    service = start()
    hang = service.post({"kernel": "copy", "size": 4096, "labels": {"fake": "sleep:600"}, "timeout_s": 900}).json()["id"]
    nobody = hang[:-1] + ("1" if hang[-1] == "0" else "0")
    chance = random.Random(20261121)
    for _ in range(500):
        where = path
        if method == "DELETE" and chance.random() < 0.2:
            queued = requests.post(service.url + path.rpartition("/")[0], timeout=20,
                                   json={"kernel": "copy", "size": 4096 if "experiments" in path else [4096, 8192]})
            where = path.format(id=queued.json()["id"])
        head = f"{method} {where.format(id=nobody)} HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: k{chance.random()}\r\n"
        with service.connect() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.sendall(f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
            time.sleep(chance.uniform(0, 0.0015))
    assert service.get("/v1/experiments/" + hang).json()["state"] == "running"
