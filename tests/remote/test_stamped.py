"""That the wrapper which the tests of Slurm and ssh rely on would tell of two executors at the same experiment."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest
from stamped import begins, overlaps, running, runs, stamps

HERE = pathlib.Path(__file__).parent


class Stamped:
    """A fake executor behind the wrapper; as a service would, but with nothing that keeps one from doing what it should not."""

    def __init__(self, folder):
        self.process = subprocess.Popen([sys.executable, HERE / "stamped.py", folder, sys.executable,
                                         HERE.parent / "http" / "fake_executor.py", "--device", "cpu"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.answer() == "hello"

    def begin(self, identity, seconds=0):
        request = json.dumps(dict(labels=dict(fake=f"sleep:{seconds}"))).encode()
        header = dict(bytes=len(request), type="run", id=identity, device=0, request=len(request))
        self.process.stdin.write(json.dumps(header, separators=(",", ":")).encode() + b"\n" + request)
        self.process.stdin.flush()

    def answer(self):
        header = json.loads(self.process.stdout.readline())
        self.process.stdout.read(header.get("bytes", 0))
        return header["type"]


@pytest.fixture
def stamped(tmp_path):
    every = []

    def begin():
        every.append(Stamped(tmp_path))
        return every[-1]

    yield begin
    for one in every:
        one.process.kill()
        one.process.communicate()


def until(what):
    limit = time.monotonic() + 20
    while not what():
        assert time.monotonic() < limit
        time.sleep(0.02)


def test_two_at_the_same_experiment_are_told(stamped, tmp_path):
    one, other = stamped(), stamped()
    one.begin("a", seconds=60)
    until(lambda: len(begins(tmp_path, "a")) == 1)
    other.begin("b")
    assert other.answer() == "result" and not overlaps(tmp_path)
    other.begin("a")
    assert other.answer() == "result"
    told, = overlaps(tmp_path)
    assert told["id"] == "a" and told["others"] == [begins(tmp_path, "a")[0]["pid"]]


def test_one_after_the_other_is_none(stamped, tmp_path):
    one, other = stamped(), stamped()
    one.begin("a")
    assert one.answer() == "result"
    other.begin("a")
    assert other.answer() == "result"
    assert [stamp["what"] for stamp in stamps(tmp_path)] == ["begin", "result", "begin", "result"] and not overlaps(tmp_path)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_after_the_end_of_another_is_none(stamped, tmp_path, how):
    """Also while it stands still: that it ends when it goes on is for another test to say."""
    one, other = stamped(), stamped()
    one.begin("a", seconds=60)
    until(lambda: running(tmp_path))
    first, = running(tmp_path)
    os.kill(first["pid"], how)
    until(lambda: not runs(first))
    other.begin("a")
    assert other.answer() == "result" and not overlaps(tmp_path)
    if how == signal.SIGSTOP:
        os.kill(first["pid"], signal.SIGKILL)
    one.process.wait(20)


def test_a_sigterm_is_for_the_executor(stamped, tmp_path):
    one = stamped()
    one.process.terminate()
    one.begin("a")
    assert one.answer() == "result"
