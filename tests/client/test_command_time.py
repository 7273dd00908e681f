"""`coalesce predict`, `run` and `show` tell how long it takes and why, in the language of the locale. What they are told is made up."""
import http.server
import json
import re
import threading

import pytest

from command import coalesce  # and the path to tests/http

import timed  # isort: skip

PREDICTED = {"predictions": [{"arch": "sm_90", "gld_requests": 1, "time": timed.TIME}]}
CASES = {
    "predicted": (["predict", "copy", "--device-name", "NVIDIA H200"], PREDICTED, "C.UTF-8", [
        "248.3 µs predicted, cold, for an NVIDIA H200: limited by latency\n", "took a time within a tenth of such a prediction; docs/model.md tells where it fails.\n", "latency  242.0  " + 31 * "█" + "  ", "launch   77.86  " + 10 * "█" + "  ", "131,072  blocks\n", "248.2  waits in a row\n",
        timed.TIME["explanation"]["en"] + " Bounds that are close to the largest one add to it, but for the start of blocks: together they come to 244.8 µs.\n", "what if: " + timed.TIME["what_if"][0]["text"]["en"] + "\n"]),
    "in Chinese": (["predict", "copy"], PREDICTED, "zh_CN.UTF-8", ["效率", "受限于访存延迟\n", "下限", "线程块启动", "通往 L2 的通路", timed.TIME["explanation"]["zh"] + "除线程块启动外，接近最大值的各下限会叠加：合计 244.8 µs。\n", "若改：" + timed.TIME["what_if"][0]["text"]["zh"] + "\n"]),
    "by ASCII": (["predict", "copy", "--ascii"], PREDICTED, "zh_CN.UTF-8", ["248.3 us predicted", 31 * "#", timed.TIME["explanation"]["en"]]),
    "two limit": (["predict", "copy"], {"predictions": [{"time": {**timed.TIME, "close_second": "dram"}}]}, "C.UTF-8", ["limited by latency, and nearly as much by dram\n"]),
    "two limit, in Chinese": (["predict", "copy"], {"predictions": [{"time": {**timed.TIME, "close_second": "dram"}}]}, "zh_CN.UTF-8", ["受限于访存延迟，其次（相差不多）是显存\n"]),
    "mostly fixed": (["predict", "copy"], {"predictions": [{"time": {**timed.TIME, "predicted_us": 5.8, "floor_us": 2.7, "ramp_us": 2.0}}]}, "C.UTF-8", [
        "5.800 µs predicted, cold, for an NVIDIA H200: 4.700 µs fixed, the rest limited by latency\n"]),
    "unavailable": (["predict", "copy", "--device-name", "x"], {"predictions": [{"time": timed.MISSING}]}, "C.UTF-8", [f"predicted time: no value, {timed.MISSING['reason']}\n"]),
    "of a result": (["show", "01M7YM65F54TJADP7Z58JCT8G6"], {"state": "succeeded", "time": timed.MEASURED}, "C.UTF-8", [
        "limited by latency; 248.3 µs predicted for the cold time, 0.3 % too much\n" + timed.TIME["explanation"]["en"] + "\n", "by the counters: latency, too. DRAM is busy"]),
    "of an old result": (["show", "01M7YM65F54TJADP7Z58JCT8G6"], {"state": "succeeded"}, "C.UTF-8", ["succeeded\n"]),
}


@pytest.fixture
def told():
    """A service that gives one answer to everything, and keeps what it was asked."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            server.how = f"{self.command} {self.path}"
            server.asked = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            body = json.dumps(server.answer).encode()
            self.send_response(404 if "sweeps" in self.path else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("case", CASES)
def test_the_time_is_told_with_its_reason(told, case):
    words, told.answer, locale, wanted = CASES[case]
    url = f"http://127.0.0.1:{told.server_address[1]}"
    shown = coalesce(url, *words, LANG="C.UTF-8", LC_CTYPE="C.UTF-8", LC_MESSAGES=locale).stdout
    for text in wanted:
        assert (text if "--ascii" in words else re.sub(r"(\d) us\b", r"\1 µs", text)) in shown, shown
    assert shown.isascii() or "--ascii" not in words
    if "--device-name" in words:
        assert json.loads(told.asked)["device_name"] == words[-1]


def test_a_calibration_is_told_with_where_it_comes_from_and_asked_for_again(told):
    told.answer, url = timed.CALIBRATION, f"http://127.0.0.1:{told.server_address[1]}"
    lines = [" ".join(line.split()) for line in coalesce(url, "calibration", "cuda:0").stdout.splitlines()]
    assert told.how == "GET /v1/devices/cuda%3A0/calibration"
    assert lines[0] == "cpu: made" and "sweep 01M7YM65F54TJADP7Z58JCT8G6" in lines
    assert "of NVIDIA H200, sm_90, driver 580.1, build 42ada34" in lines and "made from 48 experiments, 2026-01-20T12:00:00.000Z" in lines
    assert "launch_ns 0.5940 ns 0.2000 Between the starts of two blocks vector_add, blocks of 32" in lines
    assert "dram_latency_ns 336.0 ns Of a load pointer_chase, cold" in lines  # no spread: it was taken as given
    told.answer = {**timed.CALIBRATION, "state": "none", "reason": "it is a CPU", "automatic": False, "sweep": None, "calibration": None}
    shown = coalesce(url, "calibration", "0", "--again").stdout
    assert told.how == "POST /v1/devices/0/calibration"
    assert shown.startswith("cpu: none; a new one is made only when it is asked for\n") and shown.endswith("it is a CPU\n")
    assert json.loads(coalesce(url, "calibration", "0", "--json").stdout) == told.answer


def test_why_the_counts_of_a_source_are_not_exact_is_told_in_chinese(told, tmp_path):
    source = tmp_path / "k.cu"
    source.write_text("__global__ void k(float *a) {}\n")
    told.answer = {"predictions": [{"arch": "sm_20", "gld_requests": 1, "exact": False, "inexact": "counted 64 of 4096 blocks", "lines": []}]}
    shown = coalesce(f"http://127.0.0.1:{told.server_address[1]}", "predict", str(source), "grid=1", LANG="zh_CN.UTF-8").stdout
    assert "sm_20，计数了 4096 个线程块中的 64 个\n" in shown, shown


def test_without_an_architecture_the_lines_are_those_of_the_first_gpu(told, tmp_path):
    source = tmp_path / "k.cu"
    source.write_text("__global__ void k(float *a) {}\n")
    made = [{"arch": arch, "gld_requests": 1, "exact": True, "lines": []} for arch in ("sm_37", "sm_80", "sm_90")]
    for devices, arch in ([("cpu", "x86_64"), ("cuda", "sm_80"), ("cuda", "sm_37")], "sm_80"), ([("cpu", "x86_64")], "sm_90"):
        told.answer = {"predictions": made, "devices": [{"backend": backend, "arch": of} for backend, of in devices]}
        shown = coalesce(f"http://127.0.0.1:{told.server_address[1]}", "predict", str(source), "grid=1").stdout
        assert [line[:5] for line in shown.splitlines() if line.endswith("; arch=... lists the lines of another one")] == [arch], shown


def test_of_the_queue_who_begins_soonest_comes_first(told):
    owners = [{"owner": name, "queued": queued, "running": not queued, "next": "", "begins_seconds": begins, "share": 0.25}
              for name, queued, begins in (("ada", 1, 30), ("bob", 9, 2), ("cleo", 0, None), ("dan", 2, 12), ("eve", 3, None))]
    told.answer = {"queued": 15, "running": 1, "paused": False, "devices": [{"device": 0, "device_name": "cuda:0", "owners": owners}]}
    lines = coalesce(f"http://127.0.0.1:{told.server_address[1]}", "queue").stdout.splitlines()
    assert [line.split()[1] for line in lines if line.startswith("cuda:0")] == ["bob", "dan", "ada", "cleo", "eve"], lines
    assert next(line for line in lines if " cleo " in line).split()[:4] == ["cuda:0", "cleo", "0", "1"], "who runs, though nothing of hers waits"
