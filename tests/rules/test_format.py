"""Every C, C++ and CUDA file is as .clang-format has it: by the same script that is the pre-commit hook."""
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
QUIET = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


def run(*command, cwd=ROOT):
    return subprocess.run(command, cwd=cwd, env=QUIET, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def checked(done):
    if "not checked" in done.stdout:
        pytest.skip(done.stdout.strip())
    return done


def test_every_file_is_formatted():
    done = checked(run("scripts/pre-commit", "--all"))
    assert done.returncode == 0, done.stdout[-4000:]


def test_the_hook_refuses_what_is_staged_and_not_formatted(tmp_path):
    def git(*arguments):
        return run("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", *arguments,
                   cwd=tmp_path)

    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "pre-commit", tmp_path / "scripts")
    shutil.copy(ROOT / ".clang-format", tmp_path)
    git("init", "-q")
    git("config", "core.hooksPath", "scripts")
    (tmp_path / "a.c").write_text("int  a;\n")
    git("add", "a.c")
    (tmp_path / "a.c").write_text("int a;\n")  # mended, but not staged
    done = checked(git("commit", "-q", "-m", "one"))
    assert done.returncode != 0 and "a.c:1" in done.stdout, done.stdout
    git("add", "a.c")
    assert git("commit", "-q", "-m", "one").returncode == 0
