"""bench/soak.py in short; and that its checks can fail."""
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import time
import types

import pytest

ROOT = pathlib.Path(__file__).parents[2]
BUILD = pathlib.Path(os.environ.get("COALESCED_BUILD", ROOT / "build-dev"))
sys.path.insert(0, str(ROOT / "bench"))
from soak.clients import Client, Warden  # noqa: E402
from soak.conductor import Conductor  # noqa: E402
from soak.ledger import Ledger  # noqa: E402
from soak.machine import HELD  # noqa: E402
from soak.talk import Reply  # noqa: E402


def soak(*words):
    done = subprocess.run([sys.executable, ROOT / "bench" / "soak.py", "--build", BUILD, *words], capture_output=True, text=True,
                          timeout=600)
    assert done.stdout, done.stderr[-4000:]
    return done.returncode, json.loads(done.stdout)


@pytest.mark.kills
@pytest.mark.slow
def test_under_everything_at_once_nothing_is_lost_and_nothing_ends_twice():
    status, report = soak("--short")
    assert report["violations"] == {} and status == 0, json.dumps(report["violations"], indent=1)
    assert report["server_kills"] >= 15 and report["executor_kills"] >= 15
    assert {count for kind, count in report["rounds"].items() if kind not in HELD} == {2}
    assert min(report["rounds"].values()) == 2
    assert all(report["calls_made_to_fail"].values()), report["calls_made_to_fail"]
    assert report["submissions"]["acknowledged"] > 100 and report["doubtful"]["submissions"] > 0
    assert report["over_http"]["results_compared"] > 50 and report["integrity_checks_after_kills"] > 0


@pytest.mark.kills
@pytest.mark.slow
def test_whatever_is_changed_behind_the_services_back_is_found():
    status, report = soak("--short", "--kills", "4", "--rounds", "1", "--seconds", "2", "--sabotage")
    assert report["sabotage_not_found"] == [] and status == 0
    assert report["lost"] > 0 and report["ended_twice"] > 0


@pytest.mark.parametrize("first, then, kind", [
    (("running", 1, b""), ("queued", 1, b""), None),             # its service was killed
    (("running", 1, b""), ("queued", 0, b""), "attempts fell"),  # nobody stopped it cleanly
    (("succeeded", 1, b"a"), ("succeeded", 1, b"a"), None),
    (("succeeded", 1, b"a"), ("succeeded", 1, b"b"), "an ended one changed"),
    (("succeeded", 1, b"a"), ("failed", 1, b"b"), "left its end"),
    (("cancelled", 0, b"a"), ("queued", 0, b""), "left its end"),
    (("failed", 3, b"a"), ("running", 3, b""), "left its end"),
])
@pytest.mark.parametrize("one_after_the_other", [True, False])
def test_what_is_told_later_agrees_with_what_was_told(first, then, kind, one_after_the_other):
    ledger = Ledger()
    for state, attempt, exact in first, then:
        # A request that began before the first reply was there may be answered by how it was before.
        begun = time.monotonic() if one_after_the_other else 0.0
        time.sleep(0.001)
        ledger.observe({"id": "x", "state": state, "attempt": attempt}, begun, exact or None)
    wanted = {kind} if kind and (one_after_the_other or kind == "an ended one changed") else set()
    if kind == "left its end" and then[2]:
        wanted.add("an ended one changed")
    assert set(ledger.violations) == wanted


@pytest.mark.parametrize("state, kinds", [("running", set()), ("failed", {"attempts fell"})])
def test_a_clean_stop_or_a_killed_executor_takes_an_attempt_back_from_what_runs(state, kinds):
    ledger = Ledger()
    ledger.observe({"id": "x", "state": state, "attempt": 2}, time.monotonic())
    ledger.handed_back.append(time.monotonic())
    time.sleep(0.001)
    ledger.observe({"id": "x", "state": state, "attempt": 1}, time.monotonic())
    assert set(ledger.violations) == kinds


def test_a_key_that_gives_another_id_is_told():
    ledger = Ledger()
    one = ledger.submission("ada", "/v1/experiments", {}, "key", 0)
    ledger.acknowledged(one, "a")
    ledger.acknowledged(one, "a")
    assert not ledger.violations
    ledger.acknowledged(one, "b")
    assert set(ledger.violations) == {"key gave another id"}


UNCERTAIN = Reply(503, {}, b'{"type": "/openapi.yaml#/components/responses/Uncertain"}', 0.0)


@pytest.mark.parametrize("later, state", [
    (None, "doubtful"),
    (Reply(202, {}, b'{"id": "x", "state": "queued"}', 0.0), "acknowledged"),
    (Reply(503, {}, b"{}", 0.0), "doubtful"),
])
def test_what_nobody_knows_is_neither_acknowledged_nor_refused(later, state):
    client = Client(world(), "ada", "ada-0")
    one = client.ledger.submission("ada", "/v1/experiments", {}, "key", 0)
    for reply in filter(None, (UNCERTAIN, later)):
        client.ask = lambda *_, reply=reply, **__: reply
        client.world.machine = types.SimpleNamespace(failed_since=lambda begun: False)
        client.send(one)
    assert one.state == state and list(client.doubtful) == [one]


def test_a_pause_that_nobody_knows_of_may_be_either():
    warden = Warden(world(), "warden", "warden")
    warden.ask = lambda *_, **__: UNCERTAIN
    warden.hold("pause", True)
    assert warden.paused is None


def acknowledged(ledger, name):
    one = ledger.submission("ada", "/v1/experiments", {}, None, 0)
    ledger.acknowledged(one, name)
    return one


@pytest.mark.parametrize("removal, kinds", [(None, {"lost"}), ("asked", set()), ("gone", {"came back"})])
def test_only_what_was_removed_may_be_gone_and_then_it_is(removal, kinds):
    ledger = Ledger()
    one = acknowledged(ledger, "x")
    ledger.removal(one, removal)
    time.sleep(0.001)
    ledger.gone("x", 404, "")
    ledger.observe({"id": "x", "state": "succeeded", "attempt": 1}, time.monotonic())
    assert set(ledger.violations) == kinds


def world():
    return types.SimpleNamespace(options=types.SimpleNamespace(seed=1, build=pathlib.Path("none"), rounds=1), machine=None,
                                 tokens=None, ledger=Ledger(), removes=True, life_began=0.0)


@pytest.mark.parametrize("status, there, removal, kinds", [
    (0, "ab", None, set()),
    (0, "a", None, {"a backup lacks what was acknowledged"}),
    (0, "a", "asked", set()),
    (1, "ab", None, {"a failed backup left a file, or said nothing"}),
])
def test_a_backup_has_what_was_acknowledged_or_is_not_there(tmp_path, status, there, removal, kinds):
    conductor = Conductor(world(), None)
    for name in "ab":
        acknowledged(conductor.ledger, name).removal = removal
    path = tmp_path / "backup.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE experiments (id TEXT)")
        db.execute("CREATE TABLE sweeps (id TEXT)")
        db.execute("CREATE TABLE removals (id TEXT)")
        db.executemany("INSERT INTO experiments VALUES (?)", [(name,) for name in there])
    process = types.SimpleNamespace(communicate=lambda timeout: (None, "it said why"), returncode=status)
    conductor.backup = path, {"a", "b"}, process
    conductor.backup_look()
    assert set(conductor.ledger.violations) == kinds


@pytest.mark.parametrize("acknowledged_as, told, kinds", [
    (True, True, set()), (False, False, set()), (None, True, set()), (True, False, {"a pause was forgotten"}),
    (False, True, {"a pause was forgotten"})])
def test_a_pause_holds_as_it_was_acknowledged(acknowledged_as, told, kinds):
    warden = Warden(world(), "warden", "warden")
    warden.link = types.SimpleNamespace(ask=lambda *_, **__: Reply(200, {}, json.dumps({"paused": told}).encode(), 0.0))
    warden.paused = acknowledged_as
    warden.compare()
    assert set(warden.ledger.violations) == kinds
