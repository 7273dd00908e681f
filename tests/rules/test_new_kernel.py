"""A kernel is one new file: nothing else is touched, and it is listed, checked, run and predicted."""
import json
import os
import pathlib
import select
import shutil
import subprocess
import time

import pytest
import requests

ROOT = pathlib.Path(__file__).parents[2]
KERNEL = """
/* reversed: C[i] = A[n - 1 - i]. */
#include "kernels/suite/suite.h"

struct reversed : suite_kernel {
    static void describe(kernel &k)
    {
        k.title = "Reversed copy";
        k.text = "C[i] = A[n - 1 - i]";
        k.lesson = "The order within a warp does not matter.";
        input(k, "A", "n elements");
        output(k, "C", "n elements, all written");
    }
    static traffic ledger(const domain &d) { return {d.n, d.n}; }
    template <class C> static BODY void body(C &c)
    {
        auto i = c.global_x();
        if (i < c.n)
            c.store(c.b, i, c.load(c.a, (i * -1 + c.n) - 1));
    }
    template <class X> static HOST_DEVICE bool expected(const X &x, int, uint64_t i, typename X::T &value)
    {
        value = x.input(0, x.n - 1 - i);
        return true;
    }
};
SUITE_KERNEL(reversed)
"""


def build(source, folder, *targets):
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.STDOUT}
    subprocess.run(["cmake", "-S", source, "-B", folder, "-DCOALESCED_CUDA=OFF", "-DCMAKE_BUILD_TYPE=Debug"], **quiet)
    subprocess.run(["cmake", "--build", folder, "-j", str(os.cpu_count()), "--target", *targets], **quiet)


@pytest.mark.builds
def test_a_kernel_dropped_in_as_one_file_is_listed_checked_and_run(tmp_path):
    source, folder = tmp_path / "source", tmp_path / "build"
    source.mkdir()
    for name in ["CMakeLists.txt", "api", "base", "bench", "cmake", "executor", "kernels", "server", "tests", "client"]:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, source / name)
        elif path.exists():
            shutil.copy(path, source / name)
    (source / "kernels" / "suite" / "reversed.cu").write_text(KERNEL)
    build(source, folder, "coalesced", "test_kernels", "test_access")

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
