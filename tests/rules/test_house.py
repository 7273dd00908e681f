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
    "jansson.h": r"(api/|server/routes/)",
    "cuda_runtime.h": r"kernels/(suite|device)/",
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
SERVER_ROOMS = [{"main"}, {"routes"}, {"devices"}, {"queue", "events"}, {"store", "http", "config"}]


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


def test_a_room_of_the_server_is_seen_at_a_glance():
    for folder in [ROOT / "server", *(path for path in (ROOT / "server").rglob("*") if path.is_dir())]:
        nouns = {path.stem for path in folder.iterdir() if path.is_file()}
        assert len(nouns) <= 12, f"{folder.name} has {len(nouns)} files: {sorted(nouns)}"


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


def test_files_stay_one_room_long():
    long = [(path, text.count("\n")) for _, path, text in sources() if text.count("\n") > 400]
    assert not long
