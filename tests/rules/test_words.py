"""Names and texts mean one thing: tags and base names occur once, and what is said in English is there in Chinese."""
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]
FOLDERS = "base", "api", "kernels", "server", "client", "executor"
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


def source_paths():
    return [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.suffix in SUFFIXES]


def test_each_tag_is_defined_once():
    """Two definitions of one name are undefined behaviour in a program with C++ files, and mislead a search.
    A kernel's struct has the kernel's name, which only kernels/ must not have otherwise."""
    sources = [(path.relative_to(ROOT).as_posix(), path.read_text()) for path in source_paths() if path.parent.name != "suite"]
    assert len(sources) > 300
    assert {tag: paths for tag, paths in twice(sources).items()} == {}
    kernels = [(path.relative_to(ROOT).as_posix(), path.read_text()) for path in source_paths() if "kernels" in path.parts]
    assert twice(kernels) == {}


def test_each_base_name_of_a_file_occurs_once():
    """As a header, and as what the header is of."""
    places = {}
    for path in source_paths():
        places.setdefault((path.stem, path.suffix == ".h"), []).append(path.relative_to(ROOT).as_posix())
    assert {name: paths for (name, _), paths in places.items() if len(paths) > 1} == {}


def test_this_test_sees_two_devices():
    first = "struct device {\n    int index;\n};\nclass one\n{\n};\n"
    second = "enum kind { A };\nstruct device : base\n{\n};\nstruct device *open(void);\n"
    assert twice([("cpu.cpp", first), ("cuda.cu", second)]) == {"device": ["cpu.cpp", "cuda.cu"]}


def test_each_unit_of_a_bound_has_its_words_on_the_page():
    text = (ROOT / "kernels/time/predicted_time.c").read_text()
    units = set(re.findall(r'"([a-z][A-Za-z ]+)",?\s*(?=[^"]*;)', "".join(re.findall(r"(?:amount_of|struct time_amount\)).*?;", text, re.S))))
    units |= set(re.findall(r'time_unit_\w+ = "([^"]+)"', text))
    assert {"blocks", "flits", "bytes", "sectors to the SMs", "requests to one slice", "waits in a row"} <= units
    words = set(re.findall(r'^  "bound_of\.(\w+)"', (ROOT / "web/charts/bounds.js").read_text(), re.M))
    # Bytes are written with their rate.
    assert {unit.replace(" ", "_") for unit in units} - words == {"bytes"}


def test_each_reason_not_to_predict_is_there_in_chinese_too():
    """Reasons stand as {"English", "Chinese"} where they are given: in the model of time, and in a kernel's untimed()."""
    texts = {f"kernels/time/{name}.c": (ROOT / f"kernels/time/{name}.c").read_text() for name in ("launch_work", "predicted_time")}
    for kernel in sorted((ROOT / "kernels/suite").glob("*.cu")):
        bodies = re.findall(r"static text_pair untimed\(.*?\n    }|static text_pair untimed\([^\n]*}", kernel.read_text(), re.S)
        texts[f"kernels/suite/{kernel.name}"] = "\n".join(bodies)
    reasons = [(path, *reason) for path, text in texts.items()
               for reason in re.findall(r'(?:return|=)\s+(?:\(struct text_pair\))?\{\s*"([^"]+)"(?:,\s*"([^"]+)")?\s*\}', text)]
    assert len(reasons) >= 12
    assert [(path, english) for path, english, chinese in reasons if not re.search("[\u4e00-\u9fff]", chinese)] == []


# ---- refusals ----

# snprintf: the refusals of a kernel of the suite.
REFUSERS = r"\b(?:(?:problem_add|problem_extend|reply_problem|reject|error_set)\(|snprintf\(\s*problem\.detail,)"
# What asks for something over HTTP is refused by these; what runs the service is told of in its log, in English.
REFUSALS = ["api", "kernels/suite", "kernels/experiment.c", "kernels/kernel_param.c", "kernels/source", "server/routes", "server/http/reply.c", "server/http/admission.c",
            "server/http/reply_stream.c", "server/http/live_streams.c", "server/queue"]
NOT_OVER_HTTP = re.compile(r"api/(device_list|protocol|run_request|sandbox_protocol|calibration_plan|device_json|problem_zh)|server/queue/queue_open")
C_STRINGS = r'((?:"(?:\\.|[^"\\])*"\s*(?:PRI[diu]64\s*)?)+)'


def formats(text):
    """The formats with words in them that are handed to what refuses."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for call in re.finditer(REFUSERS + r'((?:"(?:\\.|[^"\\])*"|[^;"])*?)\);', text, re.S):
        for literal in re.findall(C_STRINGS, call.group(1)):
            literal = re.sub(r'"\s*PRI([diu])64\s*"?', lambda m: "ll" + m.group(1), literal)
            literal = re.sub(r'"\s*"', "", literal).strip()[1:].removesuffix('"')
            if re.search(r"[a-z]{2,} [a-z%]", literal):
                yield literal


def plain(format_):
    return re.sub(r"%[-+ #0-9.*]*(?:hh|h|ll|l|z|j|t)?[a-zA-Z?]", "%", format_)


def test_each_refusal_over_http_is_there_in_chinese_too():
    table = "".join(path.read_text() for path in sorted((ROOT / "api").glob("problem_zh_*.h")))
    pairs = re.findall(r'^    \{"((?:\\.|[^"\\])*)", "((?:\\.|[^"\\])*)"\},$', table, re.M)
    rows = {plain(english) for english, _ in pairs}
    assert len(rows) > 200
    # How a job ended is no refusal: pages and command say it by the table of reasons.
    ended = set(re.findall(r'^  \["((?:\\.|[^"\\])*)", ', "".join((ROOT / "web" / name).read_text() for name in ("reasons.js", "source/machine_reasons.js")), re.M))
    assert len(ended) > 40
    general = [re.sub("%", ".*", re.escape(row)) for row in rows]

    def known(found, rows):  # also by a more general row, by one for each thing that it may say, or as a part of one
        own = plain(found)
        return (own in rows or any(re.fullmatch(row, found) for row in general) or any(own in row for row in rows)
                or any(re.fullmatch(re.sub("%", ".*", re.escape(own)), row) for row in rows))
    missing = []
    for folder in REFUSALS:
        for path in [ROOT / folder] if folder.endswith(".c") else sorted(path for path in (ROOT / folder).iterdir() if path.suffix in (".c", ".cu", ".h")):
            name = path.relative_to(ROOT).as_posix()
            if NOT_OVER_HTTP.match(name):
                continue
            for found in formats(path.read_text()):
                if not known(found, rows | ended if folder == "server/queue" else rows):
                    missing.append(f"{name}: {found}")
    assert not missing, "\n".join(missing)
    wrong = [english for english, chinese in pairs for place in re.findall(r"\{(\d)\}", chinese)
             if int(place) > len(re.findall(r"%[-+ #0-9.*hlzjt]*[a-zA-Z?]", english.replace("%%", "")))]
    assert not wrong


def test_the_page_offers_the_architectures_that_the_model_knows():
    known = re.findall(r'"(sm_\d+)"', (ROOT / "kernels/model/arch.c").read_text())
    offered = re.findall(r"^  (sm_\d+):", (ROOT / "web/charts/architectures.js").read_text().split("const OTHERS")[0], re.M)
    assert len(known) > 20 and sorted(set(known)) == sorted(offered)


WORDS = re.compile(r'^  "([^"]+)":', re.M)
IMPORTED = re.compile(r'^import\b[^;"]*"(\.[^"]*)";', re.M)


def words_of(module, seen):
    """The keys of the dictionaries that are loaded when that module of the page is, by it and what it imports."""
    if module in seen or not module.exists():
        return set()
    seen.add(module)
    text = module.read_text()
    own = set(WORDS.findall(text)) if module.name == "words.js" or "wordsAdd(" in text else set()
    return own.union(*(words_of((module.parent / path).resolve(), seen) for path in IMPORTED.findall(text)))


def test_each_module_of_the_page_imports_the_words_that_it_says():
    """Else they are missing on the page that loads nothing else that has them."""
    said, missing = 0, []
    for module in sorted((ROOT / "web").rglob("*.js")):
        keys = re.findall(r'(?<![\w.])t\(\s*"([^"]+)"', re.sub(r"/\*.*?\*/", "", module.read_text(), flags=re.S))
        said += len(keys)
        missing += [(module.relative_to(ROOT).as_posix(), key) for key in keys if key not in words_of(module, set())]
    assert said > 500 and missing == []


def test_each_phase_of_a_run_has_its_words_on_the_page():
    source = "".join(path.read_text() for folder in ("kernels", "executor", "api") for path in (ROOT / folder).rglob("*.[ch]"))
    sent = set(re.findall(r'(?:say|on_phase|samples_report)\([^;"]*"(\w+)"', source)) | set(re.findall(r'PROTOCOL_PHASE_\w+ "(\w+)"', source))
    assert {"open", "lock", "prepare", "cold", "hot", "counters"} <= sent
    words = (ROOT / "web/lab/phase_words.js").read_text()
    assert sent == set(re.findall(r'^  "lab\.phase_(\w+)"', words, re.M))
    stated = re.search(r"phase: \{type: string, description: \"(.*?); there may be others", (ROOT / "api/openapi.yaml").read_text())[1]
    assert sent == set(re.sub(r"\(.*?\)", "", stated).replace(" ", "").split(","))


def test_each_published_column_of_a_recipe_has_words_on_its_page():
    words = set(re.findall(r'"recipes\.col_(\w+)"', (ROOT / "web/recipe/words.js").read_text()))
    figures = set(re.findall(r'"published_(\w+)"', (ROOT / "api/figure_table.c").read_text()))
    tables = [json.loads(path.read_text()).get("published", {}) for path in (ROOT / "api/recipes").glob("*.json")]
    columns = {name for table in tables for name in table.get("columns", []) if name in figures}
    assert "cached_lines" in columns and columns - words <= {"elapsed_ms"}
