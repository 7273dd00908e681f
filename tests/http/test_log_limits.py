"""How much disk the access and the audit log may take, whatever anybody does who is not let in."""
import json
import os
import re
import shutil
import tempfile
import threading

import pytest

from conftest import SMALL, token_line
from test_failing_disk import disk  # noqa: F401 (a fixture)

SECRET = "the-secret-of-bob-0123456789"


@pytest.fixture
def guarded(start, tmp_path):
    (tmp_path / "tokens").write_text(token_line("bob", "admin", SECRET))
    (tmp_path / "tokens").chmod(0o600)
    service = start("--token-file", str(tmp_path / "tokens"), "--audit-log", str(tmp_path / "audit"), "--access-log", str(tmp_path / "access"))
    service.headers = {"Authorization": f"Bearer {SECRET}"}
    return service


def text(path):
    """Empty where there is none: a log that is just being renamed."""
    try:
        return path.read_text()
    except FileNotFoundError:
        return ""


def refused(service, path, count):
    """So many POSTs without a token, on one connection, by twenties."""
    request = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n".encode()
    with service.connect() as client:
        for _ in range(count // 20):
            client.sendall(request * 20)
            answers = b""
            while answers.count(b"HTTP/1.1 401 ") < 20:
                piece = client.recv(1 << 20)
                assert piece, "the service has closed the connection"
                answers += piece


def test_refusals_without_end_leave_the_audit_log_small_and_others_served(guarded, tmp_path):
    floods = [threading.Thread(target=refused, args=(guarded, "/" + "%01" * 2000, 2000)) for _ in range(2)]
    floods.append(threading.Thread(target=refused, args=(guarded, "/v1/experiments", 20000)))
    for flood in floods:
        flood.start()
    made = []
    while any(flood.is_alive() for flood in floods):
        response = guarded.post(SMALL)
        assert response.status_code == 202, response.text
        made.append(response.json()["id"])
    for flood in floods:
        flood.join()
    assert guarded.stop() == 0
    # One of a minute has a line of its own; the others are counted, and their count is a line when the minute is over.
    for log, more in ("audit", ["subject"]), ("access", ["bytes", "us", "whole"]):
        lines = [json.loads(line) for line in (tmp_path / log).read_text().splitlines()]
        if log == "audit":
            # A line is written when its reply is out, so that of the next request may come before it.
            assert sorted(line["subject"] for line in lines if line["owner"] == "bob") == sorted(made)
        unknown = [line for line in lines if line["owner"] is None and line["route"] != "/readyz"]
        counts = [line for line in unknown if "count" in line]
        single = [line for line in unknown if "count" not in line and line["code"] == 401]
        assert sum(line["count"] for line in counts if line["code"] == 401) + len(single) == 24000
        assert 1 <= len(single) <= len([line for line in counts if line["code"] == 401]) + 1
        for line in counts:
            assert list(line) == ["time", "id", "owner", "remote", "method", "route", "path", "code", *more, "count", "since"]
            assert (line["remote"], line["path"]) == ("127.0.0.1", None) and line["since"] <= line["time"]
        assert max(len(json.dumps(line)) for line in unknown) < 2000


def test_what_changes_nothing_is_counted(guarded, tmp_path):
    """Somebody with a token who repeats it without end does not fill the audit log."""
    headers = {"Idempotency-Key": "again"}
    made = [guarded.post(SMALL, headers=headers).json()["id"] for _ in range(30)]
    assert len(set(made)) == 1
    sweep = {"kernel": "copy", "size": [1024]}
    sweeps = [guarded.request("POST", "/v1/sweeps", json=sweep, headers=headers | guarded.headers | {"Idempotency-Key": "s"}) for _ in range(30)]
    assert {answer.status_code for answer in sweeps} == {202} and len({answer.json()["id"] for answer in sweeps}) == 1
    assert {guarded.request("POST", "/v1/queue/resume").status_code for _ in range(30)} == {200}
    assert {guarded.request("POST", f"/v1/queue/{what}").status_code for what in ["pause"] * 30 + ["resume"] * 30} == {200}
    assert guarded.stop() == 0
    lines = [json.loads(line) for line in (tmp_path / "audit").read_text().splitlines()]
    single = [line for line in lines if "count" not in line]
    counts = [line for line in lines if "count" in line]
    assert len(single) + sum(line["count"] for line in counts) == 150
    assert {"pause", "resume", "experiments", "sweeps"} == {line["route"].split("/")[-1] for line in single}
    assert len(single) <= 4 + 2 * (len(counts) + 1) and {line["owner"] for line in lines} == {"bob"}


def test_refusals_displace_nothing_where_both_logs_are_one_file(start, tmp_path):
    (tmp_path / "tokens").write_text(token_line("bob", "run", SECRET))
    (tmp_path / "tokens").chmod(0o600)
    log = str(tmp_path / "log")
    service = start("--token-file", str(tmp_path / "tokens"), "--audit-log", log, "--access-log", log, "--log-bytes", "64K", "--log-files", "1")
    service.headers = {"Authorization": f"Bearer {SECRET}"}
    made = service.post(SMALL).json()["id"]
    refused(service, "/v1/experiments", 4000)
    with service.connect() as client:
        for _ in range(50):  # what anybody may ask
            client.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
            answers = 0
            while answers < 20:
                piece = client.recv(1 << 20)
                assert piece
                answers += piece.count(b"HTTP/1.1 200 ")
    assert service.stop() == 0
    assert not (tmp_path / "log.1").exists()
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [line["subject"] for line in lines if line.get("subject")] == [made]


def test_a_log_is_renamed_at_its_limit_and_so_many_are_kept(start, tmp_path):
    def ask(service, names):
        for name in names:
            service.get("/livez", headers={"X-Request-Id": name})

    def files(folder):
        """The files of the log, the oldest first."""
        return sorted(folder.iterdir(), key=lambda path: -int(path.suffix[1:] or 0) if path.suffix else 0)

    def names(folder):
        return [json.loads(line)["id"] for path in files(folder) for line in path.read_text().splitlines()]

    logs = tmp_path / "logs"
    logs.mkdir()
    wanted = [f"{number:064d}" for number in range(600)]
    service = start("--access-log", str(logs / "access"), "--log-bytes", "16K", "--log-files", "1000")
    ask(service, wanted[:300])

    def rotated():  # as logrotate does; for a moment there is no file, when the service itself has renamed it
        try:
            (logs / "access").rename(tmp_path / "rotated")
        except FileNotFoundError:
            return service.get("/livez") and False
        return True

    service.until(rotated)
    service.until(lambda: service.get("/livez") and (logs / "access").exists())
    for begin in range(300, 600, 50):  # written before the next ones, however fast they come
        ask(service, wanted[begin:begin + 50])
        service.until(lambda: wanted[begin + 49] in text(logs / "access"))
    assert service.stop() == 0
    assert [path.name for path in files(logs)] == [f"access.{number}" for number in range(len(files(logs)) - 1, 0, -1)] + ["access"]
    assert len(files(logs)) > 3
    whole = names(logs)
    moved = [json.loads(line)["id"] for line in (tmp_path / "rotated").read_text().splitlines()]
    assert sorted(set(wanted) & {*whole, *moved}) == wanted

    service = start("--access-log", str(logs / "access"), "--log-bytes", "1", "--log-files", "2")
    for path in logs.glob("access.*"):
        path.unlink()
    for number in range(5):
        ask(service, [f"number-{number}"])
        service.until(lambda: f"number-{number}" in text(logs / "access"))
    assert service.stop() == 0
    assert [path.name for path in files(logs)] == ["access.2", "access.1", "access"]
    assert [name for name in names(logs) if "number" in name][-3:] == ["number-2", "number-3", "number-4"]


def test_a_log_that_cannot_be_renamed_goes_on(start, tmp_path):
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "access.1").mkdir()
    (logs / "access.1" / "in the way").touch()
    service = start("--access-log", str(logs / "access"), "--log-bytes", "1", "--log-files", "1")
    for number in range(3):
        service.get("/livez", headers={"X-Request-Id": f"number-{number}"})
        service.until(lambda: f"number-{number}" in (logs / "access").read_text())
    assert service.stop() == 0
    assert service.log.read_text().count("cannot rename") == 1


def test_what_the_disk_has_in_reserve_is_not_for_logs(disk, tmp_path):  # noqa: F811
    """Lines are lost before submissions are refused, and counted; a log on another disk goes on."""
    space = tmp_path / "switch.space"
    elsewhere = tempfile.mkdtemp(dir="/dev/shm") if os.path.isdir("/dev/shm") else None
    another = elsewhere and os.stat(elsewhere).st_dev != os.stat(tmp_path).st_dev
    access = os.path.join(elsewhere if another else tmp_path, "access")
    try:
        service = disk("--reserve-bytes", "10M", "--audit-log", str(tmp_path / "audit"), "--access-log", access)
        first = service.post(SMALL).json()["id"]
        service.until(lambda: first in (tmp_path / "audit").read_text())
        size = (tmp_path / "audit").stat().st_size
        space.write_text(str(11 << 20))  # submissions fit, and for logs from 12.5M on
        service.until(lambda: service.post(SMALL).status_code == 202 and "is kept for experiments" in service.log.read_text())
        assert service.post(SMALL).status_code == 202
        assert (tmp_path / "audit").stat().st_size == size
        if another:
            service.get("/livez", headers={"X-Request-Id": "another"})
            service.until(lambda: "another" in open(access).read())
        space.write_text(str(1 << 30))
        service.until(lambda: service.post(SMALL).status_code == 202 and (tmp_path / "audit").stat().st_size > size)
        assert service.stop() == 0
        said = service.log.read_text()
        assert said.count(f"cannot write to {tmp_path / 'audit'}: what is left of the disk is kept for experiments") == 1
        assert int(re.search(r"audit: (\d+) lines were lost", said).group(1)) >= 2
    finally:
        if elsewhere:
            shutil.rmtree(elsewhere)
