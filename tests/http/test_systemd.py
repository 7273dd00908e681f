"""As a service of systemd: what its manager and the journal receive, and how the unit is rated."""
import os
import pathlib
import re
import shutil
import socket
import subprocess

import pytest
from conftest import BINARY
from test_failing_disk import disk  # noqa: F401

pytestmark = pytest.mark.slow

ROOT = pathlib.Path(__file__).parents[2]
UNIT = ROOT / "packages/systemd/coalesced.service"
needs_analyze = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze: apt-get install systemd")


class Manager:
    """The end of systemd: a socket that hears, in the file system or in the abstract namespace."""

    def __init__(self, name):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(name.replace("@", "\0", 1))
        self.socket.settimeout(20)
        self.environment = {"NOTIFY_SOCKET": name}
        self.heard = []

    def until(self, line):
        """Everything that was said until a datagram with that line has come; its lines."""
        while True:
            lines = self.socket.recv(4096).decode().splitlines()
            self.heard.append(lines)
            if any(one.startswith(line) for one in lines):
                return lines


@pytest.fixture(params=["path", "abstract"])
def manager(request, tmp_path):
    name = str(tmp_path / "notify") if request.param == "path" else f"@coalesced-test-{os.getpid()}-{tmp_path.name}"
    one = Manager(name)
    yield one
    one.socket.close()


def test_its_manager_hears_of_its_beginning_and_of_its_end(start, manager):
    service = start(environment=manager.environment)
    lines = manager.until("READY=1")
    assert f"STATUS=Listening on {service.url}" in lines
    service.works()
    assert service.stop() == 0
    assert "STATUS=Stopping" in manager.until("STOPPING=1")
    said = [line for lines in manager.heard for line in lines]
    assert said.count("READY=1") == said.count("STOPPING=1") == 1 and said.index("READY=1") < said.index("STOPPING=1")


@pytest.mark.parametrize("name", ["", "relative", "/no/such/socket", "@", "/" + 200 * "x"])
def test_a_manager_that_cannot_be_told_holds_up_nothing(start, name):
    service = start(environment={"NOTIFY_SOCKET": name})
    service.works()
    assert service.stop() == 0


def test_while_the_disk_is_full_its_manager_hears_why_and_ends_nothing(disk, tmp_path, monkeypatch):  # noqa: F811
    """Ready first: systemd would end, after its time, what waits for the disk without a word."""
    manager = Manager(str(tmp_path / "notify"))
    disk.fails("write")
    monkeypatch.setenv("NOTIFY_SOCKET", manager.environment["NOTIFY_SOCKET"])
    service = disk(ready=False)
    manager.until("READY=1")
    assert re.search("STATUS=Cannot start yet, tried again each second: .*(disk|full|I/O|database)",
                     manager.until("STATUS=Cannot")[0])
    disk.works()
    manager.until("STATUS=The store is open")
    service.until(lambda: service.get("/readyz").status_code == 200)
    assert [line for lines in manager.heard for line in lines].count("READY=1") == 1
    manager.socket.close()


def log_of(tmp_path, stream):
    """What the service writes to a file when $JOURNAL_STREAM is `stream` of that file's status."""
    log = tmp_path / "log"
    with log.open("wb") as file:
        environment = {**os.environ, "JOURNAL_STREAM": stream(os.fstat(file.fileno()))}
        process = subprocess.Popen([BINARY, "--port", "0", "--data-dir", str(tmp_path / "data"), "--devices", "cpu"],
                                   stdout=subprocess.PIPE, stderr=file, env=environment)
        process.stdout.readline()
        process.terminate()
        assert process.wait(timeout=30) == 0
        process.stdout.close()
    return log.read_text().splitlines()


def test_lines_for_the_journal_begin_with_their_priority_and_have_no_time(tmp_path):
    lines = log_of(tmp_path, lambda status: f"{status.st_dev}:{status.st_ino}")
    assert any(line.startswith("<6>listening on http://127.0.0.1:") for line in lines), lines
    assert all(re.match("<[3467]>[^<0-9]", line) for line in lines), lines


@pytest.mark.parametrize("stream", [lambda status: f"{status.st_dev}:{status.st_ino + 1}", lambda status: "", lambda status: "x:y"])
def test_lines_for_anything_else_have_their_time_and_their_level(tmp_path, stream):
    """$JOURNAL_STREAM is inherited by whatever a service starts, and standard error may be another one there."""
    lines = log_of(tmp_path, stream)
    assert lines and all(re.match(r"20\d\d-\S+Z (info|warning|error) ", line) for line in lines), lines


# ---- the unit ----

def settings():
    """{"Restart": ["on-failure"], ...}, each with all of its values."""
    found = {}
    for line in UNIT.read_text().splitlines():
        if line and line[0] not in "#[":
            name, _, value = line.partition("=")
            found.setdefault(name, []).append(value)
    return found


@needs_analyze
def test_the_unit_is_exposed_to_little_with_a_gpus_devices_allowed():
    rated = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", str(UNIT)], capture_output=True,
                           text=True, timeout=60)
    level = re.search(r"Overall exposure level for coalesced.service: ([0-9.]+)", rated.stdout)
    assert level, rated.stdout + rated.stderr
    assert float(level.group(1)) <= 2.0, rated.stdout


@needs_analyze
def test_systemd_understands_the_unit(tmp_path):
    unit = tmp_path / UNIT.name
    text = UNIT.read_text().replace("/usr/local/bin/coalesced", "/bin/true")
    unit.write_text(text.replace("Documentation=man:coalesced(8)\n", ""))  # it looks whether the page is installed
    read = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, timeout=60)
    said = [line for line in (read.stdout + read.stderr).splitlines() if UNIT.name in line]
    assert not said, said
    unit.write_text(unit.read_text() + "ExecStop=relative\nNoSuchSetting=1\n")
    assert UNIT.name in subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, timeout=60).stderr


def test_the_unit_lets_the_service_reach_a_gpu_and_no_other_device():
    unit = settings()
    assert unit["DevicePolicy"] == ["closed"] and "PrivateDevices" not in unit
    assert all(re.fullmatch(r"char-nvidia[a-z-]* rw", one) for one in unit["DeviceAllow"])
    assert {"char-nvidia rw", "char-nvidiactl rw", "char-nvidia-uvm rw", "char-nvidia-caps rw"} <= set(unit["DeviceAllow"])
    assert "ProcSubset" not in unit  # CUDA reads /proc/driver/nvidia and /proc/devices


def test_the_folders_that_the_documentation_names_are_the_services_to_write():
    unit, text = settings(), (ROOT / "docs/operating.md").read_text()
    assert unit["ProtectSystem"] == ["strict"]
    for parent, setting in ("/run", "RuntimeDirectory"), ("/var/lib", "StateDirectory"), ("/var/log", "LogsDirectory"):
        assert set(re.findall(rf"{parent}/([a-z]+)/", text)) == {"coalesced"} == set(unit.get(setting, []))


def test_systemd_never_gives_up_but_on_wrong_options():
    unit = settings()
    assert unit["StartLimitIntervalSec"] == ["0"] and unit["Restart"] == ["on-failure"]
    assert unit["RestartPreventExitStatus"] == ["2"] and unit["Type"] == ["notify"]
    wrong = subprocess.run([BINARY, "--no-such-option"], capture_output=True, timeout=30)
    assert wrong.returncode == 2


def test_the_documentation_leads_to_the_unit_and_does_not_repeat_it():
    text = (ROOT / "docs/operating.md").read_text()
    assert str(UNIT.relative_to(ROOT)) in text
    assert "[Service]\n" not in text.replace("[Service]\nEnvironment=", "")


def test_the_variables_that_the_unit_sets_are_options():
    help_text = subprocess.run([BINARY, "--help"], capture_output=True, text=True, timeout=30).stdout
    for setting in settings()["Environment"]:
        assert f"({setting.partition('=')[0]})" in help_text
