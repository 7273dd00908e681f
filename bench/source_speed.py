#!/usr/bin/env python3
"""How fast a kernel that a user brings is answered: compiled for the first time, known already, counted in boxes of blocks,
and executed thread by thread.

    bench/source_speed.py --build build [--kernels 100] [--out bench/results/source_speed_<host>.json]

Each question is a whole POST /v1/predictions, on one connection, from the request's first byte to the answer's last, with a
pause before it and a size that none before it had. The bounds stand beside the figures. Wants a machine with nothing else to do."""
import argparse
import http.client
import json
import pathlib
import statistics
import time

from report import report_begin, report_end
from source_fuzz import PAUSE_S, Service

STREAM = """extern "C" __global__ void stream(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}
"""
BLOCK = 256


def question(threads, source=STREAM, **more):
    return {"source": source, "n": threads, "block": BLOCK, "grid": -(-threads // BLOCK), "arch": "sm_90", **more}


def asked(connection, body):
    """Milliseconds."""
    text = json.dumps(body)
    time.sleep(PAUSE_S)
    begin = time.monotonic()
    connection.request("POST", "/v1/predictions", text, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    told = answer.read()
    if answer.status != 200:
        raise SystemExit(f"{answer.status}: {told[:500].decode()}")
    return (time.monotonic() - begin) * 1e3


def summary(times, at_most_ms):
    times = sorted(times)
    return {"asked": len(times), "min_ms": round(times[0], 2), "median_ms": round(statistics.median(times), 2), "p90_ms": round(times[len(times) * 9 // 10], 2),
            "max_ms": round(times[-1], 2), "bound_ms": at_most_ms}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--kernels", type=int, default=100)
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    report = report_begin(arguments.build)
    service = Service(arguments.build)
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=120)
    few, rounds = 1024, range(arguments.kernels)
    asked(connection, question(few))
    report["new_kernel"] = summary([asked(connection, question(few, STREAM.replace("2 *", f"{3 + k} *"))) for k in rounds], 150)
    report["known_kernel"] = summary([asked(connection, question(few + 1 + k)) for k in rounds], None)
    # A launch of more than 2^20 threads is counted by groups of equal blocks; a smaller one is executed thread by thread.
    report["in_boxes_2^20"] = summary([asked(connection, question((1 << 20) + BLOCK * (1 + k))) for k in rounds], 5)
    report["in_boxes_2^28"] = summary([asked(connection, question((1 << 28) - BLOCK * k)) for k in rounds], 10)
    report["each_thread_2^20"] = summary([asked(connection, question((1 << 20) - k)) for k in range(max(5, arguments.kernels // 10))], 1000)
    service.end()
    report_end(report, arguments.out)


if __name__ == "__main__":
    main()
