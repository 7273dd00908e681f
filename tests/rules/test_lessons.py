"""The lessons of the page: each figure that a text tells is that of its table, and both languages say all of it."""
import csv
import json
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "web" / "lessons"
NAMES = sorted(path.stem for path in FOLDER.glob("*.js") if path.stem != "list")
DERIVED = {"more": lambda a, b: 100 * (a / b - 1), "ratio": lambda a, b: a / b}
TILES = {"sectors", "efficiency", "requests", "turns", "occupancy", "blocks", "time", "against"}
ASKED = {"block_x": "block", "block_y": "block", "size_elements": "size"}


def lesson_of(name):
    """A lesson is JSON behind two words."""
    text = (FOLDER / f"{name}.js").read_text()
    assert text.startswith("export default {") and text.endswith("};\n")
    return json.loads(text.removeprefix("export default ").removesuffix(";\n"))


def listed(name="LESSONS"):
    text = (FOLDER / "list.js").read_text().partition(f"export const {name} = ")[2]
    return json.loads(text[:text.index("];\n") + 1])


def cell(text):
    try:
        return json.loads(text)
    except ValueError:
        return text or None


def rows_of(table):
    if table.startswith("recipes/"):
        recipe = json.loads((ROOT / "api" / f"{table}.json").read_text())
        return [dict(zip(recipe["published"]["columns"], row)) for row in recipe["published"]["rows"]]
    with open(ROOT / "bench" / "results" / "lessons_h200" / f"{table}.csv", newline="") as file:
        return [{name: cell(text) for name, text in row.items()} for row in csv.DictReader(file)]


def is_derived(figure):
    return isinstance(figure[1], str)


def measured(what, where):
    table, column = what.rsplit("/", 1)
    found = [row for row in rows_of(table) if all(row.get(key) == value for key, value in where.items())]
    assert len(found) == 1, f"{len(found)} rows of {table} are {where}"
    return found[0][column]


def told(figures, name):
    figure = figures[name]
    if is_derived(figure):
        return DERIVED[figure[1]](told(figures, figure[2]), told(figures, figure[3]))
    value, _, _, _, *scale = figure
    return value * (scale[0] if scale else 1)


def wrong_figures(figures):
    return {name: figure for name, figure in figures.items() if not is_derived(figure) and figure[0] != measured(*figure[2:4])}


def pairs_of(lesson):
    """All texts, each in two languages."""
    yield from lesson["intro"]
    yield from lesson["why"]
    yield lesson["conditions"]
    for control in lesson["picture"]["controls"]:
        yield control["label"]
        yield from control.get("words", [])
    yield from (pair for pair in (lesson["picture"].get("baseName"), lesson["picture"].get("titled")) if pair)
    for question in lesson["questions"]:
        yield question["ask"]
        yield from question["reply"]
        yield from (choice for choice in question.get("choices", []) if isinstance(choice, list))
        yield from (names for _, *names in [*question.get("rows", []), *question.get("marks", [])])


def figures_named(lesson):
    for pair in pairs_of(lesson):
        for text in pair:
            yield from re.findall(r"\{(\w+)\}", text)
    yield from lesson["picture"]["times"].values()
    for question in lesson["questions"]:
        yield from (name for name, *_ in [*question.get("rows", []), *question.get("marks", [])])
        if "scale" in question:
            yield question["answer"]
    for figure in lesson["figures"].values():
        yield from figure[2:] if is_derived(figure) else []


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_tells_what_its_tables_say(name):
    assert not wrong_figures(lesson_of(name)["figures"])


def test_a_figure_that_is_wrong_by_one_digit_is_found():
    figures = lesson_of("offsets")["figures"]
    value, *rest = figures["t0"]
    assert set(wrong_figures({**figures, "t0": [value + 0.001, *rest]})) == {"t0"}


def test_headlines_of_the_notes_are_those_of_the_lessons():
    """The table at the end of docs/lessons.md, and what the lessons work out of their figures."""
    notes = (ROOT / "docs" / "lessons.md").read_text()
    for name, figure, row in (("offsets", "more", "misaligned loads"), ("offsets", "more_store", "misaligned stores"), ("unrolling", "times", "unrolling by four"),
                              ("blocks", "times", "blocks of 32 threads"), ("shapes", "c32", "column order, 32x32")):
        figures = lesson_of(name)["figures"]
        [line] = [line for line in notes.splitlines() if line.startswith(f"| {row}") and "table '" not in line]
        assert f"{told(figures, figure):.{figures[figure][0]}f}" in line.split("|")[3], row


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_names_only_what_it_has_and_uses_all_of_it(name):
    lesson = lesson_of(name)
    assert set(figures_named(lesson)) == set(lesson["figures"])
    assert {what for what, _ in lesson["tiles"]} <= TILES
    assert lesson["picture"]["base"] in lesson["picture"]["times"]
    known = set(re.findall(r'^  "([^"]+)": \[\["', (ROOT / "web" / "words.js").read_text(), re.M))
    for pair in pairs_of(lesson):
        plain = [re.sub(r"`[^`]*`", "", text) for text in pair]
        terms = [{term.split("|")[0] for term in re.findall(r"\[([^\]]+)\]", text)} for text in plain]
        assert terms[0] | terms[1] <= known, pair
        assert sorted(re.findall(r"\{(\w+)\}", pair[0])) == sorted(re.findall(r"\{(\w+)\}", pair[1])), pair


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_say_all_of_it(name):
    for pair in pairs_of(lesson_of(name)):
        assert len(pair) == 2 and all(pair), pair
        english, chinese = pair
        assert not re.search(r"[\u3000-\u9fff]", english), pair
        words = re.sub(r"`[^`]*`|\{\w+\}|\b(?:Fermi|K80|aos|aos_aligned|soa|default|ldg|cg|volatile|[KMG]?B)\b|[\d\s,.×%:]", "", chinese)
        assert not words or re.search(r"[\u3400-\u9fff]", words), pair


@pytest.mark.parametrize("name", NAMES)
def test_every_question_has_its_answer_after_it(name):
    lesson = lesson_of(name)
    assert 2 <= len(lesson["questions"]) <= 5
    controls = {control["name"] for control in lesson["picture"]["controls"]}
    for question in lesson["questions"]:
        assert ("choices" in question) != ("scale" in question) and question["reply"]
        assert set(question.get("set", {})) <= controls
        if "choices" in question:
            assert 0 <= question["answer"] < len(question["choices"])
        else:
            low, high, step = question["scale"]
            assert low <= told(lesson["figures"], question["answer"]) <= high and step > 0 and question["ticks"][0] >= low and question["ticks"][-1] == high
    # What is measured is told after a question, never before.
    assert all(after >= 0 for what, after in lesson["tiles"] if what in ("time", "against"))
    assert all(after < len(lesson["questions"]) for _, after in lesson["tiles"])


@pytest.mark.parametrize("name", NAMES)
def test_what_is_asked_of_a_device_has_each_figure_of_the_table(name):
    lesson = lesson_of(name)
    for name, figure in lesson["figures"].items():
        if is_derived(figure) or figure[2].rsplit("/", 1)[0] != lesson["data"]:
            continue
        for key, value in figure[3].items():
            asked = lesson["ask"].get(ASKED.get(key, key))
            choices = asked if isinstance(asked, list) else [asked]
            if key in ("block_x", "block_y") and isinstance(choices[0], list):
                choices = [shape["block_x block_y".split().index(key)] for shape in choices]
            assert value in choices, (name, key, value)


def test_the_list_has_every_lesson_and_how_many_questions_it_has():
    assert sorted(lesson["name"] for lesson in listed()) == NAMES
    for lesson in listed():
        assert lesson["questions"] == len(lesson_of(lesson["name"])["questions"])
        assert all(len(lesson[text]) == 2 and all(lesson[text]) for text in ("title", "about"))


def test_each_published_table_is_listed_with_the_lesson_that_says_why():
    published = {path.stem for path in (ROOT / "api" / "recipes").glob("*.json") if "published" in json.loads(path.read_text())}
    tables = listed("TABLES")
    assert {table["recipe"] for table in tables} - {"latency_hiding"} == published and len(tables) == len(published) + 1
    assert {table["lesson"] for table in tables} <= set(NAMES)
    assert all(len(table["title"]) == 2 and all(table["title"]) for table in tables)


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_names_a_program_that_is_there(name):
    assert (ROOT / "docs" / "plain" / f"{lesson_of(name)['plain']}.cu").exists()


@pytest.mark.parametrize("name", NAMES)
def test_reasons_tell_the_same_numbers_in_both_languages(name):
    for english, chinese in lesson_of(name)["why"]:
        assert sorted(re.findall(r"\d[\d.]*\d|\d\d", english)) == sorted(re.findall(r"\d[\d.]*\d|\d\d", chinese)), english
