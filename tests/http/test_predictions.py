"""POST /v1/predictions: the model alone."""
import math

import pytest
from conftest import sanitized


def predict(service, **fields):
    return service.request("POST", "/v1/predictions", json=fields)


def test_offset_11_takes_five_sectors_instead_of_four(service):
    answer = predict(service, kernel="read_offset", size=16777216, block=512, offset=11, arch=["sm_90", "sm_20"]).json()
    h200, fermi = answer["predictions"]
    assert h200["exact"] and h200["gld_sectors"] == 5242876 and h200["gst_sectors"] == 2097151
    assert h200["gld_efficiency_pct"] == pytest.approx(80, abs=0.01)
    assert fermi["l1"] and fermi["gld_efficiency_pct"] == pytest.approx(50, abs=0.01)
    assert (fermi["gld_moved_bytes"], h200["gld_moved_bytes"]) == (128 * fermi["gld_lines"], 32 * h200["gld_sectors"])


def test_the_cache_can_be_turned_off(service):
    on, off = [predict(service, kernel="read_offset", offset=11, arch="sm_20", l1=l1).json()["predictions"][0]
               for l1 in (True, False)]
    assert on["gld_efficiency_pct"] == pytest.approx(50, abs=0.01)
    assert off["gld_efficiency_pct"] == pytest.approx(80, abs=0.01)


def test_without_a_list_every_architecture_answers(service):
    rows = predict(service, kernel="copy").json()["predictions"]
    assert {"sm_20", "sm_37", "sm_90", "sm_120"} <= {row["arch"] for row in rows}
    assert all(row["gld_efficiency_pct"] == 100 for row in rows)


def test_where_nothing_is_touched_efficiency_is_null_with_its_reason(service):
    row = predict(service, kernel="read_offset", size=1000, offset=1000, arch="sm_90").json()["predictions"][0]
    assert row["gld_efficiency_pct"] is None and row["gld_reason"]


def test_occupancy_of_a_what_if(service):
    k80 = predict(service, kernel="vector_add", block=32, arch="sm_37").json()["predictions"][0]["occupancy"]
    assert (k80["blocks_per_sm"], k80["warps_per_sm"], k80["theoretical"]) == (16, 16, 0.25)
    assert k80["limited_by"] == ["blocks"] and k80["registers_per_thread"] is None
    rows = predict(service, kernel="copy", block=512, arch="sm_12", registers_per_thread=17).json()["predictions"]
    assert rows[0]["occupancy"]["blocks_per_sm"] == 1
    assert rows[0]["occupancy"]["limited_by"] == ["registers"]
    by = rows[0]["occupancy"]["blocks_by"]
    assert by["registers"] == 1 and k80["blocks_by"]["registers"] is None and k80["blocks_by"]["blocks"] == 16
    assert min(blocks for blocks in by.values() if blocks is not None) == rows[0]["occupancy"]["blocks_per_sm"]


# Architecture, "l1", and the units of loads and of stores.
UNITS = [
    ("sm_12", None, "half_warp_segment", "half_warp_segment"), ("sm_13", None, "half_warp_segment", "half_warp_segment"),
    ("sm_20", True, "line", "segment"), ("sm_20", False, "sector", "segment"), ("sm_30", None, "sector", "segment"),
    ("sm_35", None, "sector", "segment"), ("sm_37", None, "sector", "segment"), ("sm_37", True, "line", "segment"),
    ("sm_52", None, "sector", "sector"), ("sm_70", None, "sector", "sector"), ("sm_90", None, "sector", "sector"),
]
BYTES = {"sector": [32], "line": [128], "segment": [32, 64, 128], "half_warp_segment": [32, 64, 128]}


@pytest.mark.parametrize("arch, l1, loads, stores", UNITS)
def test_every_figure_of_every_kernel_is_in_the_unit_of_the_chip(service, arch, l1, loads, stores):
    """One block of one warp, so that what the warp is said to do adds up to the sums."""
    compared = 0
    for kernel in service.get("/v1/kernels").json()["kernels"]:
        fields = {"kernel": kernel["name"], "arch": arch, "explain": True, **({} if l1 is None else {"l1": l1})}
        answer = predict(service, **fields)
        assert answer.status_code == 200, answer.text
        row, explained = answer.json()["predictions"][0], answer.json()["explain"]
        if "status" in row:
            assert row["reason"] and "gld_unit" not in row and explained["arch"] is None
            continue
        # Loads that name their path take it, whatever "l1" says.
        assert row["gld_unit"] == loads or "note" in row or "load" in kernel["params"] or kernel["name"] in ("copy_ldg", "copy_restrict"), row
        assert (row["gst_unit"], explained["arch"]) == (stores, arch)
        for side, unit in (("gld", row["gld_unit"]), ("gst", row["gst_unit"])):
            sizes = {size: row.get(f"{side}_transactions_{size}") for size in (32, 64, 128)}
            if len(BYTES[unit]) == 1:
                assert set(sizes.values()) == {None} and row[f"{side}_transaction_bytes"] == BYTES[unit][0] * row[f"{side}_transactions"]
            else:
                assert sum(sizes.values()) == row[f"{side}_transactions"]
                assert sum(size * count for size, count in sizes.items()) == row[f"{side}_transaction_bytes"]
            assert row[f"{side}_moved_bytes"] == (32 * row[f"{side}_sectors"] if unit == "segment" else row[f"{side}_transaction_bytes"])
        compared += check_explanation(row, explained)
    assert compared > 60


def check_explanation(row, explained):
    """How many accesses were looked at."""
    seen = {"gld": 0, "gst": 0}
    for instruction in explained["instructions"]:
        side = {"load": "gld", "store": "gst"}.get(instruction["kind"])
        if instruction["space"] == "global" and side:
            assert instruction["unit"] == row[f"{side}_unit"]
            seen[side] += instruction["transactions"]
    if row["exact"]:
        assert seen == {side: row[f"{side}_transactions"] for side in seen}
    for access in explained["accesses"]:
        instruction = explained["instructions"][access["instruction"]]
        if instruction["space"] != "global":
            continue
        room = sum(one["bytes"] for one in access["transactions"])
        # Lanes of 8 or 16 bytes of 2.x and 3.x are two or four requests, and each touches sectors of its own.
        parts = max(1, instruction["access_bytes"] // 4) if any("part" in one for one in access["transactions"]) else 1
        assert parts == 1 or explained["arch"][:4] in ("sm_2", "sm_3")
        touched = 32 * len({(lane * parts // 32, at // 32) for lane, first in enumerate(access["addresses"]) if first is not None
                            for at in (first, first + instruction["access_bytes"] - 1)})
        assert access["moved_bytes"] == (touched if instruction["unit"] == "segment" else room)
        assert not access["moved_bytes"] or access["efficiency_pct"] == pytest.approx(100 * access["used_bytes"] / access["moved_bytes"], abs=1e-4)
        last = -1
        for one in access["transactions"]:
            assert one["bytes"] in BYTES[instruction["unit"]] and one["address"] % one["bytes"] == 0 and 0 < one["used_bytes"] <= one["bytes"]
            assert ("half" in one) == (instruction["unit"] == "half_warp_segment")
            place = one.get("half", one.get("part", 0)) << 60 | one["address"]
            assert place > last
            last = place + one["bytes"] - 1
        lanes = [(lane, first) for lane, first in enumerate(access["addresses"]) if first is not None]
        for lane, first in lanes:
            assert any(one["address"] <= first < one["address"] + one["bytes"] and one.get("half", lane // 16) == lane // 16 and one.get("part", 0) == (lane * parts // 32 if "part" in one else 0)
                       for one in access["transactions"])
    return len(explained["accesses"])


@pytest.mark.parametrize("arch, transactions, used", [("sm_20", 4, 50), ("sm_37", 10, 80), ("sm_90", 9, 800 / 9)])
def test_lanes_of_8_bytes_are_two_requests_of_2x_and_3x(service, arch, transactions, used):
    """Bytes 8 to 135 and 136 to 263: two lines or five sectors each; the whole warp touches three lines, nine sectors."""
    row = predict(service, kernel="read_offset", dtype="f64", offset=1, size=1 << 16, block=32, arch=arch).json()["predictions"][0]
    loads = 2 * (1 << 16) // 32  # of which the last warp is not full
    assert (loads - 2) * transactions <= row["gld_transactions"] <= loads * transactions
    assert row["gld_efficiency_pct"] == pytest.approx(used, abs=0.05)


def test_one_warp_adds_up(service):
    """The transactions that are listed for the only warp are those of the sums."""
    for arch, l1, *_ in UNITS:
        for offset in (0, 1, 11, 20, 32):
            fields = {"kernel": "write_offset", "size": 32, "block": 32, "offset": offset, "arch": arch, "explain": True}
            answer = predict(service, **fields, **({} if l1 is None else {"l1": l1})).json()
            for access in answer["explain"]["accesses"]:
                instruction = answer["explain"]["instructions"][access["instruction"]]
                assert sum(one["bytes"] for one in access["transactions"]) == instruction["transaction_bytes"], (arch, offset)
                assert len(access["transactions"]) == instruction["transactions"]


def test_what_is_not_counted_says_why(service):
    row = predict(service, kernel="copy", arch="sm_10").json()["predictions"][0]
    assert row["status"] == "unavailable" and "in order" in row["reason"] and row["occupancy"]["max_warps_per_sm"] == 24


def test_parameters_of_1x_take_shared_memory(service):
    def blocks(**fields):
        return predict(service, kernel="copy", block=32, arch="sm_13", shared_bytes_per_block=496, **fields).json()["predictions"][0]["occupancy"]["blocks_by"]["shared_memory"]
    assert blocks(parameter_bytes=0) == 32 and blocks(parameter_bytes=1) == 16 and blocks() == 16
    assert predict(service, kernel="copy", parameter_bytes=257).status_code == 422


@pytest.mark.parametrize("fields, pointer", [
    ({"kernel": "copy", "registers_per_thread": 0}, "#/registers_per_thread"),
    ({"kernel": "memory_fence", "load": "ldg"}, "#/load"),
    ({"kernel": "copy", "shared_bytes_per_block": "1"}, "#/shared_bytes_per_block"),
    ({"kernel": "copy", "arch": "sm_1"}, "#/arch"),
    ({"kernel": "copy", "arch": []}, "#/arch"),
    ({"kernel": "copy", "arch": 90}, "#/arch"),
    ({"kernel": "copy", "l1": "yes"}, "#/l1"),
    ({"kernel": "nope"}, "#/kernel"),
    ({"kernel": "copy", "nope": 1}, "#/nope"),
    ({"kernel": "copy", "size": -1}, "#/size"),
    ({"kernel": "copy", "repeat": 0}, "#/repeat"),
    ({"kernel": "copy", "repeat": 1001}, "#/repeat"),
])
def test_wrong_fields_are_named(service, fields, pointer):
    answer = predict(service, **fields)
    assert answer.status_code == 422
    assert pointer in [error["pointer"] for error in answer.json()["errors"]]


def test_how_often_it_runs_changes_no_prediction(service):
    once, often = (predict(service, kernel="copy", arch="sm_90", **more) for more in ({}, {"repeat": 6}))
    assert once.status_code == 200 and once.json() == often.json()


def test_an_architecture_that_is_not_known_is_told_those_that_are(service):
    errors = predict(service, kernel="copy", arch=["sm_90", 1, "x"]).json()["errors"]
    assert [error["pointer"] for error in errors] == ["#/arch/1", "#/arch/2"]
    assert "string" in errors[0]["detail"]
    known = {row["arch"] for row in predict(service, kernel="copy").json()["predictions"]}
    assert known <= set(errors[1]["detail"].split())
    assert known <= set(predict(service, kernel="copy", arch="sm_99").json()["errors"][0]["detail"].split())


def large(kernel, divisor):
    """A size that is no power of two, divided by a square, and a block that does not divide it."""
    if kernel["size_dims"] == 2:
        size = [16383 // math.isqrt(divisor), 16381 // math.isqrt(divisor)]
    else:
        size = (134217689 if kernel["name"] == "texture_read" else 268435399) // divisor
    block = [31, 33] if kernel["block_dims"] == 2 else 200 if kernel["name"] == "register_pressure" else 1000
    return {"size": size, "block": block}


@pytest.mark.alone
def test_a_prediction_takes_no_longer_for_a_larger_size(service):
    def took_s(kernel, divisor):
        begin = service.processor_s()
        answer = predict(service, kernel=kernel["name"], arch="sm_90", **large(kernel, divisor))
        assert answer.status_code == 200, answer.text
        not_affine = kernel["name"] in ("gather", "pointer_chase", "peer_chase", "atomic_add", "histogram", "l2_persistence", "memory_fence")
        assert answer.json()["predictions"][0]["exact"] == (not not_affine), kernel["name"]
        return service.processor_s() - begin

    for kernel in service.get("/v1/kernels").json()["kernels"]:
        pairs = [(took_s(kernel, 1), took_s(kernel, 256)) for _ in range(5)]
        whole, part = (min(times) for times in zip(*pairs))
        assert whole < 4 * part + 0.01, kernel["name"]  # a model that visits each element takes 256 times as long
        assert whole < 1 or sanitized()


def test_what_a_kernel_spills_is_counted_by_its_machine_code(service):
    def code(**fields):
        request = {"kernel": "register_pressure", "values": 128, "dtype": "i32", "size": 1 << 20, "arch": "sm_90"}
        asked = {name: value for name, value in {**request, **fields}.items() if value is not None}
        return predict(service, **asked).json()["predictions"][0]["code"]

    spills, keeps = code(bounds="cap_32"), code(bounds="none")
    assert spills["registers_per_thread"] == 32 < keeps["registers_per_thread"]
    # A thread that spills stores each value once, before it loads it; half the threads do half of it.
    assert spills["local_load_bytes"] >= spills["local_store_bytes"] >= (1 << 20) * (spills["local_bytes_per_thread"] - 8) > 0
    assert code(bounds="cap_32", size=1 << 19)["local_load_bytes"] * 2 == spills["local_load_bytes"]
    assert keeps["local_load_bytes"] == keeps["local_store_bytes"] == keeps["local_bytes_per_thread"] == 0
    assert code(kernel="read_const", values=None, dtype="f32")["constant_bytes"] == 4096 and keeps["constant_bytes"] == 0
    assert code(arch="sm_35")["status"] == "unavailable"


def test_the_instructions_of_its_machine_code_are_told_by_kind(service):
    def instructions(**fields):
        return predict(service, size=1 << 20, arch="sm_90", **fields).json()["predictions"][0]["code"]["instructions"]

    straight = instructions(kernel="vector_add")
    assert straight["loop"] is None and straight["straight"]["global_loads"] == 2 < straight["straight"]["all"]
    assert straight["straight"]["float64"] == 0 < instructions(kernel="vector_add", dtype="f64")["straight"]["float64"]
    loop = instructions(kernel="grid_stride")["loop"]
    assert loop["global_loads"] >= 1 and [one["iterations"] for one in loop["passes"]] == sorted({one["iterations"] for one in loop["passes"]}, reverse=True)


def test_which_l1_serves_local_memory(service):
    rows = predict(service, kernel="copy", arch=["sm_13", "sm_20", "sm_30", "sm_35", "sm_37", "sm_50", "sm_52", "sm_60", "sm_61", "sm_90"]).json()["predictions"]
    assert [row["local_l1"] for row in rows] == [False, True, True, True, True, False, False, True, True, True]


def test_the_read_only_path_is_the_l1_since_they_are_one_cache(service):
    rows = predict(service, kernel="copy_ldg", arch=["sm_35", "sm_37", "sm_50", "sm_52", "sm_61", "sm_90"]).json()["predictions"]
    assert [row["l1"] for row in rows] == [False, False, True, True, True, True]
    plain = predict(service, kernel="copy", load="ca", arch=["sm_50", "sm_52"]).json()["predictions"]
    assert [row["l1"] for row in plain] == [False, True]
