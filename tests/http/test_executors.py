"""Executors of other makes, in other places, and with other company than their own."""
import os
import pathlib
import re
import subprocess
import sys
import time

import pytest

from conftest import BINARY, FAKE, SMALL


def test_closed_standard_streams_are_no_files_of_the_service(tmp_path):
    """What is announced must not end in the file that got the number of standard output."""
    data, port = tmp_path / "data", tmp_path / "port"
    command = [BINARY, "--port", "0", "--data-dir", str(data), "--port-file", str(port), "--executor-command", FAKE]
    process = subprocess.Popen(["/bin/sh", "-c", 'exec "$0" "$@" <&- >&- 2>&-', *command])
    limit = time.monotonic() + 20
    while not port.exists():
        assert process.poll() is None and time.monotonic() < limit
        time.sleep(0.02)
    held = {os.readlink(f"/proc/{process.pid}/fd/{number}") for number in range(3)}
    process.terminate()
    assert process.wait(20) == 0
    assert held == {"/dev/null"}
    assert not any(b'"url"' in file.read_bytes() for file in data.rglob("*") if file.is_file() and file.suffix != ".db")


def test_an_executor_elsewhere_does_without_the_services_directory(start, tmp_path):
    """A command of another machine: it is not told of a directory that is not there."""
    log = tmp_path / "arguments"
    remote = tmp_path / "remote.sh"
    remote.write_text(f'echo "$@" >> {log}\nXDG_RUNTIME_DIR={tmp_path} exec {BINARY} "$@"\n')
    service = start("--devices", "cpu", "--executor-command", f"/bin/sh {remote} --executor", fake=False)
    assert service.run({**SMALL, "measure": {"min_samples": 1, "max_seconds": 0.01}})["state"] == "succeeded"
    assert "--lock-dir" not in log.read_text()
    assert (tmp_path / "coalesced-locks").is_dir()


@pytest.mark.slow
def test_a_device_that_is_not_there_is_logged_once_and_again_when_that_changes(start, tmp_path):
    reason = tmp_path / "reason"
    reason.write_text("no device of that name")
    broken = tmp_path / "broken.sh"
    broken.write_text(f"cat {reason} >&2; echo x >> {tmp_path}/starts; exit 1\n")
    service = start("--devices", "cuda:0", "--executor-command", f"/bin/sh {broken}", ready=False)

    def starts():
        return pathlib.Path(tmp_path / "starts").read_text().count("x") if (tmp_path / "starts").exists() else 0

    def told(text):
        return sum(" error " in line and text in line for line in service.log.read_text().splitlines())

    service.until(lambda: starts() >= 3 and told("no device of that name"))
    assert told("no device of that name") == 1
    reason.write_text("out of order")
    service.until(lambda: told("out of order") == 1, 30)


@pytest.mark.slow
def test_an_executor_of_ours_that_cannot_start_is_logged_once(start):
    """What it says of itself has no time in it, so that the same reason is the same text."""
    service = start("--devices", "cuda:4095", "--executor-command", f"{BINARY} --executor", "--log-level", "debug", fake=False,
                    ready=False)
    service.until(lambda: service.log.read_text().count("next try in") >= 2, 30)
    errors = [line for line in service.log.read_text().splitlines() if " error " in line]
    assert len(errors) == 1, errors
    reason = service.get("/v1/devices/0").json()["status"]["reason"]
    assert "cuda:4095" in reason and not re.search(r"\d\d:\d\d:\d\d", reason)


def test_what_another_command_leaves_behind_is_not_ours_to_end(start, tmp_path):
    """As ssh does with a connection that it shares; what our own program leaves is ended, which test_faults.c tries."""
    mark = tmp_path / "left"
    helper = tmp_path / "helper.py"
    helper.write_text(f"import os, time\nif os.fork() == 0:\n os.setsid()\n open({str(mark)!r}, 'w').write(str(os.getpid()))\n"
                        f" [os.close(fd) for fd in (0, 1, 2)]\n time.sleep(600)\n"
                        f"os.execvp({sys.executable!r}, [{sys.executable!r}] + __import__('sys').argv[1:])\n")
    fake = pathlib.Path(__file__).parent / "fake_executor.py"
    service = start("--devices", "cpu", "--executor-command", f"{sys.executable} {helper} {fake}", fake=False)
    service.works()
    process = int(mark.read_text())
    os.kill(process, 0)
    service.stop()
    os.kill(process, 9)  # it is still there
