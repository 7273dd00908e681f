"""With the program's own executor, on the CPU."""
import pytest

from conftest import Service

MEASURE = {"min_samples": 5, "noise": 1, "max_seconds": 0.05}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    one = Service(tmp_path_factory.mktemp("real"), "--devices", "cpu", fake=False)
    yield one
    assert one.stop() == 0


def test_every_kernel_comes_back_verified_with_numbers(service):
    for kernel in service.get("/v1/kernels").json()["kernels"]:
        size = 10007 if kernel["size_dims"] == 1 else [101, 97]
        if kernel["peer"]:
            refused = service.post({"kernel": kernel["name"], "size": size})
            assert refused.status_code == 422 and refused.json()["errors"][0]["pointer"] == "#/peer"
            continue
        result = service.run({"kernel": kernel["name"], "size": size, "measure": MEASURE})
        assert result["state"] == "succeeded", result
        assert result["correctness"]["verified"] is True and result["device"]["backend"] == "cpu"
        assert result["timing"]["cold"]["median_us"] > 0
        assert result["bandwidth"]["cold"]["effective_gbps"] > 0
        assert result["stability"]["waited_s"] == 0 and result["stability"]["live"]["status"] == "unavailable"
        assert result["provenance"]["kernel_sha256"] == kernel["sha256"]


@pytest.mark.parametrize("offset", [0, 1, 11, 32, 128, 4099])
def test_offsets_up_to_the_size_are_verified(service, offset):
    result = service.run({"kernel": "read_offset", "size": 4099, "offset": offset, "measure": MEASURE})
    assert result["correctness"]["verified"] is True


def test_memory_that_the_device_does_not_have_is_refused(service):
    response = service.post({"kernel": "read_offset", "size": 2 ** 40})
    assert response.status_code == 422
    assert response.json()["errors"][0]["pointer"] == "#/size"


def test_the_device_says_that_it_is_a_cpu(service):
    assert service.get("/v1/devices/0").json()["backend"] == "cpu"


def test_the_occupancy_is_that_of_the_code_of_the_architecture_that_stands_in(service):
    asked = {"kernel": "register_pressure", "values": 64, "dtype": "i32", "size": 65536, "block": 256}
    result = service.run({**asked, "measure": MEASURE})
    stand_in = service.request("POST", "/v1/predictions", json={**asked, "arch": "sm_90"}).json()["predictions"][0]["occupancy"]
    assert result["launch"]["registers_per_thread"] is None and result["occupancy"]["registers_per_thread"] == stand_in["registers_per_thread"] > 64
    assert result["occupancy"]["warps_per_sm"] == stand_in["warps_per_sm"] == 24
