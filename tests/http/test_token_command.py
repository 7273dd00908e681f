"""`coalesced token`: what an administrator does by hand."""
import re
import threading

import pytest

from conftest import token, token_line


def test_a_token_is_added_listed_and_revoked_by_hand(tmp_path):
    path = tmp_path / "tokens"
    environment = {"COALESCED_TOKEN_FILE": str(path), "PATH": "/usr/bin"}
    added = token("add", "ada", "--role", "admin", env=environment)
    assert re.fullmatch(r"coal_[A-Za-z0-9_-]{43}\n", added.stdout) and "once" in added.stderr
    assert "No other token" in added.stderr
    assert path.stat().st_mode & 0o777 == 0o600
    assert added.stdout.strip() not in path.read_text()
    again = token("add", "ada", "--role=run", env=environment)
    assert again.stdout != added.stdout and "No other token" not in again.stderr
    assert "ada has 2 tokens now" in again.stderr and "tokens now" not in added.stderr
    taken = token("add", "bob", "--role", "read", "--secret-stdin", env=environment, input="an-old-token-in-use\n")
    assert taken.stdout == ""
    shown = token("list", env=environment).stdout.splitlines()
    assert [line.split()[:2] for line in shown] == [["ada", "admin"], ["ada", "run"], ["bob", "read"]]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", line.split()[2]) for line in shown)
    assert "sha256" not in "".join(shown)
    revoked = token("revoke", "ada", env=environment).stderr
    assert "2 tokens" in revoked and "last" not in revoked
    assert [line.split()[0] for line in token("list", env=environment).stdout.splitlines()] == ["bob"]
    assert "nobody may come in" in token("revoke", "bob", env=environment).stderr
    assert path.read_text().splitlines()[-1] == "# nobody"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("words, said", [
    ([], "add, list or revoke"), (["remove", "ada"], "no action remove: use add, list or revoke"), (["add"], "NAME"), (["add", "ada"], "--role"),
    (["add", "ada", "--role", "root"], "metrics, read, run or admin"), (["add", "ada", "--role"], "--role wants"),
    (["add", "a b", "--role", "run"], "letters"), (["add", "nobody", "--role", "run"], "reserved"), (["add", "me", "--role", "run"], "me are reserved"), (["add", "x" * 33, "--role", "run"], "32"),
    (["add", "ada", "bob", "--role", "run"], "bob"), (["revoke"], "NAME"), (["list", "ada"], "no NAME"),
    (["revoke", "ada", "--role", "run"], "--role"), (["list", "--colour"], "--colour"),
])
def test_a_command_that_is_wrong_is_told_with_where_more_is_said(tmp_path, words, said):
    done = token("--token-file", str(tmp_path / "tokens"), *words, check=False)
    assert done.returncode == 2 and said in done.stderr.splitlines()[0] and "coalesced token --help" in done.stderr.splitlines()[1] and not done.stdout
    assert not list(tmp_path.iterdir())


def test_a_command_without_a_file_says_how_to_name_one():
    done = token("list", check=False, env={})
    assert done.returncode == 2 and "COALESCED_TOKEN_FILE" in done.stderr
    assert "examples:" in token("--help").stdout


@pytest.mark.parametrize("words", [["list"], ["add", "ada", "--role", "run"], ["revoke", "ada"]], ids=" ".join)
def test_a_token_in_place_of_the_file_is_not_repeated(tmp_path, words):
    secret = "coal_" + "s" * 43
    done = token(*words, "--token-file", secret, check=False, cwd=tmp_path)
    assert done.returncode == 1 and "this is a token itself" in done.stderr and secret not in done.stderr and not list(tmp_path.iterdir())


@pytest.mark.parametrize("secret_given", ["x", "fifteen-letters", "", "with a blank in it", "x" * 256])
def test_a_secret_that_protects_nothing_is_refused(tmp_path, secret_given):
    done = token("add", "ada", "--role", "run", "--secret-stdin", "--token-file", str(tmp_path / "tokens"),
                 check=False, input=secret_given + "\n")
    assert done.returncode == 1 and not list(tmp_path.iterdir())


def test_an_old_file_is_left_as_it_is_with_what_helps(tmp_path):
    path = tmp_path / "tokens"
    path.write_text("# old\na-bare-token-0123456789\n")
    path.chmod(0o600)
    for words in (["add", "ada", "--role", "run"], ["revoke", "ada"], ["list"]):
        done = token(*words, "--token-file", str(path), check=False)
        assert done.returncode == 1 and "line 2" in done.stderr and "coalesced token add" in done.stderr
        assert "a-bare-token-0123456789" not in done.stderr
    assert path.read_text() == "# old\na-bare-token-0123456789\n"


def test_an_older_file_may_have_a_user_called_me(tmp_path, start):
    path, secret = tmp_path / "tokens", "the-secret-of-me-0123456789"
    path.write_text(token_line("me", "run", secret))
    path.chmod(0o600)
    service = start("--token-file", str(path), ready=False)
    service.headers = {"Authorization": f"Bearer {secret}"}
    assert service.get("/v1/whoami").json()["name"] == "me"
    assert "me" in token("revoke", "me", "--token-file", str(path)).stderr


def test_changes_at_once_are_all_kept(tmp_path):
    path = tmp_path / "tokens"
    threads = [threading.Thread(target=token, args=("add", f"person{i}", "--role", "read", "--token-file", str(path)))
               for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    names = {line.split()[0] for line in token("list", "--token-file", str(path)).stdout.splitlines()}
    assert names == {f"person{i}" for i in range(16)}
    assert list(tmp_path.iterdir()) == [path]
