"""The shell's scripts are read by the shell that will run them."""
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("shell, script", [
    ("sh", "scripts/setup.sh"),  # by the Dockerfile, too
    ("bash", "scripts/build.sh"), ("bash", "scripts/lanes.sh"), ("bash", "scripts/pre-commit"), ("bash", "run"),
    ("bash", "test"), ("bash", ".ci/run"), ("sh", "docker/entrypoint.sh"), ("bash", "docker/healthcheck.sh"),
])
def test_a_script_can_be_read(shell, script):
    done = subprocess.run([shell, "-n", ROOT / script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
