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
