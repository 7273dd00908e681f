"""Many connections, of one address and of all: the longest idle one is closed for a new one, and health is always answered."""
import resource
import socket
import threading
import time

import pytest

from conftest import SMALL, slow_reader, token

from test_connections import closed_within

pytestmark = pytest.mark.slow
WAITS = {**SMALL, "labels": {"fake": "sleep:60"}}


def ask(service, path, source="127.0.0.1", **headers):
    """The whole reply, on a connection of its own from that address."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=20, source_address=(source, 0)) as client:
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{lines}Connection: close\r\n\r\n".encode())
        received = b""
        while piece := client.recv(65536):
            received += piece
    return received.decode(errors="replace")  # with its chunks, whose ends can be within a character


def wait(service, path, count):
    clients = []
    for _ in range(count):
        clients.append(service.connect())
        clients[-1].sendall(f"GET {path}?wait=60 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return clients


def fill(service, path, clients):
    """Until the limit; one that has not asked yet may have been closed for the next."""
    def full():
        if ask(service, "/v1/queue").startswith("HTTP/1.1 503 "):
            return True
        clients.extend(wait(service, path, 1))
        return False
    service.until(full)


def close(clients):
    for client in clients:
        client.close()


def test_an_address_with_too_many_idle_connections_closes_its_own(start):
    service = start("--connections-per-address", "20", "--request-seconds", "600")
    with socket.create_connection(("127.0.0.1", service.port), timeout=20, source_address=("127.0.0.2", 0)) as other:
        idle = [service.connect() for _ in range(100)]
        try:
            service.until(lambda: sum(closed_within(client, 0.01) for client in idle) >= 80)
            for _ in range(5):
                service.works()
            assert not all(closed_within(client, 0.01) for client in idle)
            other.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")  # idle longest of all
            assert other.recv(4096).startswith(b"HTTP/1.1 200 ")
        finally:
            close(idle)


def test_an_address_that_is_at_its_limit_is_told_and_others_are_served(start, tmp_path):
    service = start("--connections-per-address", "20", "--socket", str(tmp_path / "socket"), "--allow-origin", "http://page.example")
    where = service.post(WAITS).json()["links"]["self"]
    waiting = wait(service, where, 20)
    try:
        fill(service, where, waiting)
        for _ in range(10):
            said = ask(service, "/v1/queue")
            assert said.startswith("HTTP/1.1 503 ") and "127.0.0.1 has 20 connections" in said
            assert "--connections-per-address" in said and "Connection: close" in said and "Retry-After: 1" in said
            assert ask(service, "/v1/kernels").startswith("HTTP/1.1 503 ")
            shown = ask(service, "/v1/queue", Origin="http://page.example")  # a page sees why, too
            assert shown.startswith("HTTP/1.1 503 ") and "Access-Control-Allow-Origin: http://page.example" in shown
            for path in "/livez", "/readyz", "/readyz?verbose":
                assert ask(service, path).startswith("HTTP/1.1 200 ")
            assert ask(service, "/v1/queue", source="127.0.0.2").startswith("HTTP/1.1 200 ")
        with socket.socket(socket.AF_UNIX) as local:
            local.connect(str(tmp_path / "socket"))
            local.sendall(b"GET /v1/queue HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert local.recv(4096).startswith(b"HTTP/1.1 200 ")
        close(waiting[:5])
        service.until(lambda: ask(service, "/v1/queue").startswith("HTTP/1.1 200 "))
    finally:
        close(waiting)
    service.until(lambda: ask(service, "/v1/queue").startswith("HTTP/1.1 200 "))


def test_one_persons_waits_leave_room_for_others_of_the_same_address(start, tmp_path):
    """Behind a proxy all have its address."""
    tokens = tmp_path / "tokens"
    secrets = {name: token("add", name, "--role", "run", "--token-file", tokens).stdout.strip() for name in ("bob", "eve")}
    service = start("--connections-per-address", "40", "--token-file", str(tokens))
    bearer = {name: {"Authorization": f"Bearer {secret}"} for name, secret in secrets.items()}
    where = service.post(WAITS, headers=bearer["bob"]).json()["links"]["self"]
    waiting = []
    try:
        for _ in range(100):
            waiting.append(service.connect())
            waiting[-1].sendall(f"GET {where}?wait=60 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {secrets['bob']}\r\n\r\n".encode())
        # each was accepted, by whichever thread; until then one can close a connection of another person
        service.until(lambda: sum(closed_within(client, 0.01) for client in waiting) >= 60)
        hurried = ask(service, where + "?wait=60", **bearer["bob"])  # at once, with how it stands
        assert hurried.startswith("HTTP/1.1 200 ") and '"finished_at":null' in hurried
        for _ in range(20):
            assert ask(service, "/v1/queue", **bearer["eve"]).startswith("HTTP/1.1 200 ")
        more = {**SMALL, "labels": {"fake": "sleep:0.2"}}
        assert service.post(more, headers={**bearer["bob"], "Prefer": "wait=60"}).status_code == 202
        close(waiting)
        many = service.request("POST", "/v1/sweeps", json={**WAITS, "offset": list(range(10000))}, headers=bearer["bob"]).json()
        table = f"/v1/sweeps/{many['id']}.csv"

        def refused():
            """Beside tables that nobody reads; as long as it is not, it is sent whole: seconds, in which some of the others end."""
            waiting.extend(slow_reader(service, table, secrets["bob"]) for _ in range(20))
            return "with this token" in ask(service, table, **bearer["bob"])

        service.until(refused, seconds=120)
        for _ in range(20):
            assert ask(service, "/v1/experiments?page_size=1", **bearer["eve"]).startswith("HTTP/1.1 200 ")
    finally:
        close(waiting)


def test_health_is_answered_in_a_storm_of_those_that_are_too_many(start):
    service = start("--connections-per-address", "20")
    where = service.post(WAITS).json()["links"]["self"]
    waiting = wait(service, where, 20)
    stop, refused = threading.Event(), []

    def storm():
        while not stop.is_set():
            try:
                refused.append(ask(service, "/v1/queue").startswith("HTTP/1.1 503 "))
            except OSError:
                pass

    storms = [threading.Thread(target=storm) for _ in range(8)]
    try:
        fill(service, where, waiting)
        for one in storms:
            one.start()
        for _ in range(100):
            assert ask(service, "/livez").startswith("HTTP/1.1 200 ")
    finally:
        stop.set()
        for one in storms:
            one.join()
        close(waiting)
    assert len(refused) > 20 and refused.count(False) < len(refused) / 2


def test_health_is_answered_when_all_connections_are_at_work(start):
    """With few descriptors: more connections wait for an experiment than there may be."""
    service = start("--connections-per-address", "0", files=600)
    where = service.post(WAITS).json()["links"]["self"]
    waiting = wait(service, where, 500)
    try:
        fill(service, where, waiting)
        for _ in range(10):
            assert "as many as there may be" in ask(service, "/v1/queue")
            for path in "/livez", "/readyz":
                begun = time.monotonic()
                assert ask(service, path).startswith("HTTP/1.1 200 ")
                assert time.monotonic() - begun < 10
    finally:
        close(waiting)
    service.until(lambda: ask(service, "/v1/queue").startswith("HTTP/1.1 200 "))
    service.delete(where)
    service.works()


@pytest.mark.parametrize("flags", [[], ["--connections-per-address", "0"]], ids=["of one address", "of all"])
def test_thousands_of_idle_connections_delay_nobody(start, flags):
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = min(4500, hard - 500)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    service = start("--request-seconds", "600", *flags)
    idle = [service.connect() for _ in range(count)]
    try:
        for path in "/livez", "/readyz", "/v1/queue":
            begun = time.monotonic()
            assert ask(service, path).startswith("HTTP/1.1 200 ")
            assert time.monotonic() - begun < 5
        service.works()
    finally:
        close(idle)


def test_a_drip_at_the_limit_makes_room_too(start):
    """Uploads that never end are closed for a new connection once nobody is idle."""
    service = start("--connections-per-address", "20", "--request-seconds", "600")
    clients = [service.connect() for _ in range(30)]
    try:
        for client in clients:
            try:
                client.sendall(b"POST /v1/experiments HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\nContent-Type: application/json\r\n\r\n{")
            except OSError:
                pass  # closed already
        # All are there before ours comes: one that is taken up behind it might close it, while its request is on its way.
        time.sleep(1)
        for _ in range(5):
            service.works()
    finally:
        close(clients)


def test_a_lack_of_descriptors_is_said_once_and_passes(start):
    """Ten times a second it would be said for as long as it lasts."""
    service = start()
    before = resource.prlimit(service.process.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(service.process.pid, resource.RLIMIT_NOFILE, (3, before[1]))
    clients = [service.connect() for _ in range(3)]
    try:
        service.until(lambda: "cannot accept connections" in service.log.read_text())
        time.sleep(0.5)
    finally:
        resource.prlimit(service.process.pid, resource.RLIMIT_NOFILE, before)
        close(clients)
    assert service.get("/livez").status_code == 200
    assert service.log.read_text().count("cannot accept connections") == 1
