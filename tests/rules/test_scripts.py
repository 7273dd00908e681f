"""The shell's scripts are read by the shell that will run them."""
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("shell, script", [
    ("sh", "scripts/setup.sh"),  # by the Dockerfile, too
    ("bash", "scripts/build.sh"), ("bash", "scripts/lanes.sh"), ("bash", "scripts/pre-commit"), ("bash", "run"),
    ("bash", "test"), ("bash", ".ci/run"), ("sh", "docker/entrypoint.sh"), ("bash", "docker/healthcheck.sh"),
    ("bash", "packages/build-deb"), ("bash", "packages/try-deb"),
])
def test_a_script_can_be_read(shell, script):
    done = subprocess.run([shell, "-n", ROOT / script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("given, hosts", [
    ({"COALESCED_INSECURE": "1"}, "coalesced"), ({"COALESCED_INSECURE": "1", "COALESCED_ALLOW_HOST": "gpu7"}, "gpu7"),
    ({"COALESCED_INSECURE": "1", "COALESCED_ALLOW_HOST": ""}, ""), ({"COALESCED_ADDRESS": "127.0.0.1"}, "unset"),
    ({"COALESCED_TOKEN_FILE": __file__, "COALESCED_INSECURE": "1"}, "unset")])
def test_a_container_without_tokens_answers_to_names_of_this_machine(tmp_path, given, hosts):
    """It listens on every address, where the service itself would look at no name; the port is published on 127.0.0.1."""
    (tmp_path / "coalesced").write_text('#!/bin/sh\necho "${COALESCED_ALLOW_HOST-unset}"\n')
    (tmp_path / "coalesced").chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "COALESCED_DATA_DIR": str(tmp_path), **given}
    done = subprocess.run(["sh", ROOT / "docker/entrypoint.sh"], env=environment, capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout.strip()) == (0, hosts), done.stderr
