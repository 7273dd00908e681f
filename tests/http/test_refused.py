"""What was refused never exists later, and what may exist is not told to be refused: bench/refused.py, a few rounds of it."""
import os
import pathlib
import signal
import subprocess
import sys

import pytest
from conftest import BINARY, SMALL, sanitized

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
import refused  # noqa: E402

BUILD = pathlib.Path(BINARY).parent
ROUNDS = int(os.environ.get("COALESCED_REFUSED_ROUNDS", "1"))


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 4 MB at `tmp_path`/data."""
    path = tmp_path / "data"
    path.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", path], capture_output=True).returncode:
        pytest.skip("nothing may be mounted here")
    yield path
    subprocess.run(["umount", "--lazy", path], check=True)


@pytest.mark.kills
@pytest.mark.parametrize("way", refused.WAYS)
def test_nothing_that_was_refused_is_there_after_a_kill(way):
    if sanitized():
        pytest.skip("a sanitizer wants to be preloaded first")
    try:
        counts = refused.rounds_of(way, BUILD, ROUNDS)
    except refused.MountRefused:
        pytest.skip("nothing may be mounted here")
    assert refused.wrong(counts) == 0, counts
    assert (counts["refused"] > 0) == (way != "read-only") and (counts["uncertain"] > 0) == (way == "read-only"), counts


def test_a_way_in_which_nothing_was_refused_shows_nothing():
    sound = {"acknowledged": 8, "acknowledged_and_lost": 0, "refused": 2, "refused_and_there": 0, "uncertain": 0,
             "uncertain_and_there": 0, "uncertain_and_not_told_by_the_key": 0}
    assert not refused.wrong(sound)
    assert refused.wrong({**sound, "refused": 0})
    assert refused.wrong({**sound, "refused_and_there": 1})


def fill(disk):
    file = os.open(disk / "filler", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        while os.write(file, bytes(1024)):
            pass
    except OSError:
        os.close(file)


@pytest.mark.kills
@pytest.mark.parametrize("killed", [False, True])
def test_a_small_disk_that_was_full_is_used_again(start, small_disk, killed):
    service = start()
    for _ in range(60):
        assert service.post(SMALL).status_code == 202
    fill(small_disk)
    big = {**SMALL, "offset": list(range(200))}
    service.until(lambda: service.request("POST", "/v1/sweeps", json=big).status_code in (503, 507))
    if killed:
        service.stop(signal.SIGKILL)
        fill(small_disk)
        service = start(ready=False)
    (small_disk / "filler").unlink()
    service.until(lambda: service.get("/readyz").status_code == 200)
    service.until(lambda: service.post(SMALL).status_code == 202)


def test_a_database_that_is_moved_away_takes_nothing_until_it_is_back(start, tmp_path):
    service = start()
    kept = service.run()["id"]
    (tmp_path / "data").rename(tmp_path / "away")
    refusal = service.post(SMALL)
    assert refusal.status_code == 503 and "coalesced.db" in refusal.json()["detail"], refusal.text
    ready = service.get("/readyz?verbose")
    assert ready.status_code == 503 and "coalesced.db" in ready.text and "put back" in ready.text
    (tmp_path / "away").rename(tmp_path / "data")
    service.until(lambda: service.get("/readyz").status_code == 200)
    later = service.run()["id"]
    service.stop(signal.SIGKILL)
    again = start()
    assert {row["id"] for row in again.get("/v1/experiments").json()["experiments"]} == {kept, later}


@pytest.mark.kills
def test_nothing_acknowledged_is_lost_with_the_log(start, tmp_path):
    service = start()
    kept = service.run()["id"]
    (tmp_path / "data" / "coalesced.db-wal").unlink()
    assert service.get("/readyz").status_code == 503
    reply = service.post(SMALL)
    assert reply.status_code == 503 and "coalesced.db-wal" in reply.json()["detail"], reply.text
    service.stop(signal.SIGKILL)
    again = start()
    assert [row["id"] for row in again.get("/v1/experiments").json()["experiments"]] == [kept]


def test_a_database_that_is_gone_is_to_be_restored_and_a_new_one_is_warned_of(start, tmp_path):
    service = start()
    service.run()
    (tmp_path / "data/coalesced.db").rename(tmp_path / "moved.db")
    service.until(lambda: service.get("/readyz").status_code == 503)
    assert "or stop the service and restore a backup" in service.get("/readyz?verbose").text
    service.stop(signal.SIGKILL)
    again = start()
    assert not again.get("/v1/experiments").json()["experiments"]
    assert "has the lock file of an earlier start and no coalesced.db: a new one is made" in again.log.read_text()
