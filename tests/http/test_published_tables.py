"""Every published table, in each form that the service answers in: the same published, predicted and measured values, marks and notes."""
import csv
import io
import json
import pathlib

import pytest

RECIPES = [json.loads(path.read_text()) for path in sorted((pathlib.Path(__file__).parents[2] / "api" / "recipes").glob("*.json"))]
PUBLISHED = {recipe["name"]: recipe for recipe in RECIPES if "published" in recipe}
SMALL = {"vector_add_blocks": {"size": 65536}, "unroll_block_sweep": {"size": 65536},
         **{name: {"size": [256, 256]} for name, recipe in PUBLISHED.items() if recipe["sweep"].get("size") == [16384, 16384]}}
MEASURE = {"min_samples": 1, "max_seconds": 0.001}


def rows_of(answer):
    return list(csv.DictReader(io.StringIO(answer.content.decode(), newline="")))


@pytest.fixture(scope="module")
def besides(service):
    """{published column: {what it is compared with: the column of that}}"""
    return {column["name"].removeprefix("published_"): column["beside"] for column in service.get("/v1/columns").json()["columns"] if column["beside"]}


def sweep_of(service, name, **fields):
    answer = service.request("POST", "/v1/sweeps", json={"recipe": name, "measure": MEASURE, "labels": {"fake": "counted"}, **SMALL.get(name, {}), **fields}, headers={"Prefer": "wait=60"})
    assert answer.status_code == 200, answer.text
    return answer.json()


def same(cell, value):
    """Is a cell of a table that value of the JSON answer? A summary's numbers have seven digits."""
    if value is None:
        return cell == ""
    return float(cell) == pytest.approx(value, rel=1e-6) if isinstance(value, (int, float)) else cell == value


def measured_of(point, column):
    """Where a measured column stands in a point of a summary."""
    if column.endswith("_median_us"):
        way = column.removesuffix("_median_us")
        return (point["cold"] if way == "cold" else point["transfers"][way])["median_us"]
    return point["efficiency"]["counted"].get(column.removeprefix("measured_"))


def rows_agree(rows, points, besides, table):
    for row, point in zip(rows, points, strict=True):
        published = point["published"] or {}
        assert json.loads(row["published_marks"] or "{}") == published.get("marks", {})
        assert json.loads(row["published_off"] or "{}") == published.get("off", {})
        assert published.get("marks", {}).keys() == published.get("off", {}).keys()
        sentences = {mark["mark"]: mark["en"] for mark in table["marks"]}
        for column, why in published.get("off", {}).items():
            assert sentences[published["marks"][column]] == why or published["marks"][column] == table["marks"][-1]["mark"] and why not in sentences.values(), column
        assert json.loads(row["published_notes"] or "[]") == table["notes"]
        made = point.get("predicted", {}).get("published_arch", {})
        for column, beside in besides.items():
            assert same(row[f"published_{column}"], published.get(column)), column
            if "published_arch" in beside:
                assert same(row[beside["published_arch"]], made.get(column)), column
        for side in ("gld", "gst"):
            assert same(row[f"published_arch_{side}_unit"], made.get(f"{side}_unit"))


@pytest.mark.parametrize("name", PUBLISHED)
def test_each_answer_has_the_same_published_table(service, besides, name):
    recipe = PUBLISHED[name]
    predicted = service.get(f"/v1/recipes/{name}/predictions").json()
    head = predicted["published"]
    assert [note["en"] for note in head["notes"]] == recipe["published"]["notes"] and [note["zh"] for note in head["notes"]] == recipe["zh"].get("notes", [])
    assert head["columns"] == recipe["published"]["columns"] and head["request"] == recipe["sweep"]
    rows = rows_of(service.get(f"/v1/recipes/{name}/predictions", headers={"Accept": "text/csv"}))
    rows_agree(rows, predicted["points"], besides, head)
    once, twice = sweep_of(service, name), sweep_of(service, name, repeat=2)
    for sweep, view in (once, "runs"), (once, "summary"), (twice, "summary"):
        answer = service.get(f"/v1/sweeps/{sweep['id']}?view={view}&page_size=500").json()
        assert answer["published"] == head
        rows = rows_of(service.get(f"/v1/sweeps/{sweep['id']}.csv?view={view}"))
        rows_agree(rows, answer["points"], besides, head)
        for row, point, alone in zip(rows, answer["points"], predicted["points"], strict=True):
            columns = set(head["columns"]) - set(point["values"])
            assert {column: (point["published"] or {}).get(column) for column in columns} == {column: (alone["published"] or {}).get(column) for column in columns}
            assert {mark["mark"] for mark in head["marks"]} >= set((point["published"] or {}).get("marks", {}).values())
            for beside in besides.values() if view == "summary" else ():
                if "measured" in beside:
                    value = measured_of(point, beside["measured"])
                    assert same(row[beside["measured"]], value) and (value is not None or point["state"] == "failed"), beside


def test_a_mark_has_one_sentence_in_both_languages(service):
    for name, recipe in PUBLISHED.items():
        marks = service.get(f"/v1/recipes/{name}/predictions").json()["published"]["marks"]
        assert [mark["mark"] for mark in marks] == list("abcdefg"[:len(marks)])
        assert len({mark["en"] for mark in marks}) == len({mark["zh"] for mark in marks}) == len(marks)
        assert all(any("\u3400" <= letter <= "\u9fff" for letter in mark["zh"]) for mark in marks)
        assert {one["why"] for one in recipe["published"]["off"]} <= {mark["en"] for mark in marks}


def test_a_figure_of_another_size_has_the_last_mark(service):
    sweep = sweep_of(service, "read_segment_cached", size=1000)
    marks = [mark["mark"] for mark in sweep["published"]["marks"]]
    assert sweep["points"][1]["published"]["marks"] == {"elapsed_ms": marks[0], "gld_transactions": marks[-1]}
