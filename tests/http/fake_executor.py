#!/usr/bin/env python3
"""An executor without a device: answers at once, or as the experiment's label "fake", or else FAKE, says:
"sleep:SECONDS" takes its time, "crash" dies, "error:KIND" reports a failure, "unstable:CODE" is not stable and has
read the device, "time:US,US,..." has these medians one after the other, each run at a placement of its own, and
"time:US,US,...@NAME" at that one; "@" tells none, "vary" takes another time in each of seven runs, "wide" has an
interval that goes down to less than no time, as some of older versions do; "counted" has counters and copies; "odd" is
not stable at odd offsets: 50 times as long there, between a tenth and a thousand times that; "quick" too, and half as long."""
import json
import os
import sys
import threading
import time

BACKEND = os.environ.get("FAKE_BACKEND", "cpu")
LIMITS = dict(
    backend=BACKEND, name="Fake device", arch="fake", driver="0", runtime="0", multiprocessors=2, warp_size=32,
    max_threads_per_block=1024, max_threads_per_multiprocessor=2048, max_block=[1024, 1024, 64],
    max_grid=[2147483647, 65535, 65535], registers_per_multiprocessor=65536, registers_per_block=65536,
    shared_bytes_per_multiprocessor=233472, shared_bytes_per_block=49152,
    shared_bytes_per_block_optin=232448, memory_bytes=1 << 30,
    l2_bytes=1 << 20, clock_khz=1000000, memory_clock_khz=None, memory_bus_bits=None, peak_gbps=None, compute_mode="default",
    peak_source="there is none")

TIMES = dict(samples=31, discarded=0, launches_per_sample=1, min_us=1.5, p25_us=1.6, median_us=1.7, p75_us=1.8,
             max_us=2.5, mean_us=1.71, stddev_us=0.1, ci95_us=[1.69, 1.72], noise=0.008, stop="noise")

LIVE = dict(status="measured", sm_clock_mhz=[1980, 1980, 1755], memory_clock_mhz=[3201, 3201, 3201],
            throttle_reasons=["sw_power_cap"], temperature_c=71, other_processes=2, took_us=1.0)


def result(device, request):
    """As long as a real one."""
    rates = dict(effective_gbps=1.0, best_gbps=1.1, of_peak=None, above_peak=False)
    return dict(
        device=dict(index=device, backend=BACKEND, name="Fake device", uuid=os.environ.get("FAKE_UUID", "fake"), arch="fake", driver="0",
                    runtime="0"),
        launch=dict(grid=request.get("grid"), block=request.get("block"), registers_per_thread=None,
                    local_bytes_per_thread=None, shared_bytes_per_block=None),
        timing=dict(cold=TIMES, hot=TIMES, floor_us=0.5, near_floor=False, tick_us=0.02),
        bandwidth=dict(requested_bytes=dict(load=8, store=4), cold=rates, hot=rates, peak_gbps=None,
                       peak_source="there is none", working_set_bytes=12, fits_in_l2=True),
        correctness=dict(verified=True, elements_checked=1, mismatches=0, max_abs_error=0.0, first_mismatch=None),
        stability=dict(stable=True, reasons=[]), counters=dict(status="not_requested", reason="a fake has none"),
        provenance=dict(version="0", commit=os.environ.get("FAKE_COMMIT", "fake"), kernel_sha256="0" * 64))


ran = {}  # runs by their label


def timed(answer, how):
    """"time:US,US,..." has these medians one after the other, each run at a placement of its own, "time:US,US,...@NAME" at that
    one; "@" tells none."""
    times, at, name = how.partition("@")
    nth = ran[how] = ran.get(how, -1) + 1
    each = [float(us) for us in times.split(",")]
    times = dict(TIMES, median_us=each[nth % len(each)])
    answer["timing"].update(cold=times, hot=dict(times, median_us=times["median_us"] / 2))
    if name or not at:
        answer["placement"] = dict(name=name or f"{os.getpid()}-{how}.{nth}", new=not at)


def counted():
    """Counters and copies, as a GPU has them."""
    copy = dict(samples=31, bytes=8, min_us=1.5, gbps=1.0)
    return dict(
        counters=dict(status="measured", passes=1, points_per_pass=1, gld_transactions=327676, gst_transactions=131071, gld_efficiency_pct=80.25,
                      gst_efficiency_pct=99.5, gld_throughput_gbps=1234.5, achieved_occupancy=0.75, metrics={}, source={}, unavailable={},
                      efficiency_check=dict(ok=None, gld_from_bytes_pct=None, gst_from_bytes_pct=None),
                      against_prediction=dict(equal=None, compared=[], differences=[])),
        transfers=dict(memory="pageable", h2d=dict(copy, median_us=2100.5), d2h=dict(copy, median_us=3100.5)))


speaking = threading.Lock()


def say(result=None, **header):
    """A frame of api/protocol.h."""
    payload = b"" if result is None else json.dumps(result, separators=(",", ":")).encode()
    if payload:
        header = dict(bytes=len(payload), **header, result=len(payload))
    with speaking:
        sys.stdout.buffer.write(json.dumps(header, separators=(",", ":")).encode() + b"\n" + payload)
        sys.stdout.buffer.flush()


def heard():
    """The server's messages, each with its request."""
    for line in sys.stdin.buffer:
        header = json.loads(line)
        payload = sys.stdin.buffer.read(header.get("bytes", 0))
        yield header, json.loads(payload[:header["request"]]) if header["type"] == "run" else None


def beat(every_s):
    while every_s:
        time.sleep(every_s)
        say(type="beat", heard=0)


def main():
    spec = sys.argv[sys.argv.index("--device") + 1]
    say(type="hello", protocol=5, build="fake", devices=int(os.environ.get("FAKE_DEVICES", "1")),
        device=dict(LIMITS, uuid=os.environ.get("FAKE_UUID", "fake-" + spec.replace(":", "-"))))
    runs = 0
    for header, request in heard():
        if header["type"] == "welcome":
            threading.Thread(target=beat, args=(header["heartbeat_s"],), daemon=True).start()
        if header["type"] != "run":
            continue
        if "FAKE_WORK_LOG" in os.environ:
            with open(os.environ["FAKE_WORK_LOG"], "a") as log:
                log.write(header["id"] + "\n")
        what, _, how = request.get("labels", {}).get("fake", os.environ.get("FAKE", "")).partition(":")
        if what == "sleep":
            time.sleep(float(how))
        if what == "crash":
            print("about to crash", file=sys.stderr)
            os._exit(3)
        if what == "error":
            say(type="error", id=header["id"], kind=how, detail='it said "no"')
        else:
            answer = result(header["device"], request)
            if what == "time":
                timed(answer, how)
            if what == "counted":
                answer.update(counted())
            if "FAKE_PREDICTION" in os.environ:
                made = answer["prediction"] = json.loads(os.environ["FAKE_PREDICTION"])
                answer["bandwidth"].update(sector_bytes=dict(load=32 * made["gld_sectors"], store=32 * made["gst_sectors"], source="prediction"),
                                           dram_bytes=dict(status="unavailable", reason="a fake has none"))
            if what == "unstable":
                answer["stability"] = dict(stable=False, reasons=["made up"], codes=[how], live=LIVE)
            if what == "wide":
                answer["timing"]["hot"] = dict(TIMES, ci95_us=[-9.0, 12.4])
            if what in ("odd", "quick"):
                odd = request.get("offset", 0) % 2
                us = (1.7 + request.get("offset", 0) / 100) * (1 if not odd else 50 if what == "odd" else 0.5)
                answer["timing"]["cold"] = dict(TIMES, median_us=us, ci95_us=[us / 10, us * 1000] if odd else [us * 0.999, us * 1.001])
                answer["bandwidth"]["cold"] = dict(effective_gbps=17 / us, best_gbps=11, of_peak=0.5, above_peak=False)
                if odd:
                    answer["stability"] = dict(stable=False, reasons=["made up"], codes=["noise"])
            if what == "vary":
                runs += 1
                slower = dict(TIMES, median_us=1.7 + runs * 5 % 7 / 10)
                answer["timing"].update(cold=slower, hot=slower)
                answer["bandwidth"].update(cold=dict(effective_gbps=17 / slower["median_us"], best_gbps=11, of_peak=0.5, above_peak=False))
            say(type="result", id=header["id"], result=answer)


main()
