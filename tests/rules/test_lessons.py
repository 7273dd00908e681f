"""The lessons of the page: no number is typed into a text, each figure is that of its table, and both languages say all of it."""
import csv
import importlib.util
import json
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "web" / "lessons"
NAMES = sorted(path.stem for path in FOLDER.glob("*.js") if path.stem != "list")
DERIVED = {"more": lambda a, b: 100 * (a / b - 1), "ratio": lambda a, b: a / b}
SIGNS = {"*": lambda a, b: a * b, "/": lambda a, b: a / b, "+": lambda a, b: a + b, "-": lambda a, b: a - b}
TILES = {"sectors", "efficiency", "requests", "turns", "occupancy", "blocks", "resident", "warps", "needed", "time", "against"}
# The names that have digits in them, and what the hardware and the types are: sizes, not figures.
NAMES_WITH_DIGITS = r"sm_\d+|H200|K80|M2070|L1|L2|x64|\b[uif](?:8|16|32|64)\b|lesson \d+|第 \d+ 课"
SIZES = r"\b(?:(?:4|8) (?:of|to) its )?(?:4|8|32|64|128)[ -](?:of 32 )?(?:bytes?\b|lanes\b|banks\b|字节|个\[lane|个通道|个存储体)|\bof 32\b(?=[.,])"
NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
MEASURED = r"\s*(?:%|µs|ns|ms|GB/s|times|倍|cycles|个周期)"
ASKED = {"block_x": "block", "block_y": "block", "size_elements": "size"}


def script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
    if table == "constants":
        return script("lesson_bounds").constants()[column]
    if table.endswith("/facts"):
        return json.loads((ROOT / "api" / f"{table.removesuffix('/facts')}.json").read_text())["published"]["facts"][column]
    found = [row for row in rows_of(table) if all(row.get(key) == value for key, value in where.items())]
    assert len(found) == 1, f"{len(found)} rows of {table} are {where}"
    return found[0][column]


def worked_out(figures, words):
    value, *rest = [SIGNS[word] if word in SIGNS else float(word) if word[0].isdigit() else told(figures, word) for word in words]
    for sign, other in zip(rest[::2], rest[1::2]):
        value = sign(value, other)
    return value


def named_by(figure):
    """The figures that a derived one is made of."""
    if not is_derived(figure):
        return []
    return [word for word in figure[2].split() if word[0].isalpha()] if figure[1] == "worked out" else figure[2:]


def told(figures, name):
    figure = figures[name]
    if is_derived(figure):
        return worked_out(figures, figure[2].split()) if figure[1] == "worked out" else DERIVED[figure[1]](*(told(figures, one) for one in figure[2:]))
    value, _, _, _, *scale = figure
    return value * (scale[0] if scale else 1)


def wrong_figures(figures):
    """Of tables and constants; tests/http/test_lesson_requests.py asks for the predicted ones."""
    return {name: figure for name, figure in figures.items()
            if not is_derived(figure) and not figure[2].startswith("predicted/") and figure[0] != measured(*figure[2:4])}


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


def choices_of(lesson):
    """(text, whether it is the right one)"""
    for question in lesson["questions"]:
        for k, choice in enumerate(question.get("choices", [])):
            yield from ((text, k == question["answer"]) for text in (choice if isinstance(choice, list) else [choice]))


def figures_named(lesson):
    for text in [*(text for pair in pairs_of(lesson) for text in pair), *(text for text, _ in choices_of(lesson))]:
        yield from re.findall(r"\{(\w+)\}", text)
    yield from lesson["picture"].get("times", {}).values()
    for question in lesson["questions"]:
        yield from (name for name, *_ in [*question.get("rows", []), *question.get("marks", [])])
        if "scale" in question:
            yield question["answer"]
    for figure in lesson["figures"].values():
        yield from named_by(figure)


def numbers_in(value):
    """Those of a request or of where a figure stands."""
    if isinstance(value, (dict, list)):
        return {number for one in (value.values() if isinstance(value, dict) else value) for number in numbers_in(one)}
    return {value} if isinstance(value, (int, float)) and not isinstance(value, bool) else set()


def own_numbers(lesson):
    """What the lesson asks for: its request, its controls, and where its figures stand."""
    controls = lesson["picture"]["controls"]
    written = {float(number) for control in controls for words in control.get("words", []) for number in re.findall(r"\d+", words[0])}
    asked = [[control.get(name) for name in ("values", "min", "max")] for control in controls]
    places = [figure[3] for figure in lesson["figures"].values() if not is_derived(figure)]
    return numbers_in([lesson["ask"], lesson["picture"]["request"], asked, places]) | written


def typed(text, own):
    """The numbers that somebody typed: neither a figure, nor a name, nor a size of the hardware, nor what the lesson asks for."""
    rest = re.sub(rf"`[^`]*`|\{{\w+\}}|{NAMES_WITH_DIGITS}|{SIZES}", "#", text)
    return sorted(number for number, unit in re.findall(rf"({NUMBER})({MEASURED})?", rest) if unit or float(number.replace(",", "")) not in own)


@pytest.mark.parametrize("name", NAMES)
def test_no_number_is_typed_into_a_text(name):
    lesson = lesson_of(name)
    own = own_numbers(lesson)
    choices = dict(choices_of(lesson))
    texts = {text for pair in pairs_of(lesson) for text in pair} | set(choices)
    texts -= {text for text, right in choices.items() if not right}  # what somebody may believe
    assert {text: typed(text, own) for text in texts if typed(text, own)} == {}


def test_a_typed_number_is_found():
    assert typed("every 0.594 ns, 2097152 blocks on an H200", {67108864}) == ["0.594", "2097152"]
    assert typed("at offset 11 {more} %, 32 lanes of 4 bytes, 128 bytes in all, `copy_width4` of sm_20, lesson 4", {11}) == []
    assert typed("offset 11 costs 11 %", {11}) == ["11"]
    assert typed("效率从 49.81 升到 80 %", {11}) == ["49.81", "80"]


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
    assert "times" not in lesson["picture"] or lesson["picture"]["base"] in lesson["picture"]["times"]
    words = [(ROOT / "web" / name).read_text() for name in ("words.js", "teaching/words.js")]
    known = set(re.findall(r'^  "([^"]+)": \[\["', "".join(words), re.M))
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
    assert {table["recipe"] for table in tables} == published and len(tables) == len(published)
    others = {one["name"]: one["recipe"] for one in listed("LESSONS") if "recipe" in one}
    assert not set(others.values()) & published and all(lesson_of(name)["recipe"] == recipe for name, recipe in others.items())
    assert {table["lesson"] for table in tables} <= set(NAMES)
    assert all(len(table["title"]) == 2 and all(table["title"]) for table in tables)


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_names_a_program_that_is_there(name):
    assert (ROOT / "docs" / "plain" / f"{lesson_of(name)['plain']}.cu").exists()


def test_reasons_are_worked_out_as_the_page_does():
    figures = {"a": [6, 0, "t/c", {}], "b": [4, 0, "t/c", {}], "c": [1, "worked out", "a - b * 10 / 4 + a"]}
    assert told(figures, "c") == 11


def test_each_rule_of_the_last_lesson_is_a_recipe_in_both_languages():
    rules = lesson_of("multiprocessor")["rules"]
    assert len({rule["recipe"] for rule in rules}) == len(rules) >= 7
    for rule in rules:
        assert (ROOT / "api" / "recipes" / f"{rule['recipe']}.json").exists() and all(rule["title"]) and len(rule["title"]) == 2
