"""A kernel of one's own at the command: faults at their place, in the language of the terminal, and how little has to be said."""
import re

import pytest
from command import FAILED, REFUSED, USAGE, Terminal, coalesce
from conftest import BINARY, Service

CHINESE = {"LANG": "zh_CN.UTF-8"}
SHIFTED = """__global__ void shifted(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    out[i] = in[i];
}
"""
REVERSED = """__global__ void turned(const float *in, float *out, int n) {
  __shared__ float part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = in[i];
  out[i] = part[255 - threadIdx.x];
}
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    running = Service(tmp_path_factory.mktemp("source"), "--executor-command", f"{BINARY} --executor", "--devices", "cpu", fake=False)
    yield running
    running.stop()


def file(tmp_path, text):
    path = tmp_path / "kernel.cu"
    path.write_text(text)
    return str(path)


def test_a_block_along_x_needs_neither_grid_nor_threads(service, tmp_path):
    said = coalesce(service, "check", file(tmp_path, SHIFTED.replace("<=", "<")), "n=1000", "block=256").stdout
    assert "no fault found in all 4 blocks" in said and "n = 1000" in said and "as many threads" not in said
    missed = coalesce(service, "check", file(tmp_path, SHIFTED), "n=1024", "block=256").stdout  # each thread has an element
    assert "as many threads as n: if thread i takes element i, a wrong bound shows only with another number, as n=1023" in missed
    for grid in [], ["grid=4"]:
        assert "[1023]" in coalesce(service, "check", file(tmp_path, SHIFTED), "n=1023", "block=256", *grid, expect=FAILED).stdout
    refused = coalesce(service, "check", file(tmp_path, SHIFTED), "n=1000", "block=16x16", expect=REFUSED).stderr
    assert "grid: is required" in refused


def test_one_block_is_no_plural(service, tmp_path):
    said = coalesce(service, "check", file(tmp_path, SHIFTED.replace("<=", "<")), "n=200", "block=256").stdout
    assert "no fault found in its one block" in said


def test_an_explained_line_that_accesses_nothing_says_which_do(service, tmp_path):
    path = file(tmp_path, SHIFTED.replace("<=", "<"))
    ask = lambda line, **more: coalesce(service, "explain", path, "n=100", "block=256", f"line={line}", **more)  # noqa: E731
    said = ask(3).stdout
    assert "line 3 accesses no memory; lines that do: 4\n" in said and "ends before it" not in said
    assert "accesses no memory" not in ask(4).stdout
    assert "the number of lines of the source is 5; is 99" in ask(99, expect=REFUSED).stderr
    idle = coalesce(service, "explain", path, "n=100", "block=256", "line=4", "--warp", "7").stdout
    assert "no thread of this warp accesses memory in line 4" in idle


def rows_of(service, *words, columns):
    terminal = Terminal(service, *words, columns=columns)
    assert terminal.end() == 0
    return [row.rstrip() for row in terminal.text.splitlines()]


def test_long_lines_of_a_source_go_on_beside_the_margin(service, tmp_path):
    long = "  float first = in[i]; /* a remark that makes the line longer than a terminal of eighty columns */\n"
    path = file(tmp_path, SHIFTED.replace("<=", "<").replace("    out[i] = in[i];", long + "    out[i] = first;").replace("if (i < n)\n", "if (i < n) {\n").replace("first;", "first; }"))
    rows = rows_of(service, "predict", path, "n=1000", "block=256", "arch=sm_90", columns=80)
    assert max(map(len, rows)) <= 80, rows
    begin = next(i for i, row in enumerate(rows) if "float first" in row)
    assert all(rows[begin + k][31] == rows[begin + k][36] == "│" for k in range(3)), rows[begin:begin + 3]
    assert "".join(row[38:] for row in rows[begin:begin + 3]).replace(" ", "") == long.strip().replace(" ", "")


def test_a_table_of_predictions_fits_its_terminal(service):
    for columns in 80, 60:
        rows = rows_of(service, "predict", "copy", "size=2^24", columns=columns)
        assert max(map(len, rows)) <= columns, rows
        assert rows[0].startswith("arch") and any(row.startswith("not shown at this width: ") for row in rows)
        assert "loads requests, stores requests" in " ".join(row.strip() for row in rows), rows
    rows = rows_of(service, "predict", "bank_conflict", "arch=sm_90", columns=80)
    assert rows[0].split()[:3] == ["arch", "loads", "stores"] and "bank" in rows[0] and "conflicts" in rows[1], rows
    launch = next(i for i, row in enumerate(rows) if row.startswith("bound "))
    assert rows[launch].split() == ["bound", "alone", "of", "unit"], rows  # the bars are short enough for the unit


def test_bank_conflicts_stay_when_the_table_is_narrow(service):
    rows = rows_of(service, "predict", "transpose", "how=shared", "arch=sm_90", columns=60)
    assert rows[0].split()[-1] == "bank" and rows[1].split()[-1] == "conflicts" and rows[2].endswith("16,252,928"), rows


def test_a_device_is_not_what_a_prediction_is_of(service):
    for word in "predict", "explain":
        assert "device: nothing runs here" in coalesce(service, word, "copy", "device=0", expect=USAGE).stderr


def test_a_loop_without_end_is_told_what_its_arrays_hold(service, tmp_path):
    lock = "__global__ void lock(int *flag, int *out, int n)\n{\n    while (atomicCAS(flag, 0, 1) != 0) ;\n    *out += 1;\n    atomicExch(flag, 0);\n}\n"
    said = coalesce(service, "predict", file(tmp_path, lock), "size=32", "block=1", "grid=1", "arch=sm_90", expect=REFUSED).stderr
    if "the kernel took more than" not in said:  # as on a busy machine, where the sandbox's limit comes first
        assert ":3:" in said and "inputs of integers without a fill hold 0 to 255: flag" in said, said


def test_a_group_of_columns_keeps_its_name(service):
    """The unit of what is left stands below it."""
    rows = rows_of(service, "predict", "copy", "arch=sm_35,sm_90", columns=60)
    assert rows[0].split()[:2] == ["arch", "loads"] and rows[1].split()[0] == "transactions", rows


def test_without_an_architecture_the_lines_are_those_of_the_newest_kind(service, tmp_path):
    said = coalesce(service, "predict", file(tmp_path, SHIFTED.replace("<=", "<")), "n=2^16", "block=256").stdout
    assert [row.split(",")[0] for row in said.splitlines() if row.endswith("; arch=... lists the lines of another one")] == ["sm_90"]


def test_a_remark_about_predictions_is_there_at_any_width_once(service):
    for columns in 200, 60:
        rows = " ".join(rows_of(service, "predict", "read_offset", "load=ca", columns=columns))
        assert " sm_12, sm_13, sm_30, sm_50: the architecture" in rows and rows.count("the architecture keeps no") == 1 and rows.count("a K20 keeps no") == 1, rows
        of_all = [row for row in rows_of(service, "predict", "texture_read", columns=columns) if row.startswith("on a GPU 1048576 elements")]
        assert len(of_all) == 1, rows


def test_a_fault_has_its_place_once(service, tmp_path):
    path = file(tmp_path, SHIFTED)
    said = coalesce(service, "check", path, "n=1000", "block=256", expect=FAILED).stdout
    fault = r":4:\d+: error: in\[1000\] is loaded by thread \(232, 0, 0\) of block \(3, 0, 0\); in has 1000 elements\n"
    assert re.search(re.escape(path) + fault, said)
    assert "line 4" not in said


def test_faults_speak_the_terminals_language(service, tmp_path):
    said = coalesce(service, "check", file(tmp_path, SHIFTED), "n=1000", "block=256", expect=FAILED, **CHINESE).stdout
    assert "块 (3, 0, 0) 的线程 (232, 0, 0) 读取 in[1000]；in 只有 1000 个元素" in said and "第 4 行" not in said
    said = coalesce(service, "check", file(tmp_path, REVERSED), "n=512", "block=256", expect=FAILED, **CHINESE).stdout
    assert "写入共享内存" in said and "其间没有屏障" in said and "without" not in said


def test_a_misaligned_access_says_of_how_many_bytes(service, tmp_path):
    text = """__global__ void wide(const float *in, float *out, int n) {
  int i = threadIdx.x;
  float4 four = *(const float4 *)(in + i);
  out[i] = four.x + four.y + four.z + four.w;
}
"""
    said = coalesce(service, "check", file(tmp_path, text), "n=1024", "block=32", "grid=1", expect=FAILED).stdout
    assert "its address is not a multiple of the 16 bytes that it accesses at once" in said
    said = coalesce(service, "check", file(tmp_path, text), "n=1024", "block=32", "grid=1", expect=FAILED, **CHINESE).stdout
    assert "其地址不是一次所访问的 16 字节的倍数" in said


def test_sentences_name_the_function_and_not_its_hash(service, tmp_path):
    path = file(tmp_path, SHIFTED)
    assert "besides the common ones shifted takes n" in coalesce(service, "check", path, "n=1000", "foo=1", expect=REFUSED).stderr
    assert coalesce(service, "explain", path, "n=1023", "threads=n", "block=1023").stdout.count("shifted: warp 0 of block") == 1


@pytest.mark.parametrize("words, named, hidden", [
    (["run", "cpy"], "coalesce kernels lists them", "GET /v1"),
    (["kernels", "nope"], "coalesce kernels lists them", "GET /v1"),
    (["recipe", "nope"], "coalesce recipe lists them", "GET /v1"),
    (["devices", "nope"], "coalesce devices lists them", "GET /v1"),
    (["run", "copy", "arch=sm_90"], "coalesce predict", "POST /v1"),
])
def test_refusals_name_the_command_and_not_the_request(service, words, named, hidden):
    said = coalesce(service, *words, expect=REFUSED).stderr
    assert named in said and hidden not in said


def test_a_paused_queue_is_told_beside_the_devices(service):
    assert "paused" not in coalesce(service, "devices").stdout
    service.request("POST", "/v1/queue/pause")
    try:
        assert coalesce(service, "devices").stdout.endswith("the whole queue is paused\n")
    finally:
        service.request("POST", "/v1/queue/resume")


GATHERED = """__global__ void gathered(const float *in, const int *idx, float *out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[idx[i]];
}
"""


def test_what_index_arrays_hold_is_said_where_addresses_depend_on_it(service, tmp_path):
    file = tmp_path / "gathered.cu"
    file.write_text(GATHERED)
    said = coalesce(service, "check", str(file), "n=100", "block=256", expect=FAILED).stdout
    assert "error: in[121] is loaded by thread (3, 0, 0) of block (0, 0, 0); in has 100 elements; inputs of integers without a fill hold 0 to 255: idx" in said
    chinese = coalesce(service, "check", str(file), "n=100", "block=256", expect=FAILED, **CHINESE).stdout
    assert "没有给出 fill 的整数输入存放 0 到 255：idx" in chinese and "elements" not in chinese
    assert "note: addresses depend on what arrays hold; inputs of integers without a fill hold 0 to 255: idx" in coalesce(service, "predict", str(file), "n=65536", "block=256", "arch=sm_90").stdout


def test_a_check_that_is_not_complete_says_what_was_not_looked_for_and_fails(service, tmp_path):
    file = tmp_path / "late.cu"
    file.write_text(SHIFTED.replace("i <= n", "i < n"))
    said = coalesce(service, "check", str(file), "n=2^24", "block=256", expect=FAILED).stdout
    assert "no fault found in the" in said and "races were not looked for" in said and "error" not in said
    assert "no fault found in all 4096 blocks" in coalesce(service, "check", str(file), "n=2^20", "block=256").stdout


def test_an_instance_of_a_template_with_two_arguments_is_chosen(service, tmp_path):
    path = file(tmp_path, "template <typename T, int by> __global__ void scale(const T *in, T *out, int n)\n{\n    int i = threadIdx.x;\n    if (i < n)\n        out[i] = by * in[i];\n}\n")
    assert "no fault found" in coalesce(service, "check", path, "entry=scale<float, 4>", "n=64", "block=64").stdout
    assert "no fault found" in coalesce(service, "check", path, "entry=scale<double,5>", "n=64", "block=64").stdout


def test_a_field_of_a_struct_by_value_is_given_by_its_name(service, tmp_path):
    path, members = tmp_path / "k.cu", tmp_path / "members.json"
    path.write_text("struct Q { int w; float by; };\n__global__ void k(float *out, int n, Q in) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in.w * in.by; }\n")
    members.write_text('{"arguments": [{"name": "out", "type": "f32", "elements": "n"}, {"name": "n", "value": "size"}, '
                       '{"name": "in", "fields": [{"name": "w", "type": "i32"}, {"name": "by", "type": "f32"}]}], "threads": "n"}')
    words = (str(path), "n=64", "in.w=3", "in.by=2", "show.out=0..1", "block=64", "--members", str(members))
    said = coalesce(service, "run", *words).stdout
    assert "in.w=3 in.by=2" in said and re.search(r"6 +6", said), said
