"""The tables of docs/architecture.md say which module may include which; the sources keep to them."""
import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]


def table(text, name):
    """The table whose first heading is `name`: {module: modules that it may include}."""
    lines = text.split(f"| {name} | what | may include |\n", 1)[1].splitlines()
    rows = {}
    for line in lines[1:]:
        if not line.startswith("|"):
            break
        first, *_, last = line.strip("| ").split(" | ")
        rows[first.strip("`")] = set(re.findall(r"`([^`]+)`", last))
    return rows


PAGE = (ROOT / "docs/architecture.md").read_text()
TREE, SERVER, CLIENT = (table(PAGE, name) for name in ("tree", "server", "client"))
MODULES = list(TREE)
# A library's header, and the files that may include it.
LIBRARIES = {
    "microhttpd.h": r"server/(http|routes)/",
    "sqlite3.h": r"server/store/",
    "jansson.h": r"(api/|server/routes/|client/)",
    "curl/curl.h": r"client/service/",
    "nettle/": r"(base/digest|server/auth/)",
    "muParserDLL.h": r"kernels/source/source_expression",
    "cuda_runtime.h": r"kernels/(suite|device)/",
    "cminpack.h": r"kernels/calibrations/",
    "seccomp.h": r"executor/wall",
    "cupti": r"kernels/device/(device_)?counters",
}


def sources():
    for module in MODULES:
        for path in sorted((ROOT / module).rglob("*")):
            if path.suffix in {".c", ".h", ".cpp", ".cu", ".cuh"}:
                yield module, path.relative_to(ROOT).as_posix(), path.read_text()


def includes(text):
    return re.findall(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', text, re.M)


# Includes that no table allows: one binary is both programs; the table of commands names their functions.
EXCEPT = {("server/main.c", "executor/executor.h"), ("server/main.c", "executor/sandbox_main.h"),
          *((path.relative_to(ROOT).as_posix(), "client/commands/command.h")
                                                      for path in (ROOT / "client").rglob("*.[ch]"))}


def crossings(files, may, module_of):
    """Includes of one module by another that may not; module_of(path) is None for what is in none of them."""
    return [f"{path} includes {header}" for path, text in files for header in includes(text)
            if None not in (one := module_of(path), other := module_of(header)) and one != other
            and other not in may[one] and (path, header) not in EXCEPT]


def top_of(path):
    return path.split("/")[0] if "/" in path and path.split("/")[0] in TREE else None


def inside(top):
    return lambda path: path.split("/")[1].split(".")[0] if path.startswith(top + "/") else None


def files():
    return [(path, text) for _, path, text in sources()]


def test_each_module_of_the_tree_includes_only_what_the_table_lets_it():
    assert crossings(files(), TREE, top_of) == []


def test_each_module_of_the_server_includes_only_what_the_table_lets_it():
    assert crossings(files(), SERVER, inside("server")) == []


def test_each_module_of_the_client_includes_only_what_the_table_lets_it():
    assert crossings(files(), CLIENT, inside("client")) == []


def test_the_tables_have_every_module_and_no_circle():
    for top, rows in (("server", SERVER), ("client", CLIENT)):
        assert set(rows) == {inside(top)(path) for path, _ in files() if path.startswith(top + "/")}
    for rows in (TREE, SERVER, CLIENT):
        assert set().union(*rows.values()) <= set(rows)
        assert circle(rows) is None


def test_a_planted_include_is_found():
    page = "| server | what | may include |\n|---|---|---|\n| `routes` | paths | `queue`, `store` |\n| `queue` | next | `store` |\n| `store` | disk | nothing |\n\n"
    may = table(page, "server")
    assert may == {"routes": {"queue", "store"}, "queue": {"store"}, "store": set()}
    planted = [("server/queue/order.c", '#include "server/routes/wait.h"\n#include "server/store/store.h"\n'),
               ("server/routes/wait.c", '#include "server/queue/order.h"\n')]
    assert crossings(planted, may, inside("server")) == ["server/queue/order.c includes server/routes/wait.h"]
    assert crossings([("base/log.c", '#include "api/sweep.h"\n#include "log.h"\n')], TREE, top_of) == ["base/log.c includes api/sweep.h"]


def test_no_file_is_longer_than_400_lines():
    tests = [path.relative_to(ROOT) for ending in ("c", "h", "cpp", "cu", "py") for path in (ROOT / "tests").rglob(f"*.{ending}")]
    limits = [(path, 400) for _, path, _ in sources()] + [(path, 450) for path in tests]
    lines = {str(path): len((ROOT / path).read_text().splitlines()) for path, _ in limits}
    assert [f"{path}: {lines[str(path)]} lines" for path, most in limits if lines[str(path)] > most] == []


def test_no_folder_is_deeper_than_a_module():
    deep = [path for _, path, _ in sources() if path.startswith(("server/", "client/", "kernels/")) and path.count("/") > 2]
    assert not deep


def test_the_command_includes_of_api_only_the_figures_and_the_search_for_names():
    found = {header for module, _, text in sources() if module == "client" for header in includes(text) if header.startswith("api/")}
    assert found == {"api/figures.h", "api/suggest.h"}


def test_the_server_includes_neither_the_runner_nor_a_device():
    wrong = [f"{path} includes {header}" for module, path, text in sources() if module in {"server", "api"}
             for header in includes(text) if re.match(r"kernels/(measure|device)/", header)]
    assert not wrong


def test_each_library_is_known_to_its_module_alone():
    wrong = []
    for _, path, text in sources():
        for header in includes(text):
            for library, place in LIBRARIES.items():
                if header.startswith(library) and not re.match(place, path):
                    wrong.append(f"{path} includes {header}")
    assert not wrong


def test_this_test_sees_an_include():
    assert includes('#include "server/queue/queue_view.h"\n  #  include <sqlite3.h>\n') == ["server/queue/queue_view.h", "sqlite3.h"]
    assert sum(1 for _ in sources()) > 50


# ---- boxes: X.h with X.c is one ----

def boxes(files):
    """Who includes whom, by stems: {"server/queue/entry": {"server/queue/order", ...}}."""
    graph = {}
    for path, text in files:
        box = path.rsplit(".", 1)[0]
        below = {header.rsplit(".", 1)[0] for header in includes(text)}
        graph.setdefault(box, set()).update(below - {box})
    return {box: {other for other in below if other in graph} for box, below in graph.items()}


def circle(graph):
    """One circle of the graph, as the boxes along it; None when there is none."""
    done = set()
    for start in sorted(graph):
        path = []
        stack = [(start, None)]
        while stack:
            box, below = stack.pop()
            if below is None:
                if box in path:
                    return [*path[path.index(box):], box]
                if box in done:
                    continue
                path.append(box)
                below = sorted(graph[box])
            if below:
                stack.append((box, below[1:]))
                stack.append((below[0], None))
            else:
                done.add(box)
                path.pop()
    return None


def test_no_file_pair_includes_in_a_circle():
    assert circle(boxes([(path, text) for _, path, text in sources()])) is None


def test_a_planted_circle_is_found():
    planted = [("server/queue/order.h", ""), ("server/queue/order.c", '#include "server/queue/entry.h"\n'),
               ("server/queue/entry.h", '#include "server/queue/order.h"\n#include "server/queue/queue.h"\n'),
               ("server/queue/queue.h", "")]
    assert circle(boxes(planted)) == ["server/queue/entry", "server/queue/order", "server/queue/entry"]
    assert circle(boxes(planted[:1] + planted[2:])) is None


# The face of a module: its functions may be defined in any file of the module.
FACES = {"client/commands/command.h", "client/answers/answers.h", "server/http/reply.h"}
PROTOTYPE = r"^(?!static|typedef|extern|return|#)[a-z][\w \*]*?[ \*]([a-z]\w*)\([^;{}]*\)(?:\s*__attribute__\(.*\))?;"


def prototypes(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.findall(PROTOTYPE, re.sub(r"\{[^{}]*\}", "{}", text), re.M)


def test_a_header_declares_what_its_own_file_defines():
    wrong = []
    texts = {path: text for _, path, text in sources()}
    for path, text in texts.items():
        if not path.startswith(("server/", "client/")) or not path.endswith(".h"):
            continue
        own = texts.get(path[:-2] + ".c", "")
        if path in FACES:
            own = "".join(other for name, other in texts.items()
                          if name.startswith(path.rsplit("/", 1)[0] + "/") and name.endswith(".c"))
        for name in prototypes(text):
            if not re.search(rf"^(?!\s)[\w \*]*\b{name}\([^;]*?\)\s*\{{", own, re.M):
                wrong.append(f"{path} declares {name}")
    assert not wrong


def test_this_test_sees_a_prototype():
    text = "/* int no(void); */\nint one(struct a *a,\n        int b);\nstruct t *two(void);\nstatic inline int three(void)\n{\n    four();\n}\n"
    assert prototypes(text) == ["one", "two"]

