"""The head that every report here has, and its end."""
import json
import os
import pathlib
import platform
import subprocess
import sys
import time


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()


def version(build):
    """Of the service in that build."""
    return subprocess.run([str(build / "coalesced"), "--version"], capture_output=True, text=True).stdout.strip()


def report_begin(build, **more):
    """By the program's own name; `more` goes behind."""
    words = [pathlib.Path(word).name for word in sys.argv]
    return {"benchmark": pathlib.Path(words[0]).stem, "command": "bench/" + " ".join(words),
            "date": time.strftime("%Y-%m-%d", time.gmtime()), "machine": {"processor": processor(), "cores": os.cpu_count()},
            "version": version(build), **more}


def report_end(report, out):
    """Prints it; `out`: a file, or None."""
    text = json.dumps(report, indent=1)
    print(text)
    if out:
        out.write_text(text + "\n")
