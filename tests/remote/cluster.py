"""A Slurm of its own on loopback, from Debian's slurm-wlm and munge: one node, which says that it has more processors than it has.
Without InactiveLimit the allocation of an srun that ended while slurmctld was away would stay for ever.
`cluster` is one for a file's tests; WITHOUT_SLURM is why there is none."""
import contextlib
import ctypes
import getpass
import os
import pathlib
import re
import secrets
import shutil
import signal
import socket
import subprocess
import time

import pytest

SLOTS = 4
PROGRAMS = ["munged", "slurmctld", "slurmd", "srun", "sbatch", "squeue", "scancel", "scontrol", "sinfo"]
PATH = f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin"
MISSING = [name for name in PROGRAMS if not shutil.which(name, path=PATH)]
WITHOUT_SLURM = f"NO SLURM: {', '.join(MISSING)} not found (slurm-wlm, munge)" if MISSING else None

CONF = """
ClusterName=tests
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=1
InactiveLimit=5
MessageTimeout=3
NodeName={host} NodeAddr=127.0.0.1 CPUs={slots}
PartitionName=tests Nodes=ALL Default=YES MaxTime=INFINITE
"""


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def die_with_the_test():
    """Also when that is killed: no daemon of a test stays behind. (PR_SET_PDEATHSIG)"""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def processes_of(folder):
    """Those that were started with that folder's configuration; slurmd's helpers leave every group and session."""
    mark = f"SLURM_CONF={folder}/slurm.conf".encode()
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (path / "environ").read_bytes().split(b"\0") and int(path.name) != os.getpid():
                yield int(path.name)


class Cluster:
    def __init__(self, folder):
        self.folder, self.host = folder, socket.gethostname().split(".")[0]
        self.environment = {**os.environ, "PATH": PATH, "SLURM_CONF": f"{folder}/slurm.conf"}
        self.daemons = {}
        (folder / "state").mkdir()
        (folder / "spool").mkdir()
        key = folder / "key"
        key.write_bytes(secrets.token_bytes(64))
        key.chmod(0o400)
        (folder / "slurm.conf").write_text(CONF.format(host=self.host, ports=free_ports(2), folder=folder, slots=SLOTS,
                                                       user=getpass.getuser()))
        try:
            self.begin("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket",
                       f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed")
            self.until(lambda: (folder / "munge.socket").exists())
            self.begin("slurmctld", "-D")
            self.begin("slurmd", "-D")
            self.until(lambda: self.node() == "idle")
        except BaseException:
            self.stop()
            raise

    def begin(self, name, *words):
        with open(self.folder / f"{name}.out", "ab") as log:
            self.daemons[name] = subprocess.Popen([name, *words], stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self.folder,
                                                  env=self.environment, preexec_fn=die_with_the_test)

    def end(self, name, how=signal.SIGTERM):
        daemon = self.daemons.pop(name)
        daemon.send_signal(how)
        try:
            daemon.wait(10)
        finally:
            daemon.kill()

    def stop(self):
        for name in ("slurmd", "slurmctld", "munged"):
            if name in self.daemons:
                self.end(name, signal.SIGKILL)
        for pid in processes_of(self.folder):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def logs(self):
        return "".join(f"{path.name}: {path.read_text(errors='replace')[-1500:]}\n" for path in self.folder.glob("*.out"))

    def until(self, what, seconds=30):
        limit = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < limit, f"Slurm did not come to that: {self.logs()}"
            time.sleep(0.1)

    def command(self, *words):
        """What it writes; nothing when it fails, as it does while there is no slurmctld."""
        done = subprocess.run(words, capture_output=True, text=True, timeout=30, env=self.environment)
        return done.stdout.strip() if done.returncode == 0 else ""

    def node(self):
        return self.command("sinfo", "-h", "-o", "%T")

    def drain(self, reason):
        self.command("scontrol", "update", f"nodename={self.host}", "state=drain", f"reason={reason}")
        self.until(lambda: self.node() in ("drained", "draining"))

    def resume(self):
        self.command("scontrol", "update", f"nodename={self.host}", "state=resume")
        self.until(lambda: self.node() in ("idle", "mixed", "allocated"))

    def jobs(self, name=None):
        """(number, state) of those that wait or run; None while nobody can tell."""
        done = subprocess.run(["squeue", "-h", "-o", "%i %T %j"], capture_output=True, text=True, timeout=60, env=self.environment)
        if done.returncode:
            return None
        rows = [line.split(None, 2) for line in done.stdout.splitlines()]
        return [(number, state) for number, state, what in rows if name in (None, what) and state != "COMPLETING"]

    def steps(self):
        """The jobs of what runs by srun."""
        return re.findall(r"StepId=(\d+)\.\d+ ", self.command("scontrol", "show", "steps"))

    def occupy(self, slots):
        """A job that holds so many: its number. It runs when this returns."""
        number = self.command("sbatch", "--parsable", f"-c{slots}", "-J", "others", "-o", "/dev/null", "--wrap", "sleep 600")
        self.until(lambda: (number, "RUNNING") in (self.jobs() or []))
        return number

    def cancel(self, number, *words):
        self.command("scancel", *words, number)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    try:
        one = Cluster(tmp_path_factory.mktemp("slurm"))
    except (AssertionError, OSError) as why:
        pytest.skip(f"SLURM DOES NOT RUN HERE: {why}")
    yield one
    one.stop()


@pytest.fixture
def idle_cluster(cluster):
    """Whatever the test before left behind is gone."""
    def clear():
        for number, _ in cluster.jobs() or []:
            cluster.cancel(number)
        return cluster.jobs() == []

    if "slurmctld" not in cluster.daemons:
        cluster.begin("slurmctld", "-D")
    cluster.until(clear)
    cluster.resume()
    return cluster
