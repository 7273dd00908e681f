"""A public function's name leads to the header that declares it."""
import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]
MODULES = ["base", "ptx", "kernels", "api", "executor", "server", "client"]


def sources():
    for module in MODULES:
        for path in sorted((ROOT / module).rglob("*")):
            if path.suffix in {".c", ".h", ".cpp", ".cu"}:
                yield path.relative_to(ROOT), path.read_text()


def tags(text):
    return re.findall(r"^(?:typedef )?(?:struct|union|enum) (\w+)\s*\{", text, re.M)


PROTOTYPE = r"^(?!static|typedef|extern|return|#)[a-z][\w \*]*?[ \*]([a-z]\w*)\([^;{}]*\)(?:\s*__attribute__\(.*\))?;"


def prototypes(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r'extern "C" \{', "", text)
    return re.findall(PROTOTYPE, re.sub(r"\{[^{}]*\}", "{}", text), re.M)


# Names of what a header is about, where that is neither its file's name nor a struct of it.
OTHERS = {"kernels/kernel.h": {"suite"}, "server/events/event_history.h": {"batch"}}


def strangers(path, text):
    """The functions of a header that begin with none of: its file's name (also without its last word: result_to_json in
    result_json.h), its module's, a struct that it defines."""
    stem = path.stem
    starts = {stem, stem + "s", re.sub(r"s$", "", stem), re.sub(r"ies$", "y", stem), stem.rpartition("_")[0], path.parent.name,
              *tags(text), *OTHERS.get(path.as_posix(), ())} - {""}
    return [name for name in prototypes(text) if not any(re.match(rf"{start}(?:_|$)", name) for start in starts)]


def test_a_public_function_carries_its_files_name():
    wrong = {path.as_posix(): names for path, text in sources() if path.suffix == ".h"
             for names in [strangers(path, text)] if names}
    assert wrong == {}


def test_a_function_of_another_name_is_found():
    text = "/* int no(void); */\nint users_find(struct a *a,\n        int b);\nstruct t *user_name(void);\nint wait_for(void);\n"
    assert strangers(pathlib.Path("server/auth/users.h"), text) == ["wait_for"]
    assert strangers(pathlib.Path("api/user_json.h"), "struct role {\n};\nint role_of(void);\nint user_to_json(void);\nint to_json(void);\n") == ["to_json"]
