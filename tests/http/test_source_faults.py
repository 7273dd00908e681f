"""Wrong kernels are told with the line, right ones are not called wrong: a part of what bench/source_faults.py asks."""
import json
import pathlib
import re
import sys

import pytest
import test_source_predictions

BENCH = pathlib.Path(__file__).parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import source_mutants  # noqa: E402
import source_wrong  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def compiler(service):
    answer = test_source_predictions.ask(service, **test_source_predictions.EXAMPLE, arch="sm_90")
    if answer.status_code == 503:
        pytest.skip(f"no compiler: {answer.json()['detail']}")
    if not answer.json()["check"]["compiler"].startswith("NVRTC"):
        pytest.skip("clang gives some accesses other lines")


def checked(service, source, arguments, launch):
    return test_source_predictions.ask(service, **launch, source=source, arguments=arguments, arch="sm_90", check=True)


def drawn(names, step):
    return sorted(names)[::step]


@pytest.mark.parametrize("name", drawn((name for name in source_wrong.WRONG if not name.startswith("endless")), 12))
def test_a_wrong_kernel_is_told_with_its_line(service, name):
    source, arguments, launch = source_wrong.WRONG[name]
    answer = checked(service, source, arguments, launch)
    assert answer.status_code == 422, answer.text
    first = answer.json()["errors"][0]
    assert first["line"] in source_wrong.lines_of(source), first


# Of an H100: what compute-sanitizer found in kernels in which one bound, index or barrier was changed, and in which lines.
FOUND = json.loads((BENCH / "results/source_faults_h100.json").read_text())["mutants_found_by_tools"]
MISSED = {"reduction_interleaved.18"}  # between lanes of one warp that stay together


@pytest.mark.parametrize("name", drawn(FOUND.keys() - MISSED, 60))
def test_a_change_for_the_worse_is_told_with_the_line_that_a_gpu_found(service, name):
    mutant = next(one for one in source_mutants.mutants() if one.name == name)
    answer = checked(service, mutant.source, mutant.arguments, mutant.launch)
    assert answer.status_code == 422, answer.text
    errors = answer.json()["errors"]
    told = {int(line) for error in errors for line in re.findall(r"\bline (\d+)", error["detail"])}
    assert told & set(FOUND[name]), errors


@pytest.mark.parametrize("name", source_wrong.NOTED)
def test_what_is_harmless_is_not_called_wrong(service, name):
    answer = checked(service, *source_wrong.NOTED[name])
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("name", drawn((one[0] for one in source_mutants.originals()), 20))
def test_a_right_kernel_is_not_called_wrong(service, name):
    source, arguments, launch = next(one[1:4] for one in source_mutants.originals() if one[0] == name)
    answer = checked(service, source, arguments, launch)
    assert answer.status_code == 200, answer.text


# Kernels of docs/plain: the file, the function, elements and type of each buffer, and members of a launch.
SIDES, ODD = {"block": [32, 8], "grid": [10, 40]}, {"block": 256, "grid": 40, "n": 10001}
PLAIN = [
    ("atomics", "atomic_add", {"C": ("n", "i32", "accumulated")}, {**ODD, "meet": 1}),
    ("barriers", "barrier_phases", {"A": ("n", "f32"), "C": ("n", "f32")}, {**ODD, "phases": 5, "shared_bytes": 2048}),
    ("blocks", "vector_add", {"A": ("n", "i32"), "B": ("n", "i32"), "C": ("n", "i32")}, ODD),
    ("footprint", "chase", {"next": (4096, "u32", "input", {"modulo": 4096}), "end": (1, "u32")}, {"block": 1, "grid": 1, "steps": 100}),
    ("latency_hiding", "chain<4>", {"A": ("n", "f32"), "C": ("n", "f32")}, {**ODD, "steps": 16}),
    ("layouts", "aos", {"in": ("n", "f32x2"), "out": ("n", "f32x2")}, ODD),
    ("layouts", "soa", {name: ("n", "f32") for name in ("in_x", "in_y", "out_x", "out_y")}, ODD),
    ("occupancy", "add<4>", {name: ("n", "f32") for name in "ABC"}, ODD),
    ("offsets", "read_offset", {name: ("n", "f32") for name in "ABC"}, {**ODD, "offset": 11}),
    ("offsets", "write_offset", {name: ("n", "f32") for name in "ABC"}, {**ODD, "offset": 11}),
    ("paths", "past", {name: ("n", "f32") for name in "ABC"}, {**ODD, "offset": 11}),
    ("shapes", "sum_rows", {name: ("rows * columns", "i32") for name in "ABC"}, {**SIDES, "rows": 100, "columns": 150}),
    ("shapes", "sum_columns", {name: ("rows * columns", "i32") for name in "ABC"}, {**SIDES, "rows": 100, "columns": 150}),
    ("strides", "strided", {"A": ("n * stride", "f32"), "C": ("n", "f32")}, {**ODD, "stride": 3}),
    ("transpose", "naive", {"A": ("side * side", "f32"), "C": ("side * side", "f32")}, {"side": 320, **SIDES}),
    ("transpose", "tiled<1>", {"A": ("side * side", "f32"), "C": ("side * side", "f32")}, {"side": 320, "block": [32, 32], "grid": [10, 10]}),
    ("unrolling", "read_offset_unroll<4>", {name: ("n", "f32") for name in "ABC"}, ODD),
]


@pytest.mark.parametrize("file, entry, buffers, launch", PLAIN)
def test_the_plain_kernels_of_the_documents_are_not_called_wrong(service, file, entry, buffers, launch):
    text = (BENCH.parent / f"docs/plain/{file}.cu").read_text()
    source = "".join(re.findall(r"^(?:struct \w+ \{.*?^\};\n|(?:template <[^\n]*> )?__global__ .*?^\}\n)", text, re.M | re.S))
    parameters = re.search(rf"\b{entry.partition('<')[0]}\(([^)]*)", source).group(1).replace("*", " ").split(", ")
    arguments = []
    for name in (one.split()[-1] for one in parameters):
        elements, kind, *more = buffers.get(name, (None, "i32"))
        arguments.append({"name": name, "type": kind, **({"elements": elements} if elements else {}), **dict(zip(("role", "fill"), more))})
    answer = checked(service, source, arguments, {**launch, "entry": entry})
    assert answer.status_code == 200, answer.text
    assert answer.json()["check"]["complete"]


PLACES = {
    "__constant__ float k[4] = {1, 2, 3, 4}; __global__ void f(float *out, int n) { out[threadIdx.x] = k[threadIdx.x % 5]; }":
        ("byte offset 16 of k is loaded by thread (4, 0, 0) of block (0, 0, 0); k has 16 bytes", "块 (0, 0, 0) 的线程 (4, 0, 0) 读取 k 的偏移 16 字节处；k 只有 16 字节"),
    "extern __shared__ float s[]; __global__ void f(float *out, int n) { s[threadIdx.x] = n; __syncthreads(); out[threadIdx.x] = s[threadIdx.x ^ 1]; }":
        ("byte offset 0 of shared memory is stored by thread (0, 0, 0) of block (0, 0, 0); the block has no shared memory: shared_bytes of the launch gives it some",
         "块 (0, 0, 0) 的线程 (0, 0, 0) 写入共享内存偏移 0 字节处；线程块没有共享内存：请设置启动配置的 shared_bytes"),
    "__global__ void f(float *out, int n) { *(int *)(unsigned long long)(n & 16) = 3; out[threadIdx.x] = 1; }":
        ("address 0x0 is stored by thread (0, 0, 0) of block (0, 0, 0); that is a null pointer, or close to one", "块 (0, 0, 0) 的线程 (0, 0, 0) 写入地址 0x0；那是空指针，或在其附近"),
    "__global__ void f(float *out, int n) { int *p = 0; if (threadIdx.x == 5) *p = 3; out[threadIdx.x] = 1; }":
        ("trap in thread (5, 0, 0) of block (0, 0, 0): by __trap(), or for an access by a null pointer that the compiler saw", "块 (0, 0, 0) 的线程 (5, 0, 0) 执行了 trap：来自 __trap()，或编译器发现了空指针访问"),
    "__global__ void f(float *out, int n) { out[threadIdx.x] = __shfl_sync(0x0000ffffu, threadIdx.x * 2.0f, 1); }":
        ("thread (16, 0, 0) of block (0, 0, 0) takes part and is not in its own mask", "块 (0, 0, 0) 的线程 (16, 0, 0) 参与了操作，却不在自己的掩码中"),
    "__global__ void f(float *out, int n) { out[threadIdx.x] = __ballot_sync(1u, threadIdx.x & 1); }":
        ("thread (1, 0, 0) of block (0, 0, 0) takes part and is not in its own mask", "块 (0, 0, 0) 的线程 (1, 0, 0) 参与了操作，却不在自己的掩码中"),
}


@pytest.mark.parametrize("source", PLACES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_no_buffer_is_told_in_bytes_and_with_what_to_do(service, source, language):
    answer = service.request("POST", "/v1/predictions", json={"source": source, "n": 64, "block": 64, "check": True, "arch": "sm_90"}, headers={"Accept-Language": language})
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["detail"].endswith(PLACES[source][language == "zh"])


LACKING = [("const double *in, double *out, int n", "out[threadIdx.x] = 2 * in[threadIdx.x];", "sm_12", "sm_13", "no floats of 64 bits"),
           ("const float *in, float *out, int n", "out[threadIdx.x] = __shfl_down_sync(~0u, in[threadIdx.x], 1);", "sm_21", "sm_30", "no shuffles"),
           ("const float *in, float *out, int n", "atomicAdd(out, in[threadIdx.x]);", "sm_13", "sm_20", "no atomic additions of floats"),
           ("const float *in, float *out, int n", "__shared__ float t[10000]; t[threadIdx.x] = in[threadIdx.x]; __syncthreads(); out[threadIdx.x] = t[n - 1 - threadIdx.x];", "sm_13", "sm_20", "more shared memory than a block may have"),
           ("const float *in, float *out, int n", "out[threadIdx.x] = 2.0 * in[threadIdx.x];", None, "sm_12", "")]


@pytest.mark.parametrize("parameters, body, without, first, lacks", LACKING)
def test_what_an_architecture_lacks_for_a_kernel_is_told(service, parameters, body, without, first, lacks):
    asked = {"source": f"__global__ void f({parameters}) {{ {body} }}", "n": 64, "block": 64, "arch": [one for one in (without, first, "sm_90") if one]}
    if without:  # another kernel of the source needs nothing
        other = {**asked, "source": asked["source"] + " __global__ void g(float *out, int n) { out[threadIdx.x] = n; }", "entry": "g"}
        assert all(one.get("note") is None for one in service.request("POST", "/v1/predictions", json=other).json()["predictions"])
        asked = {**other, "entry": "f"}
    notes = {one["arch"]: one.get("note") for one in service.request("POST", "/v1/predictions", json=asked).json()["predictions"]}
    assert notes[first] is None and notes["sm_90"] is None
    if without:
        assert f"{without} cannot launch it" in notes[without] and lacks in notes[without]


@pytest.mark.parametrize("values, detail", [([1, 2, 3, 4], None), ([1, 2, 3, 4, 5], "has 5 values of 4 bytes, and the variable has 16 bytes"),
                                            ({"type": "f64", "values": [1, 2, 3]}, "has 3 values of 8 bytes, and the variable has 16 bytes")])
def test_a_constant_has_no_more_values_than_its_variable_holds(service, values, detail):
    asked = {"source": "__constant__ float w[4]; __global__ void f(float *out, int n) { out[threadIdx.x] = w[threadIdx.x % 4]; }",
             "n": 64, "block": 64, "arch": ["sm_75", "sm_90"], "constants": {"w": values}}
    for path, body in (("predictions", asked), ("experiments", {name: asked[name] for name in asked if name != "arch"})):
        answer = service.request("POST", f"/v1/{path}", json=body)
        assert answer.ok if detail is None else answer.status_code == 422, answer.text
        assert detail is None or answer.json()["errors"] == [{"pointer": "#/constants/w", "detail": detail}]


def test_a_scalar_has_the_type_of_the_source(service):
    source = "__global__ void f(float *out, int n, float by) { out[threadIdx.x] = by * n; }"
    arguments = [{"name": "out", "elements": "n"}, {"name": "n", "type": "f32"}, {"name": "by", "type": "i32"}]
    answer = checked(service, source, arguments, {"n": 64, "block": 64, "grid": 1})
    assert answer.status_code == 422
    assert {one["pointer"]: one["detail"][:28] for one in answer.json()["errors"]} == {
        "#/arguments/1/type": "is not what the source says:", "#/arguments/2/type": "is not what the source says:"}


def test_what_the_arguments_leave_out_is_derived_from_the_source(service):
    source = "__global__ void f(const float *in, float *sum, float *out, int n) { int i = threadIdx.x; sum[i] += in[i]; out[i] = in[i]; }"
    arguments = [{"name": "in", "elements": "n"}, {"name": "sum", "elements": "n"}, {"name": "out", "elements": "n"}, {"name": "n"}]
    answer = checked(service, source, arguments, {"n": 64, "block": 64, "grid": 1})
    assert answer.status_code == 200, answer.text
    assert [one.get("role") for one in answer.json()["request"]["arguments"]] == ["input", "accumulated", "output", None]
    named = "__global__ void f(const decltype(1.0f) *in, decltype(1.0f) *out, int n) { int i = threadIdx.x; out[i] = in[i]; }"
    arguments = [{"name": "in", "elements": "n", "type": "f32"}, {"name": "out", "elements": "n", "type": "f32"}, {"name": "n"}]
    answer = checked(service, named, arguments, {"n": 64, "block": 64, "grid": 1})
    assert answer.status_code == 200, answer.text
    assert [one.get("role") for one in answer.json()["request"]["arguments"]] == ["input", "accumulated", None]


# Two branches load, and the compiler makes one load of both, behind them: PTX gives it the line of what follows.
JOINED = """__global__ void joined(const float *x, const float *y, float *z, unsigned n, int mode)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v;
    if (mode == 1)
        v = x[i + 1];
    else
        v = y[2 * i % n];
    z[i] = v > 0 ? v : 0;
}
"""
JOINED_ARGUMENTS = [{"name": name, "type": "f32", "elements": "n"} for name in "xyz"] + [{"name": "n", "type": "u32"}, {"name": "mode", "type": "i32"}]
JOINED_LAUNCH = {"n": 8192, "block": 256, "grid": 32, "arch": "sm_90"}


def joined(service, source, mode, arguments=JOINED_ARGUMENTS, **more):
    return test_source_predictions.ask(service, **JOINED_LAUNCH, source=source, arguments=arguments, mode=mode, **more)


def lines_of(answer):
    return {line["line"]: line for line in answer.json()["predictions"][0]["lines"]}


def test_a_load_that_was_joined_from_two_branches_has_the_line_that_names_its_array(service):
    lines = lines_of(joined(service, JOINED, 0))
    assert {number: line["transactions"] for number, line in lines.items()} == {9: 2048, 10: 1024}
    assert lines[9]["efficiency_pct"] == 50 and lines[10]["efficiency_pct"] == 100
    refused = joined(service, JOINED, 1, check=True)
    [error] = refused.json()["errors"]
    assert refused.status_code == 422 and error["line"] == 7 and error["detail"].startswith("line 7: x[8192] is loaded"), error


def test_a_load_that_was_joined_from_two_lines_of_one_array_has_both(service):
    source, arguments = JOINED.replace("const float *y, ", "").replace("y[", "x["), [one for one in JOINED_ARGUMENTS if one["name"] != "y"]
    lines = lines_of(joined(service, source, 0, arguments))
    assert {number: line["transactions"] for number, line in lines.items()} == {None: 2048, 10: 1024}
    [load] = lines[None]["accesses"]
    assert load["joined_lines"] == [7, 9] and load["array"] == "x"
    for line in (7, 9):
        told = joined(service, source, 0, arguments, explain={"line": line}).json()["explain"]
        assert [one["array"] for one in told["instructions"] if one["times"]] == ["x"] and told["lines"] == [7, 9, 10], told
    [error] = joined(service, source, 1, arguments, check=True).json()["errors"]
    assert error["line"] == 7 and error["detail"].endswith("; or it is in line 9: the compiler joined the accesses of both lines"), error


def test_a_load_of_an_index_from_two_branches_keeps_its_line(service):
    source = JOINED.replace("const float *y, ", "").replace("    float v;\n", "    unsigned j;\n").replace("v = x[i + 1]", "j = i").replace("v = y[2 * i % n]", "j = 2 * i % n")
    source = source.replace("    z[i]", "    float v = x[j];\n    z[i]")
    lines = lines_of(joined(service, source, 0, [one for one in JOINED_ARGUMENTS if one["name"] != "y"]))
    assert {number: line["transactions"] for number, line in lines.items()} == {10: 2048, 11: 1024}


@pytest.mark.parametrize("name, body, line", [
    ("alias", ["const float *row = x + blockIdx.x;", "unsigned j;", "if (mode == 1)", "    j = i;", "else", "    j = n - 1 - i;", "z[i] = row[j];"], 11),
    ("address", ["const float *row = &x[blockIdx.x * 2];", "z[i] = row[i / 2] + row[0];"], 6),
    ("comment", ["/* not x[i] */", "const float *row = x;", "for (int k = 1; k < 6; k++)", "    z[i] = row[k];"], 8),
    ("walk", ["const float *p = x;", "for (int k = 0; k < mode; k++)", "    p += 2;", "z[i] = p[i];"], 8),
])
def test_an_array_by_another_name_keeps_its_line(service, name, body, line):
    head = JOINED.replace("const float *y, ", "").split("    float v;\n")[0]
    source = head + "".join(f"    {text}\n" for text in body) + "}\n"
    arguments = [{**one, "elements": "2 * n"} if one["name"] == "x" else one for one in JOINED_ARGUMENTS if one["name"] != "y"]
    lines = lines_of(joined(service, source, 3, arguments))
    assert set(lines) == {line}, lines


def test_of_a_race_between_joined_stores_both_lines_are_right(service):
    source = JOINED.replace("const float *y, ", "").replace("v = x[i + 1];", "z[i / 2] = x[i];").replace("v = y[2 * i % n];", "z[i / 4] = x[i];").replace("    z[i] = v > 0 ? v : 0;\n", "    __syncthreads();\n")
    source = source.replace("    float v;\n", "").replace("    if (i >= n) return;\n", "")
    answer = joined(service, source, 1, [one for one in JOINED_ARGUMENTS if one["name"] != "y"], check=True)
    told = {int(line) for error in answer.json()["errors"] for line in re.findall(r"\bline (\d+)", error["detail"])}
    assert answer.status_code == 422 and told <= {5, 7} and told, answer.text


HOISTED = """__global__ void hoisted(const float *x, float *z, unsigned n, int mode)
{
    __shared__ float t[256];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    t[threadIdx.x] = i;
    __syncthreads();
    float best = 1;
    for (int k = 1; k < 6; k++)
        best = best * x[i * 2] + t[threadIdx.x * 2 % 256] + k;
    z[i] = best;
}
"""


def test_a_load_that_was_taken_out_of_a_loop_has_the_line_that_alone_names_its_array(service):
    arguments = [{**one, "elements": "2 * n"} if one["name"] == "x" else one for one in JOINED_ARGUMENTS if one["name"] != "y"]
    lines = lines_of(joined(service, HOISTED, 0, arguments))
    assert lines[10]["efficiency_pct"] == 50 and lines[10]["transactions"] == 2048 and lines[11]["transactions"] == 1024
    assert not {4, 5, 7, 8, 9} & set(lines), "these access nothing"
    [error] = joined(service, HOISTED, 0, [one for one in JOINED_ARGUMENTS if one["name"] != "y"], check=True).json()["errors"]
    assert error["line"] == 10 and error["detail"].startswith("line 10: x[8192] is loaded"), error
    twice = HOISTED.replace("float best = 1;", "float best = x[2 * (n - 1 - i)];")
    lines = lines_of(joined(service, twice, 0, arguments))
    assert sum(line["transactions"] for number, line in lines.items() if number in (8, 10, None)) == 4096 and not {4, 5, 7, 9} & set(lines)


def test_structs_of_one_type_are_derived_and_counted(service):
    """Twelve bytes a thread, in three loads: 3 * 12 sectors a warp, of which a third of the bytes is used."""
    source = """struct P { float x, y, z; };
__global__ void f(const P *in, P *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { P p = in[i]; p.x += 1; out[i] = p; }
}"""
    asked = {"source": source, "n": 4096, "block": 256, "arch": "sm_90", "check": True}
    answer = service.request("POST", "/v1/predictions", json=asked).json()
    made = answer["predictions"][0]
    assert [made[name] for name in ("gld_requests", "gld_transactions", "gst_requests", "gst_transactions")] == [384, 4608] * 2
    assert [one["elements"] for one in answer["request"]["arguments"] if "elements" in one] == ["3 * size"] * 2
    wrong = service.request("POST", "/v1/predictions", json={**asked, "source": source.replace("i < n", "i <= n"), "n": 4000})
    assert wrong.json()["errors"][0]["detail"].endswith("is loaded by thread (160, 0, 0) of block (15, 0, 0); in has 12000 elements")
    mixed = service.request("POST", "/v1/predictions", json={**asked, "source": source.replace("float x, y, z;", "float x; int y;")})
    assert mixed.status_code == 422 and "cannot be derived, its type is not known" in mixed.json()["errors"][0]["detail"]


def test_an_architecture_that_is_not_made_is_counted_by_the_code_of_the_nearest_one(service):
    """Four loads of shared memory in a row are one or two in the machine code, of sm_70 as of sm_75, whatever else is asked for."""
    source = """__global__ void f(const float *in, float *out, int n) {
    __shared__ float s[512];
    int t = threadIdx.x;
    s[t] = s[t + 128] = s[t + 256] = s[t + 384] = in[t];
    __syncthreads();
    out[t] = s[4 * t] + s[4 * t + 1] + s[4 * t + 2] + s[4 * t + 3];
}"""
    asked = {"source": source, "n": 128, "block": 128, "grid": 1, "arch": ["sm_35", "sm_70", "sm_75"]}
    old, middle, made = service.request("POST", "/v1/predictions", json=asked).json()["predictions"]
    assert made["exact"] and not middle["exact"] and "this is the code of sm_75" in middle["inexact"]
    assert old["shared_load_requests"] == middle["shared_load_requests"] == made["shared_load_requests"] < 16
    assert middle["shared_load_bank_conflicts"] == made["shared_load_bank_conflicts"]


def test_what_is_loaded_before_it_is_stored_is_not_read_again(service):
    """Every other float of 2^26: an H200 reads 1.07 GB of 2^28 in place, and 2.14 GB from another array."""
    place = "__global__ void f(float *a, unsigned n) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (2 * i < n) a[2 * i] *= 2.0f; }"
    other = place.replace("(float *a", "(const float *b, float *a").replace("a[2 * i] *= 2.0f", "a[2 * i] = 2.0f * b[2 * i]")
    read, took = [], []
    for source in (place, other):
        asked = {"source": source, "n": 1 << 26, "block": 256, "grid": 1 << 17, "arch": "sm_90", "device_name": "NVIDIA H200"}
        time = service.request("POST", "/v1/predictions", json=asked).json()["predictions"][0]["time"]
        took.append(time["predicted_us"])
        read.append(next(one["amount"] for one in time["bounds"] if one["name"] == "dram"))
    assert 1.3 < read[1] / read[0] < 1.7 and read[0] < 2.1 * 4 * (1 << 26)
    rows = json.loads((BENCH / "results/line_reuse_h200.json").read_text())["points"]
    measured = next(one["measured_us"] for one in rows if (one["kernel"], one["n"]) == ("in_place", 1 << 25))  # n threads, of 2 n floats
    assert abs(took[0] / measured - 1) < 0.05


REVERSED = """__global__ void reversed(const int *in, int *out, int n)
{
    %s int s[128];
    s[threadIdx.x] = 0;
    __syncthreads();
    s[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];
}
"""
SUMMED = """__global__ void summed(const float *in, float *out, int n)
{
    volatile __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + 32] = in[t + 32];
    if (t < 16) s[t] += s[t + 16];
    if (t < 8) s[t] += s[t + 8];
    if (t == 0) out[blockIdx.x] = s[0];
}
"""
FLAGGED = """__device__ volatile int flag;
__global__ void flagged(const int *in, int *out, int n)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) flag = 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = flag >= 0;
}
"""


def test_volatile_is_no_barrier_of_a_block(service):
    def looked_at(source, **launch):
        return test_source_predictions.ask(service, source=source, **launch, arch="sm_90", check=True)
    for kind in ("__shared__", "volatile __shared__"):
        answer = looked_at(REVERSED % kind, n=256, block=128)
        assert answer.status_code == 422, answer.text
        errors = answer.json()["errors"]
        assert {error["line"] for error in errors} == {6, 7} and all("without a barrier between" in error["detail"] for error in errors)
    # within a warp in step, and between blocks, it is how these are written
    assert looked_at(SUMMED, n=64, block=32, grid=2).status_code == 200
    assert looked_at(FLAGGED, n=2, block=1).status_code == 200


SIDE = """__global__ void transposed(const float *in, float *out, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < n && y < n)
        out[x * n + y] = in[y * n + x];
}
"""


def test_a_matrix_whose_size_was_derived_as_its_side_is_told_so(service):
    asked = {"source": SIDE, "n": 64, "block": [16, 16], "grid": [4, 4], "arch": "sm_90"}
    for language, said in (("en", 'in has 64 elements, as many as the size: describe all in "arguments" if it has others'), ("zh", "in 只有 64 个元素，与 size 相同；如不是，请在 \"arguments\" 中描述全部参数")):
        errors = service.request("POST", "/v1/predictions", json=asked, headers={"Accept-Language": language}).json()["errors"]
        assert any(error["detail"].endswith(said) for error in errors), errors
    arguments = [{"name": "in", "type": "f32", "elements": "n * n"}, {"name": "out", "type": "f32", "elements": "n * n"}, {"name": "n", "type": "i32", "value": "size"}]
    assert service.request("POST", "/v1/predictions", json={**asked, "arguments": arguments}).status_code == 200


@pytest.mark.parametrize("value, noted", [("in[threadIdx.x] / 0", True), ("in[threadIdx.x] / (n - n)", True), ("in[threadIdx.x] / n", False)])
def test_a_launch_that_stores_nothing_says_so(service, value, noted):
    source = f"__global__ void f(int *out, const int *in, int n) {{ out[threadIdx.x] = {value}; }}"
    said = "no thread stored anything: the compiler leaves out what has no effect or is not defined, as a division by a constant 0"
    answer = service.request("POST", "/v1/predictions", json={"source": source, "n": 32, "block": 32, "grid": 1, "arch": "sm_90"}).json()
    assert (said in [one["detail"] for one in answer["notes"]]) == noted, answer
