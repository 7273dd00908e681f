"""A kernel is one new file: nothing else is touched, and it is listed, checked, run and predicted."""
import json
import os
import pathlib
import re
import select
import shutil
import subprocess
import time

import requests

ROOT = pathlib.Path(__file__).parents[2]
KERNEL = """
/* reversed: C[i] = A[n - 1 - i]. */
#include "kernels/suite/suite.h"

struct reversed : suite_kernel {
    enum { A, C };

    static void describe(kernel &k)
    {
        k.title = "Reversed copy";
        k.text = "C[i] = A[n - 1 - i]";
        k.lesson = "The order within a warp does not matter.";
        input(k, A, "A", "n elements");
        output(k, C, "C", "n elements, all written");
    }
    static traffic ledger(const domain &d) { return {d.n, d.n}; }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        if (i < c.n)
            c.store(C, i, c.load(A, (i * -1 + c.n) - 1));
    }
    template <class X> static HOST_DEVICE bool expected(const X &x, int, uint64_t i, typename X::T &value)
    {
        value = x.input(A, x.n - 1 - i);
        return true;
    }
};
SUITE_KERNEL(reversed)
"""


def build(source, folder, *targets):
    """The files that were compiled."""
    quiet = {"check": True, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    subprocess.run(["cmake", "-S", source, "-B", folder, "-DCOALESCED_CUDA=OFF", "-DCMAKE_BUILD_TYPE=Debug"], **quiet)
    said = subprocess.run(["cmake", "--build", folder, "-j", str(os.cpu_count()), "--target", *targets], **quiet).stdout
    return re.findall(r"Building C(?:XX)? object (\S+)", said)


def test_a_kernel_dropped_in_as_one_file_is_listed_checked_and_run(tmp_path):
    source, folder = tmp_path / "source", tmp_path / "build"
    source.mkdir()
    for name in ["CMakeLists.txt", "api", "base", "bench", "cmake", "executor", "kernels", "server", "tests", "client"]:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, source / name)
        elif path.exists():
            shutil.copy(path, source / name)
    targets = ["coalesced", "test_kernels", "test_access"]
    assert len(build(source, folder, *targets)) > 200
    (source / "kernels" / "suite" / "reversed.cu").write_text(KERNEL)
    compiled = build(source, folder, *targets)
    # Its own stubs and the lists that name it: nothing of another kernel, of the server, of the tests' programs.
    assert 7 <= len(compiled) <= 12, compiled
    assert [path for path in compiled if "/suite/" in path and "/suite/reversed." not in path] == []

    # Its correctness tests and its prediction follow from the file.
    subprocess.run([folder / "tests" / "test_kernels"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([folder / "tests" / "test_access"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, "COALESCED_MODEL_DRAWS": "20"})

    service = subprocess.Popen([folder / "coalesced", "--port", "0", "--data-dir", tmp_path / "data"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert select.select([service.stdout], [], [], 30)[0]
        url = json.loads(service.stdout.readline())["url"]
        limit = time.monotonic() + 30  # its executor may still be starting
        while requests.get(url + "/readyz", timeout=10).status_code != 200:
            assert time.monotonic() < limit
            time.sleep(0.05)
        assert "reversed" in [kernel["name"] for kernel in requests.get(url + "/v1/kernels", timeout=10).json()["kernels"]]
        answer = requests.post(url + "/v1/experiments", json={"kernel": "reversed", "size": 100003},
                               headers={"Prefer": "wait=60"}, timeout=70).json()
        assert answer["state"] == "succeeded"
        assert answer["correctness"]["verified"] and answer["correctness"]["elements_checked"] == 100003
    finally:
        service.terminate()
        service.wait(30)
