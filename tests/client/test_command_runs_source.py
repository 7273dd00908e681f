"""run, sweep and show of a kernel of one's own: outputs, the reference's verdict, and faults at their line."""
import json
import re

import pytest
from command import FAILED, REFUSED, coalesce
from conftest import BINARY, Service
from test_command_source import CHINESE, file

SCALE = """__global__ void scale(const float *in, float *out, int n, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = by * in[i];
}
"""
PLAIN = """__global__ void plain(const float *in, float *out, int n, float by) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i] * by;
}
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    running = Service(tmp_path_factory.mktemp("source"), "--executor-command", f"{BINARY} --executor", "--devices", "cpu", fake=False)
    yield running
    running.stop()


def plain(tmp_path):
    path = tmp_path / "plain.cu"
    path.write_text(PLAIN)
    return str(path)


def test_outputs_and_the_verdict_are_printed(service, tmp_path):
    said = coalesce(service, "run", file(tmp_path, SCALE), "n=1000", "by=0", "show.out=0..3", f"reference={plain(tmp_path)}").stdout
    assert "the outputs are those of the reference: 1000 elements, the largest difference is 0\n" in said
    assert "out: 1000 of 1000 elements written (f32), sha256 " in said and "  out[0] 0 0 0 0\n" in said
    assert "not stable" not in said and "counters:" not in said and "predicted time" not in said
    assert "no times: the PTX was interpreted: how long that takes says nothing about a GPU\n" in said
    assert "  with n = 1000, by = 0\n" in coalesce(service, "check", file(tmp_path, SCALE), "n=1000").stdout, "what is not given is 0, and said"
    assert "predicted (sm_90): loads 100 % efficient, 125 sectors; stores 100 % efficient, 125 sectors\n" in said
    identity = said.split("id ")[-1].split()[0]
    assert coalesce(service, "show", identity).stdout == said
    kernel = service.get(f"/v1/experiments/{identity}").json()["request"]["kernel"]
    for one in kernel, file(tmp_path, SCALE):
        explained = coalesce(service, "explain", one, "n=1000", "by=2", "line=4").stdout
        assert re.search(r"\nload in.*: 4 sectors, 128 bytes moved", explained) and "accesses no memory" not in explained, one
    alone = coalesce(service, "run", file(tmp_path, SCALE), "n=1000", "by=1").stdout
    assert "a kernel whose outputs they must be" in alone and coalesce(service, "run", file(tmp_path, SCALE), "n=10", "by=1", "--strict").returncode == 0


def test_where_it_differs_from_the_reference_is_printed(service, tmp_path):
    wrong = SCALE.replace("by * in[i]", "i == 7 ? -5 : by * in[i]")
    said = coalesce(service, "run", file(tmp_path, wrong), "n=1000", "by=0", f"reference={plain(tmp_path)}", expect=FAILED).stdout
    assert "1 of 1000 elements are not those of the reference" in said and "out[7]: -5, the reference has 0\n" in said
    near = SCALE.replace("by * in[i]", "by * in[i] + (i == 7 ? 54.545456f : 54.545452f)")
    alike = tmp_path / "alike.cu"
    alike.write_text(near.replace("54.545456f", "54.545452f"))
    said = coalesce(service, "run", file(tmp_path, near), "n=1000", "by=0", f"reference={alike}", expect=FAILED).stdout
    assert "out[7]: 54.54546, the reference has 54.54545\n" in said, "digits enough to differ"
    missing = SCALE.replace("i < n", "i < n - 1")
    said = coalesce(service, "run", file(tmp_path, missing), "n=1000", "by=0", "show.out=998..999", f"reference={plain(tmp_path)}", expect=FAILED).stdout
    assert re.search(r"  out\[998\] \S+ -\n  -: no thread wrote it\n", said), said
    assert "out[999]: nothing, the reference has 0\n" in said and "out[998] 0 -\n" in said and "999 of 1000" in said


def test_faults_stand_at_their_line_with_the_line(service, tmp_path):
    path = file(tmp_path, SCALE.replace("i < n", "i <= n"))
    for words in ((path, "n=1000", "by=2", "block=256"),):
        said = coalesce(service, "run", *words, expect=FAILED).stdout
        fault = r":4:\d+: error: in\[1000\] is loaded by thread \(232, 0, 0\) of block \(3, 0, 0\); in has 1000 elements\n   4 \| "
        assert re.search(re.escape(path) + fault, said.replace("│", "|"))
        assert "out[i] = by * in[i];" in said and said.count("in[1000]") == 1
        checked = coalesce(service, "check", *words, expect=FAILED).stdout
        assert "out[i] = by * in[i];" in checked
    identity = said.split("id ")[-1].split()[0]
    shown = coalesce(service, "show", identity, expect=FAILED).stdout
    assert shown.startswith("scale src-") and "  scale src-" in coalesce(service, "ls").stdout
    assert re.search(r":4:\d+: error: in\[1000\]", shown) and "out[i] = by * in[i];" in shown
    chinese = coalesce(service, "show", identity, expect=FAILED, **CHINESE).stdout
    assert "读取 in[1000]；in 只有 1000 个元素" in chinese


def test_a_fault_of_the_reference_shows_its_line(service, tmp_path):
    path = tmp_path / "wrong.cu"
    path.write_text(PLAIN.replace("i < n", "i <= n"))
    said = coalesce(service, "run", file(tmp_path, SCALE), "n=64", "by=2", f"reference={path}", expect=FAILED).stdout
    assert "the faults are the reference's\n" in said and said.count("in[64] is loaded") == 1 and "for (int i = threadIdx.x; i <= n;" in said
    assert f"{path}:" in said


def test_what_the_compiler_refuses_of_the_reference_is_told_in_its_file(service, tmp_path):
    path = tmp_path / "bad.cu"
    path.write_text(PLAIN.replace("in[i]", "in[q]"))
    assert f"{path}:" in coalesce(service, "run", file(tmp_path, SCALE), "n=64", "by=2", f"reference={path}", expect=REFUSED).stderr


def test_the_reference_of_a_file_has_a_launch_of_its_own(service, tmp_path):
    path = tmp_path / "own.cu"
    path.write_text(PLAIN)
    (tmp_path / "more.json").write_text('{"reference": {"block": 32, "grid": 3}}')
    words = ("run", file(tmp_path, SCALE), "n=64", "by=2", f"reference={path}", "reference.grid=1")
    (tmp_path / "kernel.json").write_text('{"reference": {"kernel": "src-000000000000"}}')
    assert "source" not in json.loads(coalesce(service, *words, "--members", str(tmp_path / "kernel.json"), "--json").stdout)["request"]["reference"]
    for more in ([], ["--members", str(tmp_path / "more.json")]):
        made = json.loads(coalesce(service, *words, *more, "--json").stdout)["request"]["reference"]
        assert made["grid"] == [1, 1, 1] and made["block"][0] == (32 if more else 256)


def test_a_sweep_of_a_file_is_a_table(service, tmp_path):
    made = json.loads(coalesce(service, "sweep", file(tmp_path, SCALE), "n=64,128", "by=0..2", "block=32,64", "show.out=0", "--json").stdout)
    assert made["point_count"] == 12 and made["succeeded"] == 12
    said = coalesce(service, "sweep", file(tmp_path, SCALE), "n=64,128", "by=0..2").stdout
    lines = [line for line in said.splitlines() if "succeeded" in line]
    assert len(lines) == 7, said  # with the headline
    assert all("100" in line for line in lines[1:]) and "loads" in said.splitlines()[1]  # of the bytes that move, used
    table = coalesce(service, "sweep", file(tmp_path, SCALE), "n=64,128", "by=0..2", "--csv", "--columns", "n,by,state").stdout.split()
    assert table[0] == "n,by,state" and table[6] == "128,2,succeeded"
    wrong = SCALE.replace("by * in[i]", "by * in[i] + (blockDim.x > 32 && i == 7)")
    words = ("sweep", file(tmp_path, wrong), "n=1000", "by=0", "block=32,64", f"reference={plain(tmp_path)}")
    row = next(line for line in coalesce(service, *words, expect=FAILED).stdout.splitlines() if line.startswith("   64"))
    assert row.split()[1:3] == ["100.0", "100.0"] and "1 of 1000 elements are not those" in row, "what is predicted does not depend on the output"
    assert coalesce(service, *words, "--csv", "--columns", "tolerance,reference", expect=FAILED).stdout.splitlines()[1].startswith("0.0,src-")


def test_what_an_array_held_before_the_launch_is_told(service, tmp_path):
    adds = "__global__ void adds(float *out, const float *in, int n) { int i = threadIdx.x; if (i < n) atomicAdd(&out[i], in[i]); }\n"
    told = 'without a "fill" it held numbers from 0 to 255 before the launch'
    assert told in coalesce(service, "run", file(tmp_path, adds), "n=32", "block=32").stdout
    filled = [{"name": "out", "type": "f32", "elements": "n", "fill": "zero"}, {"name": "in", "type": "f32", "elements": "n"}, {"name": "n", "type": "i32", "value": "size"}]
    (tmp_path / "members.json").write_text(json.dumps({"arguments": filled, "threads": "n"}))
    assert told not in coalesce(service, "run", file(tmp_path, adds), "n=32", "block=32", "--members", str(tmp_path / "members.json")).stdout


def test_a_struct_given_as_a_number_is_not_the_place_of_its_members_error(service, tmp_path):
    text = "struct op { int shift; int scale; };\n__global__ void k(float *out, op o, int n) { if (threadIdx.x < n) out[threadIdx.x] = o.shift * o.scale; }\n"
    described = [{"name": "out", "type": "f32", "elements": "n"}, {"name": "o", "fields": [{"name": "shift", "type": "i32"}, {"name": "scale", "type": "i32"}]}, {"name": "n", "type": "i32", "value": "size"}]
    (tmp_path / "members.json").write_text(json.dumps({"arguments": described, "threads": "n"}))
    said = coalesce(service, "run", file(tmp_path, text), "n=32", "o=1", "o.shift=3", "--members", str(tmp_path / "members.json"), expect=REFUSED).stderr
    assert "o=1\n  ^^^ unknown field" in said and "\n  o.scale: is required" in said


def test_a_stored_kernel_is_run_and_swept_by_its_name(service, tmp_path):
    name = service.request("POST", "/v1/kernels", json={"source": SCALE}).json()["name"]
    assert "64 of 64 elements written" in coalesce(service, "run", name, "n=64", "by=2").stdout
    assert json.loads(coalesce(service, "sweep", name, "n=64,128", "by=2", "--json").stdout)["succeeded"] == 2
    members = tmp_path / "members.json"
    members.write_text('{"show": {"out": "0..1"}}')
    assert "out[0] 0 0" in coalesce(service, "run", name, "n=64", "by=0", "--members", str(members)).stdout
