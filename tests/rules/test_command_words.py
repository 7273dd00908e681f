"""What the command says is in Chinese too: client/terminal/language_*.inc against the sources that look texts up in it."""
import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]
CLIENT = ROOT / "client"
ONE = r'"(?:\\.|[^"\\])*"'
TABLES = [CLIENT / f"terminal/language_{name}.inc" for name in ("help", "texts")]
# Looked up by the service's own words, not by a text in the source: states, kinds, readiness, phases, units.
TOLD = """queued running succeeded finished failed cancelled ready starting away unhealthy none measuring shipped load store atomic shared global constant barriers
cold hot incorrect out_of_memory timed_out crashed cuda_error device_lost abandoned invalid unavailable host_memory system not_found open lock
quiet prepare check transfers counters""".split()
# The same in both languages.
NAMES = {"", "%", "?", "L2", "GB", "GB/s", "MB", "f32 f64 i32", "-100 to 100"}


def joined(literal):
    return "".join(one[1:-1] for one in re.findall(ONE, literal))


def table():
    return {joined(english): joined(chinese) for english, chinese in re.findall(rf"^    \{{({ONE}), ({ONE})\}},$", "".join(path.read_text() for path in TABLES), re.M)}


def looked_up():
    """text: where it stands. Calls of language_text(); columns of rows_table_print(), which looks them up; the manual."""
    found = {}
    for path in sorted(CLIENT.rglob("*.[ch]")):
        text, name = path.read_text(), path.name
        literals = re.findall(rf"language_text\(\s*({ONE}(?:\s*{ONE})*)\)", text)
        for pair in re.findall(rf"language_text\([^()\"]*\?\s*({ONE})\s*:\s*({ONE})\)", text):
            literals += pair
        for array in re.findall(r"struct rows_table_column \w+\[\] = \{(.*?)\n *\};", text, re.S):
            literals += [one for row in re.findall(rf"\{{({ONE}), (NULL|{ONE}),", array) for one in row if one != "NULL"]
            literals += re.findall(rf"\.missing = ({ONE})", array)
        if name == "options.h":
            literals += re.findall(rf"OPTION\(\w+, {ONE}, (?:0|'\w'), (?:NULL|{ONE}),\s*({ONE}(?:\s*{ONE})*)", text)
        if name == "command_table.c":
            for rest in re.findall(rf"^    \{{({ONE}, {ONE}, (?:{ONE}\s*)+,\s*(?:{ONE}\s*)+),", text, re.M):
                literals += re.findall(rf"((?:{ONE}\s*)+)(?:,|$)", rest)[2:4]
            for pairs in re.findall(r"struct manual_pair \w+\[\] = \{(.*?)\n\};", text, re.S):
                literals += re.findall(rf"\{{{ONE},\s*({ONE}(?:\s*{ONE})*)\}}", pairs)
        found.update((joined(one), name) for one in literals)
    return found


def conversions(text):
    """Those of a printf format, in the order of the arguments."""
    found = re.findall(r"%(?:(\d+)\$)?([-+ #0]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z)?[a-zA-Z])", text.replace("%%", ""))
    return [one for _, one in sorted(((int(number or 0), one) for number, one in found), key=lambda pair: pair[0])]


def test_each_text_has_its_chinese_and_each_row_is_used():
    rows, used = table(), looked_up()
    assert len(rows) > 400 and len(used) > 350
    missing = {text: path for text, path in used.items() if text not in rows and text not in NAMES}
    assert missing == {}
    # What tables of names and units in the sources have is a text there, though not in a call.
    sources = "".join(path.read_text() for path in [*CLIENT.rglob("*.[ch]"), *(ROOT / "kernels/time").glob("*.c"), *(ROOT / "kernels/suite").glob("*")])
    literals = {joined(one) for one in re.findall(rf"{ONE}(?:\s*{ONE})*", sources)}
    assert {text for text in rows if text not in used and text not in literals and text not in TOLD} == set()


def test_the_chinese_is_chinese_with_the_same_conversions():
    for english, chinese in table().items():
        assert re.search("[\u3000-\u9fff\uff00-\uffef]", chinese), english
        plain = "%" in english and english.strip() not in ("% of time", "% busy", "% used", ", 95 %", "95 % interval") and "its 95 % interval" not in english
        if plain:
            assert conversions(english) == conversions(chinese), english
        assert not re.search("[\u4e00-\u9fff],|[\u4e00-\u9fff]\\(", chinese), chinese


def test_no_text_is_said_that_is_not_looked_up():
    """What goes to a reader by printf and the like has no words of its own."""
    calls = r"\b(?:printf|puts|fputs|screen_say|screen_remark|sheet_column|sheet_format|error_set)\((?:[^;\"]*?)"
    said = []
    for path in sorted(CLIENT.rglob("*.c")):
        text = path.read_text().partition("/* ---- the man page ---- */")[0]
        text = re.sub(rf"language_text\(\s*(?:{ONE}\s*)+\)", "0", text)
        for literal in re.findall(rf"{calls}({ONE})", text):
            words = re.sub(r"\\[a-z\"\\]|%[-+ #0-9.*]*(?:hh|h|ll|l|z)?[a-zA-Z%]", " ", joined(literal))
            if len(re.findall(r"[A-Za-z_]{2,}", words)) >= 3:
                said.append((path.name, literal))
    allowed = {literal for literal in (one for _, one in said) if literal.startswith(('"/v1', '"coalesce %s'))}
    assert [one for one in said if one[1] not in allowed] == []
