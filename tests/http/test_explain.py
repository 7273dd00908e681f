""""explain" in POST /v1/predictions: what one warp accesses, and the sums by instruction."""
import contract
import pytest


def predict(service, **fields):
    return service.request("POST", "/v1/predictions", json=fields)


def explain(service, **fields):
    answer = predict(service, arch="sm_90", **{"explain": True, **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()["explain"]


def test_offset_11_is_the_example_of_the_contract(service):
    wanted = contract.DOCUMENT["components"]["schemas"]["Explanation"]["examples"][0]
    found = explain(service, kernel="read_offset", offset=11)
    assert found["instructions"] == wanted["instructions"]
    assert found["accesses"][0] == wanted["accesses"][0]
    assert [access["instruction"] for access in found["accesses"]] == [0, 1, 2] and found["accesses_left_out"] == 0
    same = ["block", "warp", "warps_per_block", "warps", "lanes", "lanes_active", "exact"]
    assert {name: found[name] for name in same} == {name: wanted[name] for name in same}


def test_nothing_is_explained_unasked(service):
    for asked in ({}, {"explain": False}):
        assert "explain" not in predict(service, kernel="copy", **asked).json()


def test_a_block_by_its_number_is_the_one_by_its_coordinates(service):
    matrix = {"kernel": "sum_matrix_2d", "size": [100, 200], "block": [32, 4]}  # 7 x 25 blocks
    by_number, by_place = [explain(service, explain={"block": block, "warp": 3}, **matrix) for block in (7 * 24 + 6, [6, 24])]
    assert by_number == by_place and by_place["block"] == [6, 24, 0]
    # Of row 99 the last 8 of 200 columns, the others are beyond.
    assert by_place["lanes_active"] == 8 and by_place["accesses"][0]["elements"] == [*range(99 * 200 + 192, 20000), *[None] * 24]


def test_a_warp_that_does_nothing_says_so(service):
    idle = explain(service, kernel="read_offset", size=1000, block=512, offset=500, explain={"block": 1, "warp": 15})
    assert idle["lanes_active"] == 0 and idle["accesses"] == [] and "no thread" in idle["note"]
    assert idle["instructions"] and all(one["times"] == 0 for one in idle["instructions"])


def test_the_last_warp_of_an_odd_block_is_short(service):
    short = explain(service, kernel="copy", block=33, explain={"warp": 1})
    assert (short["lanes"], short["lanes_active"], short["warps_per_block"]) == (1, 1, 2)
    assert short["accesses"][0]["elements"] == [32] + [None] * 31


@pytest.mark.parametrize("arch, dtype, banks, turns, conflicts", [
    ("sm_90", "f32", 4, 2, 1), ("sm_37", "f32", 8, 1, 0), ("sm_90", "f64", 4, 4, 2), ("sm_37", "f64", 8, 2, 1)])
def test_banks_are_those_of_the_architecture(service, arch, dtype, banks, turns, conflicts):
    question = {"kernel": "bank_conflict", "stride": 2, "repeats": 1, "dtype": dtype, "arch": arch, "explain": True}
    answer = service.request("POST", "/v1/predictions", json=question).json()
    explain, predicted = answer["explain"], answer["predictions"][0]
    load = next(one for one in explain["instructions"] if (one["kind"], one["space"]) == ("load", "shared"))
    access = next(one for one in explain["accesses"] if one["instruction"] == load["index"])
    assert (explain["bank_bytes"], access["wavefronts"], access["bank_conflicts"]) == (banks, turns, conflicts)
    assert load["wavefronts"] == predicted["shared_load_wavefronts"] == turns * load["requests"]
    assert load["bank_conflicts"] == predicted["shared_load_bank_conflicts"] == conflicts * load["requests"]


@pytest.mark.parametrize("arch, count, size, turns, conflicts", [
    ("sm_10", 16, 4, 32, 30), ("sm_13", 16, 4, 32, 30), ("sm_20", 32, 4, 16, 15), ("sm_35", 32, 8, 8, 7), ("sm_90", 32, 4, 16, 15)])
def test_a_half_warp_of_the_oldest_architectures_has_sixteen_banks(service, arch, count, size, turns, conflicts):
    question = {"kernel": "bank_conflict", "stride": 16, "repeats": 1, "block": 512, "arch": arch}
    ask = lambda **asked: service.request("POST", "/v1/predictions", json={**question, "explain": True, **asked}).json()  # noqa: E731
    answer = ask()
    found = answer["explain"]
    load = next(one for one in found["instructions"] if (one["kind"], one["space"]) == ("load", "shared"))
    access = next(one for one in found["accesses"] if one["instruction"] == load["index"])
    assert (found["bank_count"], found["bank_bytes"]) == (count, size)
    assert (access["wavefronts"], access["bank_conflicts"]) == (turns, conflicts)
    assert access["banks"] == [16 * lane % count for lane in range(32)]
    assert (load["wavefronts"], load["bank_conflicts"]) == (turns * load["requests"], conflicts * load["requests"])
    predicted = answer["predictions"][0]
    if arch != "sm_10":  # whose global requests are not counted
        assert predicted["shared_load_wavefronts"] == load["wavefronts"]
        assert predicted["shared_load_bank_conflicts"] == load["bank_conflicts"]
    unstrided = ask(stride=1)["explain"]["accesses"]
    assert all((one["wavefronts"], one["bank_conflicts"]) == (32 // count, 0) for one in unstrided if "banks" in one)


def test_shared_and_constant_memory_have_figures_of_their_own(service):
    tile = explain(service, kernel="transpose", how="shared")
    store, load = [next(one for one in tile["accesses"] if tile["instructions"][one["instruction"]]["space"] == "shared"
                        and tile["instructions"][one["instruction"]]["kind"] == kind) for kind in ("store", "load")]
    assert store["banks"] == list(range(32)) and store["bank_conflicts"] == 0
    assert load["banks"] == [0] * 32 and load["bank_conflicts"] == 31
    assert (store["wavefronts"], load["wavefronts"]) == (1, 32)
    for turns, question in (1, {"kernel": "bank_conflict"}), (2, {"kernel": "bank_conflict", "dtype": "f64"}), (4, {"kernel": "async_copy"}):
        wide = explain(service, **question)
        shared = [one for one in wide["accesses"] if wide["instructions"][one["instruction"]]["space"] == "shared"]
        assert shared and all((one["wavefronts"], one["bank_conflicts"]) == (turns, 0) for one in shared)
    words = explain(service, kernel="read_const", word="lanes")["instructions"]
    constant, = [one for one in words if one["space"] == "constant"]
    assert constant["array"] is None and constant["words"] == 32 * constant["requests"]


def test_the_instructions_add_up_to_the_predictions_of_every_kernel(service):
    for kernel in service.get("/v1/kernels").json()["kernels"]:
        answer = predict(service, kernel=kernel["name"], arch=["sm_90", "sm_37"], explain=True).json()
        instructions, prediction, kepler = answer["explain"]["instructions"], *answer["predictions"]

        def total(figure, **which):
            return sum(one[figure] for one in instructions if all(one[name] == value for name, value in which.items()))

        for prefix, kind in (("gld", "load"), ("gst", "store")):
            for figure in ("requests", "sectors", "lines", "requested_bytes"):
                assert prediction[f"{prefix}_{figure}"] == total(figure, space="global", kind=kind), kernel["name"]
        for kind in ("load", "store"):
            here = {"space": "shared", "kind": kind}
            assert prediction[f"shared_{kind}_requests"] == total("requests", **here)
            assert prediction[f"shared_{kind}_bank_conflicts"] == total("bank_conflicts", **here)
            assert prediction[f"shared_{kind}_wavefronts"] == total("wavefronts", **here)
            assert kepler[f"shared_{kind}_bank_conflicts"] == total("bank_conflicts_wide", **here)
        assert prediction["atomic_requests"] == total("requests", kind="atomic")
        assert prediction["atomic_sectors"] == total("sectors", kind="atomic")


def test_an_answer_is_small(service):
    assert len(predict(service, kernel="read_offset", size=1 << 26, offset=11, arch="sm_90", explain=True).content) < 10000
    for kernel in service.get("/v1/kernels").json()["kernels"]:
        assert len(predict(service, kernel=kernel["name"], arch="sm_90", explain=True).content) < 200000, kernel["name"]


@pytest.mark.parametrize("asked, pointer, said", [
    (1, "#/explain", "true, false, or an object"),
    ("yes", "#/explain", "true, false, or an object"),
    (None, "#/explain", "true, false, or an object"),
    ({"wrap": 1}, "#/explain/wrap", 'did you mean "warp"'),
    ({"lane": 1}, "#/explain/lane", "block and warp are known"),
    ({"block": 2048}, "#/explain/block", "0 to 2047"),
    ({"block": -1}, "#/explain/block", "at least 0"),
    ({"block": "0"}, "#/explain/block", "whole number"),
    ({"block": []}, "#/explain/block", "1 to 3 coordinates"),
    ({"block": [0, 0, 0, 0]}, "#/explain/block", "1 to 3 coordinates"),
    ({"block": [2048]}, "#/explain/block/0", "0 to 2047"),
    ({"block": [0, 1]}, "#/explain/block/1", "0 to 0"),
    ({"block": [0, 1.5]}, "#/explain/block/1", "whole number"),
    ({"warp": 16}, "#/explain/warp", "0 to 15"),
    ({"warp": True}, "#/explain/warp", "whole number"),
    ({"warp": 2**62}, "#/explain/warp", "0 to 15"),
])
def test_what_is_wrong_is_named_with_its_limit(service, asked, pointer, said):
    answer = predict(service, kernel="read_offset", explain=asked)
    assert answer.status_code == 422
    error, = answer.json()["errors"]
    assert error["pointer"] == pointer and said in error["detail"], error
