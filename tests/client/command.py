"""Runs the real `coalesce`, in a pipe or on a terminal, against a service that tests/http starts."""
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "http"))
from conftest import BINARY  # noqa: E402

COMMAND = str(pathlib.Path(BINARY).parent / "coalesce")
FAILED, USAGE, UNREACHABLE, REFUSED, UNSTABLE, WORSE, CANNOT_TELL, INTERRUPTED = 1, 2, 3, 4, 5, 6, 7, 130
NOWHERE = "http://127.0.0.1:1"


def environment(url, **more):
    names = {k: v for k, v in os.environ.items() if not k.startswith(("COALESCED_", "LC_", "NO_COLOR"))}
    return {**names, "LANG": "C.UTF-8", "TERM": "xterm-256color", "COALESCED_URL": url, **more}


def coalesce(service, *words, expect=0, timeout=60, **more):
    """To its end: the finished process, its outputs as text."""
    url = service if isinstance(service, str) else service.url
    done = subprocess.run([COMMAND, *words], capture_output=True, timeout=timeout, env=environment(url, **more))
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()  # with the line ends as they are
    assert done.returncode == expect, (words, done.returncode, done.stdout, done.stderr)
    return done


class Terminal:
    """The command on a terminal of its own; `seen` is all that it wrote."""

    def __init__(self, service, *words, columns=100, rows=30, **more):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.process = subprocess.Popen([COMMAND, *words], stdin=slave, stdout=slave, stderr=slave,
                                        env=environment(service.url, **more), start_new_session=True)
        self.seen = ""

    def read(self, seconds):
        readable, _, _ = select.select([self.master], [], [], seconds)
        if readable:
            self.seen += os.read(self.master, 65536).decode(errors="replace")

    def until(self, pattern, seconds=30):
        limit = time.monotonic() + seconds
        while not re.search(pattern, self.seen):
            assert time.monotonic() < limit, self.seen
            self.read(0.1)
        return re.search(pattern, self.seen)

    def type(self, text):
        os.write(self.master, text.encode())

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def end(self, seconds=30):
        """Its exit status, with all of its output read."""
        limit = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < limit, self.seen
            self.read(0.05)
        while select.select([self.master], [], [], 0)[0]:
            self.read(0)
        after = termios.tcgetattr(self.slave)
        os.close(self.master)
        os.close(self.slave)
        assert after[3] == self.before[3], "the terminal is not as it was"
        return self.process.returncode

    def whole(self):
        self.end()
        return self.text

    @property
    def text(self):
        """Without colours and other sequences."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.seen)
