"""Starts the real service on a port of its own, in a directory of its own."""
import contextlib
import hashlib
import json
import os
import pathlib
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import time

import pytest
import requests

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
import contract  # noqa: E402

BINARY = os.environ.get("COALESCED_BIN", str(HERE.parents[1] / "build" / "coalesced"))
# Those that ./test unpacked, or installed ones, or None.
PROGRAMS = f"{os.environ.get('COALESCED_BUILD', HERE.parents[1] / 'build-dev')}/prometheus/usr/bin{os.pathsep}{os.environ['PATH']}"
PROMETHEUS, PROMTOOL = (shutil.which(name, path=PROGRAMS) for name in ("prometheus", "promtool"))
FAKE = f"{sys.executable} '{HERE / 'fake_executor.py'}'"
SMALL = {"kernel": "read_offset", "size": 1024}


def slow_reader(service, target, secret):
    """A connection with a request on it, whose client takes what it reads in small pieces, or never."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.settimeout(30)
    client.connect(("127.0.0.1", service.port))
    client.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {secret}\r\n\r\n".encode())
    return client


def token_line(name, role, secret):
    """A line of a token file."""
    return f"{name} {role} sha256:{hashlib.sha256(secret.encode()).hexdigest()}\n"


def token(*words, check=True, **rest):
    """`coalesced token`, to its end."""
    done = subprocess.run([BINARY, "token", *words], capture_output=True, text=True, timeout=20, **rest)
    assert not check or done.returncode == 0, done.stderr
    return done


def sanitized():
    """A sanitizer's build is slower and larger; what is measured then means nothing."""
    program = pathlib.Path(BINARY).read_bytes()
    return b"__asan_init" in program or b"__tsan_init" in program


class Service:
    def __init__(self, directory, *flags, fake=True, environment=None, ready=True, files=None):
        self.directory = pathlib.Path(directory)
        self.log = self.directory / f"log-{time.monotonic_ns()}"
        command = [BINARY, "--port", "0", "--data-dir", str(self.directory / "data"), "--log-level", "debug"]
        if fake:
            command += ["--executor-command", FAKE, "--lost-seconds", "0"]
        names = {k: v for k, v in os.environ.items() if not k.startswith("COALESCED_")}
        self.process = subprocess.Popen(command + list(flags), stdout=subprocess.PIPE, stderr=self.log.open("wb"),
                                        env={**names, **(environment or {})}, text=True,
                                        preexec_fn=files and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))))
        readable, _, _ = select.select([self.process.stdout], [], [], 30)
        line = self.process.stdout.readline() if readable else ""
        if not line:
            self.process.kill()
            raise RuntimeError(f"the service did not start ({self.process.wait()}): {self.log.read_text()}")
        self.announced = json.loads(line)
        self.url, self.port = self.announced["url"], self.announced["port"]
        self.headers = {}
        if ready:
            self.until(lambda: self.get("/readyz").status_code == 200)

    def request(self, method, path, **rest):
        rest.setdefault("timeout", 70)
        rest["headers"] = {**self.headers, **rest.get("headers", {})}
        response = requests.request(method, self.url + path, **rest)
        contract.check(method, path, response.history[0] if response.history else response)
        return response

    def get(self, path, **rest):
        return self.request("GET", path, **rest)

    def delete(self, path, **rest):
        return self.request("DELETE", path, **rest)

    def post(self, body, **rest):
        """A dict is sent as JSON, anything else as it is, said to be JSON."""
        data = json.dumps(body) if isinstance(body, dict) else body
        headers = {"Content-Type": "application/json", **rest.pop("headers", {})}
        return self.request("POST", "/v1/experiments", data=data, headers=headers, **rest)

    def run(self, body=SMALL, wait=30):
        """Submits and waits: the result."""
        response = self.post(body, headers={"Prefer": f"wait={wait}"})
        assert response.status_code == 200, response.text
        return response.json()

    def works(self):
        assert self.run()["state"] == "succeeded"

    def until(self, what, seconds=20):
        limit = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < limit, f"it did not come to that; log: {self.log.read_text()[-4000:]}"
            time.sleep(0.02)

    @contextlib.contextmanager
    def busy(self):
        """A device runs this one for as long as the block lasts, however long that takes: what is submitted meanwhile waits."""
        one = self.post({**SMALL, "timeout_s": 3600, "labels": {"fake": "sleep:3600"}}).json()
        try:
            self.until(lambda: self.get(one["links"]["self"]).json()["state"] == "running")
            yield one
        finally:
            self.delete(one["links"]["self"])

    def processor_s(self):
        """Processor time of the service so far: what else the machine does is not in it."""
        return time.clock_gettime(~self.process.pid << 3 | 2)  # as clock_getcpuclockid() has it

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def anonymous_bytes(self):
        """Its own memory, without what is mapped of the program's files: that grows as pages of the program are first used."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024

    def stop(self, how=signal.SIGTERM):
        """The exit status."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            status = self.process.wait(timeout=30)
        finally:
            self.process.kill()
            self.process.stdout.close()
        said = self.log.read_text(errors="replace")
        assert "Sanitizer" not in said and "runtime error" not in said, said[-20000:]
        return status


@pytest.fixture
def start(tmp_path):
    """start(*flags) -> a service that is ended with the test; several share one data directory."""
    running = []

    def begin(*flags, directory=tmp_path, **rest):
        service = Service(directory, *flags, **rest)
        running.append(service)
        return service

    yield begin
    for service in running:
        service.stop(signal.SIGKILL)


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """One for all tests of a file, with an executor that is quick."""
    one = Service(tmp_path_factory.mktemp("service"), "--request-seconds", "3")
    yield one
    assert one.stop() == 0
