"""./run builds for the GPUs that are there (cmake/architectures.cmake)."""
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PORTABLE = "75-real;80-real;86-real;90-real;120"
SCRIPT = """cmake_minimum_required(VERSION 3.22)
include({root}/cmake/architectures.cmake)
set(COALESCED_NVIDIA_SMI {folder}/nvidia-smi)
architectures_native({folder}/nvcc "{portable}" list)
message("${{list}}")
"""


def program(path, lines, status=0):
    path.write_text("#!/bin/sh\n" + "".join(f"echo '{line}'\n" for line in lines) + f"exit {status}\n")
    path.chmod(0o755)


@pytest.mark.parametrize("gpus, known, expected", [
    (["9.0"], [80, 90, 120], "90-real"),
    (["8.6"], [75, 80, 86, 90], "86-real"),
    (["8.6", "9.0", "8.6"], [75, 80, 86, 90], "86-real;90-real"),  # each once
    (["12.1"], [75, 80, 90, 120], "120-virtual"),                  # newer than nvcc: its driver compiles the PTX
    (["10.3"], [75, 80, 90, 120], "90-virtual"),                   # PTX is never for an older GPU
    (["7.0"], [75, 80, 90], "90-virtual"),                         # too old for nvcc, hence as if there were none
    ([], [75, 80, 86, 90, 100, 120, 121], "120-virtual"),          # the portable list's newest
    ([], [50, 80, 90], "90-virtual"),                              # of those that nvcc knows
    (["8.9"], [], "89-real"),                                      # nvcc does not tell
    (["No devices were found"], [80, 90], "90-virtual"),
])
def test_the_architectures_of_this_machine(tmp_path, gpus, known, expected):
    program(tmp_path / "nvidia-smi", gpus, 0 if gpus else 9)
    program(tmp_path / "nvcc", [f"compute_{number}" for number in known])
    (tmp_path / "ask.cmake").write_text(SCRIPT.format(root=ROOT, folder=tmp_path, portable=PORTABLE))
    done = subprocess.run(["cmake", "-P", tmp_path / "ask.cmake"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0 and done.stdout.strip() == expected, done.stdout
