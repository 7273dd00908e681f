"""Kernels of others: what is cut from a file, the tables of ours, and what is said of two outputs."""
import base64
import hashlib
import importlib
import pathlib
import struct
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
import source_extract  # noqa: E402
import source_launches  # noqa: E402
import source_outputs  # noqa: E402
import source_theirs  # noqa: E402

HEADER = """#define WIDTH 3
typedef struct __align__(8) { float a, b; } pair;
__device__ float unused(float x) { return x; }
"""
FILE = """#include <stdio.h>
#include "parts.h"
#ifdef WIDE
#define STEP 7
#else
#define STEP 5
#endif
namespace inner {
__constant__ float weights[WIDTH] = {1, 2, 3};
}
static float *on_host;  // a name that the kernel has, too
template <typename T> __device__ __forceinline__ T twice(T x) { return 2 * x; }
enum colour { RED, GREEN = 4 };
void launch(int n) { weighted<float><<<n, STEP>>>(0); }
__global__ void other(float *p) { p[0] = '}'; }
extern "C" {
template <typename T>
__global__ void __launch_bounds__(256) weighted(T *on_host, pair *in) { on_host[threadIdx.x * STEP] = twice(in->a) + inner::weights[GREEN - RED]; }
}
int main() { launch(1); }
"""


@pytest.fixture
def clone(tmp_path):
    (tmp_path / "parts.h").write_text(HEADER)
    (tmp_path / "file.cu").write_text(FILE)
    return tmp_path


def test_a_kernel_comes_with_what_it_reaches_and_nothing_else(clone):
    found = source_extract.extract(clone, "file.cu", "weighted")
    for wanted in ("weights[3] = {1, 2, 3};", "} pair;", "T twice(T x)", "enum colour", "__launch_bounds__(256) weighted", "threadIdx.x * 5"):
        assert wanted in found, found
    for unwanted in ("unused", "other", "main", "launch(int", "float *on_host;", "stdio", "#"):
        assert unwanted not in found, found
    assert "threadIdx.x * 7" in source_extract.extract(clone, "file.cu", "weighted", ["WIDE"])
    with pytest.raises(source_extract.NotFound):
        source_extract.extract(clone, "file.cu", "twice")


@pytest.mark.parametrize("collection", source_theirs.TABLES)
def test_rows_say_all_that_a_launch_needs(collection):
    table = importlib.import_module(f"theirs.{source_theirs.TABLES[collection]}").TABLE
    assert len(table) >= 10
    names = [source_theirs.name_of(collection, row) for row in table]
    assert len(set(names)) == len(names)
    for row in table:
        arguments = [source_theirs.argument_of(one, row["fills"]) for one in row["arguments"].split()]
        assert set(row["fills"]) <= {one["name"] for one in arguments}, row
        assert ("instance" in row) == ("types" in row) and row["launches"]
        for launch in row["launches"]:
            assert "block" in launch and ("grid" in launch) != ("threads" in launch), row
            scalars = {one["name"] for one in arguments if "elements" not in one}
            assert scalars <= set(launch), (row["entry"], scalars - set(launch))
            assert all(source_launches.elements_of(one["elements"], launch) > 0 for one in arguments if "elements" in one)


def packed(values):
    data = struct.pack(f"<{len(values)}f", *values)
    return {"sha256": hashlib.sha256(data).hexdigest(), "window": base64.b64encode(data).decode(), "values": values}


def test_two_outputs_are_equal_or_near_or_not():
    verdict = source_outputs.verdict_of
    one = packed([1.0, -2.0, 0.0])
    assert verdict("f32", one, packed([1.0, -2.0, 0.0])) == ("equal", 0.0)
    assert verdict("f32", one, packed([1.0, -2.0, 1e-6]))[0] == "within tolerance"
    assert verdict("f32", one, packed([1.0, -2.0, 1e-3]))[0] == "different"
    assert verdict("f32", one, packed([1.0, -2.0, float("nan")]))[0] == "different"
    assert verdict("i32", {**one, "values": [1]}, {"sha256": "", "window": base64.b64encode(struct.pack("<i", 2)).decode()})[0] == "different"


def test_an_argument_may_have_a_name_that_python_takes():
    assert source_launches.elements_of("(in+1)*lambda", {"in": 4, "lambda": 3}) == 15
