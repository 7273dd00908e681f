"""A struct's name means one thing: in a program of C++ files two definitions of one name are undefined behaviour."""
import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]
# Only kernels/ has C++ files; in C each file's own structs are its own, but a header's name is taken.
SUFFIXES = {".c", ".h", ".cpp", ".cu"}


def definitions(text):
    """Tags of structs, unions, classes and enums that are defined at file scope with external meaning."""
    anonymous = re.sub(r"^namespace\s*\{.*?^\}", "", text, flags=re.M | re.S)
    return re.findall(r"^(?:typedef\s+|static\s+|const\s+)*(?:struct|union|class|enum)\s+(\w+)\s*(?:final\s*)?(?::[^;{]*)?\{",
                      anonymous, re.M)


def twice(sources):
    places = {}
    for path, text in sources:
        for tag in definitions(text):
            places.setdefault(tag, set()).add(path)
    return {tag: sorted(paths) for tag, paths in places.items() if len(paths) > 1}


def test_each_name_of_a_struct_in_kernels_is_defined_once():
    sources = [(path.relative_to(ROOT).as_posix(), path.read_text())
               for room in ("base", "kernels") for path in sorted((ROOT / room).rglob("*")) if path.suffix in SUFFIXES]
    assert len(sources) > 50
    assert twice(sources) == {}


def test_this_test_sees_two_devices():
    first = "struct device {\n    int index;\n};\nclass one\n{\n};\n"
    second = "enum kind { A };\nstruct device : base\n{\n};\nstruct device *open(void);\n"
    assert twice([("cpu.cpp", first), ("cuda.cu", second)]) == {"device": ["cpu.cpp", "cuda.cu"]}


def test_each_unit_of_a_bound_has_its_words_on_the_page():
    text = (ROOT / "kernels/time/predicted_time.c").read_text()
    units = set(re.findall(r'"([a-z][A-Za-z ]+)",?\s*(?=[^"]*;)', "".join(re.findall(r"(?:amount_of|struct time_amount\)).*?;", text, re.S))))
    units |= set(re.findall(r'time_unit_\w+ = "([^"]+)"', text))
    assert {"blocks", "flits", "bytes", "sectors to the SMs", "requests to one slice", "waits in a row"} <= units
    words = set(re.findall(r'^  "bound_of\.(\w+)"', (ROOT / "web/words.js").read_text(), re.M))
    # Bytes are written with their rate.
    assert {unit.replace(" ", "_") for unit in units} - words == {"bytes"}


def test_each_reason_not_to_predict_is_told_in_chinese_too():
    folder = ROOT / "kernels/time"
    told = {reason for name in ("launch_work.c", "predicted_time.c")
            for reason in re.findall(r'(?:return|why_not =)\s+"([^"]+)"', (folder / name).read_text()) if " " in reason}
    for kernel in sorted((ROOT / "kernels/suite").glob("*.cu")):
        for body in re.findall(r"static const char \*untimed\(.*?\n    }|static const char \*untimed\([^\n]*}", kernel.read_text(), re.S):
            told |= set(re.findall(r'"([^"]+)"', body))
    assert len(told) >= 12
    table = (folder / "reasons_templates.h").read_text()
    assert [reason for reason in told if f'{{"{reason}", "' not in table] == []
