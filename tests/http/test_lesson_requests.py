"""What docs/lessons.md tells a reader to ask is understood, its pictures are the service's answer, and its published figures are possible
or marked."""
import importlib.util
import json
import re

import pytest

from conftest import HERE

ROOT = HERE.parents[1]
NOTES = (ROOT / "docs" / "lessons.md").read_text()
PEAK_GBPS = {"sm_20": 150.3, "sm_37": 240.5}  # of one GPU, on paper


def asked(word):
    bodies = [json.loads(body) for body in re.findall(rf"{word} '(\{{.*?\}})'", NOTES)]
    return list({json.dumps(body): body for body in bodies}.values())


def script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("body", asked("table"), ids=lambda body: body.get("recipe") or str(body["kernel"]))
def test_a_table_can_be_asked_for(service, body):
    answer = service.request("POST", "/v1/sweeps", json=body)
    assert answer.status_code == 202 and answer.json()["total"] > 1, answer.text
    service.delete(answer.json()["links"]["self"])


@pytest.mark.parametrize("body", asked("-d"), ids=lambda body: body["kernel"])
def test_a_prediction_can_be_asked_for(service, body):
    answer = service.request("POST", "/v1/predictions", json=body)
    assert answer.status_code == 200, answer.text


def test_pictures_are_what_the_service_explains(service):
    draw = script("draw_warps")
    kept = {path.stem: path.read_text() for path in (ROOT / "docs" / "plots" / "warps").glob("*.svg")}
    assert kept == {name: draw.picture(draw.explained(service.url, request)) for name, request in draw.PICTURES.items()}


def test_published_times_are_possible_or_marked(service):
    """No memory moves more in a time than it can: who says so did less work. That is how a quarter of it was found."""
    seen = 0
    for recipe in service.get("/v1/recipes").json()["recipes"]:
        recipe = service.get(f"/v1/recipes/{recipe['name']}").json()
        published = recipe.get("published", {"columns": []})
        if "elapsed_ms" not in published["columns"]:
            continue
        off = [entry["where"] for entry in published["off"] if entry["column"] == "elapsed_ms"]
        for cells in published["rows"]:
            row = dict(zip(published["columns"], cells))
            if row["elapsed_ms"] is None or any(where.items() <= row.items() for where in off):
                continue
            request = {**recipe["sweep"], **{name: row[name] for name in recipe["sweep"] if name in row}, "arch": published["device"]["arch"]}
            request.pop("transfers", None)
            request["size"] = published.get("sizes", {}).get("elapsed_ms", request["size"])
            counted = service.request("POST", "/v1/predictions", json=request).json()["predictions"][0]
            gbps = (counted["gld_requested_bytes"] + counted["gst_requested_bytes"]) / row["elapsed_ms"] / 1e6
            assert gbps < PEAK_GBPS[published["device"]["arch"]], (recipe["name"], row)
            seen += 1
    assert seen == 46


@pytest.mark.parametrize("path", script("lesson_bounds").LESSONS, ids=lambda path: path.stem)
def test_a_lesson_tells_what_the_service_predicts(service, path):
    """scripts/lesson_bounds.py writes them."""
    bounds = script("lesson_bounds")
    told, said = (bounds.lesson_of(path)["figures"] for _ in range(2))
    bounds.figures_renewed(service.url, said)
    names = [name for name, figure in told.items() if bounds.source_of(figure)[0]]
    assert {name: told[name][0] for name in names} == pytest.approx({name: said[name][0] for name in names}, rel=1e-6)


def figures(row):
    *bounds, predicted, measured = [cell.strip("* ") for cell in row.strip("|").split("|")[1:]]
    return [float(cell) for cell in (*bounds, predicted)]


def test_bounds_are_what_the_service_says(service):
    """Within a few per cent: the constants are fitted anew from time to time. scripts/lesson_bounds.py writes them."""
    bounds = script("lesson_bounds")
    rows = list(bounds.ROW.finditer(NOTES))
    assert len(rows) == len(re.findall(r"^\| `\w+ \w+=", NOTES, re.M)) == 48
    for row in rows:
        told, said = figures(row.group()), figures(bounds.row_of(service.url, *row.groups()))
        assert told == pytest.approx(said, rel=0.05, abs=2), row.group()
        [bold] = [k for k, cell in enumerate(row.group().strip("|").split("|")[1:]) if "**" in cell]
        assert said[bold] >= 0.95 * max(said[:-1]), row.group()
