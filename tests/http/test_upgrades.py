"""A database of each version that a release had is brought to this program's with all that is in it. tests/upgrades/ holds one
of each, as its own program left it."""
import pathlib
import sqlite3
import time

import pytest
from conftest import SMALL

pytestmark = pytest.mark.slow

UPGRADES = pathlib.Path(__file__).parents[1] / "upgrades"
VERSIONS = sorted(int(path.stem.split("_")[1]) for path in UPGRADES.glob("version_*.sql"))
NEWEST = 10
KEYED = {**SMALL, "size": 256, "offset": 3, "labels": {"who": "me"}}


def database_of(data):
    return sqlite3.connect(data / "coalesced.db")


def database_make(data, version):
    data.mkdir(exist_ok=True)
    database = database_of(data)
    database.executescript("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;"
                           + (UPGRADES / f"version_{version}.sql").read_text())
    database.execute("UPDATE keys SET kept_ms = ?", [int(time.time() * 1000)])
    database.commit()
    return database


def schema_of(data):
    """Each table's columns, each index and trigger."""
    database = database_of(data)
    rows = database.execute("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY 1, 2").fetchall()
    columns = {name: database.execute(f"PRAGMA table_info({name})").fetchall() for kind, name, _ in rows if kind == "table"}
    database.close()
    return columns, [row for row in rows if row[0] != "table"]


@pytest.mark.parametrize("version", VERSIONS)
def test_all_that_an_older_version_kept_is_read(start, tmp_path, version):
    database = database_make(tmp_path / "data", version)
    ended = dict(database.execute("SELECT id, state FROM experiments WHERE finished_ms > 0").fetchall())
    waited = [id for id, in database.execute("SELECT id FROM experiments WHERE finished_ms = 0 ORDER BY state, id DESC")]
    sweeps = dict(database.execute("SELECT id, total FROM sweeps").fetchall())
    (keyed,) = database.execute("SELECT experiment FROM keys").fetchone()
    database.close()

    service = start()
    for id, state in ended.items():
        assert service.get(f"/v1/experiments/{id}").json()["state"] == state
    for id, total in sweeps.items():
        assert service.get(f"/v1/sweeps/{id}").json()["total"] == total
    labelled = service.get("/v1/experiments?label=who:me").json()["experiments"]
    assert [one["id"] for one in labelled] == [keyed]
    assert service.post(KEYED, headers={"Idempotency-Key": "kept"}).json()["id"] == keyed
    cut = f"/v1/experiments/{waited.pop()}"  # what the kill cut short comes first
    service.until(lambda: service.get(cut).json()["state"] == "running")
    service.delete(cut)
    for id in waited:
        assert service.get(f"/v1/experiments/{id}?wait=30").json()["state"] == "succeeded"
    for path in [*(f"/v1/sweeps/{id}" for id in sweeps), f"/v1/experiments/{keyed}"]:
        assert service.delete(path + "?remove=true").status_code == 204
        assert service.get(path).status_code == 404
    service.works()
    assert service.stop() == 0

    database = database_of(tmp_path / "data")
    assert database.execute("PRAGMA user_version").fetchone()[0] == NEWEST
    assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    database.close()


@pytest.mark.parametrize("version", VERSIONS)
def test_an_upgraded_database_has_the_schema_of_a_fresh_one(start, tmp_path, version):
    assert start().stop() == 0
    fresh = schema_of(tmp_path / "data")
    for path in (tmp_path / "data").glob("coalesced.db*"):
        path.unlink()
    database_make(tmp_path / "data", version).close()
    assert start().stop() == 0
    assert schema_of(tmp_path / "data") == fresh


@pytest.mark.parametrize("version, said", [(99, r"newer version \(99\)"), (7, "version 7, from before the first release")])
def test_a_version_that_is_not_read_is_refused(start, tmp_path, version, said):
    database = database_make(tmp_path / "data", VERSIONS[0])
    database.execute(f"PRAGMA user_version = {version}")
    database.close()
    with pytest.raises(RuntimeError, match=said):
        start()
