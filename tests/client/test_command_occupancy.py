"""`coalesce occupancy`: a line an architecture, and the staircases of a single one, in the language of the locale; and the
launch that `coalesce predict` predicts."""
import json

import pytest
from command import REFUSED, USAGE, coalesce
from conftest import service  # noqa: F401


def test_a_single_architecture_has_its_staircases(service):
    lines = coalesce(service, "occupancy", "arch=sm_35", "block=256", "registers=33").stdout.splitlines()
    assert lines[0].split() == ["arch", "occupancy", "blocks", "warps", "limited", "by", "to", "hide", "a", "register's", "latency"]
    assert lines[2].split() == ["sm_35", "75.00", "6", "48/64", "registers", "44", "88"]
    at = lines.index("registers a thread  blocks  warps")
    assert lines[at + 1].split() == ["1..32", "8", "64", 8 * "█"] and lines[at + 2].split() == ["33..40", "6", "48", 6 * "█", "here"]
    at = lines.index("shared bytes a block  blocks  warps")
    assert lines[at + 1].split() == ["0..8192", "6", "48", 6 * "█", "here"]
    at = lines.index("threads a block  blocks   warps")
    assert lines[at + 1].split() == ["1..96", "16", "16..48", 16 * "█"]


def test_several_architectures_are_lines_of_one_table(service):
    lines = coalesce(service, "occupancy", "arch=sm_12,K80,sm_100", "block=32x16", "registers=17", "shared_bytes=4Ki").stdout.splitlines()
    assert len(lines) == 5 and lines[2].split() == ["sm_12", "50.00", "1", "16/32", "registers", "6", "6"]
    assert lines[3].split()[:5] == ["sm_37", "100.0", "4", "64/64", "threads"] and lines[4].split() == ["sm_100", "100.0", "4", "64/64", "threads"]
    assert len(coalesce(service, "occupancy").stdout.splitlines()) == 27


def test_in_chinese_columns_stand_below_each_other(service):
    lines = coalesce(service, "occupancy", "arch=sm_35", "registers=33", LC_MESSAGES="zh_CN.UTF-8").stdout.splitlines()
    wide = [sum(2 if ord(letter) >= 0x3000 else 1 for letter in line[:line.index(word)]) for line, word in ((lines[0], "受限于"), (lines[2], "寄存器"))]
    assert wide[0] == wide[1] and lines[0].split()[:3] == ["架构", "占用率", "线程块"]
    assert next(line for line in lines if line.endswith("此处")).split()[:2] == ["33..40", "6"]


def test_json_is_the_answer_as_it_came_and_ascii_is_ascii(service):
    asked = service.get("/v1/occupancy?arch=sm_35&block=128").text
    assert coalesce(service, "occupancy", "arch=sm_35", "block=128", "--json").stdout == asked and json.loads(asked)["block"] == 128
    assert coalesce(service, "occupancy", "arch=sm_35", "--ascii", LC_MESSAGES="zh_CN.UTF-8").stdout.isascii()


@pytest.mark.parametrize("words, status, said", [
    (["arch=sm_30", "registers=64"], REFUSED, "registers must be a number of registers from 1 to 63, the limit of sm_30"), (["block=none"], REFUSED, "block must be a number of threads"),
    (["regs=3"], REFUSED, 'there is nothing called "regs" here; there are: arch, block, registers,'), (["sm_30"], USAGE, '"sm_30" is no NAME=VALUE'), (["a&b=1"], USAGE, "is no NAME=VALUE"), (["block=2^99"], USAGE, "")])
def test_what_is_wrong_is_refused(service, words, status, said):
    assert said in coalesce(service, "occupancy", *words, expect=status).stderr


def test_a_prediction_says_what_limits_the_occupancy(service):
    limits = "occupancy (sm_35): at most 25 %, 16 blocks and 16 of 64 warps a multiprocessor; limited by block slots\n"
    assert limits in coalesce(service, "predict", "copy", "block=32", "arch=sm_35").stdout
    assert "limited by" not in coalesce(service, "predict", "copy", "block=32", "arch=sm_30,sm_35").stdout
    assert "占用率（sm_35）：至多 25 %" in coalesce(service, "predict", "copy", "block=32", "arch=sm_35", LC_MESSAGES="zh_CN.UTF-8").stdout


def test_a_loop_over_the_grid_is_predicted_with_the_grid_of_the_device_whose_time_it_is(service):
    of_arch = coalesce(service, "predict", "read_only", "arch=sm_90", "what_if=off").stdout
    assert of_arch == coalesce(service, "predict", "read_only", "what_if=off", "--device-name", "NVIDIA H200").stdout
    assert "  size=33554432 block=256 grid=1056\n" in of_arch and "for an NVIDIA H200" in of_arch
    both = coalesce(service, "predict", "read_only", "arch=sm_80,sm_90").stdout
    assert "  size=33554432 block=256 grid=131072\n" in both
