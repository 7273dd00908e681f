"""On a terminal: progress, colours, widths, Ctrl-C, and a page that leaves the terminal as it was."""
import json
import re
import signal
import unicodedata

import pytest
from command import CANNOT_TELL, INTERRUPTED, USAGE, WORSE, Terminal, coalesce
from conftest import service  # noqa: F401

SLOW = ["label.fake=sleep:0.3"]


def test_a_sweep_tells_how_far_it_is_and_clears_that_away(service):
    terminal = Terminal(service, "sweep", "read_offset", "size=4096", "offset=0..9", *SLOW, columns=100)
    terminal.until(r"\[[█░]+\] \d+/10  read_offset offset=\d+")
    terminal.until(r"about \S+ s left")
    assert terminal.end() == 0
    table = terminal.text.rsplit("\r", 1)[0]
    assert "10 of 10 measured" in terminal.text and "┤" in terminal.text and table
    assert "\x1b[38;5;32m" in terminal.seen


def test_no_color_is_heeded_and_can_be_overruled(service):
    for words, colours in ([], False), (["--color", "always"], True):
        terminal = Terminal(service, "devices", *words, NO_COLOR="1")
        terminal.end()
        assert ("\x1b[1m" in terminal.seen) == colours
    assert "\x1b[1m" in coalesce(service, "devices", "--color", "always").stdout


def test_a_narrow_terminal_has_fewer_columns_and_says_so(service):
    terminal = Terminal(service, "devices", columns=55)
    terminal.end()
    assert "not shown at this width: number, last cache MB,\r\n  multiprocessors, note\r\n" in terminal.text
    table = terminal.text.split("not shown")[0]
    assert max(len(line) for line in table.splitlines()) <= 55


def test_a_table_of_points_leaves_out_what_has_no_room_and_names_no_remark(service):
    made = coalesce(service, "sweep", "sum_matrix_2d", "size=512x512,1024x512", "block=32x8,16x16", "order=row,column", "load=ca,cg", "dtype=f32,f64", "label.fake=unstable", "--quiet").stdout
    identity = re.search(r"^id (\S+)", made, re.M).group(1)
    assert "median over runs" not in made
    for columns, head in (100, ["size", "block", "order", "load", "dtype", "cold", "cold", "bandwidth"]), (80, ["size", "block", "order", "load", "dtype", "cold"]):
        terminal = Terminal(service, "show", identity, "--no-plot", columns=columns)
        terminal.end()
        lines = terminal.text.splitlines()
        assert max(map(len, lines)) <= columns, lines
        assert next(line for line in lines if line.startswith("size")).split()[:len(head)] == head and "stores  " not in terminal.text.split("not shown")[0], lines
    said = coalesce(service, "sweep", "copy", "size=4096,8192", "repeat=2").stdout
    assert "median over runs\n" in said and "takes 6 of them" in said


@pytest.mark.parametrize("words", [
    ["help"], ["help", "run"], ["help", "compare"], ["kernels", "copy"], ["recipe"], ["run", "copy", "block=2000"], ["run", "read_offset", "offset=11"],
    ["explain", "read_offset", "offset=11"], ["show", "nothing"], ["run", "copy", "--devise", "cpu"]], ids=" ".join)
@pytest.mark.parametrize("columns", [60, 100])
def test_no_word_is_broken_in_its_middle(service, words, columns):
    """Each line ends at the end of a word of what a pipe gets, where the terminal does not have to break it."""
    terminal = Terminal(service, *words, columns=columns)
    terminal.end()
    lines = terminal.text.rsplit("\r\x1b", 1)[-1].replace("\r\n", "\n").splitlines()
    lines = [line.rsplit("\r", 1)[-1] for line in lines]
    assert [line for line in lines if len(line) > columns] == []
    lines = [line.removesuffix(" \\") for line in lines]  # an example that goes on
    whole = set(re.findall(r"\S+", Terminal(service, *words, columns=1000).whole()))
    if words[0] != "run" or "block=2000" in words:  # else its numbers are of another run
        assert set(re.findall(r"\S+", "\n".join(lines).split("not shown at")[0])) <= whole


def test_a_list_shortens_ids_before_it_loses_the_request(service):
    identity = coalesce(service, "run", "copy", "size=4096", "-d").stdout.strip()
    coalesce(service, "watch", identity)
    terminal = Terminal(service, "ls", "-n", "1", columns=60)
    terminal.end()
    short = f"{identity[:6]}…{identity[-7:]}"
    assert re.search(rf"{short}  succeeded  copy +block=256 size=4096", terminal.text)
    assert "owner" not in terminal.text, "nobody is the owner of anything here"
    terminal = Terminal(service, "ls", "-n", "1", "--kernel", "copy", columns=60)
    terminal.end()
    assert re.search(rf"{short}  succeeded  block=256 size=4096", terminal.text), "the kernel is the one that was asked for"
    for written in short, short.replace("…", "..."), f"…{identity[-6:]}", identity[-6:]:
        assert identity in coalesce(service, "show", written).stdout
    assert "none or of several" in coalesce(service, "show", f"{identity[:6]}…0000000", expect=USAGE).stderr
    coalesce(service, "sweep", "copy", "size=1..520", "-d")  # more than a page of newer ones
    for written in short, identity[-6:]:
        assert identity in coalesce(service, "show", written).stdout


@pytest.fixture(scope="module")
def sides(service):
    """Ids of three sweeps of four points: the second is slower, the third has too few runs."""
    found = []
    for times in "100,101,102,100.5,101.5,100.2", "110,111,112,110.5,111.5,110.2", "1,2":
        done = coalesce(service, "sweep", "copy", "size=4096,8192", "block=128,256", f"repeat={times.count(',') + 1}", "--json", f"label.fake=time:{times}")
        found.append(json.loads(done.stdout)["id"])
    return found


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_a_verdict_stands_in_the_line_of_its_point(service, sides, columns):
    for other, verdict in (1, "▼ worse"), (2, "◌ cannot tell"):
        lines = Terminal(service, "compare", sides[0], sides[other], columns=columns).whole().replace("\r", "").splitlines()
        rows = [line for line in lines if re.match(r"(4096|8192) +(128|256) ", line)]
        assert len(rows) == 4 and all(verdict in line for line in rows) and max(map(len, lines)) <= columns, lines


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_a_list_of_sweeps_has_their_requests_in_a_line_each(service, columns):
    asked = "sweep", "read_offset", "offset=0..63", "dtype=f32,f64", "size=4096", "block=64,128", "-d"
    coalesce(service, "watch", coalesce(service, *asked).stdout.strip())
    coalesce(service, "run", "transpose", "size=64x32", "block=32x8", "repeat=2")
    lines = Terminal(service, "ls", "--sweeps", "-n", "2", columns=columns).whole().replace("\r", "").splitlines()
    said = [re.search(r" 2 of 2 +(\S.*)", lines[1]).group(1), re.search(r" 256 of 256 +(\S.*)", lines[2]).group(1)]
    whole = ["transpose repeat=2 block=32x8 size=64x32", "read_offset offset=0,...,63 (64 values) dtype=f32,f64 block=64,128 size=4096"]
    for found, request in zip(said, whole):
        found = found.split("  ")[0]
        assert len(found) > 11 and (found == request or found.endswith("…") and request.startswith(found[:-1])), lines
    assert max(map(len, lines)) <= columns
    assert "submitted" in lines[0] or columns < 100, lines
    whole_lines = coalesce(service, "ls", "--sweeps", "-n", "2").stdout
    assert all(f" {request}  " in whole_lines for request in whole), whole_lines


def test_a_grid_that_follows_from_size_and_block_is_no_column(service, sides):
    assert "grid" not in coalesce(service, "compare", *sides[:2], expect=WORSE).stdout
    grids = [json.loads(coalesce(service, "sweep", "grid_stride", "size=4096", "block=128", "grid=2,4", "repeat=2", "--json").stdout)["id"] for _ in "ab"]
    assert "grid" in coalesce(service, "compare", *grids, expect=CANNOT_TELL).stdout


def test_chinese_takes_two_columns_a_character(service):
    terminal = Terminal(service, "kernels", "copy", columns=60, LANG="zh_CN.UTF-8", LC_CTYPE="C.UTF-8")
    terminal.end()
    for line in terminal.text.replace("\r", "").splitlines():
        assert sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line) <= 60, line
        assert not line.strip().startswith(("，", "。", "、")), line


@pytest.mark.parametrize("columns", range(50, 64))
def test_a_chinese_table_that_fits_has_a_line_a_row(service, columns):
    terminal = Terminal(service, "occupancy", "arch=sm_90", columns=columns, LANG="zh_CN.UTF-8", LC_CTYPE="C.UTF-8")
    terminal.end()
    table = terminal.text.replace("\r", "").split("\n\n")[0].splitlines()
    assert [line for line in table if line.startswith("sm_90")] == table[2:3], table


def test_a_coloured_word_goes_to_the_next_line_as_a_whole(service):
    text = Terminal(service, "devices", columns=1000).whole()
    words = set(re.findall(r"\S+", text)) | {"starting", "ready", "away"}  # it may change between two looks
    for columns in range(20, 60):
        assert set(re.findall(r"\S+", Terminal(service, "devices", columns=columns).whole().split("not shown at")[0])) <= words


def test_ascii_where_the_locale_has_nothing_else(service):
    done = coalesce(service, "sweep", "copy", "size=4096,8192", LANG="C")
    assert done.stdout.isascii()


def test_an_interrupt_leaves_the_work_and_says_how_to_come_back(service):
    terminal = Terminal(service, "sweep", "read_offset", "size=4096", "offset=20..29", *SLOW)
    terminal.until(r"/10")
    terminal.interrupt()
    assert terminal.end() == INTERRUPTED
    identity = re.search(r"stays in the queue: coalesce watch (\w+)", terminal.text).group(1)
    assert service.get(f"/v1/sweeps/{identity}").json()["state"] == "running"
    said = json.loads(coalesce(service, "watch", identity, "--json").stdout)
    assert said["state"] == "succeeded" and said["succeeded"] == 10


def test_an_interrupt_cancels_when_that_was_asked_for(service):
    terminal = Terminal(service, "run", "copy", "size=4096", "label.fake=sleep:30", "--cancel-on-interrupt")
    terminal.until(r"copy: (queued|running)")
    terminal.interrupt()
    assert terminal.end() == INTERRUPTED
    identity = re.search(r"cancelled (\w+)", terminal.text).group(1)
    service.until(lambda: service.get(f"/v1/experiments/{identity}").json()["state"] == "cancelled")
    coalesce(service, "watch", identity, expect=1)


def test_what_is_cancelled_is_cancelled(service):
    identity = coalesce(service, "sweep", "copy", "size=4096,8192", "label.fake=sleep:30", "-d").stdout.strip()
    coalesce(service, "cancel", identity)
    coalesce(service, "watch", identity, expect=1)
    for words in {"LANG": "C.UTF-8"}, {"LANG": "zh_CN.UTF-8"}:
        again = coalesce(service, "cancel", identity, expect=4, **words).stderr
        assert "coalesce remove" in again and "DELETE" not in again and "?" not in again
    removed = coalesce(service, "remove", identity)
    assert removed.stdout == f"removed {identity}\n" and f"coalesce undo {identity}" in removed.stderr
    assert "was removed" in coalesce(service, "show", identity, expect=4).stderr
    listed = coalesce(service, "undo").stdout.splitlines()
    assert [line.split()[:2] for line in listed] == [["id", "experiments"], [identity, "2"]]
    assert json.loads(coalesce(service, "undo", "--json").stdout)["removals"][0]["id"] == identity
    assert coalesce(service, "undo", identity).stdout == f"restored {identity}\n"
    assert coalesce(service, "undo").stdout == "nothing that was removed can be brought back\n"
    coalesce(service, "show", identity, expect=1)
    assert coalesce(service, "undo", identity).stdout == f"{identity} is not removed\n"
    coalesce(service, "undo", "01ARZ3NDEKTSV4RRFFQ69G5FAV", expect=4)
    coalesce(service, "undo", "../x", expect=2)


@pytest.mark.parametrize("words", [["run", "copy", "size=4096"], ["sweep", "copy", "size=4096,8192"]], ids=lambda words: words[0])
def test_what_was_removed_comes_back_by_the_id_that_lists_print(service, words):
    identity = coalesce(service, *words, "-d").stdout.strip()
    coalesce(service, "watch", identity)
    short = f"{identity[:6]}…{identity[-7:]}"
    coalesce(service, "remove", short)
    assert "was removed" in coalesce(service, "show", short, expect=4).stderr
    for said in (f"restored {identity}\n", f"{identity} is not removed\n"):
        assert coalesce(service, "undo", short).stdout == said
    coalesce(service, "show", short)


def test_a_sweep_of_points_that_are_refused_says_so_though_nobody_waits(service):
    for sizes, status in ("priority=201,202", 1), ("priority=1,201", 0):
        told = coalesce(service, "sweep", "copy", "size=4096", sizes, "-d", expect=status)
        assert f"of 2 runs are refused: coalesce show {told.stdout.strip()} says why" in told.stderr


def test_top_is_a_page_that_goes_away(service):
    for end in (lambda terminal: terminal.type("q")), (lambda terminal: terminal.interrupt()), \
            (lambda terminal: terminal.process.send_signal(signal.SIGTERM)):
        terminal = Terminal(service, "top", "--interval", "0.1")
        terminal.until(r"\x1b\[\?1049h.*Fake device(?s:.*)Fake device")
        end(terminal)
        assert terminal.end() == 0
        assert terminal.seen.rstrip().endswith("\x1b[?1049l")


def test_top_tells_what_runs_and_who_waits(service):
    identity = coalesce(service, "sweep", "copy", "size=4096,8192", "label.fake=sleep:2", "-d").stdout.strip()
    service.until(lambda: "runs copy of nobody" in coalesce(service, "top").stdout)
    text = coalesce(service, "top", "--once").stdout
    assert "queued" in text and "nobody" in text
    coalesce(service, "cancel", identity)


def test_a_list_has_as_many_rows_as_are_asked_for(service):
    identity = coalesce(service, "sweep", "copy", "size=4096", "repeat=520", "-d").stdout.strip()
    coalesce(service, "watch", identity)
    for most, found in (500, 500), (519, 519), (2000, 520):
        rows = [coalesce(service, "ls", "--sweep", identity, "-n", str(most), *form).stdout for form in (["-q"], ["--csv", "--columns", "id"], ["--json"])]
        table, csv, document = rows[0].splitlines(), rows[1].splitlines()[1:], json.loads(rows[2])
        ids = [row["id"] for row in document["experiments"]]
        assert len(set(ids)) == len(table) - 1 == found and csv == ids
        assert (document["next_page_token"] is None) == (most == 2000)
    assert "from 1 to 10000" in coalesce(service, "ls", "-n", "10001", expect=USAGE).stderr
