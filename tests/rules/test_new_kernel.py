"""A kernel is one new file, and an endpoint a row and a function: nothing else is touched, and the kernel is listed in English and Chinese,
checked, run and predicted; only its time on a GPU is unknown until nvcc has compiled it. Both are those of CONTRIBUTING.md."""
import json
import os
import pathlib
import re
import select
import shutil
import subprocess
import textwrap
import time

import pytest
import requests

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text()


def recipe(beginning):
    """A block of CONTRIBUTING.md, which so stays true."""
    return next(textwrap.dedent(block) for block in re.findall(r"```\n(.*?)```", PAGE, re.S)
                if block.lstrip().startswith(beginning))


def add_endpoint(path):
    text = path.read_text()
    row = textwrap.indent(recipe("/* What this service lives by"), "    ")
    assert text.count("    {0},\n};\n") == 1
    text = text.replace("    {0},\n};\n", row + "    {0},\n};\n").replace("static route_handler ", "static route_handler motto_show, ", 1)
    path.write_text(text + "\n" + recipe("static enum handled motto_show"))


def build(source, *targets):
    """The files that were compiled, and the kernels that the build says have no machine code. As build-dev is: with ccache
    only what is not in there is compiled."""
    quiet = {"check": True, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "cwd": source}
    configured = subprocess.run(["cmake", "--preset", "dev", "-DCOALESCED_CUDA=OFF"], **quiet).stdout
    said = subprocess.run(["cmake", "--build", "build-dev", "-j", str(os.cpu_count()), "--target", *targets], **quiet).stdout
    return (re.findall(r"Building C(?:XX)? object (\S+)", said),
            re.findall(r"No machine code of kernels/suite/(\w+)\.cu", configured))


def check_kernel(url):
    """What a service that has the new kernel answers about it, and that it runs."""
    kernels = {kernel["name"]: kernel for kernel in requests.get(url + "/v1/kernels", timeout=10).json()["kernels"]}
    assert kernels["reversed"]["title"] == "Reversed copy"
    assert kernels["reversed"]["zh"] == {"title": "反向复制", "lesson": "线程束内部的次序无关紧要。"}  # its text is a formula
    answer = requests.post(url + "/v1/experiments", json={"kernel": "reversed", "size": 100003},
                           headers={"Prefer": "wait=60"}, timeout=70).json()
    assert answer["state"] == "succeeded"
    assert answer["correctness"]["verified"] and answer["correctness"]["elements_checked"] == 100003
    predicted = requests.post(url + "/v1/predictions", json={"kernel": "reversed", "device_name": "NVIDIA H200"},
                              timeout=10).json()["predictions"][0]
    assert predicted["exact"] and predicted["time"]["status"] == "unavailable"
    assert predicted["time"]["reason"] == "no machine code of this kernel was read yet (scripts/machine_code)"
    assert "机器码" in predicted["time"]["explanation"]["zh"]


@pytest.mark.builds
def test_a_kernel_dropped_in_as_one_file_is_listed_checked_and_run_and_an_endpoint_answers(tmp_path):
    source, folder = tmp_path / "source", tmp_path / "source" / "build-dev"
    source.mkdir()
    for name in ["CMakeLists.txt", "CMakePresets.json", "api", "base", "bench", "cmake", "executor", "kernels", "ptx", "server", "tests", "client", "packages", "docs", "README.md"]:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, source / name)
        elif path.exists():
            shutil.copy(path, source / name)
    (source / "web/source").mkdir(parents=True)  # of the page the command alone needs something: the reasons in Chinese
    for name in ("reasons.js", "source/machine_reasons.js"):
        shutil.copy(ROOT / "web" / name, source / "web" / name)
    add_endpoint(source / "server" / "routes" / "health_routes.c")
    targets = ["coalesced", "test_kernels", "test_access"]
    compiled, without_code = build(source, *targets)
    assert len(compiled) > 100 and without_code == []
    (source / "kernels" / "suite" / "reversed.cu").write_text(recipe("/* reversed"))
    compiled, without_code = build(source, *targets)
    assert without_code == ["reversed"]
    # The stub that it shares with a few others, once for each way, and the lists that name it: nothing of the server, of the
    # tests' programs, or of another stub.
    assert 7 <= len(compiled) <= 12, compiled
    stubs = {re.search(r"/suite/(\w+)\.\w+\.cpp", path).group(1) for path in compiled if re.search(r"/suite/\w+\.\w+\.cpp", path)}
    assert len(stubs) == 1, compiled

    # Its correctness tests and its prediction follow from the file.
    subprocess.run([folder / "tests" / "test_kernels", "cpu", "reversed"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([folder / "tests" / "test_access"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, "COALESCED_MODEL_DRAWS": "3"})

    service = subprocess.Popen([folder / "coalesced", "--port", "0", "--data-dir", tmp_path / "data"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert select.select([service.stdout], [], [], 30)[0]
        url = json.loads(service.stdout.readline())["url"]
        limit = time.monotonic() + 30  # its executor may still be starting
        while requests.get(url + "/readyz", timeout=10).status_code != 200:
            assert time.monotonic() < limit
            time.sleep(0.05)
        check_kernel(url)
        assert requests.get(url + "/v1/motto", timeout=10).json() == {"motto": "measure, then say"}
    finally:
        service.terminate()
        service.wait(30)
