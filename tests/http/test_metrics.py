"""GET /metrics: it counts what happened, whatever works or not, and names nobody."""
import json
import re
import subprocess

import pytest
from conftest import FAKE, HERE, PROMTOOL, SMALL
from test_devices import Driver
from test_failing_disk import disk  # noqa: F401
from test_users import bearer, lines, write

SAMPLE = re.compile(r'^([a-z_]+)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')


def read(text):
    """{(name, (("label", "value"), ...)): value}, in the labels' alphabetical order."""
    found = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, labels, value = SAMPLE.match(line).groups()
            found[name, tuple(sorted(LABEL.findall(labels or "")))] = float(value)
    return found


def scrape(service, **rest):
    response = service.get("/metrics", **rest)
    assert response.status_code == 200, response.text
    return read(response.text)


def value(service, name, **labels):
    return scrape(service).get((name, tuple(sorted(labels.items()))))


def fake(what):
    return {**SMALL, "labels": {"fake": what}}


@pytest.fixture(scope="module")
def worked(tmp_path_factory):
    """A service that something of everything has happened to."""
    from conftest import Service
    one = Service(tmp_path_factory.mktemp("worked"))
    for _ in range(3):
        one.works()
    for what in ("error:incorrect", "crash", "unstable:throttled"):
        one.run(fake(what))
    running = one.post(fake("sleep:30")).json()["id"]
    waiting = [one.post(SMALL).json()["id"] for _ in range(2)]
    one.until(lambda: one.get(f"/v1/experiments/{running}").json()["state"] == "running")
    assert one.delete(f"/v1/experiments/{waiting[0]}").status_code == 200
    one.ids = [running, *waiting]
    yield one
    assert one.stop() == 0


@pytest.mark.parametrize("name, labels, expected", [
    ("coalesced_experiments_submitted_total", {}, 9),
    ("coalesced_experiments_ended_total", dict(outcome="succeeded"), 4),
    ("coalesced_experiments_ended_total", dict(outcome="incorrect"), 1),
    ("coalesced_experiments_ended_total", dict(outcome="crashed"), 1),
    ("coalesced_experiments_ended_total", dict(outcome="cancelled"), 1),
    ("coalesced_experiments_ended_total", dict(outcome="other"), 0),
    ("coalesced_experiment_wait_seconds_count", {}, 6),
    ("coalesced_experiment_duration_seconds_count", {}, 6),
    ("coalesced_results_unstable_total", dict(reason="throttled"), 1),
    ("coalesced_results_unstable_total", dict(reason="noise"), 0),
    ("coalesced_executor_restarts_total", dict(reason="crashed"), 1),
    ("coalesced_queue_depth", {}, 1),
    ("coalesced_device_running", {}, 1),
    ("coalesced_device_paused", {}, 0),
    ("coalesced_device_healthy", {}, 1),
    # The executor's last reading, which came with the unstable result.
    ("coalesced_device_sm_clock_hertz", {}, 1755e6),
    ("coalesced_device_temperature_celsius", {}, 71),
    ("coalesced_device_other_processes", {}, 2),
    ("coalesced_device_throttle_reason", dict(reason="sw_power_cap"), 1),
    ("coalesced_device_throttle_reason", dict(reason="hw_thermal"), 0),
])
def test_what_happened_to_a_device_is_told(worked, name, labels, expected):
    assert value(worked, name, device="0", **labels) == expected


def test_what_may_run_on_several_devices_counts_once(start, tmp_path):
    listed = tmp_path / "devices.json"

    def write(*names):
        listed.with_suffix(".new").write_text(json.dumps({"devices": [{"name": name, "command": FAKE} for name in names]}))
        listed.with_suffix(".new").replace(listed)

    write("left", "right", "gone")
    service = start("--devices-file", str(listed), fake=False)
    service.until(lambda: all(value(service, "coalesced_device_healthy", device=str(i)) for i in range(3)))
    assert service.run({**SMALL, "device": "any"})["state"] == "succeeded"
    service.request("POST", "/v1/queue/pause")
    ids = [service.post({**SMALL, "device": device}).json()["id"] for device in ("any", "any", "left", "right", {"memory_bytes": 1})]
    service.delete(f"/v1/experiments/{ids[0]}")

    def rows(name, **labels):
        return {device: value(service, name, device=device, **labels) for device in ("0", "1", "2", "any")}

    assert rows("coalesced_queue_depth") == {"0": 1, "1": 1, "2": 0, "any": 2}
    assert rows("coalesced_experiments_submitted_total") == {"0": 1, "1": 1, "2": 0, "any": 4}
    assert rows("coalesced_experiments_ended_total", outcome="cancelled") == {"0": 0, "1": 0, "2": 0, "any": 1}
    assert sum(rows("coalesced_experiments_ended_total", outcome="succeeded").values()) == 1
    labels = dict(device="1", device_name="right", kind="cpu", name="Fake device")
    assert scrape(service)["coalesced_device_info", tuple(sorted(labels.items()))] == 1
    # What left the list and has nothing to do is no unhealthy device; what is there makes the service ready.
    write("left", "right")
    service.until(lambda: value(service, "coalesced_device_healthy", device="2") is None)
    assert rows("coalesced_experiments_submitted_total") == {"0": 1, "1": 1, "2": 0, "any": 4}
    assert value(service, "coalesced_ready") == 1 and service.get("/readyz").status_code == 200


def test_what_is_of_no_device_is_told(worked):
    said = scrape(worked)
    assert said["coalesced_results_incorrect_total", (("kernel", "read_offset"),)] == 1
    assert said["coalesced_results_incorrect_total", (("kernel", "copy"),)] == 0
    assert said["coalesced_ready", ()] == said["coalesced_store_healthy", ()] == 1
    assert said["coalesced_store_bytes", (("file", "database"),)] > 0
    assert said["process_open_fds", ()] > 5
    assert said["process_resident_memory_bytes", ()] > 1e6
    assert [name for name, _ in said if name == "coalesced_build_info"]


def test_time_goes_on(worked):
    before = scrape(worked)
    worked.until(lambda: value(worked, "coalesced_queue_oldest_seconds", device="0")
                 > before["coalesced_queue_oldest_seconds", (("device", "0"),)] + 0.1)
    for name in ("coalesced_device_busy_seconds_total", "coalesced_queue_oldest_seconds"):
        assert value(worked, name, device="0") > before[name, (("device", "0"),)]
    key = "coalesced_device_reading_age_seconds", (("device", "0"), ("quantity", "sm_clock"))
    assert scrape(worked)[key] > before[key]


def test_requests_are_counted_by_pattern_method_and_code(worked):
    def count(**labels):
        return value(worked, "coalesced_http_requests_total", **labels)

    there = dict(route="/v1/experiments/{id}", method="GET", code="200")
    nowhere = dict(route="unknown", method="GET", code="404")
    before = count(**there), count(**nowhere) or 0
    worked.get(f"/v1/experiments/{worked.ids[0]}")
    worked.get("/no/such/thing/at/all")
    worked.get("/nor/this")
    # A reply has left before its request is counted.
    worked.until(lambda: (count(**there), count(**nowhere)) == (before[0] + 1, before[1] + 2))
    assert count(route="/v1/experiments", method="POST", code="202") == 3
    assert count(route="/v1/experiments", method="POST", code="200") == 6


def test_ids_and_labels_and_what_clients_send_are_not_in_it(worked):
    worked.post({**SMALL, "labels": {"who": "somebodys-name"}})
    worked.request("BREW", "/some/strange/path")
    text = worked.get("/metrics").text
    assert not re.search(r"\b[0-9A-HJKMNP-TV-Z]{26}\b", text)
    for word in ("somebodys-name", "BREW", "strange", worked.announced["instance"], *worked.ids):
        assert word not in text, word


def test_why_executors_ended_is_told(start):
    service = start("--idle-seconds", "0.5")
    service.works()
    service.until(lambda: value(service, "coalesced_executor_restarts_total", device="0", reason="idle") == 1)
    assert service.run({**fake("sleep:30"), "timeout_s": 0.1})["state"] == "failed"
    doomed = service.post(fake("sleep:30")).json()["id"]
    service.until(lambda: value(service, "coalesced_device_running", device="0") == 1)
    service.delete(f"/v1/experiments/{doomed}")
    service.until(lambda: value(service, "coalesced_device_running", device="0") == 0)
    assert service.run(fake("error:cuda_error"))["state"] == "failed"
    expected = {"idle": 1, "timed_out": 1, "cancelled": 1, "device_error": 1, "crashed": 0, "killed": 0, "lost": 0, "left": 0, "protocol": 0,
                "evicted": 0, "stopped": 0, "other": 0}
    for reason, times in expected.items():
        assert value(service, "coalesced_executor_restarts_total", device="0", reason=reason) >= times, reason
        assert times or value(service, "coalesced_executor_restarts_total", device="0", reason=reason) == 0, reason


def test_the_documentation_lists_every_metric_and_no_other(worked):
    text = (HERE.parents[1] / "docs/operating.md").read_text()
    rows = re.findall(r"^\| (`(?:coalesced|process)_[^|]*) \|", text, re.M)
    listed = set()
    for names in (re.findall(r"`(\w+)`", row) for row in rows):
        stem = names[0].rsplit("_", 2)[0]  # `coalesced_device_power_watts`, `_sm_clock_hertz`
        listed |= {stem + name if name.startswith("_") else name for name in names}
    assert listed == set(re.findall(r"^# TYPE (\S+) ", worked.get("/metrics").text, re.M))


def test_promtool_finds_nothing_to_complain_of(worked):
    if not PROMTOOL:
        pytest.skip("no promtool: ./test fetches it, or apt-get install prometheus")
    text = worked.get("/metrics").text
    checked = subprocess.run([PROMTOOL, "check", "metrics"], input=text, text=True, capture_output=True, timeout=60)
    assert checked.returncode == 0 and not checked.stderr, checked.stderr
    spoiled = text.replace("coalesced_experiments_submitted_total", "coalesced_experiments_submitted")
    assert subprocess.run([PROMTOOL, "check", "metrics"], input=spoiled, text=True, capture_output=True,
                          timeout=60).returncode != 0


def test_the_reply_is_prometheus_text_whatever_scrapers_prefer(service):
    for accept in ("text/plain", "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
                   "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5"):
        response = service.get("/metrics", headers={"Accept": accept})
        assert response.status_code == 200
        assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert service.get("/metrics", headers={"Accept": "application/json"}).status_code == 406


def test_with_tokens_a_scrape_shows_one(start, tmp_path):
    tokens = write(tmp_path / "tokens", lines({"gatherer": "metrics", "olivia": "admin"}))
    service = start("--token-file", tokens, ready=False)
    assert service.get("/metrics").status_code == 401
    for name in ("gatherer", "olivia"):  # no name that a commit could have in it
        response = service.get("/metrics", headers=bearer(name))
        assert response.status_code == 200
        assert name not in response.text
    assert service.get("/v1/queue", headers=bearer("gatherer")).status_code == 403


# ---- what does not work ----

def test_a_driver_that_hangs_holds_up_no_scrape(start, tmp_path):
    driver = Driver(tmp_path)
    service = start(environment=driver.environment)
    service.until(lambda: value(service, "coalesced_device_power_watts", device="0") == 98.1)
    driver.does("hang 60\nhandle 0\n")
    service.get("/v1/devices/0")  # the reading under way from here on
    for _ in range(20):
        said = scrape(service, timeout=20)  # far from the driver's minute
        assert said["coalesced_device_power_watts", (("device", "0"),)] == 98.1
    assert said["coalesced_device_reading_age_seconds", (("device", "0"), ("quantity", "power"))] > 0


def test_while_something_runs_no_scrape_has_the_driver_asked(start, tmp_path):
    driver = Driver(tmp_path)
    service = start(environment=driver.environment)
    service.post(fake("sleep:3"))
    service.until(lambda: value(service, "coalesced_device_running", device="0") == 1)
    for _ in range(10):
        assert value(service, "coalesced_device_power_watts", device="0") is None


@pytest.mark.slow
def test_a_disk_that_fails_is_told(disk):  # noqa: F811
    service = disk()
    service.works()
    disk.fails("write")
    service.post(SMALL)
    service.until(lambda: value(service, "coalesced_store_healthy") == 0)
    assert value(service, "coalesced_ready") == 0
    disk.works()
    service.until(lambda: value(service, "coalesced_ready") == 1)


@pytest.mark.slow
def test_a_disk_that_is_full_at_the_start_is_told(disk):  # noqa: F811
    disk.fails("write")
    service = disk(ready=False)
    said = scrape(service)
    assert said["coalesced_ready", ()] == said["coalesced_store_healthy", ()] == 0
    assert said["coalesced_data_directory_free_bytes", ()] > 0
    disk.works()
    service.until(lambda: service.get("/readyz").status_code == 200)
    assert value(service, "coalesced_ready") == 1
