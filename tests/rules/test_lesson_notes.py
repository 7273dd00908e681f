"""docs/lessons.md, its Chinese and the README's: both languages have the same figures and requests, what they name is there, and what
they print of a program is in it."""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAIRS = [("docs/lessons.md", "docs/lessons.zh.md"), ("README.md", "README.zh.md")]
INDEX = {"docs/lessons.md": "## Which table is where", "docs/lessons.zh.md": "## 哪张表在哪里"}
PLAIN = sorted((DOCS / "plain").glob("*.cu"))
NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")


def read(name):
    return (ROOT / name).read_text()


def prose(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def blocks(text):
    return re.findall(r"^```(\w*)\n(.*?)^```", text, re.M | re.S)


def requests_of(text):
    """What is sent, of table '...' and curl -d '...'."""
    return [json.loads(body) for body in re.findall(r"(?:table|-d) '(\{.*?\})'", text)]


def numbers(text):
    """The figures of the tables, row by row. A list within a cell is separated by commas in one language and by other marks in the other."""
    rows = [line for line in prose(text).splitlines() if line.startswith("|")]
    return [re.findall(r"\d[\d.x]*\d|\d", row.replace(",", "")) for row in rows]


def anchors(text):
    """As the sites that show these files name a heading."""
    heads = re.findall(r"^#+ (.*)$", prose(text), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_the_lessons_say_the_same_in_both_languages():
    english, chinese = (read(name) for name in PAIRS[0])
    assert requests_of(english) == requests_of(chinese) and len(requests_of(english)) > 40
    assert blocks(english) == blocks(chinese)
    assert re.findall(r"!\[.*?\]\((.*?)\)", english) == re.findall(r"!\[.*?\]\((.*?)\)", chinese)
    assert [len(head) for head in re.findall(r"^(#+) ", english, re.M)] == [len(head) for head in re.findall(r"^(#+) ", chinese, re.M)]
    assert english.count("**Guess first**") == chinese.count("**先猜**") == 13


def test_the_tables_of_the_lessons_have_the_same_figures_in_both_languages():
    """Up to the index, whose words carry figures."""
    told = [[row for row in numbers(read(name).partition(INDEX[name])[0]) if len(row) > 3] for name in PAIRS[0]]
    assert len(told[0]) > 100
    assert [sorted(row) for row in told[0]] == [sorted(row) for row in told[1]]


def asked(block):
    """The lines of an example that are typed; of one with a prompt not its answer, which is in the reader's language."""
    return re.findall(r"^\$ (?:.*\\\n)*.*", block, re.M) if block.startswith("$ ") else block.splitlines()


def test_the_chinese_readme_has_all_that_the_english_one_has():
    """Sections, commands, what the tables name, and every row of figures."""
    texts = [read(name) for name in PAIRS[1]]
    chinese = r" -H 'Accept-Language: zh'|LANG=zh_CN.UTF-8 "  # asks for the answer in Chinese
    commands = [{re.sub(rf"\s+#.*|{chinese}", "", line) for _, block in blocks(text) for line in asked(block)} for text in texts]
    assert commands[0] - commands[1] == set()
    named = [{word for line in prose(text).splitlines() if line.startswith("| `") for word in re.findall(r"`[^`]+`", line.split("|")[1])} for text in texts]
    assert named[0] - named[1] == set()
    assert len(re.findall("^## ", texts[0], re.M)) == len(re.findall("^## ", texts[1], re.M))
    parts = [re.search(rf"^## {head}$.*?^## ", text, re.M | re.S).group() for text, head in zip(texts, ("What was measured", "测得了什么"))]
    told = [{tuple(sorted(row)) for row in numbers(part)} for part in parts]
    assert told[0] - told[1] == set() and len(told[0]) > 30


@pytest.mark.parametrize("name", [name for pair in PAIRS for name in pair])
def test_what_is_linked_is_there(name):
    text = prose(read(name))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        file = (ROOT / name).parent / path if path else ROOT / name
        assert file.exists(), target
        assert not anchor or anchor in anchors(file.read_text()), target


@pytest.mark.parametrize("pair", PAIRS)
def test_each_language_names_the_other(pair):
    for one, other in (pair, reversed(pair)):
        assert f"]({pathlib.Path(other).name})" in read(one)[:200]


# As the notes tell them: by these the times of lessons are worked out.
CONSTANTS_TOLD = {"launch_ns": "{:.3f} ns", "bandwidth_gbps": "{:.0f} GB/s", "dirty_mb": "{:.0f} MB", "dram_latency_ns": "{:.0f} ns", "queue": "{:.2f}",
                  "writes": "{:.2f}", "slot_ns": "{:.0f} ns", "request_ns": "{:.2f} ns", "step_ns": "{:.2f} ns", "extra_line_ns": "{:.2f} ns",
                  "activate_ps": "{:.1f} ps", "issue_per_cycle": "{:.1f}", "sms": "{}"}


@pytest.mark.parametrize("name", PAIRS[0])
def test_constants_of_the_notes_are_those_that_are_shipped(name):
    spec = importlib.util.spec_from_file_location("lesson_bounds", ROOT / "scripts" / "lesson_bounds.py")
    bounds = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bounds)
    shipped, text = bounds.constants(), read(name)
    missing = {constant: told.format(shipped[constant]) for constant, told in CONSTANTS_TOLD.items()
               if not re.search(rf"(?<![\d.]){re.escape(told.format(shipped[constant]))}(?![\d.]*\d)", text)}
    assert missing == {}


def test_a_program_is_printed_as_it_is():
    text = read(PAIRS[0][0])
    printed = re.findall(r"\[plain/(\w+\.cu)\].*?\n\n```cuda\n(.*?)^```", text, re.M | re.S)
    assert sorted(name for name, _ in printed) == [path.name for path in PLAIN] and len(PLAIN) == 13
    for name, code in printed:
        assert code in (DOCS / "plain" / name).read_text(), name


@pytest.mark.builds
@pytest.mark.skipif(NVCC is None, reason="no nvcc")
@pytest.mark.parametrize("path", PLAIN, ids=lambda path: path.stem)
def test_a_plain_program_builds(path, tmp_path):
    done = subprocess.run([NVCC, "-arch=sm_90", "-Werror", "all-warnings", "-o", tmp_path / "a.out", path], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr


def published():
    for path in sorted((ROOT / "api" / "recipes").glob("*.json")):
        recipe = json.loads(path.read_text())
        if "published" in recipe:
            yield recipe


@pytest.mark.parametrize("name", PAIRS[0])
def test_each_published_table_is_in_the_index_and_in_a_lesson(name):
    lessons, _, index = read(name).partition(INDEX[name])
    for recipe in published():
        request = {"recipe": recipe["name"]}
        assert request in requests_of(lessons) and request in requests_of(index), recipe["name"]


def test_every_published_column_is_in_the_table():
    """As an axis, as the grid of the launch, or as a column of its own."""
    columns = set(re.findall(r'"published/(\w+)"', read("api/figure_table.c")))
    for recipe in published():
        rest = set(recipe["published"]["columns"]) - set(recipe["sweep"]) - {"grid"}
        assert rest <= columns, recipe["name"]
        assert {entry["column"] for entry in recipe["published"]["off"]} <= rest


def test_each_published_table_is_told_in_chinese_with_all_its_notes():
    for recipe in published():
        chinese, off = recipe["zh"], {entry["why"] for entry in recipe["published"]["off"]}
        off |= {f"of {size} elements" for size in recipe["published"].get("sizes", {}).values()}
        assert set(chinese.get("off", {})) == off, recipe["name"]
        assert len(chinese.get("notes", [])) == len(recipe["published"]["notes"]), recipe["name"]
        for text in (chinese["title"], chinese["text"], *chinese.get("notes", []), *chinese.get("off", {}).values()):
            assert re.search(r"[\u3400-\u9fff]", text), text
        for one, other in zip(recipe["published"]["notes"], chinese.get("notes", [])):
            assert sorted(re.findall(r"\d[\d.]*\d", one)) == sorted(re.findall(r"\d[\d.]*\d", other)), one
