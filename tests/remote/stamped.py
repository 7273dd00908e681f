#!/usr/bin/env python3
"""stamped.py FOLDER COMMAND...: an executor that writes down in FOLDER/stamps when it begins an experiment and when that ends.
It stands between whatever brought it to its machine (srun, ssh) and the executor, hands every line on as it comes, and leaves all
decisions to the executor: a SIGTERM for all processes of a job does nothing to it.

A begin looks whether another executor still runs the same experiment: on one machine that can be known exactly."""
import contextlib
import fcntl
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading


def process(pid):
    """What tells this process from a later one of the same number, and its state; None: there is none."""
    try:
        words = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return int(words[19]), words[0]


def runs(stamp):
    """Is that executor still at work? One that is stopped or dead but not reaped computes nothing."""
    now = process(stamp["pid"])
    return bool(now) and now[0] == stamp["since"] and now[1] not in "ZXTt"


def stamps(folder):
    path = pathlib.Path(folder) / "stamps"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def begins(folder, identity, what="begin"):
    """The runs that executors were given; `what="works"`: those of which one said that it works on them."""
    return [stamp for stamp in stamps(folder) if stamp["what"] == what and stamp["id"] == identity]


def ended(folder, identity, pid):
    return any(stamp["what"] in ("result", "error") and stamp["id"] == identity and stamp["pid"] == pid for stamp in stamps(folder))


def running(folder):
    """The begins of what is at work now."""
    return [stamp for stamp in stamps(folder) if stamp["what"] == "begin" and runs(stamp) and
            not ended(folder, stamp["id"], stamp["pid"])]


def overlaps(folder):
    """The begins at which another executor was still at the same experiment."""
    return [stamp for stamp in stamps(folder) if stamp.get("others")]


def write(folder, what, identity, pid, since):
    with open(pathlib.Path(folder) / "stamps", "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        stamp = dict(what=what, id=identity, pid=pid, since=since)
        if what == "begin":
            stamp["others"] = [other["pid"] for other in running(folder) if other["id"] == identity and other["pid"] != pid]
        file.write(json.dumps(stamp) + "\n")
        file.flush()


def relay(source, sink, seen):
    """Frames (api/protocol.h) as they come; `seen` gets each header first."""
    with contextlib.suppress(OSError, ValueError):
        for line in iter(source.readline, b""):
            header = json.loads(line)
            seen(header)
            sink.write(line + source.read(header.get("bytes", 0)))
            sink.flush()
    with contextlib.suppress(OSError):
        source.close()
    with contextlib.suppress(OSError):
        sink.close()


def main(folder, command):
    signal.signal(signal.SIGTERM, lambda *_: None)  # a handler, which the executor does not inherit
    # A directory of locks for each, as if each were on a machine of its own: only the service keeps two from the same work.
    own = tempfile.mkdtemp(dir=folder)
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "XDG_RUNTIME_DIR": own})
    me = child.pid, process(child.pid)[0]
    begun, works = set(), set()

    def asked(message):
        if message["type"] == "run":
            begun.add(message["id"])
            write(folder, "begin", message["id"], *me)

    def answered(message):
        what, identity = message["type"], message.get("id")
        if what == "progress" and identity in begun - works:
            works.add(identity)
            write(folder, "works", identity, *me)
        if what in ("result", "error") and identity in begun:
            write(folder, what, identity, *me)

    threading.Thread(target=relay, args=(sys.stdin.buffer, child.stdin, asked), daemon=True).start()
    relay(child.stdout, sys.stdout.buffer, answered)
    status = child.wait()
    os._exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
