"""GET /v1/occupancy, and the same object in predictions and results: what fits, where a step is, and what hides a latency."""
import pytest

ALL = ["sm_10", "sm_11", "sm_12", "sm_13", "sm_20", "sm_21", "sm_30", "sm_35", "sm_37", "sm_50", "sm_52", "sm_60", "sm_61", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89",
       "sm_90", "sm_100", "sm_103", "sm_120", "sm_121"]


def ask(service, query=""):
    return service.get(f"/v1/occupancy?{query}").json()


def first(service, query):
    return ask(service, query)["occupancies"][0]


def predicted(service, **fields):
    return service.request("POST", "/v1/predictions", json=fields).json()["predictions"][0]


def test_one_register_more_is_a_step_down_the_staircase(service):
    answer = ask(service, "arch=sm_35&block=256&registers_per_thread=33&shared_bytes=0")
    assert (answer["block"], answer["registers_per_thread"], answer["shared_bytes"]) == (256, 33, 0)
    one = answer["occupancies"][0]
    assert (one["arch"], one["blocks_per_sm"], one["warps_per_sm"], one["limited_by"]) == ("sm_35", 6, 48, ["registers"])
    assert one["thresholds"]["registers"] == {"more": {"at": 32, "blocks_per_sm": 8}, "fewer": {"at": 41, "blocks_per_sm": 5}}
    assert one["thresholds"]["shared_bytes"] == {"more": None, "fewer": {"at": 8193, "blocks_per_sm": 5}}
    assert one["thresholds"]["threads"] == {"more": {"at": 192, "blocks_per_sm": 8}, "fewer": {"at": 257, "blocks_per_sm": 5}}
    assert one["staircases"]["registers"][:2] == [{"from": 1, "to": 32, "blocks_per_sm": 8, "warps_per_sm": 64}, {"from": 33, "to": 40, "blocks_per_sm": 6, "warps_per_sm": 48}]


@pytest.mark.parametrize("arch", ["sm_10", "sm_12", "sm_21", "sm_30", "sm_90", "sm_120"])
def test_at_a_threshold_as_many_blocks_fit_as_it_says_and_just_before_it_as_many_as_now(service, arch):
    figures = {"registers_per_thread": 20, "shared_bytes": 5000, "block": 192}
    names = {"registers": "registers_per_thread", "shared_bytes": "shared_bytes", "threads": "block"}

    def blocks(**changed):
        return first(service, f"arch={arch}&" + "&".join(f"{name}={value}" for name, value in {**figures, **changed}.items()))
    now, seen = blocks(), 0
    for axis, sides in now["thresholds"].items():
        for side, inwards in (("more", 1), ("fewer", -1)):
            if sides[side]:
                there = sides[side]
                seen += 1
                assert blocks(**{names[axis]: there["at"]})["blocks_per_sm"] == there["blocks_per_sm"] != now["blocks_per_sm"]
                assert blocks(**{names[axis]: there["at"] + inwards})["blocks_per_sm"] == now["blocks_per_sm"]
    assert seen >= 3


def test_every_architecture_answers_and_its_staircases_have_no_gaps(service):
    rows = ask(service)["occupancies"]
    assert [row["arch"] for row in rows] == ALL
    for row in rows:
        for name, steps in row["staircases"].items():
            assert steps[0]["from"] == (name != "shared_bytes")
            assert all(after["from"] == before["to"] + 1 for before, after in zip(steps, steps[1:])), row["arch"]


@pytest.mark.parametrize("arch, issue, latency, warps, instructions", [
    ("sm_12", (1, 1, 4), 22, 6, 6), ("sm_20", (2, 1, 2), 22, 22, 22), ("sm_21", (2, 2, 2), 22, 22, 44), ("sm_30", (4, 2, 1), 11, 44, 88), ("sm_90", (4, 1, 1), 4, 16, 16)])
def test_what_hides_a_register_latency_follows_from_the_issue_rate(service, arch, issue, latency, warps, instructions):
    row = first(service, f"arch={arch}&block=128")
    assert row["issue"] == dict(zip(("warps", "instructions", "cycles"), issue))
    assert (row["register_latency_cycles"], row["warps_to_hide_register_latency"], row["instructions_to_hide_register_latency"]) == (latency, warps, instructions)


def test_a_latency_that_nobody_published_is_left_out(service):
    row = first(service, "arch=sm_100")
    assert row["issue"]["warps"] == 4 and not [name for name in row if name.endswith("latency") or name.endswith("latency_cycles")]


def test_predictions_have_the_same_object_but_for_the_staircases(service):
    asked = first(service, "arch=K80&block=128&registers_per_thread=40&shared_bytes=4096")
    del asked["staircases"]
    assert predicted(service, kernel="copy", block=128, registers_per_thread=40, shared_bytes_per_block=4096, arch="sm_37")["occupancy"] == asked


@pytest.mark.parametrize("query, said", [
    ("arch=sm_12&block=513", "block must be a number of threads from 1 to 512, the limit of sm_12"),
    ("arch=sm_12,sm_90&block=0", "block must be a number of threads from 1 to 1024, the limit of sm_90"),
    ("arch=sm_30&registers_per_thread=64", "registers_per_thread must be a number of registers from 1 to 63, the limit of sm_30"),
    ("arch=3.5&shared_bytes=49153", "shared_bytes must be a number of bytes from 0 to 49152, the limit of sm_35"),
    ("shared_bytes=-1", "shared_bytes must be a number of bytes from 0 to"), ("block=x", "block must be"),
    ("arch=sm_35,sm_1", "the model knows no sm_1"), ("arch=", "arch: the model knows no"),
    ("registers=3", 'no query parameter "registers"')])
def test_a_figure_beyond_its_limit_is_refused_by_both_names(service, query, said):
    answer = service.get(f"/v1/occupancy?{query}")
    assert answer.status_code == 400 and said in answer.json()["detail"]


def test_the_refusal_has_its_chinese(service):
    answer = service.get("/v1/occupancy?arch=sm_12&block=513", headers={"Accept-Language": "zh"})
    assert answer.json()["detail"] == "block 必须是 1 到 512 的数（sm_12 的上限）"


def test_the_occupancy_of_a_prediction_is_that_of_the_code_that_runs(service):
    for fields in ({"values": 16}, {"values": 64}, {"values": 64, "bounds": "none"}, {"values": 16, "dtype": "f64"}):
        one = predicted(service, **{"kernel": "register_pressure", "dtype": "i32", "size": 1 << 24, "block": 256, "arch": "sm_90", **fields})
        assert one["occupancy"]["registers_per_thread"] > 16
        if "warps_per_sm" in one["time"]:
            assert one["time"]["warps_per_sm"] == one["occupancy"]["warps_per_sm"], fields
    assert predicted(service, kernel="copy", arch="sm_70")["occupancy"]["registers_per_thread"] is None


@pytest.mark.parametrize("recipe, member, wanted", [
    ("shared_steps", "blocks_per_sm", [8, 8, 7, 4, 3, 2, 1]), ("block_steps", "warps_per_sm", [60, 63, 44, 48, 60, 64]),
    ("launch_bounds", "registers_per_thread", [25, 25, 25, 25, 39, 32, 40, 32, 71, 32, 64, 32]),
    ("registers_by_type", "registers_per_thread", [25, 39, 71, 40, 72, 138])])
def test_the_recipe_of_a_rule_shows_it(service, recipe, member, wanted):
    points = service.get(f"/v1/recipes/{recipe}/predictions?arch=sm_90").json()["points"]
    assert [point["prediction"]["occupancy"][member] for point in points] == wanted
