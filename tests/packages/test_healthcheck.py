"""The health check of the container image asks where the service listens, however it was told."""
import os
import pathlib
import shlex
import shutil
import socket
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "http"))
from conftest import BINARY, FAKE, start  # noqa: E402, F401
from test_failing_disk import disk  # noqa: E402, F401

SCRIPT = pathlib.Path(__file__).parents[2] / "docker/healthcheck.sh"


def check(service):
    return subprocess.run(["bash", SCRIPT, str(service.process.pid)], capture_output=True, text=True, timeout=60)


@pytest.fixture
def port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


@pytest.mark.parametrize("flags, variables", [
    (["--port", "{port}"], {}), (["--port={port}"], {"COALESCED_PORT": "1"}), (["--port", "1", "--port", "{port}"], {}),
    (["--port={port}", "--address", "0.0.0.0", "--insecure"], {}), (["--port={port}", "--address=::1"], {}),
    (["--port={port}"], {"COALESCED_ADDRESS": "127.0.0.2"}), (["--port-file", "{folder}/port"], {}), ([], {"COALESCED_PORT_FILE": "{folder}/port"}),
    (["--port={port}", "--allow-host", "lab.example"], {}),
    (["--address", "none", "--socket", "{folder}/socket"], {}), (["--address=none"], {"COALESCED_SOCKET": "{folder}/socket"})])
def test_it_finds_the_service(start, tmp_path, port, flags, variables):  # noqa: F811
    def filled(text):
        return text.format(port=port, folder=tmp_path)

    service = start(*map(filled, flags), environment={name: filled(value) for name, value in variables.items()}, ready=False)
    service.until(lambda: check(service).returncode == 0)
    assert service.stop() == 0
    assert check(service).returncode != 0


def test_it_tells_what_is_wrong(start, disk, tmp_path):  # noqa: F811
    service = start()
    done = check(service)
    assert done.returncode == 1 and "--port-file" in done.stdout
    service.stop()
    disk.fails("write")
    done = check(disk("--port-file", str(tmp_path / "port"), ready=False))
    assert done.returncode == 1 and done.stdout.startswith("HTTP/1.1 503 ") and '"ok":false' in done.stdout, done


def test_it_asks_no_service_of_another_container(tmp_path, start):  # noqa: F811
    """Where it sees all processes of the host: the older service is in another file system's namespace."""
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode != 0:
        pytest.skip("there may be no namespace of mounts here")
    start("--port-file", str(tmp_path / "elsewhere"))
    script = f"""bash {SCRIPT} && exit 3
        {BINARY} --port 0 --port-file {tmp_path}/port --data-dir {tmp_path}/own --executor-command {shlex.quote(FAKE)} >/dev/null 2>&1 &
        until bash {SCRIPT} >/dev/null 2>&1; do sleep 0.1; kill -0 %1 || exit 2; done
        kill %1; wait %1
        bash {SCRIPT}"""
    done = subprocess.run(["unshare", "-rm", "bash", "-c", script], capture_output=True, text=True, timeout=180)
    assert (done.returncode, done.stdout) == (1, "the service does not run\n" * 2), done


def test_it_says_that_it_may_not_read_the_options(start, tmp_path):  # noqa: F811
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("only root can become somebody else")
    service = start("--port-file", str(tmp_path / "port"))
    done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "bash", "-s", str(service.process.pid)],
                          input=SCRIPT.read_text(), capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and f"the options of process {service.process.pid} cannot be read" in done.stdout and "unbound" not in done.stderr, done


def test_it_finds_the_only_service_of_a_container(tmp_path):
    """Below another first process, as with docker run --init."""
    if subprocess.run(["unshare", "-rpf", "--mount-proc", "true"], capture_output=True).returncode != 0:
        pytest.skip("there may be no namespace of processes here")
    script = f"""{BINARY} --port 0 --port-file {tmp_path}/port --data-dir {tmp_path}/data --executor-command {shlex.quote(FAKE)} >/dev/null 2>&1 &
        until bash {SCRIPT} >/dev/null 2>&1; do sleep 0.1; kill -0 %1 || exit 2; done
        kill %1; wait %1
        bash {SCRIPT}"""
    done = subprocess.run(["unshare", "-rpf", "--mount-proc", "bash", "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "the service does not run\n"), done
