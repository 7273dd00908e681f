#!/usr/bin/env python3
"""The whole service on a real device: the reference figures, the time of a small experiment from POST to answer, the
gap between queued experiments, the server's memory, and what an idle service holds on the GPU.

    bench/service.py --binary build/coalesced [--out bench/results/service.json] [--small]

Starts a service of its own on a free port; --small leaves the large sizes out (for a machine without a GPU)."""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import requests

N = 268435456  # elements; 16384 x 16384 for matrices

# Reference figures for one H200 (docs/measuring.md): (request, unit, figure, least share of it that counts as level).
READ = {0: 3247, 1: 3188, 11: 3183, 32: 3208, 128: 3220}
WRITE = {0: 3251, 1: 3219, 11: 3222, 32: 3239, 128: 3248}
UNROLL4 = {64: 3815, 128: 3790, 256: 3750, 512: 3640, 1024: 3500}
ROW = {(32, 32): 1.22, (32, 16): 1.08, (16, 32): 1.15, (16, 16): 1.05, (256, 1): 0.93}
COLUMN = {(32, 32): 4.23, (32, 16): 4.08, (16, 32): 1.74, (16, 16): 1.73, (256, 1): 7.37}
STREAM = {"stream_copy": 4035, "stream_mul": 4021, "stream_add": 4361, "stream_triad": 4365}  # BabelStream 5.0, best of 100


def references():
    for offset, figure in READ.items():
        yield {"kernel": "read_offset", "size": N, "block": 512, "offset": offset}, "gbps", figure, 0.97
    for offset, figure in WRITE.items():
        yield {"kernel": "write_offset", "size": N, "block": 512, "offset": offset}, "gbps", figure, 0.97
    for block, figure in UNROLL4.items():
        yield {"kernel": "read_offset_unroll4", "size": N, "block": block}, "gbps", figure, 0.97
    for order, figures in ("row", ROW), ("column", COLUMN):
        for block, figure in figures.items():
            yield ({"kernel": "sum_matrix_2d", "size": [16384, 16384], "block": list(block), "order": order}, "ms", figure,
                   0.97)
    for kernel, figure in STREAM.items():
        yield {"kernel": kernel, "size": N, "measure": {"min_samples": 100, "max_seconds": 2}}, "best_gbps", figure, 0.99


class Service:
    def __init__(self, binary, *flags):
        self.directory = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen([binary, "--port", "0", "--data-dir", self.directory.name, "--log-level", "warning",
                                         "--calibrate", "ask", *flags], stdout=subprocess.PIPE, text=True)
        self.url = json.loads(self.process.stdout.readline())["url"]
        self.session = requests.Session()
        while self.session.get(self.url + "/readyz").status_code != 200:
            time.sleep(0.1)

    def post(self, request, wait=60):
        headers = {"Prefer": f"wait={wait}"} if wait else {}
        answer = self.session.post(self.url + "/v1/experiments", json=request, headers=headers)
        if not answer.ok:
            raise RuntimeError(answer.text)
        return answer.json()

    def get(self, path):
        return self.session.get(self.url + path).json()

    def ended(self, experiment):
        while experiment["state"] in ("queued", "running"):
            experiment = self.get(f"/v1/experiments/{experiment['id']}?wait=60")
        return experiment

    def rss_bytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS"))

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        self.directory.cleanup()


def figures(service):
    for request, unit, figure, share in references():
        result = service.ended(service.post(request))
        if result["state"] != "succeeded":
            yield {"request": request, "failure": result.get("failure"), "level": False}
            continue
        if unit == "ms":
            measured = result["timing"]["cold"]["median_us"] / 1e3
            ratio = figure / measured
        else:
            measured = result["bandwidth"]["cold"]["effective_gbps" if unit == "gbps" else "best_gbps"]
            ratio = measured / figure
        yield {"request": request, "unit": unit, "reference": figure, "measured": measured, "ratio": round(ratio, 4),
               "level": ratio >= share, "verified": result["correctness"]["verified"],
               "noise": result["timing"]["cold"]["noise"], "of_peak": result["bandwidth"]["cold"]["of_peak"]}


def latency(service, rounds=50):
    """A small experiment, everything at its default, from POST with wait to the answer."""
    request, milliseconds, on_device, hot = {"kernel": "read_offset", "size": 1048576}, [], [], []
    service.post(request)
    for _ in range(rounds):
        begin = time.monotonic()
        result = service.post(request)
        milliseconds.append((time.monotonic() - begin) * 1e3)
        assert result["state"] == "succeeded", result
        hot.append(result["timing"]["hot"]["median_us"])
        execution = result["execution"]
        on_device.append((execution["ended_monotonic_ns"] - execution["began_monotonic_ns"]) / 1e6)
    return {"request": request, "rounds": rounds, "median_ms": round(statistics.median(milliseconds), 3),
            "max_ms": round(max(milliseconds), 3), "on_device_median_ms": round(statistics.median(on_device), 3), "hot_median_us": statistics.median(hot), "hot_min_us": min(hot),
            "hot_max_us": max(hot)}


def gap(service, count=100):
    """From the last device operation of one queued experiment to the first of the next."""
    request = {"kernel": "read_offset", "size": 1048576, "measure": {"min_samples": 1, "max_seconds": 0.01}}
    ahead = {"kernel": "read_offset", "measure": {"min_samples": 10000, "noise": 0, "max_seconds": 2}}
    service.post(ahead, wait=0)  # keeps the device busy until all others wait
    queued = [service.post(request, wait=0) for _ in range(count)]
    results = [service.ended(experiment) for experiment in queued]
    spans = sorted((r["execution"]["began_monotonic_ns"], r["execution"]["ended_monotonic_ns"]) for r in results)
    gaps = [(after[0] - before[1]) / 1e6 for before, after in zip(spans, spans[1:])]
    return {"experiments": count, "median_ms": round(statistics.median(gaps), 4), "max_ms": round(max(gaps), 4)}


def memory(service, count=1000):
    request = {"kernel": "copy", "size": 4096, "measure": {"min_samples": 1, "max_seconds": 0.001}}
    begin = time.monotonic()
    queued = [service.post(request, wait=0) for _ in range(count)]
    last = service.ended(queued[-1])
    seconds = time.monotonic() - begin
    assert last["state"] == "succeeded", last
    return {"experiments": count, "seconds": round(seconds, 3), "server_rss_bytes": service.rss_bytes()}


def gpu_memory_mib():
    try:
        said = subprocess.run(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"], capture_output=True,
                              text=True, check=True).stdout
        return int(said.splitlines()[0])
    except (OSError, subprocess.CalledProcessError, ValueError):
        return None


def idle(binary):
    """What the GPU holds before, while the executor is warm, and past the idle time."""
    service = Service(binary, "--idle-seconds", "2")
    before = gpu_memory_mib()
    service.post({"kernel": "copy", "size": 268435456 if before is not None else 4096})
    warm = gpu_memory_mib()
    time.sleep(5)
    after = gpu_memory_mib()
    context = service.get("/v1/devices/0")
    service.post({"kernel": "copy"})
    service.stop()
    return {"idle_seconds": 2, "before_mib": before, "warm_mib": warm, "idle_mib": after, "device": context.get("status")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/coalesced")
    parser.add_argument("--out")
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    service = Service(options.binary)
    device = service.get("/v1/devices/0")
    report = {"benchmark": "service", "command": "bench/service.py " + " ".join(pathlib.Path(word).name for word in sys.argv[1:]),
              "date": time.strftime("%Y-%m-%d", time.gmtime()),
              "device": {key: device.get(key) for key in ("name", "arch", "driver", "runtime", "peak_gbps")}}
    service.post({"kernel": "copy"})
    if not options.small:
        report["figures"] = list(figures(service))
        report["figures_level"] = all(row["level"] for row in report["figures"])
    report["latency"] = latency(service)
    report["gap"] = gap(service)
    report["memory"] = memory(service)
    service.stop()
    report["idle"] = idle(options.binary)
    text = json.dumps(report, indent=1)
    print(text)
    if options.out:
        pathlib.Path(options.out).write_text(text + "\n")


if __name__ == "__main__":
    main()
