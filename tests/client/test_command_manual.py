"""Help, man page, completions and the installation: all from the one table."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from command import COMMAND, NOWHERE, USAGE, coalesce, environment
from conftest import service, start  # noqa: F401

BUILD = pathlib.Path(COMMAND).parent
MADE = BUILD / "client" / "made"
COMMANDS = ["run", "sweep", "recipe", "again", "predict", "explain", "occupancy", "ls", "show", "watch", "cancel", "compare", "top", "queue",
            "devices", "kernels", "export"]


def test_every_command_has_help_with_examples_that_it_takes():
    text = coalesce(NOWHERE, "--help").stdout
    for name in COMMANDS:
        assert f"\n  {name}" in text
        own = coalesce(NOWHERE, "help", name).stdout
        assert own == coalesce(NOWHERE, name, "--help").stdout
        assert re.search(rf"^  coalesce {name}\b", own.split("Examples:")[1], re.M)
        assert max(len(line) for line in own.splitlines()) <= 120
    assert coalesce(NOWHERE, "help", "help").stdout == coalesce(NOWHERE, "help").stdout == text
    assert '"extra" is one too many' in coalesce(NOWHERE, "help", "run", "extra", expect=USAGE).stderr


def test_the_man_page_has_all_of_it_and_troff_takes_it():
    page = (MADE / "coalesce.1").read_text()
    plain = page.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "")
    options = set(re.findall(r"--([a-z-]+)", coalesce(NOWHERE, "--help").stdout))
    assert {*options} <= set(re.findall(r"--([a-z-]+)", plain))
    for name in COMMANDS:
        assert f".SS {name} " in plain or f".SS {name}\n" in plain
    if shutil.which("groff"):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", str(MADE / "coalesce.1")], capture_output=True, text=True)
        assert done.returncode == 0 and done.stderr == ""


def candidates(service, *words, **more):
    return [line.split("\t")[0] for line in coalesce(service, "--complete", *words, **more).stdout.splitlines()]


def test_the_completion_knows_what_the_service_has(service):
    assert candidates(service, "sw") == ["sweep"]
    assert candidates(service, "run", "read_offset_u") == ["read_offset_unroll", "read_offset_unroll4"]
    assert candidates(service, "run", "transpose", "ho") == ["how="]
    assert "how=padded" in candidates(service, "run", "transpose", "how=")
    assert candidates(service, "sweep", "copy", "rep") == ["repeat="]
    assert candidates(service, "recipe", "read_segment_c") == ["read_segment_cached"]
    assert candidates(service, "ls", "--state", "s") == ["succeeded"]
    assert candidates(service, "run", "--stri") == ["--strict"]
    assert candidates(service, "help", "pre") == ["predict"]
    assert candidates(service, "occupancy", "") == ["arch=", "block=", "registers=", "shared_bytes="]
    assert candidates(service, "occupancy", "block=32", "arch=sm_3") == ["arch=sm_30", "arch=sm_35", "arch=sm_37"]
    assert candidates(service, "predict", "copy", "arch=sm_3") == candidates(service, "explain", "copy", "arch=sm_3") == ["arch=sm_30", "arch=sm_35", "arch=sm_37"]
    assert candidates(service, "predict", "mine.cu", "ar") == ["arch="]
    assert candidates(service, "check", "mine.cu", "") == ["block=", "grid=", "shared_bytes=", "entry="]
    # A time is predicted for no CPU.
    product = service.get("/v1/devices").json()["devices"][0]["name"]
    assert product not in candidates(service, "predict", "copy", "--device-name", product[:3])
    assert candidates(service, "ls", "--columns", "hot_me") == ["hot_median_us", "hot_mean_us"]
    assert candidates(service, "show", "--columns", "offset,cold_me") == ["offset,cold_median_us", "offset,cold_mean_us"]
    identity = coalesce(service, "run", "copy", "size=4096", "-d").stdout.strip()
    assert identity in candidates(service, "watch", "")


def test_the_completion_is_silent_where_there_is_no_service():
    done = coalesce(NOWHERE, "--complete", "run", "read_", timeout=5)
    assert done.stdout == done.stderr == ""
    assert candidates(NOWHERE, "ru") == ["run"]


def test_bash_completes(start):  # noqa: F811
    service = start("--calibrate", "ask", "--device", f"gpu0={BUILD / 'tests' / 'fake_gpu'}")
    script = f"""source {MADE}/coalesce.bash; PATH={BUILD}:$PATH
        try() {{ COMP_LINE=$1; COMP_POINT=${{#1}}; COMPREPLY=(); _coalesce 2>/dev/null; echo "${{COMPREPLY[*]}}"; }}
        try 'coalesce pred'; try 'coalesce run transpose how=pad'; try 'coalesce ls --state fa'; try 'coalesce run transpose ho'; try 'coalesce predict copy --device-name '"""
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environment(service.url), timeout=60)
    # "=" ends a word for bash, so what stands before it is there already.
    *words, device = done.stdout.splitlines()
    assert words == ["predict", "padded", "failed", "how="], done.stderr
    assert device == service.get("/v1/devices").json()["devices"][0]["name"].replace(" ", "\\ ")


def test_fish_completes(service):
    if not shutil.which("fish"):
        pytest.skip("fish is not installed")
    script = f"set -x PATH {BUILD} $PATH; source {MADE}/coalesce.fish; complete -C 'coalesce run transpose how=pad'; complete -C 'coalesce pred'"
    done = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, env=environment(service.url), timeout=60)
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["how=padded", "predict"], done.stderr


def test_zsh_completes(service):
    if not shutil.which("zsh"):
        pytest.skip("zsh is not installed")
    script = f"""path=({BUILD} $path); autoload -Uz compinit; compinit -D 2>/dev/null; source {MADE}/_coalesce
        compadd() {{ local name=${{@[-1]}}; print -l -- ${{(P)name}}; }}; _files() {{ :; }}
        words=(coalesce run transpose how=pad); CURRENT=4; _coalesce; words=(coalesce pred); CURRENT=2; _coalesce"""
    done = subprocess.run(["zsh", "-f", "-c", script], capture_output=True, text=True, env=environment(service.url), timeout=60)
    assert [line for line in done.stdout.splitlines() if line] == ["how=padded", "predict"], done.stderr


def test_an_installation_has_all_of_it(tmp_path):
    done = subprocess.run(["cmake", "--install", str(BUILD), "--prefix", "/usr"], env={**os.environ, "DESTDIR": str(tmp_path)},
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    usr = tmp_path / "usr"
    for path in ("bin/coalesce", "bin/coalesced", "share/man/man1/coalesce.1", "share/bash-completion/completions/coalesce",
                 "share/zsh/site-functions/_coalesce", "share/fish/vendor_completions.d/coalesce.fish"):
        assert (usr / path).is_file(), path
    assert "ExecStart=/usr/bin/coalesced\n" in (usr / "lib/systemd/system/coalesced.service").read_text()
    version = subprocess.run([usr / "bin/coalesce", "--version"], capture_output=True, text=True)
    assert version.returncode == 0 and version.stdout.startswith("coalesce ")


def test_the_time_is_predicted_as_the_help_says(service):
    ask = lambda *words: coalesce(service, "predict", "copy", *words).stdout  # noqa: E731
    assert "of each whose constants are known it also" in " ".join(coalesce(service, "help", "predict").stdout.split()).lower()
    assert "µs predicted, cold, for an NVIDIA H200" in ask("block=32") and "what if" not in ask("block=32")
    assert "what if" in ask("block=32", "--device-name", "NVIDIA H200"), "a change that brings something"
    assert "what if" not in ask("--device-name", "NVIDIA H200"), "no change brings 5 %"
