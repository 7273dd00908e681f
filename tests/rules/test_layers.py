"""The lines that docs/architecture.md draws, read from the sources."""
import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]
MODULES = ["base", "kernels", "api", "executor", "server", "client"]
# Who may include whom, besides itself.
MAY = {
    "base": set(),
    "kernels": {"base"},
    "api": {"kernels", "base"},
    "executor": {"api", "kernels", "base"},
    "server": {"api", "kernels", "base"},
    "client": {"base"},
}
# A library's header, and the files that may include it.
LIBRARIES = {
    "microhttpd.h": r"server/(http|routes)/",
    "sqlite3.h": r"server/store/",
    "jansson.h": r"(api/|server/routes/|client/)",
    "curl/curl.h": r"client/service/",
    "nettle/": r"server/auth/",
    "cuda_runtime.h": r"kernels/(suite|device)/",
    "cminpack.h": r"kernels/calibrations/",
    "cupti": r"kernels/device/(device_)?counters",
}


def sources():
    for module in MODULES:
        for path in sorted((ROOT / module).rglob("*")):
            if path.suffix in {".c", ".h", ".cpp", ".cu", ".cuh"}:
                yield module, path.relative_to(ROOT).as_posix(), path.read_text()


def includes(text):
    return re.findall(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', text, re.M)


def test_modules_include_only_what_the_plan_lets_them():
    wrong = []
    for module, path, text in sources():
        for header in includes(text):
            other = header.split("/")[0]
            if other in MODULES and other != module and other not in MAY[module]:
                if path == "server/main.c" and header == "executor/executor.h":
                    continue  # composition: one binary is both
                wrong.append(f"{path} includes {header}")
    assert not wrong


# The server's own modules, from the top: each may include those below it.
SERVER_MODULES = [{"main"}, {"server"}, {"routes"}, {"calibration"}, {"events"}, {"devices"}, {"queue", "listeners"}, {"store", "http", "metrics"},
                  {"auth"}, {"config", "periodic"}]


def module_of(path):
    return path.split("/")[1].split(".")[0]


def test_the_servers_modules_include_only_modules_below_them():
    level = {module: i for i, modules in enumerate(SERVER_MODULES) for module in modules}
    wrong = []
    for _, path, text in sources():
        for header in includes(text):
            if path.startswith("server/") and header.startswith("server/"):
                one, other = module_of(path), module_of(header)
                if one != other and level[one] >= level[other]:
                    wrong.append(f"{path} includes {header}")
    assert not wrong


# The client's, likewise; the table of commands names their functions.
CLIENT_MODULES = [{"coalesce"}, {"complete"}, {"commands"}, {"work"}, {"context"}, {"answers", "parameters", "service"},
                {"manual"}, {"terminal"}]


def test_the_clients_modules_include_only_modules_below_them():
    level = {module: i for i, modules in enumerate(CLIENT_MODULES) for module in modules}
    wrong = []
    for _, path, text in sources():
        for header in includes(text):
            if path.startswith("client/") and header.startswith("client/") and header != "client/commands/command.h":
                one, other = module_of(path), module_of(header)
                if one != other and level[one] >= level[other]:
                    wrong.append(f"{path} includes {header}")
    assert not wrong


def test_no_file_is_longer_than_400_lines():
    tests = [path.relative_to(ROOT) for ending in ("c", "h", "cpp", "cu", "py") for path in (ROOT / "tests").rglob(f"*.{ending}")]
    limits = [(path, 400) for _, path, _ in sources()] + [(path, 450) for path in tests]
    lines = {str(path): len((ROOT / path).read_text().splitlines()) for path, _ in limits}
    assert [f"{path}: {lines[str(path)]} lines" for path, most in limits if lines[str(path)] > most] == []


def test_no_folder_is_deeper_than_a_module():
    deep = [path for _, path, _ in sources() if path.startswith(("server/", "client/", "kernels/")) and path.count("/") > 2]
    assert not deep


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
FACES = {"client/commands/command.h"}
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

