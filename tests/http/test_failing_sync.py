"""A disk that takes what is written and fails to sync it: whoever was refused finds nothing of it after a kill."""
import pathlib
import signal
import sys

import pytest
from conftest import BINARY, SMALL, sanitized

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
from soak.machine import Machine  # noqa: E402


@pytest.mark.kills
def test_what_a_failed_sync_refused_is_not_there_after_a_kill(start, tmp_path):
    if sanitized():
        pytest.skip("a sanitizer wants to be preloaded first")
    machine = Machine(tmp_path, pathlib.Path(BINARY).parent / "tests" / "steered.so")
    service = start(environment=machine.environment)
    kept = service.run()["id"]
    machine.fail("EIO on sync")
    assert service.post(SMALL).status_code == 503
    assert service.request("POST", "/v1/sweeps", json={**SMALL, "offset": [0, 1, 2]}).status_code == 503
    service.stop(signal.SIGKILL)
    machine.fail("none")
    again = start(environment=machine.environment)
    assert [row["id"] for row in again.get("/v1/experiments").json()["experiments"]] == [kept]
    assert again.get("/v1/sweeps").json()["sweeps"] == []
    assert machine.hits()["EIO on sync"] > 0
