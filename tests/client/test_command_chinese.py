"""In a Chinese terminal every command speaks Chinese: no run of English words but names, code and what a person wrote."""
import re
import subprocess
import unicodedata

import pytest
from command import CANNOT_TELL, COMMAND, FAILED, NOWHERE, REFUSED, UNREACHABLE, USAGE, Terminal, coalesce, environment
from conftest import BINARY, Service

CHINESE = {"LANG": "zh_CN.UTF-8"}
# What is in English in Chinese too: names of products and sentences of other programs.
NAMES = ("default ca cg ldg cs volatile", "invalid configuration argument", "AMD EPYC", "NVIDIA H200")
RUN = re.compile(r"[A-Za-z][A-Za-z'-]+(?:[,;:]? [A-Za-z][A-Za-z'-]+){3,}")


def english(text):
    """Runs of four or more English words. Paths, options, code between backquotes, NAME=VALUE and words of code are
    none; cells of a table are apart."""
    for name in NAMES:
        text = text.replace(name, "")
    text = re.sub(r"`[^`]*`|--?[a-z][\w-]*|\S*[=/_\d]\S*|\bcoalesce \w+[^\n]*", " | ", text)
    return RUN.findall(text)


def test_english_is_found_and_names_are_not():
    assert english("等待：the queue is paused by ada") == ["the queue is paused by ada"]
    assert english("用 `coalesce run copy now` 运行 copy，见 coalesce help run now please\nAMD EPYC，state queued running") == []


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    running = Service(tmp_path_factory.mktemp("chinese"), "--executor-command", f"{BINARY} --executor", "--devices", "cpu", fake=False)
    yield running
    running.stop()


QUICK = ["measure.max_seconds=0.01", "measure.min_samples=1"]
WORDS = [
    ["run", "read_offset", "offset=11", "size=65536", "counters=on", *QUICK],
    ["run", "pointer_chase", "size=4096", *QUICK],
    ["sweep", "read_offset", "offset=0..2", "block=128,2048", "size=65536", *QUICK],
    ["sweep", "copy", "size=4096,8192", "repeat=2", *QUICK],
    ["recipe"], ["recipe", "sum_matrix_blocks", "size=256x256", "--no-plot", *QUICK],
    ["predict", "read_offset", "offset=11"], ["predict", "copy_ldg"], ["predict", "copy", "load=ca", "arch=sm_35"],
    ["predict", "copy", "size=2^26", "block=32", "--device-name", "NVIDIA H200"], ["predict", "gather", "--device-name", "nothing"],
    *(["explain", kernel, f"arch={arch}"] for kernel in ("read_offset", "transpose", "gather", "read_const", "atomic_add") for arch in ("sm_12", "sm_20", "sm_90")),
    ["occupancy"], ["occupancy", "arch=sm_35", "registers=33"],
    ["ls"], ["ls", "--sweeps"], ["queue"], ["top", "--once"], ["devices"], ["devices", "0"], ["calibration", "0"],
    ["kernels"], *(["kernels", kernel] for kernel in ("copy_width", "read_offset", "memory_fence", "reuse", "peer_read")),
    ["compare", "kernel=read_offset", "kernel=read_offset"], ["compare", "kernel=read_offset", "kernel=copy"],
    ["run", "nope"], ["run", "copy", "offset=3"], ["run", "copy", "block=4096"], ["run", "copy", "size=0", "dtype=f16"], ["run", "copy", "--devise", "3"],
    ["sweep", "copy", "size=5..1"], ["sweep", "copy", "size=1..x"], ["show", "nope"], ["show", "01M7YM65F54TJADP7Z58JCT8G6"], ["frobnicate"], ["occupancy", "arch"], ["run"],
    ["run", "copy", "--patience", "x"], ["ls", "--sweeps", "--kernel", "copy"],
    ["help"], *(["help", command] for command in ("run", "sweep", "recipe", "predict", "explain", "occupancy", "ls", "show", "watch", "cancel", "remove", "undo", "compare", "top", "queue", "devices",
                                                    "calibration", "kernels", "export")),
]


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_a_command_speaks_chinese(service, words):
    done = subprocess.run([COMMAND, *words], capture_output=True, timeout=120, env=environment(service.url, **CHINESE), text=True)
    assert done.returncode in (0, FAILED, USAGE, REFUSED, CANNOT_TELL)
    said = done.stdout + done.stderr
    assert english(said) == [], said
    assert re.search("[\u4e00-\u9fff]", said), said


def test_a_column_of_both_times_has_no_time_in_its_head(service):
    said = coalesce(service, "run", "read_offset", "size=65536", *QUICK, **CHINESE).stdout
    assert "带宽" in said and "带宽（热）" not in said


def test_why_a_point_was_refused_is_told_in_chinese(service):
    said = coalesce(service, "sweep", "copy", "size=64", "block=0,128", *QUICK, expect=FAILED, **CHINESE).stdout
    assert "失败：block：x 方向至少要有 1 个线程，现为 0" in said and english(said) == []


def test_a_service_that_is_away_is_told_in_chinese():
    said = coalesce(NOWHERE, "ls", expect=UNREACHABLE, **CHINESE).stderr
    assert "无法连接服务" in said and english(said) == []


def test_the_language_is_that_of_a_locale_that_is_not_installed_too(service):
    assert "未对齐读取" in coalesce(service, "kernels", "read_offset", LANG="zh_SG.UTF-8").stdout
    assert "Misaligned" in coalesce(service, "kernels", "read_offset", LANG="zh_SG").stdout  # it does not say UTF-8
    assert coalesce(service, "kernels", "read_offset", "--ascii", **CHINESE).stdout.isascii()
    assert "there is no option" in coalesce(service, "ls", "--ascii", "--devise", expect=USAGE, **CHINESE).stderr


def test_help_is_broken_between_chinese_characters_and_not_before_their_punctuation(service):
    terminal = Terminal(service, "help", "compare", columns=60, **CHINESE)
    lines = terminal.whole().splitlines()
    assert max(len(line) + len(re.findall("[\u3000-\u9fff\uff00-\uffef]", line)) for line in lines if "coalesce" not in line and "NAME=VALUE" not in line) <= 62
    assert not [line for line in lines if re.match(r" *[，。；：、）]", line)]


def test_chinese_lines_fit_a_narrow_terminal(service):
    for kernel in "read_offset", "transpose":
        terminal = Terminal(service, "explain", kernel, columns=60, **CHINESE)
        assert terminal.end() == 0
        wide = [row for row in terminal.text.splitlines() if sum(1 + (unicodedata.east_asian_width(one) in "WF") for one in row.rstrip()) > 60]
        assert wide == []
