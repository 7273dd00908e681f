"""The lines that docs/architecture.md draws, read from the sources."""
import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]
ROOMS = ["base", "kernels", "api", "executor", "server", "client"]
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
    "nettle/": r"server/people/",
    "cuda_runtime.h": r"kernels/(suite|device)/",
    "cminpack.h": r"kernels/calibrations/",
    "cupti": r"kernels/device/counters",
}


def sources():
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix in {".c", ".h", ".cpp", ".cu", ".cuh"}:
                yield room, path.relative_to(ROOT).as_posix(), path.read_text()


def includes(text):
    return re.findall(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', text, re.M)


def test_rooms_include_only_what_the_plan_lets_them():
    wrong = []
    for room, path, text in sources():
        for header in includes(text):
            other = header.split("/")[0]
            if other in ROOMS and other != room and other not in MAY[room]:
                if path == "server/main.c" and header == "executor/executor.h":
                    continue  # composition: one binary is both
                wrong.append(f"{path} includes {header}")
    assert not wrong


# The server's own rooms, from the top: each may include those below it.
SERVER_ROOMS = [{"main"}, {"commands"}, {"routes"}, {"calibrations"}, {"feed"}, {"devices"}, {"queue", "events", "entrance"}, {"store", "http", "metrics", "announce"},
                {"people"}, {"config"}]


def server_room(path):
    return path.split("/")[1].split(".")[0]


def test_the_servers_rooms_include_only_rooms_below_them():
    level = {room: i for i, rooms in enumerate(SERVER_ROOMS) for room in rooms}
    wrong = []
    for _, path, text in sources():
        for header in includes(text):
            if path.startswith("server/") and header.startswith("server/"):
                one, other = server_room(path), server_room(header)
                if one != other and level[one] >= level[other]:
                    wrong.append(f"{path} includes {header}")
    assert not wrong


# The client's, likewise; the table of commands names their functions.
CLIENT_ROOMS = [{"main"}, {"complete"}, {"commands"}, {"work"}, {"context"}, {"answers", "parameters", "service", "options"},
                {"manual"}, {"terminal"}, {"exit"}]


def test_the_clients_rooms_include_only_rooms_below_them():
    level = {room: i for i, rooms in enumerate(CLIENT_ROOMS) for room in rooms}
    wrong = []
    for _, path, text in sources():
        for header in includes(text):
            if path.startswith("client/") and header.startswith("client/") and header != "client/commands/commands.h":
                one, other = server_room(path), server_room(header)
                if one != other and level[one] >= level[other]:
                    wrong.append(f"{path} includes {header}")
    assert not wrong


def test_no_file_is_more_than_one_room():
    tests = [path.relative_to(ROOT) for ending in ("c", "h", "cpp", "cu", "py") for path in (ROOT / "tests").rglob(f"*.{ending}")]
    limits = [(path, 400) for _, path, _ in sources()] + [(path, 450) for path in tests]
    lines = {str(path): len((ROOT / path).read_text().splitlines()) for path, _ in limits}
    assert [f"{path}: {lines[str(path)]} lines" for path, most in limits if lines[str(path)] > most] == []


def test_a_room_of_the_server_or_the_client_is_seen_at_a_glance():
    rooms = [ROOT / "server", ROOT / "client"]
    for folder in [*rooms, *(path for room in rooms for path in room.rglob("*") if path.is_dir())]:
        files = sorted(path.name for path in folder.iterdir() if path.is_file())
        assert len(files) <= 12, f"{folder.name} has {len(files)} files: {files}"


def test_the_server_includes_neither_the_runner_nor_a_device():
    wrong = [f"{path} includes {header}" for room, path, text in sources() if room in {"server", "api"}
             for header in includes(text) if re.match(r"kernels/(runner|timing|device/)", header)]
    assert not wrong


def test_each_library_is_known_to_its_room_alone():
    wrong = []
    for _, path, text in sources():
        for header in includes(text):
            for library, place in LIBRARIES.items():
                if header.startswith(library) and not re.match(place, path):
                    wrong.append(f"{path} includes {header}")
    assert not wrong


def test_this_test_sees_an_include():
    assert includes('#include "server/queue/queue.h"\n  #  include <sqlite3.h>\n') == ["server/queue/queue.h", "sqlite3.h"]
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


# The face of a room: its functions may be defined in any file of the room.
FACES = {"server/queue/queue.h", "server/store/store.h", "client/commands/commands.h"}
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


def test_files_stay_one_room_long():
    long = [(path, text.count("\n")) for _, path, text in sources() if text.count("\n") > 400]
    assert not long
