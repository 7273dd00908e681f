"""What docs/architecture.md and docs/internals.md name in `code` exists in the sources."""
import functools
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGES = ["docs/architecture.md", "docs/internals.md"]
FOLDERS = ["base", "ptx", "kernels", "api", "executor", "server", "client", "web", "tests", "scripts", "cmake", "bench", "docs"]
SOURCES = {".c", ".h", ".cpp", ".cu", ".inc", ".js", ".py", ".cmake"}


@functools.cache
def words():
    texts = (path.read_text(errors="replace") for folder in ("base", "ptx", "kernels", "api", "executor", "server", "client", "web", "cmake")
             for path in (ROOT / folder).rglob("*") if path.suffix in SOURCES)
    found = set()
    for text in texts:
        found |= set(re.findall(r"\b\w+\b(?=\()|\b[A-Z][A-Z0-9_]+\b|\bstruct \w+(?= \{)", text))
    return found


def missing(page):
    """The paths, functions, structs and constants of a page that are nowhere."""
    wrong = []
    for code in re.findall(r"`([^`\n]+)`", page):
        if re.fullmatch(rf"(?:{'|'.join(FOLDERS)})/[\w./-]*", code):
            exists = (ROOT / code).exists()
        elif re.fullmatch(r"[\w./-]+\.(?:c|h|cpp|cu|inc|js|py)", code):
            exists = False  # a file is named by its whole path
        elif function := re.fullmatch(r"(\w+)\(\)", code):
            exists = function[1] in words()
        elif re.fullmatch(r"struct \w+|[A-Z]+(?:_[A-Z0-9]+)+", code):
            exists = code in words() or code.startswith("COALESCED_")
        else:
            continue
        if not exists:
            wrong.append(code)
    for function, path in re.findall(r"`(\w+)\(\)`,? in `([\w/.-]+\.\w+)`", page):  # said to be in that file
        if (ROOT / path).exists() and not re.search(rf"\b{function}\(", (ROOT / path).read_text()):
            wrong.append(f"{function}() in {path}")
    return wrong


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_names_is_there(page):
    wrong = missing((ROOT / page).read_text())
    assert not wrong, f"{page} names what is not there:\n" + "\n".join(wrong)


def test_this_test_sees_a_name_that_is_gone():
    page = ("`server/queue/queue.h` `server/queue/` `writer.c` `queue_submit()` `queue_tell()` `struct queue` `struct house` "
            "`ROUTE_SLOW` `ROUTE_APART` `--attempts`; `queue_submit()` in `server/store/store.c`")
    assert missing(page) == ["server/queue/queue.h", "writer.c", "queue_tell()", "struct house", "ROUTE_APART",
                             "queue_submit() in server/store/store.c"]
