"""The time of a prediction: for a calibrated device by its name, with what one change would bring."""
import json
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[2]

DEVICE = "NVIDIA H200"


def predict(service, **fields):
    return service.request("POST", "/v1/predictions", json=fields)


def time_of(service, **fields):
    answer = predict(service, device_name=DEVICE, **fields)
    assert answer.status_code == 200, answer.text
    assert [row["arch"] for row in answer.json()["predictions"]] == ["sm_90"]
    return answer.json()["predictions"][0]["time"]


def test_a_calibrated_device_has_a_time(service):
    time = time_of(service, kernel="copy", size=16777216, block=256)
    assert time["device_name"] == DEVICE and 20 < time["predicted_us"] < 100
    bounds = {bound["name"]: bound["us"] for bound in time["bounds"]}
    assert time["limiter"] == max(bounds, key=bounds.get)
    assert max(bounds.values()) + time["floor_us"] <= time["predicted_us"]
    assert time_of(service, kernel="copy", size=2 * 16777216, block=256)["predicted_us"] > 1.7 * time["predicted_us"]
    assert time_of(service, kernel="copy", size=16777216, block=256, what_if=False).get("what_if") is None


@pytest.mark.parametrize("limiter, fields", [
    ("latency", {"kernel": "copy", "size": 1 << 25, "block": 256}),
    ("dram", {"kernel": "gather", "scope": "global", "size": 1 << 25}),  # opens a page for each load
    ("dram", {"kernel": "write_only", "size": 1 << 25, "block": 1024}),  # part of it stays in the L2
    ("ask", {"kernel": "write_only", "size": 1 << 20, "block": 1024}),  # all of it: DRAM moves nothing
])
def test_a_bound_is_its_amount_over_its_ceiling(service, limiter, fields):
    time = time_of(service, what_if=False, **fields)
    assert time["limiter"] == limiter
    for bound in time["bounds"]:
        if bound["amount"]:
            assert bound["us"] == pytest.approx(bound["amount"] / bound["ceiling"], rel=1e-5)
        else:
            assert bound["us"] == 0 or bound["name"] == "dram" and bound["ceiling"] is None


def test_an_architecture_by_two_names_is_predicted_alike(service):
    rows = predict(service, kernel="copy", arch=["sm_90", "sm_37", "H100", "K80"]).json()["predictions"]
    assert [row["arch"] for row in rows] == ["sm_90", "sm_37", "sm_90", "sm_37"]
    assert rows[0] == rows[2] and rows[1] == rows[3]


def test_every_kernel_and_type_has_a_time_or_a_reason(service):
    without = set()
    for kernel in service.get("/v1/kernels").json()["kernels"]:
        for dtype in kernel["dtypes"]:
            answer = predict(service, kernel=kernel["name"], dtype=dtype, device_name=DEVICE)
            if answer.status_code == 422:
                continue  # the default of a parameter does not fit that type
            time = answer.json()["predictions"][0]["time"]
            if "status" in time:
                assert time["reason"] not in time["explanation"]["zh"], "a reason of the model has no Chinese"
                assert time["reason"] in time["explanation"]["en"]
                without.add(kernel["name"])
            else:
                assert time["predicted_us"] > time["floor_us"] > 0 and time["explanation"]["zh"]
    assert {"peer_copy"} <= without and not {"copy", "transpose", "grid_stride", "gather"} & without


def test_architectures_have_the_time_of_a_device_whose_constants_are_shipped(service):
    rows = {row["arch"]: row for row in predict(service, kernel="copy").json()["predictions"]}
    assert rows["sm_90"]["time"]["device_name"] == DEVICE and "time" not in rows["sm_20"]
    assert "what_if" not in rows["sm_90"]["time"]


@pytest.mark.parametrize("arch, device", [("sm_90", "NVIDIA H200"), ("H200", "NVIDIA H200"), ("h100", "NVIDIA H100 80GB HBM3"),
                                          (["NVIDIA H100"], "NVIDIA H100 80GB HBM3"), ("H800", None)])
def test_a_product_has_the_time_of_that_product_or_none(service, arch, device):
    row = predict(service, kernel="copy", arch=arch).json()["predictions"][0]
    assert row["arch"] == "sm_90" and row.get("time", {}).get("device_name") == device


def test_a_loop_over_the_grid_has_the_grid_that_it_would_have_there(service):
    answer = predict(service, kernel="grid_stride", block=256, device_name="nvidia h200").json()
    assert answer["request"]["grid"] == [132 * 8, 1, 1]


@pytest.mark.parametrize("fields, pointer, told", [
    ({"device_name": 3}, "#/device_name", "must be a string"),
    ({"device_name": "NVIDIA H2000"}, "#/device_name", '"NVIDIA H200"'),
    ({"device_name": DEVICE, "arch": "sm_80"}, "#/arch", "sm_90"),
    ({"device_name": DEVICE, "arch": ["sm_90", "sm_80"]}, "#/arch", "sm_90"),
    ({"device_name": DEVICE, "what_if": "yes"}, "#/what_if", "true or false"),
])
def test_wrong_names_are_told_what_would_be_right(service, fields, pointer, told):
    answer = predict(service, kernel="copy", **fields)
    assert answer.status_code == 422
    errors = {error["pointer"]: error["detail"] for error in answer.json()["errors"]}
    assert list(errors) == [pointer] and told in errors[pointer]


SLOW = [
    {"kernel": "copy", "size": 16777216, "block": 32},
    {"kernel": "transpose", "size": [4096, 4096], "how": "naive_row"},
    {"kernel": "copy", "size": 16777216, "block": 256, "shared_bytes": 200000},
    {"kernel": "grid_stride", "block": 256, "grid": 132},
    {"kernel": "strided", "size": 16777216, "stride": 9},
    {"kernel": "sum_matrix_2d", "size": [4096, 4096], "block": [1, 256]},
]


@pytest.mark.parametrize("request_fields", SLOW, ids=lambda fields: fields["kernel"])
def test_a_change_brings_what_it_says_when_it_is_asked_for_itself(service, request_fields):
    now = time_of(service, **request_fields)
    assert now["what_if"], now
    fields = [name for change in now["what_if"] for name in change["change"]]
    assert len(set(fields)) == len(fields) <= 3 and not {"dtype", "size", "kernel"} & set(fields)
    for change in now["what_if"]:
        then = time_of(service, **{**request_fields, **change["change"]})
        assert change["predicted_us"] == pytest.approx(then["predicted_us"], rel=1e-6)
        assert change["ratio"] == pytest.approx(then["predicted_us"] / now["predicted_us"], rel=1e-5)
        assert change["ratio"] <= 0.95
    assert [change["ratio"] for change in now["what_if"]] == sorted(change["ratio"] for change in now["what_if"])


@pytest.mark.parametrize("request_fields", SLOW, ids=lambda fields: fields["kernel"])
def test_the_sweep_that_checks_a_change_has_both(service, request_fields):
    time = time_of(service, **request_fields)
    (field, value), = time["what_if"][0]["change"].items()
    sweep = service.request("POST", "/v1/sweeps", json={**time["check"], "measure": {"max_seconds": 0.001}})
    assert sweep.status_code == 202, sweep.text
    points = service.get(sweep.json()["links"]["self"]).json()["points"]
    service.request("POST", f"/v1/sweeps/{sweep.json()['id']}/cancel")
    asked, *fields = predict(service, device_name=DEVICE, **request_fields).json()["request"], "kernel", "dtype", "size", "shared_bytes"
    assert len(points) == 2
    now, then = [point["request"] for point in points]
    assert [now[name] for name in (*fields, "block")] == [asked[name] for name in (*fields, "block")]
    assert {name for name in asked if name in then and now[name] != then[name]} - {"grid"} == {field} - {"grid"}
    assert points[1]["values"][field] == value


def test_counts_by_sample_look_for_changes_only_when_asked(service):
    fields = {"kernel": "gather", "size": 1048576}
    assert "what_if" not in time_of(service, **fields)
    assert "what_if" in time_of(service, **fields, what_if=True)


AGAIN = json.loads((ROOT / "bench/results/again_h200.json").read_text())["points"]
PLACES = {"words": "threadIdx.x * 1024", "parts": "(i & 1023) * 32768", "rows": "i * 32 % (1 << 20)"}


@pytest.mark.parametrize("point", AGAIN, ids=lambda point: f"{point['loads']}-{point['n']}")
@pytest.mark.parametrize("check", [False, True])
def test_what_all_blocks_read_again_comes_from_dram_once_and_takes_what_an_h200_measured(service, point, check):
    source = "__global__ void again(const float *in, float *out, unsigned n) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x;" f" if (i < n) out[i] = in[{PLACES[point['loads']]}]; }}"
    arguments = [{"name": "in", "type": "f32", "elements": "33554432"}, {"name": "out", "type": "f32", "elements": "n"}, {"name": "n", "type": "u32"}]
    answer = service.request("POST", "/v1/predictions", json={
        "source": source, "arguments": arguments, "n": point["n"], "threads": "n", "block": point["block"], "arch": "sm_90", "device_name": "NVIDIA H200", "check": check})
    if answer.status_code == 503:
        pytest.skip(f"no compiler: {answer.json()['detail']}")
    [made] = answer.json()["predictions"]
    if "time" not in made or "predicted_us" not in made["time"]:
        pytest.skip("no machine code is made here")
    least, most = point["dram_read_bytes_counted"]
    assert 0.85 * least < made["time"]["dram_read_bytes"] <= most
    assert made["time"]["predicted_us"] == pytest.approx(point["measured_us"], rel=0.21)
