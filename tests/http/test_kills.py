"""The whole service, killed with SIGKILL at any moment, fifty times: nothing that was acknowledged is missing after any
restart, nothing ends twice, and the database is whole."""
import fcntl
import random
import signal
import sqlite3
import threading
import time

import pytest
import requests
from conftest import SMALL, sanitized

ROUNDS = 50


def submit_until_it_dies(service, acknowledged, ends):
    """Submits as fast as answers come; notes what was acknowledged, and what was said to have ended."""
    session = requests.Session()
    try:
        while True:
            answer = session.post(service.url + "/v1/experiments", json=SMALL, timeout=5,
                                  headers={"Prefer": "wait=1"} if random.random() < 0.3 else {})
            if answer.status_code in (200, 202):
                body = answer.json()
                acknowledged.add(body["id"])
                if answer.status_code == 200:
                    ends[body["id"]] = (body["state"], body["finished_at"])
    except requests.RequestException:
        pass


def states(service):
    found, token = {}, None
    while token != "":
        page = service.get("/v1/experiments?page_size=500" + (f"&page_token={token}" if token else "")).json()
        found.update((row["id"], (row["state"], row["finished_at"])) for row in page["experiments"])
        token = page["next_page_token"] or ""
    return found


@pytest.mark.kills
def test_fifty_kills_at_any_moment_lose_nothing(start, tmp_path):
    random.seed(20261121)
    acknowledged, ends = set(), {}
    for _ in range(10 if sanitized() else ROUNDS):
        service = start("--attempts", "100")
        there = states(service)
        missing = acknowledged - set(there)
        assert not missing, f"{len(missing)} acknowledged experiments are gone"
        for name, end in ends.items():  # what has ended stays as it ended
            assert there[name] == end, (name, there[name], end)
        workers = [threading.Thread(target=submit_until_it_dies, args=(service, acknowledged, ends)) for _ in range(4)]
        for worker in workers:
            worker.start()
        time.sleep(random.uniform(0.005, 0.2))
        service.process.send_signal(signal.SIGKILL)
        service.process.wait(10)
        for worker in workers:
            worker.join(20)
            assert not worker.is_alive()
    service = start("--attempts", "100")
    service.until(lambda: service.get("/v1/queue").json()["queued"] + service.get("/v1/queue").json()["running"] == 0, 60)
    assert acknowledged <= set(states(service)) and len(acknowledged) > 50
    # The queue forgets what has ended at once; the last end may still be on its way to the disk.
    service.until(lambda: {end[0] for name, end in states(service).items() if name in acknowledged} == {"succeeded"})
    service.works()
    assert service.stop() == 0
    assert not any("an ended experiment cannot change" in log.read_text(errors="replace") for log in tmp_path.glob("log-*"))
    with sqlite3.connect(next((tmp_path / "data").glob("*.db"))) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_lock_that_a_dying_child_still_holds_is_waited_for(start, tmp_path):
    """A process that the killed service had begun, and that has not become the executor yet, holds it a moment longer."""
    (tmp_path / "data").mkdir(mode=0o700)
    with (tmp_path / "data" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        end = threading.Timer(0.3, fcntl.flock, (lock, fcntl.LOCK_UN))
        end.start()
        start().works()
        end.join()


def test_a_damaged_list_of_lost_runs_stops_no_write(start, tmp_path):
    """Nothing that a row holds makes the writes of others fail, at the start least of all."""
    service = start()
    name = service.post({**SMALL, "labels": {"fake": "sleep:3600"}, "timeout_s": 3600}).json()["id"]
    service.until(lambda: [row["id"] for row in service.get("/v1/experiments?state=running").json()["experiments"]] == [name])
    service.stop(signal.SIGKILL)
    with sqlite3.connect(tmp_path / "data" / "coalesced.db") as database:
        database.execute("UPDATE experiments SET lost = 'damaged' WHERE id = ?", (name,))
    database.close()
    again = start()
    again.until(lambda: again.get(f"/v1/experiments/{name}").json()["attempt"] == 2)
    again.delete(f"/v1/experiments/{name}")
    again.works()
