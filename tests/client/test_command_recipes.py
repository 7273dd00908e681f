"""`coalesce recipe`: the table of a published recipe in the terminal has what the service's answer has, in English and Chinese."""
import re

import pytest
from command import FAILED, Terminal, coalesce
from conftest import service  # noqa: F401
from test_published_tables import PUBLISHED, SMALL, measured_of

MEASURED = {"elapsed_ms": ("cold_median_us", 1e-3), "h2d_ms": ("h2d_median_us", 1e-3), "d2h_ms": ("d2h_median_us", 1e-3)}
WORDS = {"C.UTF-8": ("Published: ", "published", "no value", "note: "), "zh_CN.UTF-8": ("博文数据：", "博文数值", "无值", "说明：")}


def shown(service, name, locale, *words):
    fields = [f"{field}={'x'.join(map(str, value)) if isinstance(value, list) else value}" for field, value in SMALL.get(name, {}).items()]
    return coalesce(service, "recipe", name, *fields, "label.fake=counted", "--no-plot", *words, LANG="C.UTF-8", LC_CTYPE="C.UTF-8", LC_MESSAGES=locale, expect=FAILED if name == "sum_matrix_blocks" else 0).stdout


def text_of(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def groups_of(answer):
    """Each cell of a row that is no axis: (how a published figure is written, and its mark) or (a number)."""
    head, points = answer["published"], answer["points"]
    for column in head["columns"]:
        if column in points[0]["values"] or column == "grid":
            continue
        name, factor = MEASURED.get(column, (f"measured_{column}", 1))
        both = [[point.get("predicted", {}).get(chip, {}).get(column) for point in points] for chip in ("published_arch", "device_arch")]
        measured = [value and value * factor for value in (measured_of(point, name) for point in points)]
        yield [(point["published"].get(column), point["published"].get("marks", {}).get(column)) for point in points]
        yield from (values for values in [*both, measured] if any(value is not None for value in values))


@pytest.mark.parametrize("locale", WORDS)
@pytest.mark.parametrize("name", PUBLISHED)
def test_the_terminal_has_what_the_answer_has(service, name, locale):
    said, published, none, note = WORDS[locale]
    language = "zh" if locale.startswith("zh") else "en"
    for repeat in ((), ("repeat=2",)):
        text = shown(service, name, locale, *repeat)
        assert "nan" not in text and "△" not in text
        answer = service.get(f"/v1/sweeps/{re.search('^id (.*)$', text, re.M)[1]}?view=summary&page_size=500").json()
        head, points = answer["published"], answer["points"]
        lines = text.splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith(said))
        assert head["device"][language] in lines[first] and (head["device"]["arch"] or "") in lines[first]
        assert lines[first + 1].split()[:len(points[0]["values"])] == list(points[0]["values"])
        rows = [re.split(r" {2,}", line.strip())[len(points[0]["values"]):] for line in lines[first + 3:first + 3 + len(points)]]
        groups = list(groups_of(answer))
        assert published in lines[first + 2]
        assert (re.search(r"here \(cold\)|这里（冷启动）", lines[first + 2]) is not None) == ("elapsed_ms" in head["columns"])
        named = [column for column in head["columns"] if column not in points[0]["values"] and column != "grid"]
        assert [column in lines[first + 1].split() for column in named] == [language == "en"] * len(named)
        for cells, *values in zip(rows, *groups, strict=True):
            for cell, value in zip(cells, values, strict=True):
                if isinstance(value, tuple):
                    figure, mark = value
                    assert cell == (none if figure is None else text_of(figure) + (f" [{mark}]" if mark else "")), (name, cells)
                else:
                    assert cell == none if value is None else float(cell) == pytest.approx(value, rel=1e-3), (name, cells)
        used = {mark for point in points for mark in point["published"].get("marks", {}).values()}
        assert re.findall(r"^\[(.)\] (.*)$", text, re.M) == [(mark["mark"], mark[language]) for mark in head["marks"] if mark["mark"] in used]
        assert [line.removeprefix(note) for line in lines if line.startswith(note)] == [one[language] for one in head["notes"]]
        for field, both in (pair for point in points for pair in point["published"].get("differs", {}).items()):
            assert re.search(rf"^(differs here: |与博文数据不同：){field} ", text, re.M), (field, both)


@pytest.mark.parametrize("columns", [70, 110, 1000])
def test_only_marks_of_columns_that_fit_the_terminal_are_explained(service, columns):
    text = Terminal(service, "recipe", "read_segment_unroll", "size=4096", "label.fake=counted", "--no-plot", columns=columns).whole().replace("\r", "")
    table = text[text.index("Published: "):]
    explained = re.findall(r"^\[(.)\] ", table, re.M)
    assert explained == sorted(set(re.findall(r"\d \[(.)\]", table))) and ("a" in explained) == (columns > 70), text


def test_what_differs_from_the_published_run_is_named_once(service):
    text = coalesce(service, "recipe", "read_segment_cached", "size=4096", "--no-plot").stdout
    assert text.count("differs here: size 4096 (published: 1048576)\n") == 1
    assert text.count("differs here: device Fake device (published: Tesla M2070 class (Fermi))\n") == 1
    assert "loads" not in text.partition("\n\n")[0]  # those of this device alone, beside times


def test_the_published_size_and_block_are_named_also_where_others_are_run(service):
    lines = coalesce(service, "recipe", "sum_matrix_blocks", "size=64x64", "--no-plot", expect=FAILED).stdout.splitlines()
    assert any(line.startswith("Published: Fermi, sm_20") and "size 16384x16384" in line for line in lines)
    lines = coalesce(service, "recipe", "aos_soa", "size=4096", "--no-plot").stdout.splitlines()
    assert any(line.startswith("Published: ") and "block 128" in line and "size 1048576" in line for line in lines)


def test_a_recipe_without_a_published_table_has_none(service):
    text = coalesce(service, "recipe", "transpose", "size=64x64", "--no-plot").stdout
    assert "Published" not in text and "[a]" not in text


def test_ascii_alone_is_enough(service):
    assert shown(service, "sum_matrix_blocks", "zh_CN.UTF-8", "--ascii").isascii()
