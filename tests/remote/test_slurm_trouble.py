"""Slurm takes an allocation away, is away itself, or loses its user: nothing is lost, and nothing runs twice at the same time."""
import signal

import pytest
from cluster import SLOTS, WITHOUT_SLURM, cluster, idle_cluster  # noqa: F401
from pool import QUICK, device, devices_file, gone, has_begun, lasting, look, slurm_device, start, state, submit, succeeded  # noqa: F401
from stamped import running
from test_slurm import serve, waits_for  # noqa: F401

pytestmark = [pytest.mark.slow, pytest.mark.kills, pytest.mark.skipif(bool(WITHOUT_SLURM), reason=WITHOUT_SLURM or "")]


def job_of(cluster):
    (number, _), = cluster.jobs("coalesced")
    return number


def test_a_cancelled_allocation_gives_its_work_back(serve, idle_cluster, tmp_path):
    service = serve([slurm_device(tmp_path)])
    long = submit(service, lasting(8))
    begin = has_begun(service, tmp_path, long)
    idle_cluster.cancel(job_of(idle_cluster))  # SIGTERM, and SIGKILL some seconds later
    told, = succeeded(service, tmp_path, long)
    gone(begin)
    lost, = told["lost"]
    assert told["attempt"] == 2 and (lost["attempt"], lost["device"]) == (1, 0)
    assert "SIGTERM" in lost["why"] or "CANCELLED" in lost["why"], lost
    idle_cluster.until(lambda: idle_cluster.jobs() == [])


def test_a_preempted_executor_finishes_what_it_can(serve, idle_cluster, tmp_path):
    """SIGTERM alone, as before a time limit or a preemption: there is time for what runs, and the next needs a new allocation."""
    service = serve([slurm_device(tmp_path)])
    short = submit(service, lasting(4))
    begin = has_begun(service, tmp_path, short)
    first = job_of(idle_cluster)
    idle_cluster.cancel(first, "--signal=TERM")
    next_one = submit(service, QUICK)
    told, _ = succeeded(service, tmp_path, short, next_one)
    assert told["attempt"] == 1 and told["lost"] == []
    gone(begin)
    assert (first, "RUNNING") not in idle_cluster.jobs()


def test_slurmctld_goes_and_comes_back(serve, idle_cluster, tmp_path):
    """What runs goes on; what needs an allocation waits until there is somebody to ask."""
    service = serve([slurm_device(tmp_path, count=2)])
    others = idle_cluster.occupy(SLOTS - 1)
    runs = submit(service, lasting(4), device="slurm-1")
    has_begun(service, tmp_path, runs)
    waits = submit(service, QUICK, device="slurm-2", timeout_s=1)
    service.until(lambda: "waiting for resources" in waits_for(service, waits), 30)
    idle_cluster.end("slurmctld")
    told, = succeeded(service, tmp_path, runs)
    assert told["attempt"] == 1
    unasked = submit(service, QUICK, device="slurm-1")
    assert state(service, waits) == "queued"
    idle_cluster.begin("slurmctld", "-D")
    idle_cluster.until(lambda: idle_cluster.jobs() is not None)
    idle_cluster.cancel(others)
    told = succeeded(service, tmp_path, waits, unasked, seconds=120)
    assert [one["attempt"] for one in told] == [1, 1]
    idle_cluster.until(lambda: idle_cluster.jobs() == [], 60)


def test_a_killed_service_leaves_no_allocation_and_goes_on(serve, idle_cluster, tmp_path):
    slurm = [slurm_device(tmp_path)]
    service = serve(slurm)
    long, next_one = submit(service, lasting(5)), submit(service, QUICK)
    begin = has_begun(service, tmp_path, long)
    service.stop(signal.SIGKILL)
    service = serve(slurm)  # at once: the old executor may not be gone yet
    told, _ = succeeded(service, tmp_path, long, next_one)
    assert told["attempt"] == 2
    gone(begin)
    idle_cluster.until(lambda: idle_cluster.jobs() == [])
    assert running(tmp_path) == []


def test_what_a_killed_service_waited_for_holds_nothing(serve, idle_cluster, tmp_path):
    """Its srun goes on waiting, and lets go as soon as it has what it waited for."""
    slurm = [slurm_device(tmp_path)]
    service = serve(slurm)
    others = idle_cluster.occupy(SLOTS)
    waits = submit(service, QUICK)
    idle_cluster.until(lambda: idle_cluster.jobs("coalesced"))
    service.stop(signal.SIGKILL)
    idle_cluster.cancel(others)
    idle_cluster.until(lambda: idle_cluster.jobs() == [], 60)
    told, = succeeded(serve(slurm), tmp_path, waits)
    assert told["attempt"] == 1
