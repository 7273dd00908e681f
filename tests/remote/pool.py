"""A service whose devices are elsewhere, what is put to it, and that nothing was lost and nothing run twice at the same time."""
import json
import pathlib
import shlex
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "http"))
from conftest import BINARY, SMALL, start  # noqa: E402, F401 (a fixture)
from stamped import begins, overlaps, runs  # noqa: E402

STAMPED = str(pathlib.Path(__file__).parent / "stamped.py")
QUICK = {**SMALL, "measure": {"min_samples": 1, "max_seconds": 0.01}}
HEARTBEAT_S, LOST_S, IDLE_S = 0.5, 2, 1


def lasting(seconds, **more):
    """A request that takes about so long: more samples than there is time for."""
    return {**SMALL, "size": 1 << 20, "measure": {"min_samples": 10000, "max_seconds": seconds}, **more}


def stamped(folder):
    """The executor, as a command's words."""
    return [sys.executable, STAMPED, str(folder), BINARY, "--executor"]


def device(name, words, **more):
    return {"name": name, "command": shlex.join(words), "device": "cpu", "idle": "release", "idle_s": IDLE_S,
            "heartbeat_s": HEARTBEAT_S, "lost_s": LOST_S, **more}


def slurm_device(folder, **more):
    return device("slurm", ["srun", "-n1", "-Jcoalesced", "--unbuffered", *stamped(folder)], **more)


def devices_file(folder, *devices):
    path = folder / "devices.json"
    path.write_text(json.dumps({"devices": devices}))
    return ["--devices-file", str(path)]


def known(service):
    """A device of which nothing is known is started once."""
    service.until(lambda: all("arch" in row for row in service.get("/v1/devices").json()["devices"]), 60)


def released(service):
    """Then nothing is held."""
    known(service)
    service.until(lambda: all(row["readiness"] == "away" or row["idle"] == "context"
                              for row in service.get("/v1/devices").json()["devices"]), 60)


def submit(service, body, **more):
    answer = service.post({**body, **more})
    assert answer.status_code == 202, answer.text
    return answer.json()["id"]


def look(service, identity):
    return service.get(f"/v1/experiments/{identity}").json()


def state(service, identity):
    return look(service, identity)["state"]


def has_begun(service, folder, identity, times=1):
    """The begin, once it is there for that time."""
    service.until(lambda: len(begins(folder, identity, "works")) >= times, 60)
    return begins(folder, identity, "works")[times - 1]


def succeeded(service, folder, *identities, seconds=90):
    """They came to their end, each begun as often as it says, never by two at once: as they are told. Those that ran here, on the
    service's own executor, are not in the stamps."""
    service.until(lambda: all(state(service, one) not in ("queued", "running") for one in identities), seconds)
    told = [look(service, one) for one in identities]
    for one in told:
        assert one["state"] == "succeeded", one
        # What was on its way to an executor that was lost, or left, did not begin there.
        here, worked = one["device_name"] == "cpu", begins(folder, one["id"], "works")
        assert (0 if here else 1) <= len(worked) <= one["attempt"] <= len(one["lost"]) + 1, (one, worked)
    assert overlaps(folder) == []
    return told


def gone(begin, seconds=20):
    """The executor that began that has ended."""
    limit = time.monotonic() + seconds
    while runs(begin):
        assert time.monotonic() < limit, f"process {begin['pid']} is still there"
        time.sleep(0.05)
