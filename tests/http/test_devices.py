"""GET /v1/devices/{n}: limits, peaks with their formulas, and how the device is now, told by a made-up NVML."""
import os
import pathlib
import time

import pytest

from conftest import BINARY, SMALL

NVML = pathlib.Path(os.environ.get("COALESCED_BUILD", pathlib.Path(BINARY).parent)) / "tests/fake_nvml/libnvidia-ml.so.1"
QUIET = "temperature 41\npower 98100\nsm_clock 1980\nmemory_clock 3201\nmemory 4096\nthrottle 0x1\nprocesses -\n"


class Driver:
    """What the made-up NVML says."""

    def __init__(self, directory):
        self.script = directory / "nvml"
        self.does(QUIET)
        self.environment = {"FAKE_UUID": "GPU-0", "FAKE_NVML": str(self.script), "COALESCED_NVML_LIBRARY": str(NVML)}

    def does(self, text):
        beside = self.script.with_suffix(".new")
        beside.write_text(text)
        beside.rename(self.script)


@pytest.fixture
def driver(tmp_path):
    return Driver(tmp_path)


def live(service):
    return service.get("/v1/devices/0").json()["live"]


def test_the_driver_is_asked(start, driver):
    said = live(start(environment=driver.environment))
    assert said["status"] == "measured" and 0 <= said["age_s"] < 1
    assert said["temperature_c"] == 41 and said["power_w"] == 98.1 and said["memory_used_bytes"] == 4096
    assert said["sm_clock_mhz"] == 1980 and said["throttle_reasons"] == ["idle"] and said["other_processes"] == 0


def test_many_questions_cost_one_reading_and_a_second_later_there_is_a_new_one(start, driver):
    service = start(environment=driver.environment)
    assert live(service)["temperature_c"] == 41
    driver.does("temperature 83\n")
    begin = time.monotonic()
    said = live(service)
    if time.monotonic() - begin < 0.5:
        assert said["temperature_c"] == 41 and said["age_s"] > 0
    service.until(lambda: live(service)["temperature_c"] == 83, seconds=5)


def test_what_the_driver_refuses_has_its_reason(start, driver):
    driver.does("power !3\nprocesses !4\nsm_clock 1980\n")
    said = live(start(environment=driver.environment))
    assert said["power_w"] == {"status": "unavailable", "reason": "Not Supported"}
    assert said["other_processes"] == {"status": "unavailable", "reason": "Insufficient Permissions"}
    assert said["sm_clock_mhz"] == 1980


def test_a_driver_that_comes_back_is_asked_again(start, driver):
    driver.does("init !9\n")
    service = start(environment=driver.environment)
    said = live(service)
    assert said["status"] == "unavailable" and "Driver Not Loaded" in said["reason"]
    driver.does(QUIET)
    service.until(lambda: live(service)["status"] == "measured", seconds=5)


def test_without_nvml_everything_else_is_there(start, driver):
    service = start(environment={**driver.environment, "COALESCED_NVML_LIBRARY": "/nonexistent/nvml.so"})
    device = service.get("/v1/devices/0").json()
    assert device["live"]["status"] == "unavailable" and "/nonexistent/nvml.so" in device["live"]["reason"]
    assert device["memory_bytes"] > 0 and device["status"]["health"] == "healthy"


@pytest.mark.slow
def test_a_driver_that_hangs_holds_nobody_up(start, driver):
    driver.does(QUIET + "hang 5\n")
    service = start(environment=driver.environment)
    begin = time.monotonic()
    assert "not answered" in live(service)["reason"]
    assert "not answered" in live(service)["reason"]
    for _ in range(20):
        assert service.get("/v1/devices").status_code == 200
    service.works()
    assert time.monotonic() - begin < 4.5
    service.until(lambda: live(service)["status"] == "measured")
    assert service.stop() == 0


@pytest.mark.slow
def test_a_service_ends_while_the_driver_hangs(start, driver):
    driver.does("hang 600\n")
    service = start(environment=driver.environment)
    live(service)
    begin = time.monotonic()
    assert service.stop() == 0
    assert time.monotonic() - begin < 10


def test_the_cpu_tells_its_memory_and_has_no_peaks(start):
    device = start(fake=False).get("/v1/devices/0").json()
    assert device["live"]["memory_used_bytes"] > 0 and device["live"]["temperature_c"]["status"] == "unavailable"
    for name in ("peak_bandwidth", "peak_single_precision", "balance_flops_per_byte"):
        assert device[name]["status"] == "unavailable" and device[name]["reason"]


def test_how_long_to_wait_for_quiet_is_the_services_unless_the_request_says(start):
    service = start("--quiet-seconds", "7")
    assert service.run(SMALL)["request"]["measure"]["quiet_s"] == 7
    assert service.run({**SMALL, "measure": {"quiet_s": 0.5}})["request"]["measure"]["quiet_s"] == 0.5
