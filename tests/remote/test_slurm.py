"""Executors as steps of a real Slurm: allocations are held while there is work, and what waits says what for."""
import time

import pytest
from cluster import SLOTS, WITHOUT_SLURM, cluster, idle_cluster  # noqa: F401
from pool import IDLE_S, QUICK, device, devices_file, has_begun, lasting, look, released, slurm_device, start, state, submit, succeeded  # noqa: F401
from stamped import begins, running

pytestmark = [pytest.mark.slow, pytest.mark.kills, pytest.mark.skipif(bool(WITHOUT_SLURM), reason=WITHOUT_SLURM or "")]


@pytest.fixture
def serve(idle_cluster, start, tmp_path):
    """serve(devices, *flags): a service with these, which knows where the test's Slurm is."""
    def begin(devices, *flags):
        service = start(*devices_file(tmp_path, *devices), *flags, fake=False, environment=idle_cluster.environment)
        released(service)
        return service
    return begin


def waits_for(service, identity):
    return look(service, identity).get("waits_for") or ""


def test_experiments_are_steps_and_idle_lets_go(serve, idle_cluster, tmp_path):
    service = serve([slurm_device(tmp_path, count=2, note="of the tests")])
    idle_cluster.until(lambda: idle_cluster.jobs() == [])
    both = [submit(service, lasting(4), device="any") for _ in range(2)]
    service.until(lambda: len(running(tmp_path)) == 2, 60)
    assert len(idle_cluster.steps()) == 2 and len(idle_cluster.jobs("coalesced")) == 2
    told = succeeded(service, tmp_path, *both)
    assert {one["device_name"] for one in told} == {"slurm-1", "slurm-2"} and [one["attempt"] for one in told] == [1, 1]
    idle_cluster.until(lambda: idle_cluster.jobs() == [], IDLE_S + 10)
    for name in ("slurm-1", "slurm-2"):
        # The cluster has let go; the service hears of it a moment later. Its facts are known all the same.
        service.until(lambda: service.get(f"/v1/devices/{name}").json()["readiness"] == "away")
        row = service.get(f"/v1/devices/{name}").json()
        assert (row["note"], row["backend"]) == ("of the tests", "cpu")
    again, = succeeded(service, tmp_path, submit(service, QUICK, device={"arch": row["arch"]}))
    assert again["attempt"] == 1


def test_a_full_cluster_is_waited_for_without_the_time_running(serve, idle_cluster, tmp_path):
    """Slurm's own words say what for; and a device that becomes free first takes what may go to either."""
    service = serve([slurm_device(tmp_path)], "--devices", "cpu")
    others = idle_cluster.occupy(SLOTS)
    bound = submit(service, QUICK, device="slurm", timeout_s=1)
    service.until(lambda: "waiting for resources" in waits_for(service, bound), 30)
    device_row = service.get("/v1/devices/slurm").json()
    assert device_row["readiness"] == "starting" and "waiting for resources" in device_row["status"]["reason"]
    either = submit(service, QUICK, device="any")
    service.until(lambda: state(service, either) == "succeeded")
    assert look(service, either)["device_name"] == "cpu"
    time.sleep(1.5)  # more than its time-out
    assert state(service, bound) == "queued" and begins(tmp_path, bound) == []
    idle_cluster.cancel(others)
    told, = succeeded(service, tmp_path, bound)
    assert told["attempt"] == 1 and told["lost"] == []


def test_what_nobody_needs_any_more_is_not_waited_for(serve, idle_cluster, tmp_path):
    service = serve([slurm_device(tmp_path)])
    others = idle_cluster.occupy(SLOTS)
    waiting = submit(service, QUICK)
    idle_cluster.until(lambda: idle_cluster.jobs("coalesced"))
    assert service.delete(f"/v1/experiments/{waiting}").status_code in (200, 202)
    idle_cluster.until(lambda: idle_cluster.jobs("coalesced") == [])
    submit(service, QUICK)
    idle_cluster.until(lambda: idle_cluster.jobs("coalesced"))
    assert service.stop() == 0  # nor by a service that stops
    idle_cluster.until(lambda: idle_cluster.jobs("coalesced") == [])
    assert (others, "RUNNING") in idle_cluster.jobs()


def test_a_drained_node_is_waited_for_in_slurms_words(serve, idle_cluster, tmp_path):
    service = serve([slurm_device(tmp_path)])
    first = submit(service, lasting(3))
    has_begun(service, tmp_path, first)
    idle_cluster.drain("of the tests")
    told, = succeeded(service, tmp_path, first)  # what runs is not hurt by a drain
    assert told["attempt"] == 1
    idle_cluster.until(lambda: idle_cluster.jobs("coalesced") == [], IDLE_S + 10)
    second = submit(service, QUICK, timeout_s=1)
    service.until(lambda: "down, drained" in waits_for(service, second), 30)
    time.sleep(1.5)
    assert state(service, second) == "queued"
    idle_cluster.resume()
    told, = succeeded(service, tmp_path, second)
    assert told["attempt"] == 1 and told["lost"] == []
