"""The published tables as sweeps: published, predicted and measured side by side."""
import csv
import io

import pytest


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    from conftest import Service
    one = Service(tmp_path_factory.mktemp("real"), fake=False)
    yield one
    assert one.stop() == 0


def run(service, **fields):
    fields.setdefault("measure", {"min_samples": 1, "max_seconds": 0.001})
    answer = service.request("POST", "/v1/sweeps", json=fields, headers={"Prefer": "wait=60"})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_list_names_every_published_table(service):
    names = [recipe["name"] for recipe in service.get("/v1/recipes").json()["recipes"]]
    recipes = [service.get(f"/v1/recipes/{name}").json() for name in names]
    assert all(recipe["sweep"]["kernel"] and recipe["title"] and recipe["text"] for recipe in recipes)
    published = [recipe for recipe in recipes if "published" in recipe]
    assert len(published) == 13 and all(recipe["published"]["rows"] for recipe in published)
    assert "read_segment_cached" in names and "transpose" in names
    assert service.get("/v1/recipes/nope").status_code == 404


def test_every_recipe_of_our_own_can_be_launched_as_it_is(real):
    """Each point of each, at a size that a test can afford; a recipe without a published table has nothing beside it."""
    small = {"latency_by_footprint": {"size": [1024, 4096], "steps": 64}, "transpose": {"size": [65, 33]},
             "latency_hiding": {"steps": 16}, "overlap": {"rounds": [1, 2]}, "l2_persistence": {"table": [1, 64, 256, 1024, 4096]}}
    for recipe in real.get("/v1/recipes").json()["recipes"]:
        name = recipe["name"]
        if "published" in real.get(f"/v1/recipes/{name}").json():
            continue
        sweep = run(real, recipe=name, **{"size": 4099, **small.get(name, {})})
        assert sweep["succeeded"] == sweep["total"] > 1, (name, [point.get("failure") for point in sweep["points"]])
        assert all(point["published"] is None for point in sweep["points"])
        assert all(point["result"]["correctness"]["verified"] for point in sweep["points"])


def test_a_recipe_puts_published_predicted_and_measured_side_by_side(real):
    sweep = run(real, recipe="read_segment_cached")
    assert (sweep["recipe"], sweep["total"], sweep["succeeded"]) == ("read_segment_cached", 3, 3)
    row = next(point for point in sweep["points"] if point["values"]["offset"] == 11)
    assert row["published"]["gld_efficiency_pct"] == 49.81 and row["published"]["gld_transactions"] == 131039
    assert "elapsed_ms" in row["published"]["off"]
    assert row["predicted"]["published_arch"]["arch"] == "sm_20"
    assert row["predicted"]["published_arch"]["gld_transactions"] == 131070
    assert row["predicted"]["device_arch"]["arch"] == "sm_90" and row["predicted"]["device_arch"]["note"]
    assert row["result"]["correctness"]["verified"] and row["result"]["timing"]["hot"]["median_us"] > 0


def test_a_recipe_can_be_overridden(real):
    sweep = run(real, recipe="aos_soa", size=4096, grid=None)
    assert all(point["request"]["size"] == 4096 for point in sweep["points"])
    assert [point["published"]["gst_efficiency_pct"] for point in sweep["points"]] == [50, 100]


def test_a_figure_of_another_experiment_is_marked(real):
    point = run(real, recipe="read_segment_cached", offset=[3, 11], size=1000)["points"]
    assert point[0]["published"] is None
    published = point[1]["published"]
    assert published["differs"] == {"size": {"asked": 1000, "published": 1048576}}
    assert published["off"] == {"elapsed_ms": "of 16777216 elements", "gld_transactions": "of size 1048576"}

    # Of the size that the times are of, they are as published; the counts are of another.
    published = run(real, recipe="read_segment_cached", offset=11, size=16777216, measure={"min_samples": 3, "max_seconds": 0.01})["points"][0]["published"]
    assert published["off"] == {"gld_transactions": "of size 1048576"} and published["elapsed_ms"] == 1.949

    rows = run(real, recipe="aos_soa", dtype=["f32", "f64"], size=1048576)["points"]
    for point in rows:
        published = point["published"]
        if point["values"]["dtype"] == "f32":
            assert "off" not in published and "differs" not in published
        else:
            assert published["differs"] == {"dtype": {"asked": "f64", "published": "f32"}}
            assert set(published["off"]) == {"elapsed_ms", "gld_efficiency_pct", "gst_efficiency_pct"}


@pytest.mark.parametrize("recipe, fields, differs", [
    ("read_segment_unroll", {"size": 65536}, {"size"}), ("read_segment_unroll", {"load": "cg"}, {"load"}),
    ("read_segment_unroll", {"block": 128, "offset": 11}, {"block"}),
    ("read_segment_unroll", {"size": 65536, "kernel": "read_offset", "grid": 1000}, {"size", "grid"}),
    ("read_segment_cached", {"kernel": "write_offset", "size": 65536}, {"kernel", "size"}),
    ("aos_soa", {"size": 4096}, {"size"}), ("aos_soa", {"grid": 16384}, {"grid"}),
    ("sum_matrix_blocks", {"size": [128, 64]}, {"size"}), ("matrix_row_major", {"size": [64, 64], "order": "column"}, {"size", "order"}),
    ("lane_patterns", {"counters": True, "priority": 3, "timeout_s": 9, "labels": {"a": "b"}}, set())])
def test_what_is_laid_over_a_recipe_is_named_where_it_makes_another_experiment(real, recipe, fields, differs):
    if recipe.startswith("read_segment_unroll"):
        fields = {"size": 1048576, **fields}
    for point in run(real, recipe=recipe, **fields)["points"]:
        assert point["published"].get("differs", {}).keys() == differs, point


def test_a_block_that_cannot_launch_is_a_failed_point_beside_its_published_error(real):
    sweep = run(real, recipe="sum_matrix_blocks", size=[64, 64])
    assert (sweep["total"], sweep["failed"], sweep["state"]) == (15, 1, "finished")
    failed = next(point for point in sweep["points"] if point["state"] == "failed")
    assert failed["values"]["block"] == [256, 8] and "1024" in failed["failure"]["detail"]


def test_the_table_holds_what_was_published(real):
    sweep = run(real, recipe="write_segment", size=65536, grid=None)
    rows = list(csv.DictReader(io.StringIO(real.get(f"/v1/sweeps/{sweep['id']}.csv").text)))
    assert [row["published_gst_efficiency_pct"] for row in rows] == ["100.0", "80.0", "100.0"]
    assert float(rows[1]["published_arch_gst_efficiency_pct"]) == pytest.approx(80, abs=0.01)
    assert all(row["verified"] == "true" for row in rows)


def test_an_unknown_recipe_is_named(service):
    answer = service.request("POST", "/v1/sweeps", json={"recipe": "nope"})
    assert answer.status_code == 422 and answer.json()["errors"][0]["pointer"] == "#/recipe"
    answer = service.request("POST", "/v1/sweeps", json={"recipe": "aos_soa", "nope": 1})
    assert answer.status_code == 422 and answer.json()["errors"][0]["pointer"] == "#/nope"
    for name in (1, ["aos_soa"], None):
        answer = service.request("POST", "/v1/sweeps", json={"recipe": name})
        assert answer.status_code == 422 and "string" in answer.json()["errors"][0]["detail"]
    for body in ("", "[]"):
        answer = service.request("POST", "/v1/sweeps", data=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == 400 and "recipe" in answer.json()["detail"]


def test_a_wrong_field_that_the_recipe_brought_is_told_as_its(service):
    answer = service.request("POST", "/v1/sweeps", json={"recipe": "read_segment_cached", "kernel": "copy", "block": "x"})
    errors = {error["pointer"]: error["detail"] for error in answer.json()["errors"]}
    assert "of recipe read_segment_cached" in errors["#/offset/0"] and "of recipe" not in errors["#/block"]


def test_transfers_on_a_cpu_say_why_there_are_none(real):
    result = real.run({"kernel": "copy", "size": 1000, "transfers": "pinned"})
    assert result["transfers"]["status"] == "unavailable"
