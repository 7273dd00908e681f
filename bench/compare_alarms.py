#!/usr/bin/env python3
"""How often a comparison of the same with the same is called better or worse, and whether a planted difference is found.

Sweeps of 200 quick points, each repeated, from executors of their own: the service is started anew between them. Every pair
of them is compared, cold and hot, with what is called the same by default and with nothing called the same; the claim is 5 %
of the points at most. Then offsets whose cost is known from README's table, one side of each from another executor.

    bench/compare_alarms.py --binary build-gpu/coalesced --out bench/results/compare_alarms_h200.json

With --data-dir the results stay, and the next time, an hour later, its sweeps are compared with those that are there already.
"""
import argparse
import contextlib
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import requests

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import report  # noqa: E402

KERNELS = ["vector_add", "read_offset", "write_offset", "copy", "copy_ldg", "copy_vec4", "read_restrict", "read_only", "write_only",
           "stream_triad"]
POINTS = {"kernel": KERNELS, "size": [65536, 262144, 1048576, 4194304, 16777216], "block": [128, 256, 512, 1024]}
SMALL = {"kernel": KERNELS[:3], "size": [65536, 1048576], "block": [128, 256]}
# (kernel, the slower offset, the faster one): about 2 % and 1 % on an H200, at this size.
PLANTED = [("read_offset", 11, 0), ("write_offset", 1, 0)]
PLANTED_SIZE, PLANTED_SMALL, PLANTED_BLOCK = 268435456, 1048576, 512


class Service:
    """One on a folder that outlives it; its executors end with it."""

    def __init__(self, binary, folder):
        self.process = subprocess.Popen([binary, "--port", "0", "--data-dir", folder, "--log-level", "warning", "--calibrate", "ask"],
                                        stdout=subprocess.PIPE, text=True)
        self.url = json.loads(self.process.stdout.readline())["url"]
        self.session = requests.Session()
        while self.session.get(self.url + "/readyz").status_code != 200:
            time.sleep(0.05)

    def post(self, path, body):
        answer = self.session.post(self.url + path, json=body)
        if not answer.ok:
            raise SystemExit(f"POST {path}: {answer.text}")
        return answer.json()

    def get(self, path):
        return self.session.get(self.url + path).json()

    def sweep(self, fields, repeat):
        """Runs it to its end: its id and the seconds that it took."""
        begin = time.monotonic()
        sweep = self.post("/v1/sweeps", {**fields, **({"repeat": repeat} if repeat > 1 else {})})["id"]
        while True:
            now = self.get(f"/v1/sweeps/{sweep}?wait=60&page_size=1")
            if now["queued"] + now["running"] == 0:
                break
        if now["failed"]:
            print(f"{now['failed']} of {now['total']} failed", file=sys.stderr)
        return sweep, round(time.monotonic() - begin, 2)

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


def alarms(service, a, b):
    """One line for each time and each width of the same."""
    for when, same_within in itertools.product(("cold", "hot"), (0.005, 0)):
        answer = service.post("/v1/comparisons", {"a": {"sweep": a}, "b": {"sweep": b}, "time": when, "same_within": same_within})
        verdicts, points = answer["verdicts"], len(answer["points"])
        called = [point for point in answer["points"] if point["verdict"] in ("better", "worse")]
        yield {"time": when, "same_within": same_within, "points": points, "verdicts": verdicts,
               "false": verdicts["better"] + verdicts["worse"], "share": round(len(called) / points, 4) if points else None,
               "with_runs_enough": answer["chance"]["points"], "expected_at_most": answer["chance"]["expected"],
               "holds": points > 0 and answer["chance"]["points"] == points and len(called) <= 0.05 * points,
               "differs": [one["field"] for one in answer["differs"]],
               "false_points": [{**answer["common"], **point["values"], "ratio": point["ratio"], "ci95": point["ratio_ci95"]}
                                for point in called][:20]}


def planted(service, slow_sweep, fast_sweep):
    for kernel, slow, fast in PLANTED:
        for when in ("cold", "hot"):
            answer = service.post("/v1/comparisons", {
                "a": {"sweep": slow_sweep, "where": {"kernel": kernel, "offset": slow}},
                "b": {"sweep": fast_sweep, "where": {"kernel": kernel, "offset": fast}}, "but_for": ["offset"], "time": when})
            for point in answer["points"]:
                yield {"kernel": kernel, "a_offset": slow, "b_offset": fast, "time": when, "found": point["verdict"] == "better",
                       **{name: point[name] for name in ("ratio", "ratio_ci95", "verdict", "needs", "a", "b")}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/coalesced")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=6)
    parser.add_argument("--sweeps", type=int, default=2, help="from so many executors")
    parser.add_argument("--small", action="store_true", help="few points, and differences that need not be there: only that it runs")
    parser.add_argument("--data-dir", type=pathlib.Path, help="kept, with the sweeps of each time")
    options = parser.parse_args()
    found = report.report_begin(pathlib.Path(options.binary).parent, repeat=options.repeat)
    with contextlib.nullcontext(options.data_dir) if options.data_dir else tempfile.TemporaryDirectory() as folder:
        earlier = pathlib.Path(folder) / "sweeps.json"
        sweeps = json.loads(earlier.read_text()) if earlier.exists() else []
        found["of_earlier"], plants = len(sweeps), []
        for _ in range(options.sweeps):
            service = Service(options.binary, folder)
            sweeps.append(service.sweep(SMALL if options.small else POINTS, options.repeat))
            plants.append(service.sweep({"kernel": [kernel for kernel, _, _ in PLANTED], "block": PLANTED_BLOCK,
                                         "size": PLANTED_SMALL if options.small else PLANTED_SIZE,
                                         "offset": sorted({offset for _, *both in PLANTED for offset in both})}, options.repeat + 2))
            service.stop()
        service = Service(options.binary, folder)
        device = service.get("/v1/devices/0")
        found["device"] = {name: device.get(name) for name in ("name", "arch", "driver", "runtime")}
        found["sweep_seconds"] = [seconds for _, seconds in sweeps + plants]
        found["alarms"] = [{"a": i, "b": k, **line} for i, k in itertools.combinations(range(len(sweeps)), 2)
                           for line in alarms(service, sweeps[i][0], sweeps[k][0])]
        found["alarms_hold"] = all(line["holds"] for line in found["alarms"] if line["same_within"])
        found["planted"] = list(planted(service, plants[0][0], plants[-1][0]))
        found["planted_found"] = (len(found["planted"]) == 2 * len(PLANTED) and
                                  all(line["found"] for line in found["planted"] if line["time"] == "cold"))
        service.stop()
        earlier.write_text(json.dumps(sweeps))
    report.report_end(found, options.out)


if __name__ == "__main__":
    main()
