"""Databases of every version that was released, made by its own SQL, are brought to this one's with all that is in them.
tests/upgrades/ holds those steps as they were; they are not to be edited."""
import pathlib
import sqlite3

import pytest
from conftest import SMALL

pytestmark = pytest.mark.slow

STEPS = sorted((pathlib.Path(__file__).parents[1] / "upgrades").glob("step_*.sql"))
KEYED = {**SMALL, "offset": 3, "labels": {"who": "me"}}
NEWEST = 8


def database_of(data):
    return sqlite3.connect(data / "coalesced.db")


def rows_of(database, table):
    rows = database.execute(f"SELECT * FROM {table}")
    names = [column[0] for column in rows.description]
    return [dict(zip(names, row)) for row in rows]


def downgrade(data, version):
    """The same rows, as far as that version knows them, in a file that its own SQL made."""
    database = database_of(data)
    tables = {table: rows_of(database, table) for table in ("experiments", "keys", "sweeps", "points", "labels")}
    database.close()
    (data / "coalesced.db").unlink()
    if version < 2:
        tables["experiments"] = [row for row in tables["experiments"] if not row["sweep"]]
    database = database_of(data)
    database.execute("PRAGMA auto_vacuum = INCREMENTAL")
    database.execute("PRAGMA journal_mode = WAL")
    for step in STEPS[:version]:
        database.executescript(step.read_text())
    for table, rows in tables.items():
        known = [column[1] for column in database.execute(f"PRAGMA table_info({table})")]
        for row in rows if known else []:
            names = [name for name in known if name in row]
            database.execute(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
                             [row[name] for name in names])
    database.execute(f"PRAGMA user_version = {version}")
    database.commit()
    database.close()


def fill(service):
    """What there is to keep: the addresses of what ended, of what waits, and of a sweep."""
    ended = [service.run(), service.run({**SMALL, "labels": {"who": "you", "fake": "crash"}})]
    ended.append(service.post(KEYED, headers={"Idempotency-Key": "kept", "Prefer": "wait=20"}).json())
    sweep = service.request("POST", "/v1/sweeps", json={**SMALL, "offset": [0, 1, 2000]}, headers={"Prefer": "wait=20"}).json()
    slow = service.post({**SMALL, "labels": {"fake": "sleep:60"}}).json()
    waits = service.post(SMALL).json()
    service.until(lambda: service.get(slow["links"]["self"]).json()["state"] == "running")
    assert service.delete(slow["links"]["self"]).status_code == 202
    ended.append(slow)
    return [f"/v1/experiments/{one['id']}" for one in ended], f"/v1/experiments/{waits['id']}", sweep["links"]["self"]


def read(service, addresses, sweep):
    paths = [*addresses, "/v1/experiments?label=who", "/v1/experiments?label=who:me", "/v1/experiments?state=failed"]
    if sweep:
        paths += [sweep, sweep + ".csv", "/v1/sweeps"]
    return {path: service.get(path).text for path in paths}


@pytest.mark.parametrize("version", range(1, NEWEST))
def test_all_that_an_older_version_kept_is_read(start, tmp_path, version):
    service = start()
    ended, waits, sweep = fill(service)
    for path in (ended[-1], waits):
        service.until(lambda: service.get(path).json()["finished_at"])
    before = read(service, ended, sweep if version > 1 else None)
    assert service.stop() == 0
    downgrade(tmp_path / "data", version)
    service = start()
    assert read(service, ended, sweep if version > 1 else None) == before
    assert service.post(KEYED, headers={"Idempotency-Key": "kept"}).json()["id"] == ended[2].rpartition("/")[2]
    database = database_of(tmp_path / "data")
    assert database.execute("PRAGMA user_version").fetchone()[0] == NEWEST
    assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    database.close()
    gone = ended + ([sweep] if version > 1 else [])
    for path in gone:
        assert service.delete(path + "?remove=true").status_code == 204
        assert service.get(path).status_code == 404
    service.works()


@pytest.mark.parametrize("version", range(1, NEWEST))
def test_what_waited_under_an_older_version_runs(start, tmp_path, version):
    service = start()
    slow = service.post({**SMALL, "labels": {"fake": "sleep:60"}}).json()["links"]["self"]
    waits = service.post(SMALL).json()["links"]["self"]
    sweep = service.request("POST", "/v1/sweeps", json={**SMALL, "offset": [0, 1]}).json()["links"]["self"]
    service.until(lambda: service.get("/v1/queue").json()["running"] == 1)
    service.stop(9)
    downgrade(tmp_path / "data", version)
    service = start()
    service.until(lambda: service.get(slow).json()["state"] == "running")  # what the kill cut short comes first
    service.delete(slow)
    assert service.get(waits + "?wait=30").json()["state"] == "succeeded"
    if version > 1:
        assert service.get(sweep + "?wait=30").json()["state"] == "succeeded"
        assert service.delete(sweep + "?remove=true").status_code == 204


def test_a_newer_version_is_refused(start, tmp_path):
    service = start()
    assert service.stop() == 0
    database = database_of(tmp_path / "data")
    assert database.execute("PRAGMA user_version").fetchone()[0] == NEWEST
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(RuntimeError, match=r"newer version \(99\)"):
        start()


def test_the_released_steps_are_still_this_programs(start, tmp_path):
    """What a fresh file has, an upgraded one has too, and nothing else."""
    def schema(data):
        database = database_of(data)
        rows = database.execute("SELECT type, name, tbl_name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY 1, 2").fetchall()
        columns = {table: database.execute(f"PRAGMA table_info({table})").fetchall() for kind, table, _ in rows if kind == "table"}
        database.close()
        return rows, columns

    assert start().stop() == 0
    fresh = schema(tmp_path / "data")
    for version in range(1, NEWEST):
        downgrade(tmp_path / "data", version)
        assert start().stop() == 0
        assert schema(tmp_path / "data") == fresh
