"""The command of docs/operating.md that lets go of old experiments, and what of a sweep is left by it."""
import csv
import io
import json
import pathlib
import re
import sqlite3

DOCS = pathlib.Path(__file__).parents[2] / "docs" / "operating.md"


def retain(data, seconds):
    """The documented SQL, for experiments that ended so long ago."""
    (sql,) = re.findall(r'sqlite3 \S+ "(DELETE FROM experiments .*?)"', DOCS.read_text())
    assert "90 * 86400" in sql
    database = sqlite3.connect(data / "coalesced.db")
    database.executescript(sql.replace("90 * 86400", str(seconds)))
    database.close()


def sweep_of(service, body):
    headers = {"Content-Type": "application/json", "Prefer": "wait=30"}
    response = service.request("POST", "/v1/sweeps", data=json.dumps(body), headers=headers)
    assert response.status_code == 200, response.text
    return response.json()


def test_a_sweep_outlives_its_experiments(start, tmp_path):
    service = start()
    bodies = [{"kernel": "read_offset", "size": 1024, "offset": [0, 1, 2000], "labels": {"kept": "no"}},
              {"recipe": "read_segment_cached", "size": 1024}]
    sweeps = [sweep_of(service, body) for body in bodies]
    assert service.stop() == 0
    retain(tmp_path / "data", -86400)
    service = start()
    for before in sweeps:
        after = service.get(before["links"]["self"] + "?page_size=500").json()
        assert (after["done"], after["removed"]) == (after["total"], before["succeeded"])
        assert after["state"] == "finished" and after["finished_at"] is None
        rows = list(csv.DictReader(io.StringIO(service.get(before["links"]["csv"]).text, newline="")))
        for old, new, row in zip(before["points"], after["points"], rows):
            if old["id"] is None:
                assert new == old
                continue
            assert (new["state"], new["id"], new["result"], new["request"]) == ("removed", old["id"], None, None)
            assert new["values"] == old["values"] and new["failure"]["kind"] == "not_found"
            assert (row["state"], row["id"], row["failure_kind"]) == ("removed", old["id"], "not_found")
            assert service.get(f"/v1/experiments/{old['id']}").status_code == 404
        assert service.delete(before["links"]["self"]).status_code == 409
    assert service.get("/v1/experiments?label=kept:no").json()["experiments"] == []
    assert [sweep["removed"] for sweep in service.get("/v1/sweeps").json()["sweeps"]] == [
        sweep["succeeded"] for sweep in reversed(sweeps)]
    service.works()


def test_what_ended_lately_stays(start, tmp_path):
    service = start()
    kept = service.run()
    assert service.stop() == 0
    retain(tmp_path / "data", 86400)
    service = start()
    assert service.get(f"/v1/experiments/{kept['id']}").status_code == 200
