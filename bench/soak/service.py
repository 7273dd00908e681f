"""The service's lives: begun, asked whether it is ready, killed; and what a dead one leaves behind."""
import fcntl
import http.client
import json
import os
import pathlib
import secrets
import select
import signal
import sqlite3
import subprocess
import time

ENDED_TWICE = "an ended experiment cannot change"


class Service:
    def __init__(self, options, machine, tokens, ledger, folder):
        self.options, self.machine, self.tokens, self.ledger, self.folder = options, machine, tokens, ledger, folder
        self.process, self.port, self.log = None, None, folder / "log"
        self.mark = "SOAK=" + secrets.token_hex(8)  # in the environment of all that it begins
        self.begun = 0.0

    def command(self):
        build = self.options.build.resolve()
        device = ["--devices", "cpu"] if self.options.device == "cpu" else ["--devices-file", str(self.fakes(build))]
        return [str(build / "coalesced"), "--port", "0", "--data-dir", str(self.machine.data), "--log-level", "warning",
                "--undo-seconds", "0", "--queue-limit", str(self.options.queue_limit), "--token-file", str(self.tokens.path),
                *device]

    def fakes(self, build):
        """A list of three that play a device, on this machine: without leases, which nothing would be lost for."""
        path = self.folder / "devices.json"
        command = f"'{build / 'tests' / 'fake_executor'}' --pause-ms 50"
        path.write_text(json.dumps({"devices": [{"name": f"fake:{i}", "command": command, "device": f"auto:{i}", "idle": "context",
                                                 "idle_s": 60, "heartbeat_s": 0} for i in range(3)]}))
        return path

    def start(self):
        names = {name: value for name, value in os.environ.items() if not name.startswith("COALESCED_")}
        word, value = self.mark.split("=")
        self.begun = time.monotonic()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                                            env={**names, **self.machine.environment, word: value})

    def announced(self, seconds):
        """Waits for the port; False: not in that time, or it ended."""
        readable, _, _ = select.select([self.process.stdout], [], [], seconds)
        line = self.process.stdout.readline() if readable else b""
        if line:
            self.port = json.loads(line)["port"]
        return bool(line)

    def status(self, path):
        """0: no answer."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            link.request("GET", path)
            answer = link.getresponse()
            answer.read()
            return answer.status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            link.close()

    def ready(self, seconds):
        """Seconds from its start until it says so; None: not in time."""
        while time.monotonic() < self.begun + seconds and self.alive():
            if self.status("/readyz") == 200:
                return time.monotonic() - self.begun
            time.sleep(0.003)
        return None

    def alive(self):
        return self.process.poll() is None

    def executors(self):
        """Its children's process ids."""
        found = []
        for path in pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/children"):
            try:
                found += [int(word) for word in path.read_text().split()]
            except OSError:
                pass
        return sorted(found)

    def end(self, how):
        """Signals it and waits; what it said is looked through."""
        if self.alive():
            self.process.send_signal(how)
        else:
            self.ledger.violate("the service ended by itself", status=self.process.returncode, log=self.said()[-2000:])
        try:
            status = self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.ledger.violate("the service does not end", signal=int(how), log=self.said()[-2000:])
            self.process.kill()
            status = self.process.wait(60)
        if how == signal.SIGTERM and status != 0:
            self.ledger.violate("a stop failed", status=status, log=self.said()[-2000:])
        self.process.stdout.close()
        said = self.said()
        if ENDED_TWICE in said:
            self.ledger.violate("ended twice", log=[line for line in said.splitlines() if ENDED_TWICE in line][:5])

    def said(self):
        return self.log.read_text(errors="replace")

    def descriptors(self):
        """Without those of its executors, of which now more and now fewer are there: three pipes each, and its process."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd")) - 4 * len(self.executors())

    def resident_bytes(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024

    # ---- when none runs ----

    def left_behind(self, seconds):
        """Processes that one of its lives began and that are there after so long, files that are half of something, and locks
        that somebody holds."""
        limit = time.monotonic() + seconds
        while (there := self.processes()) and time.monotonic() < limit:
            time.sleep(0.02)
        left = [f"process {pid}" for pid in there]
        for path in self.machine.data.rglob("*"):
            if path.is_socket() or path.suffix in (".part", ".tmp", ".new", ".db-wal", ".db-shm"):
                left.append(str(path.relative_to(self.machine.data)))
            elif path.is_file() and (path.name == "lock" or path.parent.name == "locks"):
                with path.open("r") as file:
                    try:
                        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    except OSError:
                        left.append(f"a lock on {path.name}")
        return left

    def processes(self):
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                if self.mark.encode() in path.read_bytes():
                    found.append(int(path.parent.name))
            except OSError:
                pass
        return found

    def copied(self):
        """The store as a killed one left it, open from a copy, so that its recovery is still the service's to do."""
        copy = self.folder / "copy.db"
        for end in ("", "-wal", "-shm"):
            pathlib.Path(f"{copy}{end}").unlink(missing_ok=True)
        for end in ("", "-wal"):
            source = self.machine.data / f"coalesced.db{end}"
            if source.exists():
                pathlib.Path(f"{copy}{end}").write_bytes(source.read_bytes())
        return sqlite3.connect(copy)

    def kill_what_is_left(self):
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)
