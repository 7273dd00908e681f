"""coalesced backup and coalesced restore, as an operator uses them."""
import os
import re
import sqlite3
import stat
import subprocess
import threading

import pytest
from conftest import BINARY, SMALL

pytestmark = pytest.mark.slow

NAMES = {k: v for k, v in os.environ.items() if not k.startswith("COALESCED_")}


def command(*words, environment=None, directory=None):
    return subprocess.run([BINARY, *map(str, words)], capture_output=True, text=True, timeout=60, cwd=directory,
                          env={**NAMES, **(environment or {})})


def backup(data, file, *words):
    done = command("backup", file, "--data-dir", data, *words)
    assert done.returncode == 0, done.stderr
    return done


def restore(data, file):
    done = command("restore", file, "--data-dir", data)
    assert done.returncode == 0, done.stderr
    return done


def fails(done, status, *said):
    assert (done.returncode, done.stdout) == (status, ""), done
    assert all(word in done.stderr for word in said), done.stderr


def test_a_backup_under_load_has_all_that_was_acknowledged_before(start, tmp_path):
    service, data, file = start(), tmp_path / "data", tmp_path / "backup %41?#.db"
    stored = service.run()
    sweep = service.request("POST", "/v1/sweeps", json={**SMALL, "offset": [0, 1, 2]}, headers={"Prefer": "wait=20"}).json()
    acknowledged, over, slowest = [], threading.Event(), []

    def submit():
        while not over.is_set():
            answer = service.post(SMALL)
            assert answer.status_code == 202
            acknowledged.append(answer.json()["id"])
            slowest.append(answer.elapsed.total_seconds())

    threads = [threading.Thread(target=submit) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(5):
            before = list(acknowledged)
            done = backup(data, file, "--force")
            assert str(file) in done.stdout and "1 sweeps" in done.stdout
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not list(tmp_path.glob("*.part*"))
    assert max(slowest) < 5
    # What comes after the backup is not in it, and what is changed after it is as it was.
    later = service.run()
    service.delete(f"/v1/experiments/{stored['id']}?remove=true")
    fails(command("restore", file, "--data-dir", data), 1, "in use by process", str(service.process.pid))
    assert service.stop() == 0
    done = restore(data, file)
    aside, = data.glob("coalesced.db.before-*")
    assert str(aside) in done.stdout
    service = start()
    assert service.get(f"/v1/experiments/{stored['id']}").json() == stored
    assert service.get(f"/v1/experiments/{later['id']}").status_code == 404
    assert service.get(sweep["links"]["self"]).json()["done"] == 3
    assert all(service.get(f"/v1/experiments/{one}").status_code == 200 for one in before)
    service.works()
    # And back to what was put aside.
    assert service.stop() == 0
    restore(data, aside)
    service = start()
    assert service.get(f"/v1/experiments/{later['id']}").json() == later
    assert all(service.get(f"/v1/experiments/{one}").status_code == 200 for one in acknowledged)


def test_what_a_crash_left_in_the_log_is_backed_up_and_put_aside(start, tmp_path):
    data, file = tmp_path / "data", tmp_path / "backup.db"
    service = start()
    first = service.run()
    backup(data, file)
    second = service.run()
    service.stop(9)
    assert (data / "coalesced.db-wal").stat().st_size > 0
    backup(data, tmp_path / "after.db")
    restore(data, file)
    assert not (data / "coalesced.db-wal").exists()
    aside, = data.glob("coalesced.db.before-*[Z]")
    for place, there in ((file, 1), (tmp_path / "after.db", 2), (aside, 2)):
        database = sqlite3.connect(place)
        ids = {one for one, in database.execute("SELECT id FROM experiments")}
        database.close()
        assert ids == {one["id"] for one in (first, second)[:there]}, place
    service = start()
    assert service.get(f"/v1/experiments/{first['id']}").status_code == 200
    assert service.get(f"/v1/experiments/{second['id']}").status_code == 404


def test_a_backup_is_never_overwritten_by_accident(start, tmp_path):
    service, file = start(), tmp_path / "backup.db"
    backup(tmp_path / "data", file)
    before = file.read_bytes()
    service.works()
    fails(command("backup", file, "--data-dir", tmp_path / "data"), 1, "--force")
    assert file.read_bytes() == before
    backup(tmp_path / "data", file, "--force")
    assert file.read_bytes() != before
    fails(command("backup", tmp_path, "--data-dir", tmp_path / "data", "--force"), 1, "is a directory")
    for itself in "coalesced.db", "coalesced.db-wal", "lock":
        fails(command("backup", tmp_path / "data" / itself, "--data-dir", tmp_path / "data", "--force"), 1, "the service itself")
    service.works()


def test_a_backup_goes_into_another_directory(start, tmp_path):
    """By the environment, as in a container."""
    service = start()
    stored = service.run()
    environment = {"COALESCED_DATA_DIR": str(tmp_path / "data")}
    assert command("backup", "here.db", environment=environment, directory=tmp_path).returncode == 0
    other = tmp_path / "other"
    assert "what was there" not in restore(other / "data", tmp_path / "here.db").stdout
    again = start(directory=other)
    assert again.get(f"/v1/experiments/{stored['id']}").json() == stored


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_root_restores_for_the_services_user(start, tmp_path):
    service, data = start(), tmp_path / "data"
    backup(data, tmp_path / "backup.db")
    assert service.stop() == 0
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    for place in (data, fresh):
        os.chown(place, 12345, 23456)
        restore(place, tmp_path / "backup.db")
        for name in ("coalesced.db", "lock"):
            status = (place / name).stat()
            assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (12345, 23456, 0o600)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_root_follows_no_link_that_the_services_user_has_put_there(start, tmp_path):
    service, data, victim = start(), tmp_path / "data", tmp_path / "victim"
    backup(data, tmp_path / "backup.db")
    assert service.stop() == 0
    victim.write_text("of root\n")
    os.chown(data, 12345, 23456)
    (data / "lock").unlink()
    (data / "lock").symlink_to(victim)
    fails(command("restore", tmp_path / "backup.db", "--data-dir", data), 1, str(data / "lock"))
    (data / "out.db.part").symlink_to(victim)
    fails(command("backup", data / "out.db", "--data-dir", data), 1, "out.db.part")
    assert victim.stat().st_uid == 0 and victim.read_text() == "of root\n"


def foreign(path, kind):
    if kind == "text":
        path.write_text("this is no database\n" * 1000)
    elif kind == "empty":
        path.write_text("")
    elif kind == "another program's":
        database = sqlite3.connect(path)
        database.executescript("CREATE TABLE experiments (id); PRAGMA user_version = 2")
        database.close()
    elif kind == "damaged":
        whole = bytearray(path.read_bytes())
        whole[8192:12288] = b"\xff" * 4096
        path.write_bytes(whole)
    elif kind in ("newer", "older"):
        database = sqlite3.connect(path)
        database.execute(f"PRAGMA user_version = {99 if kind == 'newer' else 7}")
        database.close()
    elif kind == "with a log":
        path.with_name(path.name + "-wal").write_text("log")
    else:
        path.unlink()


@pytest.mark.parametrize("kind, said", [
    ("text", "not a database of coalesced"), ("empty", "not a database of coalesced"),
    ("another program's", "not a database of coalesced"), ("damaged", "backup.db: its copy coalesced.db.restoring is damaged"), ("newer", "newer version (99)"),
    ("older", "from before the first release"),
    ("with a log", "-wal"), ("missing", "No such file")])
def test_what_is_no_sound_backup_is_refused_and_nothing_changes(start, tmp_path, kind, said):
    service, data, file = start(), tmp_path / "data", tmp_path / "backup.db"
    stored = service.run()
    if kind != "another program's":
        backup(data, file)
    assert service.stop() == 0
    foreign(file, kind)
    before = sorted(path.name for path in data.iterdir())
    fails(command("restore", file, "--data-dir", data), 1, said)
    assert sorted(path.name for path in data.iterdir()) == before
    service = start()
    assert service.get(f"/v1/experiments/{stored['id']}").json() == stored


@pytest.mark.parametrize("words, status, said", [
    (["backup"], 2, "which FILE"), (["backup", "a", "b"], 2, "one FILE"), (["backup", "a", "--froce"], 2, "no option --froce"),
    (["backup", "a", "--data-dir"], 2, "wants a value"), (["restore"], 2, "which FILE"), (["restore", "a", "--force"], 2, "no option --force"),
    (["backup", "a", "--data-dir", "nowhere"], 1, "no database in nowhere"),
    (["restore", "a", "--data-dir", "nowhere"], 1, "a: No such file")])
def test_wrong_arguments_are_named(tmp_path, words, status, said):
    fails(command(*words, directory=tmp_path), status, said)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["backup", "restore"])
def test_each_command_has_help_with_an_example(name):
    done = command(name, "--help")
    assert done.returncode == 0 and "example" in done.stdout and f"coalesced {name} /var" in done.stdout
    assert f"coalesced {name} " in command("--help").stdout


def test_a_start_with_a_damaged_database_names_it_and_what_mends_it(tmp_path):
    (tmp_path / "coalesced.db").write_text("garbage " * 20)
    done = command("--devices", "cpu", "--port", "0", "--data-dir", tmp_path)
    assert done.returncode == 1
    assert f"{tmp_path}/coalesced.db may be damaged: `coalesced restore` puts a backup in its place" in done.stderr


def test_a_damaged_page_is_told_by_a_metric_and_once_in_the_log(start, tmp_path):
    """A page of the table of experiments: what lies on it cannot be read, everything else goes on."""
    service = start()
    ids = [service.run({**SMALL, "labels": {"filler": "x" * 200}})["id"] for _ in range(12)]
    assert "coalesced_store_damaged 0" in service.get("/metrics").text
    assert service.stop() == 0
    path = tmp_path / "data" / "coalesced.db"
    whole = bytearray(path.read_bytes())
    for at in range(0, len(whole), 4096):  # 13: a leaf of a table
        if whole[at] == 13 and ids[0].encode() in whole[at:at + 4096] and b"filler" in whole[at:at + 4096]:
            whole[at:at + 100] = b"\xff" * 100
    path.write_bytes(whole)
    service = start()
    for _ in range(2):
        lost = service.get(f"/v1/experiments/{ids[0]}")
        assert lost.status_code == 503 and "`coalesced restore`" in lost.json()["detail"]
    assert "coalesced_store_damaged 1" in service.get("/metrics").text
    assert len(re.findall(r" error +store: .*coalesced.db may be damaged: `coalesced restore`", service.log.read_text())) == 1
    assert service.run()["state"] == "succeeded"
