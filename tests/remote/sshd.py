"""An sshd of its own on loopback, with keys of its own: `sshd` is one for a file's tests; WITHOUT_SSH is why there is none."""
import contextlib
import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

import pytest
from cluster import PATH, die_with_the_test, free_ports

MISSING = [name for name in ("sshd", "ssh", "ssh-keygen") if not shutil.which(name, path=PATH)]
WITHOUT_SSH = f"NO SSH: {', '.join(MISSING)} not found (openssh-server, openssh-client)" if MISSING else None

SERVER = """
ListenAddress 127.0.0.1
Port {port}
HostKey {folder}/host
AuthorizedKeysFile {folder}/client.pub
PidFile {folder}/pid
AuthenticationMethods publickey
UsePAM no
StrictModes no
PermitRootLogin yes
PrintMotd no
MaxStartups 100
"""
# Without ServerAliveInterval: that a silent end is noticed is the service's own doing here.
CLIENT = """
Host elsewhere
  HostName 127.0.0.1
  Port {port}
  User {user}
  IdentityFile {folder}/client
  IdentitiesOnly yes
  BatchMode yes
  UserKnownHostsFile {folder}/known
  StrictHostKeyChecking yes
  LogLevel ERROR
"""


def parent(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


class Sshd:
    def __init__(self, folder):
        self.folder, self.config = folder, folder / "client.conf"
        port, = free_ports(1)
        for name in ("host", "client"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
        words = dict(folder=folder, port=port, user=getpass.getuser())
        (folder / "server.conf").write_text(SERVER.format(**words))
        self.config.write_text(CLIENT.format(**words))
        (folder / "known").write_text(f"[127.0.0.1]:{port} {(folder / 'host.pub').read_text()}")
        if os.getuid() == 0:
            pathlib.Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # as the package's unit does: of its privilege separation
        self.port, self.process = port, None
        self.begin()

    def begin(self):
        program = shutil.which("sshd", path=PATH)  # which insists on an absolute path
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen([program, "-D", "-e", "-f", self.folder / "server.conf"], stdout=log, stderr=log,
                                            stdin=subprocess.DEVNULL, preexec_fn=die_with_the_test)
        limit = time.monotonic() + 20
        while not self.listens():
            assert self.process.poll() is None and time.monotonic() < limit, (self.folder / "log").read_text()
            time.sleep(0.05)

    def listens(self):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port), 5).close()
            return True

    def command(self, *words):
        """`ssh elsewhere` with those words."""
        return ["ssh", "-T", "-F", str(self.config), "elsewhere", *words]

    def clients(self):
        """ssh processes of this configuration."""
        return processes(lambda words: words[:1] == ["ssh"] and str(self.config) in words)

    def client_of(self, pid):
        """The ssh at the other end of that session: whose port sshd's own process tells its child."""
        environment = pathlib.Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0")
        port = next(line.split()[1] for line in environment if line.startswith("SSH_CONNECTION="))
        inodes = {line.split()[9] for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
                  if int(line.split()[1].split(":")[1], 16) == int(port)}
        for client in self.clients():
            for file in pathlib.Path(f"/proc/{client}/fd").iterdir():
                if os.readlink(file)[8:-1] in inodes:
                    return client
        raise LookupError(f"no ssh has port {port}")

    def session(self, pid):
        """The process of sshd that carries a connection's bytes, of which `pid` is a descendant."""
        while not pathlib.Path(f"/proc/{pid}/comm").read_text().startswith("sshd"):
            pid = parent(pid)
        return pid

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        finally:
            self.process.kill()


def processes(wanted):
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if wanted(words):
            found.append(int(path.name))
    return found


@pytest.fixture(scope="module")
def sshd(tmp_path_factory):
    try:
        one = Sshd(tmp_path_factory.mktemp("sshd"))
    except (AssertionError, OSError) as why:
        pytest.skip(f"SSHD DOES NOT RUN HERE: {why}")
    yield one
    one.stop()
