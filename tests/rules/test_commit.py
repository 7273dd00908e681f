"""The commit that a program tells is the one it was built from, though nothing was configured since."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
TELL = '#include <stdio.h>\n#include "version.h"\nint main(void) { return puts(coalesced_commit) < 0; }\n'
QUIET = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, env=QUIET).stdout.strip()


class Checkout:
    """A copy of the source, configured once; of it only what tells the commit is built."""

    def __init__(self, folder, *options):
        self.source, self.build = folder / "source", folder / "build"
        shutil.copytree(ROOT, self.source, symlinks=True,
                        ignore=shutil.ignore_patterns("build*", ".git", ".state", "__pycache__", ".pytest_cache"))
        (folder / "tell.c").write_text(TELL)
        self.options = ["-DCOALESCED_CUDA=OFF", "-DCOALESCED_TESTS=OFF", "-DCMAKE_BUILD_TYPE=Debug", *options]
        self.folder = folder

    def configure(self):
        run("cmake", "-G", "Ninja", "-S", self.source, "-B", self.build, *self.options)

    def git(self, *arguments):
        return run("git", "-C", self.source, "-c", "user.name=a", "-c", "user.email=a@example.org",
                   "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null", *arguments)

    def told(self):
        run("cmake", "--build", self.build, "--target", "base")
        library = self.build / "libbase.a"
        run("cc", f"-I{self.build / 'generated'}", self.folder / "tell.c", library, "-o", self.folder / "tell")
        return run(self.folder / "tell")


@pytest.mark.builds
def test_each_build_tells_the_commit_and_whether_it_was_dirty(tmp_path):
    checkout = Checkout(tmp_path)
    checkout.git("init", "-q")
    checkout.git("add", "-A")
    checkout.git("commit", "-q", "-m", "one")
    checkout.configure()
    first = checkout.git("rev-parse", "--short=12", "HEAD")
    assert checkout.told() == first
    built = (checkout.build / "libbase.a").stat().st_mtime_ns
    assert checkout.told() == first
    assert (checkout.build / "libbase.a").stat().st_mtime_ns == built  # nothing to do, nothing done

    (checkout.source / "README.md").write_text("changed\n")
    assert checkout.told() == first + "-dirty"
    checkout.git("commit", "-q", "-a", "-m", "two")
    second = checkout.git("rev-parse", "--short=12", "HEAD")
    assert second != first and checkout.told() == second

    (checkout.source / "kernels" / "suite" / "one_more.cu").write_text("\n")
    assert checkout.told() == second + "-dirty"  # it would be built, and is in no commit


@pytest.mark.builds
@pytest.mark.parametrize("options, word", [([], "unknown"), (["-DCOALESCED_COMMIT=0123abcd"], "0123abcd")])
def test_without_a_checkout_what_was_given_is_told(tmp_path, options, word):
    above = tmp_path / "above"
    above.mkdir()
    run("git", "-C", above, "init", "-q")  # somebody else's checkout around it says nothing of it
    checkout = Checkout(above, *options)
    checkout.configure()
    assert checkout.told() == word


def test_the_program_tells_it():
    binary = os.environ.get("COALESCED_BIN", str(ROOT / "build" / "coalesced"))
    assert re.fullmatch(r"coalesced [0-9.]+ \(([0-9a-f]{12}(-dirty)?|unknown)\)", run(binary, "--version"))
