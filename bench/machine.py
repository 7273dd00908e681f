#!/usr/bin/env python3
"""A machine of several GPUs: what a sweep spread over all of them takes, whether runs side by side disturb one another, and
what goes between two of them.

    bench/machine.py --binary build/coalesced [--reference build/peer_reference] [--devices auto]
                     [--out bench/results/machine.json] [--budget-s 150]

Starts a service of its own on a free port. The parts, each told in the report, or why it failed:

    devices   facts: where each executor is pinned
    spread    450 points on one device and spread over all, in turns; asked: at most 0.55 of the time on two, 0.28 on four
    apart     medians point by point while the others run against alone; alone again says what is noise. Asked: within 0.5 %
    bus       the same of transfers and zero_copy, which take turns
    peers     peer_copy, peer_read and peer_chase between the first two devices, both ways, beside what
              cudaMemcpyPeerAsync reaches in a program of its own in the same run

A part that would begin after the budget is left out. The report is written after each."""
import argparse
import concurrent.futures
import json
import pathlib
import statistics
import subprocess
import sys
import time
import traceback

import requests

from report import report_begin
from service import Service

OFFSETS = [0, 1, 2, 4, 8, 11, 16, 32, 128]
BLOCKS = [64, 128, 256, 512, 1024]
SPREAD = {"kernel": ["read_offset", "write_offset"], "offset": OFFSETS, "block": BLOCKS,
          "size": [262144, 524288, 1048576, 2097152, 4194304]}
APART = {"kernel": "read_offset", "offset": OFFSETS, "block": BLOCKS, "size": 1048576}
PEER_SIZE = 16777216
begun = time.monotonic()


def say(text):
    print(f"{time.monotonic() - begun:6.1f} s  {text}", file=sys.stderr, flush=True)


class Machine:
    def __init__(self, binary, devices, trial=False):
        self.more = {"measure": {"min_samples": 2, "max_seconds": 0.002}} if trial else {}
        self.service = Service(binary, "--devices", devices)
        self.url = self.service.url
        self.devices = self.service.get("/v1/devices")["devices"]
        self.numbers = [device["index"] for device in self.devices]

    def post(self, path, request, wait=60):
        answer = requests.post(self.url + path, json={**request, **self.more}, headers={"Prefer": f"wait={wait}"}, timeout=wait + 30)
        if not answer.ok:
            raise RuntimeError(f"{request}: {answer.text[:1000]}")
        one = answer.json()
        while one["state"] in ("queued", "running"):
            one = requests.get(f"{self.url}{path}/{one['id']}?wait=60", timeout=90).json()
        return one

    def run(self, request):
        one = self.post("/v1/experiments", request)
        if one["state"] != "succeeded":
            raise RuntimeError(f"{request}: {one.get('failure')}")
        return one

    def sweep(self, request):
        """Seconds it took, and its points by what tells them apart."""
        at = time.monotonic()
        sweep = self.post("/v1/sweeps", request)
        seconds = time.monotonic() - at
        points, token = {}, ""
        while token is not None:
            page = requests.get(f"{self.url}/v1/sweeps/{sweep['id']}?page_size=500" +
                                (f"&page_token={token}" if token else ""), timeout=60).json()
            for point in page["points"]:
                if point["state"] != "succeeded":
                    raise RuntimeError(f"{point}"[:1000])
                points[json.dumps(point["values"], sort_keys=True)] = point["result"]
            token = page["next_page_token"]
        return seconds, points

    def on_all(self, work):
        """work(number) for all at the same time: what each returned."""
        with concurrent.futures.ThreadPoolExecutor(len(self.numbers)) as threads:
            return dict(zip(self.numbers, threads.map(work, self.numbers)))


# ---- parts ----

def devices_part(machine):
    facts = ("index", "name", "uuid", "arch", "pci", "numa_node", "cpus", "visible_devices", "mig", "mig_parent")
    told = [{fact: device.get(fact) for fact in facts} for device in machine.devices]
    commands = {}
    for command in ("nvidia-smi topo -m", "nvidia-smi -L", "lscpu"):
        try:
            commands[command] = subprocess.run(command.split(), capture_output=True, text=True, timeout=20).stdout.splitlines()
        except (OSError, subprocess.SubprocessError) as problem:
            commands[command] = [str(problem)]
    return {"devices": told, "commands": commands}


def warm(machine):
    """Contexts, and every instance of a kernel that is timed: not what is measured here."""
    short = {"measure": {"min_samples": 1, "max_seconds": 0.001}}
    machine.on_all(lambda number: [machine.sweep({**SPREAD, **short, "device": number}), machine.sweep({**APART, **short, "device": number})])


def spread_part(machine, rounds=3):
    count, one, spread, used = len(machine.numbers), [], [], {}
    for _ in range(rounds):
        seconds, points = machine.sweep({**SPREAD, "device": machine.numbers[0]})
        assert len(points) == 450, len(points)
        one.append(seconds)
        seconds, points = machine.sweep({**SPREAD, "device": "any", "spread": True})
        assert len(points) == 450, len(points)
        spread.append(seconds)
        used = {}
        for result in points.values():
            used[result["device"]["uuid"]] = used.get(result["device"]["uuid"], 0) + 1
    ratio = statistics.median(spread) / statistics.median(one)
    return {"points": 450, "devices": count, "one_s": [round(s, 3) for s in one], "spread_s": [round(s, 3) for s in spread],
            "ratio": round(ratio, 4), "asked": {2: 0.55, 4: 0.28}.get(count), "points_on": used}


def compared(before, after):
    """Ratios of what was measured by what was measured before, by the same names."""
    ratios = sorted(after[name] / before[name] for name in before)
    apart = sorted(abs(ratio - 1) for ratio in ratios)
    return {"points": len(ratios), "median": round(statistics.median(ratios), 5), "least": round(ratios[0], 5),
            "most": round(ratios[-1], 5), "median_apart": round(statistics.median(apart), 5),
            "p95_apart": round(apart[int(0.95 * (len(apart) - 1))], 5),
            "share_within_0.5_pct": round(sum(one <= 0.005 for one in apart) / len(apart), 4)}


def medians_of(rounds):
    """Of several rounds of the same points: the median of each point's medians, by kind."""
    return {kind: {name: statistics.median(one[name][kind] for one in rounds) for name in rounds[0]} for kind in rounds[0][next(iter(rounds[0]))]}


def apart_rounds(machine, work, rounds):
    """Alone one after the other, all together, and alone again."""
    def several(number):
        return medians_of([work(number) for _ in range(rounds)])
    alone = {number: several(number) for number in machine.numbers}
    together = machine.on_all(several)
    again = {number: several(number) for number in machine.numbers}
    told = {}
    for number in machine.numbers:
        told[number] = {kind: {"together_over_alone": compared(alone[number][kind], together[number][kind]),
                               "alone_again_over_alone": compared(alone[number][kind], again[number][kind])}
                        for kind in alone[number]}
    return {"rounds": rounds, "devices": told}


def apart_part(machine):
    def work(number):
        _, points = machine.sweep({**APART, "device": number})
        return {name: {kind: result["timing"][kind]["median_us"] for kind in ("cold", "hot")} for name, result in points.items()}
    return apart_rounds(machine, work, 5 if len(machine.numbers) <= 4 else 3)


def bus_part(machine):
    size = 16777216

    def work(number):
        copy = machine.run({"kernel": "copy", "size": size, "transfers": "pinned", "device": number,
                            "measure": {"min_samples": 5, "max_seconds": 0.1}})
        zero = machine.run({"kernel": "zero_copy", "size": size, "device": number,
                            "measure": {"min_samples": 5, "max_seconds": 0.3}})
        told = {"zero_copy": zero["timing"]["cold"]["median_us"]}
        for way in ("h2d", "d2h"):
            if way in copy["transfers"]:
                told[way] = copy["transfers"][way]["median_us"]
        return {f"{size} elements": told}
    return apart_rounds(machine, work, 5 if len(machine.numbers) <= 4 else 3)


def peer_run(machine, number, other, **more):
    request = {"device": number, **more}
    try:
        return machine.run({**request, "peer": other["index"]})
    except RuntimeError as refused:
        if "unknown field" not in str(refused):
            raise
        return machine.run({**request, "peer_uuid": other["uuid"]})


def figures(result):
    return {"bytes": result["peer"]["bytes"], "cold_gbps": result["peer"]["cold_gbps"], "hot_gbps": result["peer"]["hot_gbps"],
            "cold_us": result["timing"]["cold"]["median_us"], "hot_us": result["timing"].get("hot", {}).get("median_us"),
            "cold_samples": result["timing"]["cold"]["samples"], "noise": result["timing"]["cold"]["noise"],
            "verified": result["correctness"]["verified"]}


def attempt(work):
    try:
        return work()
    except Exception as problem:  # one that fails does not lose the others
        return {"failed": f"{type(problem).__name__}: {problem}"[:1500]}


def peers_part(machine, reference):
    if len(machine.devices) < 2 or any(device.get("backend") != "cuda" for device in machine.devices[:2]):
        return {"skipped": "there are not two GPUs"}
    told = {"reference": attempt(lambda: json.loads(subprocess.run([reference, str(4 * PEER_SIZE)], check=True, timeout=60,
                                                                   stdout=subprocess.PIPE).stdout)) if reference else None}
    pairs = [(machine.devices[0], machine.devices[1]), (machine.devices[1], machine.devices[0])]
    for which, (own, other) in enumerate(pairs):
        def peer(kernel, **more):
            return attempt(lambda: figures(peer_run(machine, own["index"], other, kernel=kernel, **more)))
        here = {"own": own["uuid"], "peer": other["uuid"], "copy": {}, "read": {}}
        for access in ("enabled", "disabled"):
            for direction in ("read", "write"):
                here["copy"][f"{direction}_{access}"] = peer("peer_copy", size=PEER_SIZE, direction=direction, access=access)
        for width in (1, 2, 4):
            for offset in (0, 1, 8):
                for stride in (1, 2, 8, 32) if offset == 0 else (1,):
                    here["read"][f"width {width}, offset {offset}, stride {stride}"] = peer(
                        "peer_read", size=PEER_SIZE, width=width, offset=offset, stride=stride)
        chase = {"size": PEER_SIZE, "steps": 4096, "dtype": "i32"}
        here["chase"] = peer("peer_chase", **chase)
        if "hot_us" in here["chase"]:
            here["chase"]["cold_ns_a_load"] = round(here["chase"]["cold_us"] * 1e3 / 4096, 1)
        own_chase = attempt(lambda: machine.run({"kernel": "pointer_chase", "device": own["index"], **chase}))
        if "timing" in own_chase:
            here["chase_own_ns_a_load"] = round(own_chase["timing"]["cold"]["median_us"] * 1e3 / 4096, 1)
        beside = (told["reference"] or {}).get("pairs") or []
        if which < len(beside):
            here["copy_over_reference"] = {
                name: round(one["hot_gbps"] / beside[which][name]["median_gbps"], 4)
                for name, one in here["copy"].items() if one.get("hot_gbps") and name in beside[which]}
        told[f"{own['index']} to {other['index']}"] = here
        say(f"peers {own['index']}, {other['index']}: {here.get('copy_over_reference', here['copy'])}")
    told["itself"] = attempt(lambda: peer_run(machine, machine.numbers[0], machine.devices[0], kernel="peer_copy"))
    return told


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, required=True)
    parser.add_argument("--reference", type=pathlib.Path, help="peer_reference; beside the binary unless given")
    parser.add_argument("--devices", default="auto")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--budget-s", type=float, default=150)
    parser.add_argument("--trial", action="store_true", help="hardly any samples: to see that it works, on a CPU")
    options = parser.parse_args()
    reference = options.reference or options.binary.parent / "peer_reference"
    report = report_begin(options.binary.parent)
    machine = Machine(str(options.binary), options.devices, options.trial)
    say(f"{len(machine.devices)} devices: {[device.get('name') for device in machine.devices]}")
    parts = [("devices", devices_part), ("warm", warm), ("spread", spread_part),
             ("peers", lambda m: peers_part(m, reference if reference.exists() else None)), ("apart", apart_part), ("bus", bus_part)]
    try:
        for name, part in parts:
            at = time.monotonic()
            if at - begun > options.budget_s - 15:
                report[name] = {"skipped": "the budget of time was spent"}
            else:
                try:
                    found = part(machine)
                    report[name] = {"took_s": round(time.monotonic() - at, 1), **(found or {})}
                except Exception:  # one part that fails does not lose the others
                    report[name] = {"took_s": round(time.monotonic() - at, 1), "failed": traceback.format_exc()[-3000:]}
            say(f"{name}: {json.dumps(report[name])[:600]}")
            if options.out:
                options.out.parent.mkdir(parents=True, exist_ok=True)
                options.out.write_text(json.dumps(report, indent=1) + "\n")
    finally:
        machine.service.stop()
    if not options.out:
        print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
