"""Executors over ssh to this machine, whose connection is cut in every way: nothing is lost, nothing runs twice at once."""
import contextlib
import os
import random
import re
import signal
import time

import pytest
from pool import LOST_S, QUICK, device, devices_file, gone, has_begun, known, lasting, look, released, stamped, start, state, submit, succeeded  # noqa: F401
from sshd import WITHOUT_SSH, sshd  # noqa: F401
from stamped import running

pytestmark = [pytest.mark.slow, pytest.mark.kills, pytest.mark.skipif(bool(WITHOUT_SSH), reason=WITHOUT_SSH or "")]


def elsewhere(sshd, folder, **more):
    return device("elsewhere", sshd.command(*stamped(folder)), **more)


def test_an_experiment_runs_elsewhere_and_idle_holds_no_connection(sshd, start, tmp_path):
    service = start(*devices_file(tmp_path, elsewhere(sshd, tmp_path)), fake=False)
    released(service)
    assert not sshd.clients()
    first, = succeeded(service, tmp_path, submit(service, QUICK))
    assert first["device_name"] == "elsewhere" and first["attempt"] == 1 and first["lost"] == []
    service.until(lambda: not sshd.clients())
    assert service.get("/v1/devices/elsewhere").json()["readiness"] == "away"
    succeeded(service, tmp_path, submit(service, QUICK, device="elsewhere"))


def here(sshd, pid):
    return sshd.client_of(pid)


def there(sshd, pid):
    return sshd.session(pid)


def executor(sshd, pid):
    return pid


# Which processes get which signals, found by the one that runs the experiment.
CUTS = {
    "the ssh here is killed": [(here, signal.SIGKILL)],
    "the session there is killed": [(there, signal.SIGKILL)],
    "the ssh here stands still": [(here, signal.SIGSTOP)],
    "the session there stands still": [(there, signal.SIGSTOP)],
    "the ssh here is killed, and nobody tells the executor": [(there, signal.SIGSTOP), (here, signal.SIGKILL)],
    "the executor stands still": [(executor, signal.SIGSTOP)],
    "the executor is killed": [(executor, signal.SIGKILL)],
    "the executor is asked to go": [(executor, signal.SIGTERM)],
}


def test_after_a_cut_it_runs_once_more_and_never_twice_at_once(sshd, start, tmp_path):
    """Each on a device of its own, one soon after the other."""
    service = start(*devices_file(tmp_path, elsewhere(sshd, tmp_path, count=len(CUTS) + 1)), fake=False)
    known(service)
    long, begun, cut = {}, {}, []
    for how, signals in CUTS.items():
        # Cut as soon as it works: on a busy machine the last of all would have ended before its turn.
        long[how] = submit(service, lasting(2.5 * LOST_S), device="any")
        begun[how] = has_begun(service, tmp_path, long[how])
        found = [(find(sshd, begun[how]["pid"]), number) for find, number in signals]
        for process, number in found:
            os.kill(process, number)
            cut.append(process)
    try:
        succeeded(service, tmp_path, submit(service, QUICK, device="any"))  # the rest of the pool goes on
        told = dict(zip(CUTS, succeeded(service, tmp_path, *long.values())))
    finally:
        for process in cut:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)
    for how, signals in CUTS.items():
        gone(begun[how])
        if (executor, signal.SIGTERM) not in signals:  # which leaves time to finish
            assert (told[how]["attempt"], [lost["attempt"] for lost in told[how]["lost"]]) == (2, [1]), (how, told[how])
            assert re.search("[a-z]{3}", told[how]["lost"][0]["why"]), (how, told[how])
    # What had stood still goes on with nothing: its answer came too late, and it is not asked again.
    service.until(lambda: not running(tmp_path))
    assert {how: look(service, one) for how, one in long.items()} == told


def test_a_host_that_does_not_answer_is_told_once_and_tried_again(sshd, start, tmp_path):
    """The rest of the pool goes on, and nobody's attempt is spent on it."""
    service = start(*devices_file(tmp_path, elsewhere(sshd, tmp_path)), "--devices", "cpu", fake=False)
    released(service)
    sshd.stop()
    try:
        there = submit(service, QUICK, device="elsewhere", timeout_s=1)
        succeeded(service, tmp_path, *[submit(service, QUICK, device="any") for _ in range(3)])
        service.until(lambda: "Connection refused" in (look(service, there).get("waits_for") or ""), 30)
        row = service.get("/v1/devices/elsewhere").json()
        assert row["readiness"] == "unhealthy" and "Connection refused" in row["status"]["reason"]
        service.until(lambda: service.log.read_text().count("next try in") >= 2, 30)
        told = [line for line in service.log.read_text().splitlines() if "Connection refused" in line and " debug " not in line]
        assert len(told) == 1, told
    finally:
        sshd.begin()
    told, = succeeded(service, tmp_path, there)
    assert told["attempt"] == 1 and told["lost"] == []


def test_a_killed_service_does_not_begin_again_what_may_still_run(sshd, start, tmp_path):
    """The connection hangs, so that nothing tells the executor of the service's end but the silence."""
    devices = devices_file(tmp_path, elsewhere(sshd, tmp_path, count=2))
    service = start(*devices, fake=False)
    released(service)
    long = submit(service, lasting(3 * LOST_S), device="any")
    begin = has_begun(service, tmp_path, long)
    session = sshd.session(begin["pid"])
    os.kill(session, signal.SIGSTOP)
    try:
        service.stop(signal.SIGKILL)
        service = start(*devices, fake=False)
        told, = succeeded(service, tmp_path, long)
        assert told["attempt"] == 2
        gone(begin)
    finally:
        os.kill(session, signal.SIGCONT)


def test_many_cuts_at_any_moment_lose_nothing(sshd, start, tmp_path):
    draw = random.Random(20261122)
    service = start(*devices_file(tmp_path, elsewhere(sshd, tmp_path, count=3)), "--attempts", "100", fake=False)
    known(service)
    one_more = lambda: submit(service, lasting(0.6), device="any")  # noqa: E731
    every = [one_more() for _ in range(12)]
    left = lambda: any(state(service, one) in ("queued", "running") for one in every)  # noqa: E731
    cuts, limit = 0, time.monotonic() + 300
    while cuts < 5:
        assert time.monotonic() < limit, f"{cuts} cuts, {len(every)} experiments"
        if not left():  # all ended between two looks of a busy machine
            every.append(one_more())
        service.until(lambda: running(tmp_path) or not left(), 60)
        time.sleep(draw.uniform(0, 0.4))
        for begin in running(tmp_path)[:1]:
            with contextlib.suppress(OSError, LookupError):  # it may just have ended
                os.kill(draw.choice([sshd.session, sshd.client_of, lambda pid: pid])(begin["pid"]), signal.SIGKILL)
                cuts += 1
    succeeded(service, tmp_path, *every)
