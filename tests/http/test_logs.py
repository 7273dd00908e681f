"""What is written down of requests: the access log, the audit log."""
import json
import os
import re
import subprocess
import threading
import time

import pytest
import requests

from conftest import BINARY, FAKE, SMALL, token_line

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.fixture
def logged(start, tmp_path):
    """A service with both logs, and logged.lines(log, *names): its lines, once those of these requests are there."""
    service = start("--access-log", str(tmp_path / "access"), "--audit-log", str(tmp_path / "audit"))

    def lines(log, *names):
        def read():
            path = tmp_path / log
            return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []
        service.until(lambda: set(names) <= {line["id"] for line in read()})
        return read()

    service.lines = lines
    return service


def named(lines, name):
    (line,) = [line for line in lines if line["id"] == name]
    return line


def test_each_request_is_a_line(logged):
    where = "/v1/experiments/" + logged.run()["id"]
    cases = [
        ("a", "GET", where, {}, {"code": 200, "route": "/v1/experiments/{id}", "path": where}),
        ("b", "GET", where, {}, {"code": 200, "route": "/v1/experiments/{id}"}),
        ("c", "HEAD", where, {}, {"code": 200, "bytes": 0, "method": "HEAD"}),
        ("d", "GET", "/nothing/at?all=1", {}, {"code": 404, "route": None, "path": "/nothing/at"}),
        ("e", "PATCH", "/v1/queue", {}, {"code": 405, "method": "PATCH"}),
        ("f", "POST", "/v1/experiments", {"Content-Type": "text/plain"}, {"code": 415, "route": "/v1/experiments"}),
        ("g", "GET", "/v1/experiments", {"Accept": "text/csv"}, {"code": 200}),
        ("h", "GET", "/v1/kernels", {"Host": "evil.example"}, {"code": 421}),
    ]
    for name, method, path, headers, wanted in cases:
        response = logged.request(method, path, headers={"X-Request-Id": name, "Accept-Encoding": "identity", **headers})
        wanted.setdefault("bytes", len(response.content) if method != "HEAD" else 0)
    lines = logged.lines("access", *(case[0] for case in cases))
    for name, method, *_, wanted in cases:
        line = named(lines, name)
        assert list(line) == ["time", "id", "owner", "method", "route", "path", "code", "bytes", "us", "whole"]
        assert {key: line[key] for key in wanted} == wanted
        assert line["method"] == method and line["owner"] is None and line["whole"] is True
        assert TIME.fullmatch(line["time"]) and 0 < line["us"] < 60e6
    assert [line["time"] for line in lines] == sorted(line["time"] for line in lines)


@pytest.mark.parametrize("target, path", [
    (b"/%22%5C%0A%0D%00%01%7F/\xff%FF%C3%A9", '/"\\\n\r%00\x01\x7f/\ufffd\ufffdé'),
    (b"/%E2%80%A8%3C/%f0%9f%98%80", "/\u2028</\U0001f600"),
    (b"/" + b"%01" * 199, "/" + "\x01" * 199),
    (b"/" + b"%01" * 1500, "/" + "\x01" * 199 + "\u2026"),
    (b"/" + b"x" * 7000, "/" + "x" * 199 + "\u2026"),
    (b"/" + "é".encode() * 100, "/" + "é" * 99 + "\u2026"),
    (b"/" + b"x" * 199 + "é".encode(), "/" + "x" * 199 + "\u2026"),
], ids=["odd bytes", "others", "200 bytes", "1501 bytes", "7001 bytes", "half a character", "one too many"])
def test_whatever_a_path_holds_is_json(logged, target, path):
    with logged.connect() as client:
        client.sendall(b"GET %b HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: odd\r\nConnection: close\r\n\r\n" % target)
        while client.recv(65536):
            pass
    assert named(logged.lines("access", "odd"), "odd")["path"] == path


def test_a_method_is_as_long_as_a_client_likes_and_cut_as_a_path_is(logged):
    with logged.connect() as client:
        client.sendall(b"M" * 4000 + b" /v1/queue HTTP/1.1\r\nHost: evil.example\r\nX-Request-Id: long\r\nConnection: close\r\n\r\n")
        while client.recv(65536):
            pass
    for log in "access", "audit":
        assert named(logged.lines(log, "long"), "long")["method"] == "M" * 200 + "\u2026"


@pytest.mark.slow
def test_a_client_that_left_is_told_from_one_that_has_its_answer(logged):
    where = logged.post({**SMALL, "labels": {"fake": "sleep:2"}}).json()["links"]["self"]
    with logged.connect() as client:
        client.sendall(f"GET {where}?wait=30 HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: left\r\n\r\n".encode())
        time.sleep(0.3)
    line = named(logged.lines("access", "left"), "left")
    assert line["whole"] is False and line["code"] == 0 and line["bytes"] == 0


def test_a_stream_counts_the_bytes_that_were_sent(logged):
    for _ in range(20):
        logged.run()
    size = len(logged.get("/v1/experiments", headers={"Accept": "text/csv", "Accept-Encoding": "identity", "X-Request-Id": "csv"}).content)
    assert size > 2000 and named(logged.lines("access", "csv"), "csv")["bytes"] == size


def test_what_changes_something_is_audited_and_what_was_not_allowed_to(logged):
    made = logged.post(SMALL, headers={"X-Request-Id": "made"}).json()
    sweep = logged.request("POST", "/v1/sweeps", json={**SMALL, "offset": [0, 1]}, headers={"X-Request-Id": "sweep"}).json()
    waits = logged.post({**SMALL, "labels": {"fake": "sleep:30"}}).json()["id"]
    assert logged.delete(f"/v1/experiments/{waits}", headers={"X-Request-Id": "cancelled"}).status_code in (200, 202)
    logged.post(SMALL, headers={"X-Request-Id": "name", "Host": "evil.example"})
    logged.post(SMALL, headers={"X-Request-Id": "counted", "Host": "another.example"})
    assert logged.request("POST", "/v1/predictions", json=SMALL, headers={"X-Request-Id": "prediction"}).status_code == 200
    assert logged.post("{", headers={"X-Request-Id": "wrong"}).status_code == 400
    assert logged.get("/v1/queue", headers={"X-Request-Id": "read", "Host": "evil.example"}).status_code == 421
    logged.lines("access", "wrong")
    lines = logged.lines("audit", "made", "sweep", "cancelled", "name")
    assert not {line["id"] for line in lines} & {"prediction", "wrong", "read", "counted"}
    wanted = {"made": ("POST", 202, made["id"]), "sweep": ("POST", 202, sweep["id"]), "cancelled": ("DELETE", None, waits),
              "name": ("POST", 421, None)}
    for name, (method, code, subject) in wanted.items():
        line = named(lines, name)
        assert list(line) == ["time", "id", "owner", "remote", "method", "route", "path", "code", "subject"]
        assert (line["method"], line["subject"], line["remote"]) == (method, subject, "127.0.0.1")
        assert code in (None, line["code"]) and TIME.fullmatch(line["time"])


@pytest.mark.slow
@pytest.mark.parametrize("path, body", [("/v1/experiments", SMALL), ("/v1/sweeps", {**SMALL, "offset": [0, 1]})])
def test_whoever_leaves_before_the_reply_is_audited_all_the_same(logged, path, body):
    """Else anybody could submit without a trace: the experiment is there."""
    body = json.dumps({**body, "labels": {"fake": "sleep:2"}})
    with logged.connect() as client:
        client.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: left\r\nContent-Type: application/json\r\n"
                       f"Prefer: wait=30\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        logged.until(lambda: logged.get(path).json()[path[4:]])
    line = named(logged.lines("audit", "left"), "left")
    assert (line["code"], line["subject"]) == (0, logged.get(path).json()[path[4:]][0]["id"])


def test_both_logs_name_the_owner_of_a_token(start, tmp_path):
    secrets = {name: f"the-secret-of-{name}-0123456789" for name in ("rita", "bob")}
    (tmp_path / "tokens").write_text(token_line("rita", "read", secrets["rita"]) + token_line("bob", "run", secrets["bob"]))
    (tmp_path / "tokens").chmod(0o600)
    service = start("--token-file", str(tmp_path / "tokens"), "--access-log", str(tmp_path / "access"), "--audit-log", str(tmp_path / "audit"))
    for name, secret, wanted in ("made", secrets["bob"], 202), ("role", secrets["rita"], 403), ("wrong", "no-such-secret-0123456789", 401):
        response = service.post(SMALL, headers={"Authorization": f"Bearer {secret}", "X-Request-Id": name})
        assert response.status_code == wanted
    assert service.stop() == 0
    for log in "access", "audit":
        text = (tmp_path / log).read_text()
        assert "secret" not in text
        lines = [json.loads(line) for line in text.splitlines()]
        assert [(named(lines, name)["owner"], named(lines, name)["code"]) for name in ("made", "role", "wrong")] == [
            ("bob", 202), ("rita", 403), (None, 401)]


def test_a_log_that_is_rotated_goes_on_in_a_new_file(logged, tmp_path):
    logged.get("/livez", headers={"X-Request-Id": "before"})
    logged.lines("access", "before")
    for number, away in enumerate([lambda path: path.rename(tmp_path / "access.1"), lambda path: path.unlink()]):
        away(tmp_path / "access")
        logged.get("/livez", headers={"X-Request-Id": f"number-{number}"})
        assert [line["id"] for line in logged.lines("access", f"number-{number}")] == [f"number-{number}"]
    assert (tmp_path / "access").stat().st_mode & 0o7777 == 0o640 & ~os.umask(os.umask(0))


def test_no_line_is_lost_or_torn_under_many(logged):
    def ask(worker):
        with logged.connect() as client:
            for i in range(200):
                client.sendall(f"GET /v1/kernels/copy HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: {worker}-{i}\r\n\r\n".encode())
                received = b""
                while b"SUITE_KERNEL(copy)" not in received:
                    received += client.recv(65536)
    workers = [threading.Thread(target=ask, args=(worker,)) for worker in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert logged.stop() == 0
    names = [line["id"] for line in logged.lines("access")]
    assert sorted(name for name in names if re.fullmatch(r"\d-\d+", name)) == sorted(f"{w}-{i}" for w in range(8) for i in range(200))


def test_a_named_pipe_that_nobody_reads_holds_up_no_start(start, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    service = start("--access-log", str(tmp_path / "pipe"))
    assert service.get("/livez").status_code == 200
    assert f"cannot write to {tmp_path / 'pipe'}: " in service.log.read_text()
    with open(os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)) as reader:
        service.until(lambda: service.get("/livez").status_code == 200 and reader.readline())
        assert service.stop() == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_costs_lines_and_no_request(start):
    service = start("--access-log", "/dev/full")
    for _ in range(50):
        assert service.get("/livez").status_code == 200
    assert service.stop() == 0
    said = service.log.read_text()
    assert said.count("cannot write to /dev/full: No space left on device") == 1
    assert int(re.search(r"/dev/full: (\d+) lines were lost", said).group(1)) >= 50


def test_standard_output_that_nobody_reads_holds_up_nothing(start):
    """The pipe holds 64 kB, the service 4 MiB; then lines are lost."""
    service = start("--access-log", "-")
    request = b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: " + b"x" * 128 + b"\r\n\r\n"
    with service.connect() as client:
        for _ in range(200):
            client.sendall(request * 100)
            received = 0
            while received < 100:
                received += client.recv(1 << 20).count(b'{"status":"alive"}')
    assert service.stop() == 0
    assert re.search(r"standard output: \d+ lines were lost", service.log.read_text())


def test_both_logs_may_go_to_one_place_and_no_line_is_torn(start):
    """A pipe takes some thousand bytes at a time, which end in the middle of a line."""
    service = start("--access-log", "-", "--audit-log", "-")
    found = []
    reader = threading.Thread(target=lambda: found.extend(service.process.stdout))
    # Each changes something, so each is audited.
    both = b"".join(b"POST /v1/queue/%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nX-Request-Id: %s\r\n\r\n" % (what, b"x" * 128)
                    for what in (b"pause", b"resume"))
    with service.connect() as client:
        for _ in range(50):
            client.sendall(both * 10)
            received = 0
            while received < 20:
                received += client.recv(1 << 20).count(b"HTTP/1.1 200 ")
    reader.start()  # only now, so that both wait for it
    service.until(lambda: len(found) >= 2000)
    service.process.terminate()
    reader.join()
    lines = [json.loads(line) for line in found]
    lines = [line for line in lines if line["method"] == "POST"]
    assert sum("subject" in line for line in lines) == sum("bytes" in line for line in lines) == 1000


def test_standard_output_has_the_announcement_and_then_the_lines(tmp_path):
    process = subprocess.Popen([BINARY, "--port", "0", "--data-dir", str(tmp_path), "--executor-command", FAKE, "--access-log", "-"],
                               stdout=subprocess.PIPE, text=True)
    url = json.loads(process.stdout.readline())["url"]
    requests.get(url + "/livez", headers={"X-Request-Id": "mine"}, timeout=20)
    assert json.loads(process.stdout.readline())["id"] == "mine"
    process.terminate()
    assert process.wait(20) == 0
    process.stdout.close()
