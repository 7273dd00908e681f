"""What a request may ask besides the plain experiment, with the program's own executor on the CPU, and predictions."""
import csv
import io

import pytest

from conftest import Service

SMALL = {"kernel": "copy", "size": 4096, "measure": {"min_samples": 12, "noise": 1, "max_seconds": 1}}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    one = Service(tmp_path_factory.mktemp("options"), "--devices", "cpu", fake=False)
    yield one
    assert one.stop() == 0


def predict(service, **fields):
    answer = service.request("POST", "/v1/predictions", json=fields)
    assert answer.status_code == 200, answer.text
    return answer.json()["predictions"]


def test_the_hosts_own_timer_is_a_reading_of_its_own(service):
    plain, asked = service.run(SMALL), service.run({**SMALL, "measure": {**SMALL["measure"], "host_timer": True}})
    assert "host_timer" not in plain and "host_timer" not in plain["request"]["measure"]
    assert asked["request"]["measure"]["host_timer"] is True
    timer = asked["host_timer"]
    assert 0 < timer["min_us"] <= timer["median_us"] and timer["first_us"] > 0 and 1 <= timer["samples"] <= 20
    assert "host" in timer["note"] and asked["timing"].keys() == plain["timing"].keys()
    assert service.run(asked["request"])["request"] == asked["request"]


def test_the_hosts_timer_is_in_the_table(service):
    body = {**SMALL, "size": [4096, 8192], "measure": {**SMALL["measure"], "host_timer": True}}
    sweep = service.request("POST", "/v1/sweeps", json=body, headers={"Prefer": "wait=30"}).json()
    rows = list(csv.DictReader(io.StringIO(service.get(sweep["links"]["csv"]).text, newline="")))
    assert len(rows) == 2
    assert all(float(row["host_timer_first_us"]) > 0 and float(row["host_timer_median_us"]) > 0 for row in rows)
    assert [float(row["predicted_lanes_active"]) for row in rows] == [32, 32]


@pytest.mark.parametrize("block, lanes", [(32, 32), (48, 24), (33, 16.5), (1, 1), (1000, 31.25), ([16, 3], 24)])
def test_lanes_of_a_warp_that_a_block_leaves_empty_are_told(service, block, lanes):
    kernel = "sum_matrix_2d" if isinstance(block, list) else "copy"
    assert {row["lanes_active"] for row in predict(service, kernel=kernel, block=block)} == {lanes}


# What each architecture does with a load of each path, by what `l1` says: through L1 or past it, or why there is none.
PATHS = [
    # kernel, load, arch, l1 asked -> l1 told, bytes moved for each load of a warp, note
    ("copy", "default", "sm_20", None, True, 128, None),
    ("copy", "default", "sm_20", False, False, 128, None),
    ("copy", "cg", "sm_20", None, False, 128, None),
    ("copy", "cg", "sm_20", True, False, 128, "name their path"),
    ("copy", "volatile", "sm_90", True, False, 128, "name their path"),
    ("copy", "ca", "sm_20", False, True, 128, "name their path"),
    ("copy", "ca", "sm_37", None, True, 128, None),
    ("copy", "ca", "sm_30", None, False, 128, "keeps no global loads"),
    ("copy", "ldg", "sm_37", True, False, 128, "name their path"),
    ("copy", "ldg", "sm_90", None, True, 128, None),
    ("copy_ldg", None, "sm_37", True, False, 128, "name their path"),
    ("copy_ldg", None, "sm_90", None, True, 128, None),
    ("read_restrict", None, "sm_37", True, False, 256, "name their path"),
    ("read_restrict", None, "sm_20", True, True, 256, None),
]


@pytest.mark.parametrize("kernel, load, arch, asked, told, moved, note", PATHS)
def test_a_load_that_names_its_path_takes_it(service, kernel, load, arch, asked, told, moved, note):
    fields = {"kernel": kernel, "size": 32, "block": 32, "arch": arch}
    fields |= {"load": load} if load else {}
    row = predict(service, **fields, **({} if asked is None else {"l1": asked}))[0]
    assert (row["l1"], row["gld_moved_bytes"]) == (told, moved)
    assert (note in row["note"]) if note else "note" not in row


@pytest.mark.parametrize("fields", [{"kernel": "copy", "load": "ldg"}, {"kernel": "copy_ldg"}])
def test_before_sm_35_there_was_no_read_only_path(service, fields):
    rows = {row["arch"]: row for row in predict(service, **fields)}
    missing = {arch for arch, row in rows.items() if "status" in row}
    assert missing == {"sm_12", "sm_13", "sm_20", "sm_21", "sm_30"}
    assert all("no read-only path" in rows[arch]["reason"] for arch in missing)


def test_a_load_by_the_read_only_path_is_the_same_in_both_kernels(service):
    for l1 in ({}, {"l1": False}):
        asked, named = [predict(service, size=1000, **l1, **fields)
                        for fields in ({"kernel": "copy", "load": "ldg"}, {"kernel": "copy_ldg"})]
        assert asked == named


# Stores of one warp where a transaction is a segment: what is written, and transactions of 32, 64 and 128 bytes.
SEGMENTS = [
    ({"kernel": "write_offset", "size": 32, "offset": 0}, (0, 0, 1)),
    ({"kernel": "copy", "size": 32}, (0, 0, 1)),
    ({"kernel": "copy", "size": 16}, (0, 1, 0)),
    ({"kernel": "copy", "size": 8}, (1, 0, 0)),
    ({"kernel": "copy", "size": 24}, (0, 0, 1)),
    ({"kernel": "copy", "size": 40, "block": 64}, (1, 0, 1)),
]


@pytest.mark.parametrize("fields, sizes", SEGMENTS)
def test_a_store_is_a_segment_of_one_two_or_four(service, fields, sizes):
    kepler, today = predict(service, **{"block": 32, **fields}, arch=["sm_37", "sm_90"])
    assert tuple(kepler[f"gst_transactions_{size}"] for size in (32, 64, 128)) == sizes
    assert sum(sizes) == kepler["gst_transactions"] and "gst_transactions_32" not in today


NAMES = [("sm_37", "sm_37"), ("SM_37", "sm_37"), ("3.7", "sm_37"), ("Tesla K80", "sm_37"), ("tesla k80", "sm_37"),
         ("Tesla K40m", "sm_35"), ("K20Xm", "sm_35"), ("Tesla M2090", "sm_20"), ("GeForce GTX 680", "sm_30"),
         ("NVIDIA GeForce RTX 3090 Ti", "sm_86"), ("NVIDIA A100-SXM4-80GB", "sm_80"), ("A10", "sm_86"),
         ("Tesla V100-SXM2-16GB", "sm_70"), ("L40", "sm_89"), ("NVIDIA H200", "sm_90"), ("12.0", "sm_120")]


def test_an_architecture_has_the_names_that_a_reader_knows(service):
    rows = predict(service, kernel="copy", arch=[name for name, _ in NAMES])
    assert [row["arch"] for row in rows] == [arch for _, arch in NAMES]


@pytest.mark.parametrize("name, told", [("GTX 681", 'did you mean "GTX 680"?'), ("7.3", "(sm_73)"), ("sm_99", "sm_90"),
                                        ("GTX 680M", 'did you mean "GTX 680"?'), ("", "sm_90"), ("sm_", "sm_90"),
                                        ("3.77", "sm_90"), ("x" * 300, "sm_121"), (".", "sm_90")])
def test_a_name_that_means_no_architecture_is_told_what_was_meant(service, name, told):
    answer = service.request("POST", "/v1/predictions", json={"kernel": "copy", "arch": name})
    error = answer.json()["errors"][0]
    assert error["pointer"] == "#/arch" and told in error["detail"] and "sm_121" in error["detail"]


def test_every_recipe_can_be_asked_without_running_it(service):
    for recipe in service.get("/v1/recipes").json()["recipes"]:
        answer = service.get(f"/v1/recipes/{recipe['name']}/predictions", params={"arch": "Tesla K80"}).json()
        assert answer["arch"] == "sm_37" and answer["points"], recipe["name"]
        assert [point["index"] for point in answer["points"]] == list(range(len(answer["points"])))
        assert all(("prediction" in point) != ("failure" in point) for point in answer["points"])


def test_a_published_table_is_predicted_for_its_own_chip(service):
    """read_segment_cached was published for a Fermi with L1: offset 11 uses half of what its lines hold."""
    path = "/v1/recipes/read_segment_cached/predictions"
    answer = service.get(path).json()
    table = list(csv.DictReader(io.StringIO(service.get(path, headers={"Accept": "text/csv"}).text, newline="")))
    assert answer["arch"] == "sm_20" and len(table) == len(answer["points"])
    for row, point in zip(table, answer["points"]):
        assert float(row["predicted_gld_efficiency_pct"]) == point["prediction"]["gld_efficiency_pct"]
        assert row["offset"] == str(point["values"]["offset"]) and row["predicted_arch"] == "sm_20"
        published = point["published"]["gld_efficiency_pct"]
        assert float(row["published_gld_efficiency_pct"]) == published
        assert point["prediction"]["gld_efficiency_pct"] == pytest.approx(published, abs=0.5)


def test_a_recipe_has_the_time_of_each_point_where_a_devices_constants_are_known(service):
    path = "/v1/recipes/vector_add_blocks/predictions?arch=9.0"
    points = service.get(path).json()["points"]
    table = list(csv.DictReader(io.StringIO(service.get(path, headers={"Accept": "text/csv"}).text, newline="")))
    for point, row in zip(points, table, strict=True):
        alone = predict(service, **{name: point["request"][name] for name in ("kernel", "dtype", "size", "block")}, device_name="NVIDIA H200", what_if=False)[0]
        assert point["prediction"]["time"] == alone["time"]
        assert float(row["predicted_us"]) == alone["time"]["predicted_us"] and row["limiter"] == alone["time"]["limiter"]
    assert not any("time" in point["prediction"] for point in service.get(path.replace("9.0", "3.7")).json()["points"])


@pytest.mark.parametrize("path, status", [
    ("/v1/recipes/read_segmnt_cached/predictions", 404), ("/v1/recipes/atomics/predictions?arch=K81", 400),
    ("/v1/recipes/atomics/predictions?columns=index", 400), ("/v1/recipes/atomics/predictions?nope=1", 400)])
def test_a_wrong_question_about_a_recipe_is_told(service, path, status):
    assert service.get(path).status_code == status


def test_a_recipes_table_has_the_columns_that_are_asked_for(service):
    text = service.get("/v1/recipes/atomics/predictions?columns=index,predicted_exact", headers={"Accept": "text/csv"}).text
    assert text.splitlines()[:2] == ["index,predicted_exact", "0,false"]
    wrong = service.get("/v1/recipes/atomics/predictions?columns=indx", headers={"Accept": "text/csv"})
    assert wrong.status_code == 400 and "index" in wrong.json()["detail"]


@pytest.mark.parametrize("block, pointer", [(2048, "at most 1024 threads in x"), ([64, 32], "2048 threads a block, the limit")])
def test_a_block_that_is_too_large_is_told_what_cuda_would_say(service, block, pointer):
    kernel = "sum_matrix_2d" if isinstance(block, list) else "copy"
    for path in ("/v1/predictions", "/v1/experiments"):
        error = service.request("POST", path, json={"kernel": kernel, "block": block}).json()["errors"][0]
        assert error["pointer"] == "#/block" and pointer in error["detail"]
        assert "invalid configuration argument" in error["detail"]


@pytest.mark.parametrize("fields, limit, error", [
    ({"arch": "sm_12", "block": 1024}, "threads", "invalid configuration argument"),
    ({"arch": "sm_90", "block": 1024, "registers_per_thread": 65}, "registers", "too many resources requested for launch"),
    ({"arch": "sm_20", "block": 32, "registers_per_thread": 64}, "registers", "too many resources requested for launch"),
    ({"arch": "sm_37", "block": 32, "shared_bytes_per_block": 49153}, "shared_memory", "invalid argument"),
    ({"arch": "sm_37", "block": 32, "shared_bytes_per_block": 49152}, None, None)])
def test_a_block_that_does_not_fit_a_multiprocessor_is_told_how_its_launch_fails(service, fields, limit, error):
    occupancy = predict(service, kernel="copy", **fields)[0]["occupancy"]
    assert occupancy.get("launch_error") == error and (occupancy["blocks_per_sm"] == 0) == bool(error)
    assert limit is None or limit in occupancy["limited_by"]


def test_occupancy_for_registers_and_shared_memory_needs_no_device(service):
    """40 registers: 1280 a warp, 12 warps in each of four parts of 16384: 6 blocks of 8 warps."""
    row = predict(service, kernel="copy", arch="3.5", block=256, registers_per_thread=40, shared_bytes_per_block=4096)[0]
    occupancy = row["occupancy"]
    assert (occupancy["blocks_per_sm"], occupancy["theoretical"], occupancy["limited_by"]) == (6, 0.75, ["registers"])
