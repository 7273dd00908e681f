"""Sweeps and repeats of kernels that users bring: scalars are axes, kernels too, and tables have their values."""
import csv
import io

import pytest

from test_source_experiments import ARGUMENTS, DEFINITION, LOOP, SCALE, interpreting, people  # noqa: F401
from test_stored_kernels import As

SHIFTED = """extern "C" __global__ void shifted(const float *in, float *out, unsigned n, unsigned offset)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i + offset];
}
"""
SHIFT = {"source": SHIFTED, "threads": "n",
         "arguments": [{"name": "in", "type": "f32", "elements": "n + offset", "fill": "index"}, {"name": "out", "type": "f32", "elements": "n"},
                       {"name": "n", "type": "u32"}, {"name": "offset", "type": "u32"}]}


def sweep(service, fields, wait=60, status=200):
    answer = service.request("POST", "/v1/sweeps", json=fields, headers={"Prefer": f"wait={wait}"})
    assert answer.status_code == status, answer.text
    return answer.json()


def refused(service, fields):
    return {error["pointer"]: error["detail"] for error in sweep(service, fields, status=422)["errors"]}


def table(service, made, query=""):
    return list(csv.DictReader(io.StringIO(service.get(f"/v1/sweeps/{made['id']}.csv{query}").text)))


def test_scalars_are_axes(interpreting):  # noqa: F811
    made = sweep(interpreting, {**SHIFT, "n": [64, 128], "offset": "0..2", "show": {"out": 0}})
    assert made["state"] == "succeeded" and made["point_count"] == 6
    assert made["entry"] == "shifted" and {one["id"]: one for one in interpreting.get("/v1/sweeps").json()["sweeps"]}[made["id"]]["entry"] == "shifted"
    assert made["request"]["kernel"].startswith("src-") and "source" not in made["request"] and "arguments" not in made["request"]
    assert [point["values"] for point in made["points"]] == [{"n": n, "offset": offset} for n in (64, 128) for offset in range(3)]
    for point in made["points"]:
        out, = point["result"]["outputs"]
        assert out["elements"] == point["values"]["n"] and out["shown"]["values"] == [point["values"]["offset"]]
    assert made == interpreting.get(f"/v1/sweeps/{made['id']}").json()


def test_a_points_fault_is_in_both_languages(interpreting):  # noqa: F811
    made = sweep(interpreting, {**SHIFT, "source": SHIFTED.replace("i < n", "i <= n"), "n": [64, 128], "offset": 0})
    for query in ("", "?view=summary"):
        for point in interpreting.get(f"/v1/sweeps/{made['id']}{query}").json()["points"]:
            size = point["values"]["n"]
            assert point["failure"]["detail"].endswith(f"in has {size} elements"), point["failure"]
            assert point["failure"]["zh"]["detail"].endswith(f"in 只有 {size} 个元素"), point["failure"]


def test_tables_have_the_values_of_the_scalars(interpreting):  # noqa: F811
    made = sweep(interpreting, {**SHIFT, "n": [64, 128], "offset": "0..2"})
    for query in ("", "?view=summary"):
        rows = table(interpreting, made, query)
        assert [(row["n"], row["offset"]) for row in rows] == [(str(n), str(o)) for n in (64, 128) for o in range(3)], query
        assert all(row["state"] == "succeeded" for row in rows)
    assert list(table(interpreting, made, "?columns=n,state,offset")[5].values()) == ["128", "succeeded", "2"]
    assert interpreting.get(f"/v1/sweeps/{made['id']}.csv?columns=by").status_code == 400
    by = sweep(interpreting, {**DEFINITION, "n": 64, "by": [0.5, -2]})
    assert [(row["by"], row["size_elements"]) for row in table(interpreting, by)] == [("0.5", "64"), ("-2", "64")]


def test_tables_have_the_scalars_that_are_no_axis_too(interpreting):  # noqa: F811
    made = sweep(interpreting, {**SHIFT, "n": [64, 128], "offset": 3})
    for query in ("", "?view=summary"):
        assert [(row["n"], row["offset"]) for row in table(interpreting, made, query)] == [("64", "3"), ("128", "3")], query
    assert all(list(row) == ["n", "by"] for row in table(interpreting, sweep(interpreting, {**DEFINITION, "n": [64, 65], "by": 2}), "?columns=n,by"))
    answer = interpreting.request("POST", "/v1/sweeps?columns=by,state", json={**DEFINITION, "block": [64, 128], "n": 64, "by": 4},
                                  headers={"Prefer": "wait=60", "Accept": "text/csv"})
    assert answer.text.splitlines() == ["by,state", "4,succeeded", "4,succeeded"]
    twice = sweep(interpreting, {"kernel": "strided", "size": 64, "stride": 2, "block": [64, 128]})
    assert "stride" not in table(interpreting, twice, "?view=summary")[0]  # a figure of each run, and no axis


def test_a_table_of_experiments_of_one_kernel_has_its_scalars(interpreting):  # noqa: F811
    name = As(interpreting, None).store(**{**DEFINITION, "source": SCALE + "// listed\n"})["name"]
    for by in (0.5, 2):
        interpreting.run({"kernel": name, "n": 64, "by": by})
    rows = csv.DictReader(io.StringIO(interpreting.get(f"/v1/experiments?kernel={name}", headers={"Accept": "text/csv"}).text))
    assert [(row["by"], row["size_elements"]) for row in rows] == [("2.0", "64"), ("0.5", "64")]
    asked = interpreting.get(f"/v1/experiments?kernel={name}&columns=by", headers={"Accept": "text/csv"})
    assert asked.text.split() == ["by", "2.0", "0.5"]
    assert interpreting.get("/v1/experiments?columns=by", headers={"Accept": "text/csv"}).status_code == 400


def test_a_stored_kernel_is_swept_by_its_name_and_kernels_are_an_axis(interpreting):  # noqa: F811
    anybody = As(interpreting, None)
    names = [anybody.store(**DEFINITION)["name"], anybody.store(source=LOOP, arguments=ARGUMENTS)["name"]]
    made = sweep(interpreting, {"kernel": names, "n": 100, "by": [1, 2], "grid": 1, "block": 128,
                                "reference": {"kernel": names[1], "block": 32}, "show": {"out": 99}})
    assert made["state"] == "succeeded" and made["point_count"] == 4
    assert [point["values"] for point in made["points"]] == [{"kernel": name, "by": by} for name in names for by in (1, 2)]
    for point in made["points"]:
        assert point["result"]["correctness"]["verified"] and point["request"]["reference"]["block"] == [32, 1, 1]
        assert point["result"]["outputs"][0]["shown"]["values"] == [99 * point["values"]["by"]]
    mixed = sweep(interpreting, {"kernel": [names[0], "copy"], "size": 100, "by": 1})
    assert [point["state"] for point in mixed["points"]] == ["succeeded", "failed"]  # copy has no "by"
    assert mixed["points"][1]["failure"]["detail"].startswith("by: unknown field")


def test_blocks_may_be_an_axis_where_threads_are_derived(interpreting):  # noqa: F811
    made = sweep(interpreting, {"source": SCALE, "n": 1000, "by": 2, "block": [64, 128]})
    assert [point["request"]["grid"] for point in made["points"]] == [[16, 1, 1], [8, 1, 1]]


def test_a_point_with_a_fault_fails_alone(interpreting):  # noqa: F811
    made = sweep(interpreting, {**SHIFT, "arguments": [{**SHIFT["arguments"][0], "elements": "n + 1"}, *SHIFT["arguments"][1:]],
                                "n": 64, "offset": "0..2"})
    assert made["state"] == "finished" and [point["state"] for point in made["points"]] == ["succeeded", "succeeded", "failed"]
    assert made["points"][2]["result"]["faults"][0]["line"] == 5
    large = sweep(interpreting, {**SHIFT, "n": [64, 1 << 31], "offset": 0})
    assert large["points"][1]["state"] == "failed" and "256 MiB" in large["points"][1]["failure"]["detail"]


def test_repeat_runs_it_as_often(interpreting):  # noqa: F811
    answer = interpreting.request("POST", "/v1/experiments", json={**SHIFT, "n": 64, "offset": 3, "repeat": 3, "show": {"out": 0}},
                                  headers={"Prefer": "wait=60"})
    assert answer.status_code == 200, answer.text
    made = answer.json()
    assert made["repeat"] == 3 and made["succeeded"] == 3 and made["point_count"] == 1
    runs = interpreting.get(f"/v1/sweeps/{made['id']}?view=runs").json()["points"]
    assert [run["repeat_index"] for run in runs] == [0, 1, 2] and len({run["result"]["outputs"][0]["sha256"] for run in runs}) == 1
    once = interpreting.post({**SHIFT, "n": 64, "offset": 3, "repeat": 1})
    assert once.status_code == 202 and "/v1/experiments/" in once.headers["Location"]


def test_the_same_key_is_the_same_sweep(interpreting):  # noqa: F811
    def send(**more):
        return interpreting.request("POST", "/v1/sweeps", json={**SHIFT, "n": [32, 64], "offset": 0, **more}, headers={"Idempotency-Key": "one of a source"})
    first = send()
    assert first.status_code == 202 and send().json()["id"] == first.json()["id"]
    assert send(source=SHIFTED + "// other\n").status_code == 422


def test_a_comparison_chooses_by_scalars(interpreting):  # noqa: F811
    made = sweep(interpreting, {**SHIFT, "n": [64, 96], "offset": [1, 2, 5]})["id"]

    def compared(a, b, **more):
        return interpreting.request("POST", "/v1/comparisons", json={"a": {"sweep": made, "where": a}, "b": {"sweep": made, "where": b}, **more})
    answer = compared({"offset": 5, "n": 96}, {"offset": 1}, but_for=["offset", "n"]).json()
    assert (answer["a"]["experiments"], answer["b"]["experiments"]) == (1, 2)
    for wrong, pointer in (({"a": {"nn": 5}, "b": {"n": 64}}, "#/a/where/nn"), ({"a": {"n": 64}, "b": {"ofset": 1}}, "#/b/where/ofset"),
                           ({"a": {"n": 64}, "b": {"n": 96}, "but_for": ["n", "nnn"]}, "#/but_for/1")):
        refused = compared(**wrong)
        assert refused.status_code == 422 and [error["pointer"] for error in refused.json()["errors"]] == [pointer], refused.text
        assert "no experiment has a field of that name" in refused.json()["errors"][0]["detail"]


@pytest.mark.parametrize("wrong, pointer", [
    ({"offset": None}, "#/offset"), ({"ofset": [1, 2]}, "#/ofset/0"), ({"offset": ["a", "b"]}, "#/offset/0"), ({"offset": []}, "#/offset"),
    ({"offset": [0, -1, 4294967296]}, None), ({"show": {"inn": 0}}, "#/show/inn"), ({"show": ["out"]}, "#/show"),
    ({"reference": {"kernel": "copy"}}, "#/reference/kernel"), ({"reference": {"source": LOOP, "arguments": ARGUMENTS}}, "#/reference/arguments"),
    ({"source": [SHIFTED, SCALE]}, "#/source"), ({"source": SHIFTED.replace("in[", "inn[")}, "#/source"), ({"tolerance": [0, 1]}, "#/tolerance"),
    ({"kernel": "copy"}, "#/kernel"), ({"counters": True}, None), ({"repeat": 0}, "#/repeat"), ({"recipe": "read_segment_cached"}, "#/recipe"), ({"entry": "other"}, "#/entry")])
def test_what_is_wrong_with_all_points_is_refused(interpreting, wrong, pointer):  # noqa: F811
    asked = {key: value for key, value in {**SHIFT, "n": [64, 128], "offset": 0, **wrong}.items() if value is not None}
    if pointer:
        assert pointer in refused(interpreting, asked)
    else:  # each point says it
        made = sweep(interpreting, asked)
        assert any(point.get("failure") for point in made["points"])


def test_nothing_counts_and_nothing_is_timed_where_ptx_is_interpreted(interpreting):  # noqa: F811
    for wrong, pointer in (({"counters": True}, "#/counters"), ({"transfers": "pinned"}, "#/transfers"),
                           ({"measure": {"keep_samples": True}}, "#/measure/keep_samples"), ({"measure": {"host_timer": True}}, "#/measure/host_timer")):
        answer = interpreting.post({**SHIFT, "n": 64, "offset": 0, **wrong})
        assert answer.status_code == 422 and [error["pointer"] for error in answer.json()["errors"]] == [pointer]


def test_a_sweep_that_no_executor_could_hold_is_refused_at_once(interpreting):  # noqa: F811
    long = {**SHIFT, "source": SHIFTED + "// " + "x" * 50000 + "\n"}
    answer = interpreting.request("POST", "/v1/sweeps", json={**long, "n": "1..5000", "offset": 0})
    assert answer.status_code == 422 and "bytes" in answer.json()["detail"]


def test_a_comparison_says_that_there_are_no_times(interpreting):  # noqa: F811
    made = sweep(interpreting, {**SHIFT, "n": [64, 128], "offset": 0})
    other = sweep(interpreting, {**SHIFT, "n": [64, 128], "offset": 0})
    answer = interpreting.request("POST", "/v1/comparisons", json={"a": {"sweep": made["id"]}, "b": {"sweep": other["id"]}})
    assert answer.status_code == 200, answer.text
    assert answer.json()["points"] == [] and answer.json()["a"]["left_out"]["not_verified"] == 2
    assert table(interpreting, made, "?view=summary")[0]["verified"] == ""  # nothing was checked


def test_a_sweep_of_another_users_source_stays_theirs(people):  # noqa: F811
    name = people["bob"].store(**DEFINITION)["name"]
    answer = people["eve"]("POST", "/v1/sweeps", json={"kernel": [name, "copy"], "n": [64, 128]})
    assert answer.status_code == 422 and answer.json()["errors"][0]["pointer"] == "#/kernel/0"
    made = people["bob"]("POST", "/v1/sweeps", json={"kernel": name, "n": [64, 128], "by": 2}).json()
    shown = people["eve"]("GET", f"/v1/sweeps/{made['id']}?wait=30")
    assert shown.json()["state"] == "succeeded" and "blockIdx" not in shown.text
