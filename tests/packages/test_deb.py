"""The Debian package, made of the development build and not installed: what is in it, and what its scripts do."""
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "http"))
from conftest import BINARY  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]
BUILD = pathlib.Path(BINARY).parent
SCRIPTS = ["postinst", "prerm", "postrm"]

pytestmark = pytest.mark.skipif(not shutil.which("dpkg-shlibdeps"), reason="no dpkg-shlibdeps: apt-get install dpkg-dev")


def output(*command, **rest):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, **rest)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("deb")
    # Compressed in a hurry: xz takes a second.
    output("cpack", "-G", "DEB", "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip", "--config", BUILD / "CPackConfig.cmake", "-B", folder, cwd=BUILD)
    (made,) = folder.glob("*.deb")
    return made


@pytest.fixture(scope="module")
def control(package):
    folder = package.parent / "control"
    output("dpkg-deb", "-e", package, folder)
    return folder


@pytest.fixture(scope="module")
def content(package):
    folder = package.parent / "content"
    output("dpkg-deb", "-x", package, folder)
    return folder


def test_its_fields_are_those_of_a_service_with_what_it_links(package):
    field = {name: output("dpkg-deb", "-f", package, name).strip() for name in
             ("Package", "Version", "Section", "Depends", "Maintainer", "Description")}
    version = re.search(r"VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text().split("project(")[1]).group(1)
    assert field["Package"] == "coalesced" and re.fullmatch(re.escape(version) + r"-\S+", field["Version"])
    assert package.name == f"coalesced_{field['Version']}_{output('dpkg', '--print-architecture').strip()}.deb"
    names = {re.split(r"[ :(]", one.strip())[0] for one in re.split("[,|]", field["Depends"])}
    assert {"adduser", "debconf", "libc6", "libmicrohttpd12", "libjansson4", "libcminpack1", "libmuparser2v5", "libseccomp2"} <= {re.sub("t64$", "", name) for name in names}
    assert not [name for name in names if name.startswith(("libcuda", "nvidia"))]  # the driver is looked for at run time
    assert "@" in field["Maintainer"] and len(field["Description"].splitlines()) > 3


@pytest.mark.parametrize("path", [
    "usr/bin/coalesced", "usr/bin/coalesce", "usr/lib/systemd/system/coalesced.service", "usr/share/man/man8/coalesced.8.gz",
    "usr/share/man/man1/coalesce.1.gz", "usr/share/bash-completion/completions/coalesce",
    "usr/share/zsh/vendor-completions/_coalesce", "usr/share/fish/vendor_completions.d/coalesce.fish",
    "etc/default/coalesced", "usr/share/doc/coalesced/copyright", "usr/share/doc/coalesced/README.md",
    "usr/share/doc/coalesced/README.Debian", "usr/share/doc/coalesced/changelog.Debian.gz",
    "usr/share/doc/coalesced/install.md", "usr/share/doc/coalesced/slurm.md", "usr/share/doc/coalesced/operating.md",
    *(f"usr/share/doc/coalesced/examples/{name}" for name in (
        "tokens", "devices.json", "prometheus.yaml", "alerts.yaml", "coalesced.json", "kubernetes.yaml"))])
def test_it_holds(content, path):
    assert (content / path).is_file() and (content / path).stat().st_size > 20


def test_it_holds_nothing_elsewhere_and_all_of_it_is_roots(package):
    lines = output("dpkg-deb", "-c", package).splitlines()
    assert all(re.match(r"(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x) root/root ", line) for line in lines), lines
    places = {line.split()[-1].split("/")[1] for line in lines}
    assert places == {"etc", "usr"}


def test_its_unit_starts_its_program_with_its_variables(content):
    unit = (content / "usr/lib/systemd/system/coalesced.service").read_text()
    assert "\nExecStart=/usr/bin/coalesced\n" in unit and "\nEnvironmentFile=-/etc/default/coalesced\n" in unit
    help_text = output(BINARY, "--help")
    for line in (content / "etc/default/coalesced").read_text().splitlines():
        assert not line or line.startswith("#"), "it changes nothing until somebody says so"
        name = re.match("#(COALESCED_[A-Z_]+)=", line)
        assert not name or f"({name.group(1)})" in help_text, line


def test_its_page_has_every_option_and_every_command(content):
    page = gzip.decompress((content / "usr/share/man/man8/coalesced.8.gz").read_bytes()).decode().replace("\\-", "-")
    options = re.findall(r"^  (--[a-z-]+)", output(BINARY, "--help"), re.M)
    assert len(options) > 30
    assert [option for option in options if f"\\fB{option}\\fR" not in page] == []
    for command in ("token", "backup", "restore"):
        assert f"\\fBcoalesced {command}\\fR" in page
    if shutil.which("groff"):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=page, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and not done.stderr


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_of_it_can_be_read(control, script):
    assert os.access(control / script, os.X_OK)
    output("sh", "-n", control / script)
    if shutil.which("shellcheck"):
        output("shellcheck", "-s", "sh", "-e", "SC1091", control / script)


def test_what_is_configured_is_the_administrators(control):
    assert (control / "conffiles").read_text().split() == ["/etc/default/coalesced"]


# ---- what a purge does, in a folder that stands for the machine, with a debconf that answers ----

def purged(control, tmp_path, answer):
    """What is left of the service's folders after `postrm purge`; answer None: debconf is gone."""
    machine = tmp_path / "machine"
    kept = {"var/lib/coalesced/coalesced.db", "var/log/coalesced/access.log", "etc/coalesced/tokens", "etc/coalesced/admin.token"}
    for name in kept:
        (machine / name).parent.mkdir(parents=True, exist_ok=True)
        (machine / name).write_text("mine")
    debconf = machine / "usr/share/debconf/confmodule"
    if answer is not None:
        debconf.parent.mkdir(parents=True)
        debconf.write_text("for f in version input go purge stop; do eval \"db_$f() { echo $f \\\"\\$@\\\" >>'%s/asked'; }\"; done\n"
                           "db_get() { RET=%s; }\n" % (machine, answer))
    script = tmp_path / "postrm"
    text = (control / "postrm").read_text()
    for place in ("/var/", "/etc/", "/usr/"):
        text = text.replace(f" {place}", f" {machine}{place}")
    script.write_text(text.replace("/run/systemd/system", f"{machine}/none").replace("deb-systemd-helper", "true"))
    output("sh", script, "purge")
    asked = (machine / "asked").read_text() if (machine / "asked").exists() else ""
    assert (answer is None) == ("input high coalesced/remove-data" not in asked)
    return {str(path.relative_to(machine)) for path in machine.rglob("*") if path.is_file()} & kept, kept


@pytest.mark.parametrize("answer", ["false", None])
def test_a_purge_keeps_what_was_measured_unless_somebody_says_otherwise(control, tmp_path, answer):
    left, all_of_it = purged(control, tmp_path, answer)
    assert left == all_of_it


def test_a_purge_that_was_told_to_leaves_nothing(control, tmp_path):
    left, _ = purged(control, tmp_path, "true")
    assert left == set()


def test_where_nobody_answers_the_data_stays(control):
    template = (control / "templates").read_text()
    assert "Type: boolean\nDefault: false\n" in template
    fields = re.findall(r"^(Description\S*):", template, re.M)
    assert fields == ["Description", "Description-zh_CN.UTF-8"]


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("lintian"), reason="no lintian: apt-get install lintian")
def test_lintian_finds_no_error_and_no_warning(package):
    done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", str(package)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
