"""A device's constants, measured by the service's own experiments: on a GPU that is not there, whose times are what the
model says, so that what must be found is known."""
import pathlib
import signal

import pytest

import conftest
from conftest import token_line

FAKE_GPU = pathlib.Path(conftest.BINARY).parent / "tests" / "fake_gpu"
HERE = "/v1/devices/gpu0/calibration"
OFF = {"launch_ns": 1.4, "bandwidth_gbps": 0.8, "slot_ns": 1.3, "flit_ps": 1.25, "dram_latency_ns": 1.2, "l2_latency_ns": 0.9}

pytestmark = pytest.mark.skipif(not FAKE_GPU.exists(), reason="tests/fake_gpu is not built")


def gpu(*arguments, **off):
    changed = [f"{name}={factor}" for name, factor in off.items()]
    return ["--device", " ".join([f"gpu0={FAKE_GPU}", *changed, *arguments])]


def constants(document):
    return {one["name"]: one["value"] for one in document["calibration"]["constants"]}


def look(service):
    return service.get(HERE).json()


def sweeps(service):
    return service.get("/v1/sweeps").json()["sweeps"]


def ask(service, **rest):
    return service.request("POST", HERE, **rest)


def until_made(service):
    service.until(lambda: look(service)["state"] == "made" or look(service)["failure"], seconds=180)
    made = look(service)
    assert made["failure"] is None, made["failure"]
    return made


@pytest.mark.slow
def test_a_gpu_with_nothing_to_do_is_calibrated_and_its_constants_are_found(start):
    service = start(*gpu(**OFF))
    service.until(lambda: look(service)["state"] != "none")
    shipped = constants(look(service))
    made = until_made(service)
    found = constants(made)
    for name, value in shipped.items():
        within = 0.03 if name in OFF else 0.25
        assert found[name] == pytest.approx(value * OFF.get(name, 1), rel=within), name
    assert made["calibration"]["experiments"] >= 40
    (sweep,) = sweeps(service)
    assert made["links"]["sweep"] == sweep["links"]["self"]
    assert (sweep["owner"], sweep["state"], sweep["recipe"]) == ("calibration", "succeeded", "calibration")
    assert 40 <= sweep["total"] <= 130
    assert service.stop() == 0

    again = start(*gpu(**OFF))
    again.until(lambda: look(again)["state"] != "none")
    assert look(again) == made
    assert len(sweeps(again)) == 1
    assert ask(again).status_code == 202
    newer = until_made(again)
    assert newer["sweep"] != made["sweep"] and constants(newer) == pytest.approx(found, rel=0.02)
    assert again.stop() == 0
    last = start(*gpu(**OFF))
    last.until(lambda: look(last)["state"] != "none")
    assert look(last) == newer


@pytest.mark.slow
def test_what_a_kill_cut_short_goes_on_as_the_same_sweep(start):
    flags = gpu("pause_ms=60")
    service = start(*flags)
    service.until(lambda: any(sweep["done"] > 3 for sweep in sweeps(service)))
    before = look(service)["sweep"]
    service.stop(signal.SIGKILL)
    service = start(*flags)
    assert until_made(service)["sweep"] == before
    assert [sweep["id"] for sweep in sweeps(service)] == [before]


@pytest.mark.kills
def test_one_that_was_asked_for_is_made_after_kills(start):
    """Killed as soon as the answer is there, and again in the middle of its experiments: it is the same sweep."""
    flags = [*gpu("pause_ms=60"), "--calibrate", "ask"]
    service = start(*flags)
    service.until(lambda: look(service)["state"] == "shipped")
    asked = ask(service)
    service.stop(signal.SIGKILL)
    assert (asked.status_code, asked.json()["state"]) == (202, "running")
    service = start(*flags)
    service.until(lambda: any(sweep["done"] > 3 for sweep in sweeps(service)))
    assert look(service)["state"] == "running"
    service.stop(signal.SIGKILL)
    service = start(*flags)
    assert until_made(service)["sweep"] == asked.json()["sweep"]
    assert [sweep["id"] for sweep in sweeps(service)] == [asked.json()["sweep"]]


@pytest.mark.kills
@pytest.mark.parametrize("other", ["driver=2", "uuid=GPU-another"])
def test_what_another_driver_or_card_measured_is_not_taken_for_this_ones(start, other):
    options = ["--calibrate", "ask"]
    service = start(*gpu("pause_ms=60"), *options)
    service.until(lambda: look(service)["state"] == "shipped")
    ask(service)
    service.stop(signal.SIGKILL)
    service = start(*gpu(other), *options)
    service.until(lambda: look(service)["failure"], seconds=60)
    assert (look(service)["state"], look(service)["failure"]) == (
        "shipped", "the device, its driver or its build changed while it was calibrated")
    ask(service)
    assert until_made(service)["calibration"]["driver"] == ("2" if other == "driver=2" else "1")


@pytest.mark.slow
def test_one_is_made_when_somebody_asks_and_a_failure_is_told(start):
    service = start(*gpu("fail=100", launch_ns=2), "--calibrate", "ask")
    service.until(lambda: look(service)["state"] == "shipped")
    assert "none" in look(service)["reason"] and look(service)["automatic"] is False
    shipped = look(service)["calibration"]
    asked = ask(service)
    assert (asked.status_code, asked.json()["state"], asked.json()["calibration"]) == (202, "running", shipped)
    service.until(lambda: look(service)["failure"], seconds=60)
    failed = look(service)
    assert failed["state"] == "shipped" and "100 of its experiments" in failed["failure"]
    assert ask(service).status_code == 202
    made = until_made(service)
    assert constants(made)["launch_ns"] == pytest.approx(2 * constants({"calibration": shipped})["launch_ns"], rel=0.05)


@pytest.mark.slow
def test_results_and_predictions_are_told_by_the_devices_own_constants(start):
    service = start(*gpu("bandwidth_gbps=0.5", "launch_ns=3"), "--calibrate", "ask")
    service.until(lambda: look(service)["state"] == "shipped")
    request = {"kernel": "copy", "size": 1 << 26}
    assert service.run(request)["time"]["calibration"] == "shipped"
    ask(service)
    made_at = until_made(service)["calibration"]["made_at"]
    time = service.run(request)["time"]
    asked = service.request("POST", "/v1/predictions", json={**request, "device_name": "NVIDIA H200"}).json()["predictions"][0]["time"]
    assert (time["calibration"], asked["calibration"]) == (made_at, made_at)
    assert time["predicted_us"] == asked["predicted_us"] == pytest.approx(time["measured_us"], rel=0.05)
    assert all(asked[name] == time[name] for name in asked if name not in ("check",))
    service.stop()

    again = start(*gpu("bandwidth_gbps=0.5", "launch_ns=3"), "--calibrate", "ask")
    assert again.run(request)["time"]["calibration"] == made_at


def test_it_is_an_operators_to_ask_and_everybodys_to_read(start, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(token_line("op", "admin", "one") + token_line("student", "run", "two"))
    tokens.chmod(0o600)
    service = start(*gpu(), "--calibrate", "ask", "--token-file", str(tokens))
    for secret, status in (("two", 403), ("one", 202)):
        service.headers = {"Authorization": f"Bearer {secret}"}
        service.until(lambda: look(service)["state"] != "none")
        assert ask(service).status_code == status


def test_a_device_that_is_no_gpu_says_that_the_model_is_not_for_it(service):
    none = service.get("/v1/devices/0/calibration").json()
    assert (none["state"], none["calibration"], none["sweep"]) == ("none", None, None)
    assert "GPU" in none["reason"]
    refused = service.request("POST", "/v1/devices/0/calibration")
    assert refused.status_code == 409 and "GPU" in refused.json()["detail"]
    assert service.request("POST", "/v1/devices/77/calibration").status_code == 404
