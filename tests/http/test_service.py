"""The program: its options, who may speak to it, how it begins and ends."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

import pytest
import requests

from conftest import BINARY, FAKE, SMALL, sanitized, token_line

TOKEN = "a-token-of-some-length-0123456789"
OTHER = "another-token-of-some-length"
LINES = "# the course\n" + token_line("ada", "admin", TOKEN) + "\n" + token_line("bob", "run", OTHER)


def run(*flags, environment=None, timeout=20):
    """The program, to its end."""
    return subprocess.run([BINARY, *flags], capture_output=True, text=True, timeout=timeout,
                          env={**os.environ, **(environment or {})})


def token_file(directory, text=LINES, mode=0o600):
    path = directory / "tokens"
    path.write_text(text)
    path.chmod(mode)
    return str(path)


# ---- options ----

def test_help_lists_every_option_with_its_variable(tmp_path):
    done = run("--help")
    assert done.returncode == 0
    for flag in ("--address", "--port", "--data-dir", "--devices", "--executor-command", "--token-file",
                 "--request-seconds"):
        assert flag in done.stdout
        assert "COALESCED_" + flag[2:].upper().replace("-", "_") in done.stdout
    assert "coalesced token add" in done.stdout


def test_version_is_told():
    done = run("--version")
    assert done.returncode == 0 and re.fullmatch(r"coalesced \d+\.\d+\.\d+ \(\S+\)\n", done.stdout)


@pytest.mark.parametrize("flags, word", [
    (["--prot", "1"], "--prot"), (["--port"], "--port"), (["--port", "x"], "--port"), (["--port", "65536"], "65535"),
    (["--threads=0"], "--threads"), (["--insecure=perhaps"], "--insecure"), (["serve"], "serve"),
    (["--idle-seconds", "-1"], "--idle-seconds"), (["--quiet-seconds", "61"], "--quiet-seconds"),
])
def test_a_wrong_option_is_named(flags, word):
    done = run(*flags)
    assert done.returncode == 2 and word in done.stderr


def test_a_wrong_variable_is_named():
    done = run(environment={"COALESCED_PORT": "eighty"})
    assert done.returncode == 2 and "COALESCED_PORT" in done.stderr


def test_a_mistyped_variable_is_warned_of(start):
    given = {"COALESCED_PROT": "9000", "COALESCED_TOKEN_FIEL": "/tmp/tokens", "COALESCED_THREADS": "2", "COALESCED_URL": "http://127.0.0.1", "COALESCED_X": "1"}
    log = start("--insecure", environment=given).log.read_text()
    assert "no variable COALESCED_PROT: did you mean COALESCED_PORT?" in log
    assert "no variable COALESCED_TOKEN_FIEL: did you mean COALESCED_TOKEN_FILE?" in log
    assert log.count("there is no variable") == 2, log


def test_flags_win_over_variables(start, tmp_path):
    service = start("--instance", "flag", environment={"COALESCED_INSTANCE": "variable", "COALESCED_THREADS": "2",
                                                       "COALESCED_PORT_FILE": str(tmp_path / "port")})
    assert service.announced["instance"] == "flag"
    assert service.get("/readyz").headers["Coalesced-Instance"] == "flag"
    assert int((tmp_path / "port").read_text()) == service.port


@pytest.mark.parametrize("flags", [["--instance", 'a"b'], ["--instance", "a\nb"], ["--instance", "x" * 64],
                                   ["--devices", ","],
                                   ["--devices", ",".join(["cpu"] * 129)], ["--devices", "foo"],
                                   ["--devices", "cpu,cpu:x"], ["--devices", "cpu:"], ["--devices", "cpu:-1"], ["--executor-command", "'open"]])
def test_a_value_that_makes_no_sense_is_refused_at_the_start(tmp_path, flags):
    done = run("--port", "0", "--data-dir", str(tmp_path / "data"), *flags)
    assert done.returncode == 1 and "error" in done.stderr


@pytest.mark.parametrize("flags", [["--log-level", "loud"], ["--address", "example.org"], ["--default-device", ","], ["--port", "99999"]])
def test_an_option_that_means_nothing_is_named_and_not_tried_again(tmp_path, flags):
    """systemd starts the service again after a failure, but for status 2."""
    done = run("--data-dir", str(tmp_path / "data"), *flags)
    assert done.returncode == 2 and flags[0] in done.stderr and not (tmp_path / "data").exists()


def test_a_device_of_no_kind_is_told_with_the_kinds_there_are(tmp_path):
    done = run("--port", "0", "--data-dir", str(tmp_path / "data"), "--devices", "cpu,foo")
    assert 'device "foo"' in done.stderr and "auto" in done.stderr and "cpu" in done.stderr


def test_the_data_directory_has_a_default_that_follows_the_user(tmp_path):
    process = subprocess.Popen([BINARY, "--port", "0", "--executor-command", FAKE], stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.DEVNULL, env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]})
    try:
        assert json.loads(process.stdout.readline())["port"] > 0
        assert (tmp_path / ".local" / "state" / "coalesced").is_dir()
    finally:
        process.terminate()
        assert process.wait(timeout=20) == 0
        process.stdout.close()


# ---- who may speak to it ----

@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.0.2.1"])
def test_an_open_address_is_refused_without_tokens(address, tmp_path):
    done = run("--address", address, "--port", "0", "--data-dir", str(tmp_path / "data"))
    assert done.returncode == 1
    assert "--token-file" in done.stderr and "--insecure" in done.stderr
    assert not (tmp_path / "data").exists()


def test_an_open_address_is_taken_with_insecure_or_with_tokens(start, tmp_path):
    for number, flags in enumerate((["--insecure"], ["--token-file", token_file(tmp_path)])):
        directory = tmp_path / str(number)
        directory.mkdir()
        service = start("--address", "0.0.0.0", *flags, directory=directory)
        assert requests.get(f"http://127.0.0.1:{service.port}/livez").status_code == 200


def test_ipv6_is_served(start):
    if not socket.has_ipv6 or not os.path.exists("/proc/net/if_inet6") or not open("/proc/net/if_inet6").read():
        pytest.skip("this machine has no IPv6")
    assert start("--address", "::1").url.startswith("http://[::1]:")


def test_tokens_are_asked_for_under_v1_and_nowhere_else(start, tmp_path):
    service = start("--token-file", token_file(tmp_path))
    for path in ("/livez", "/readyz", "/openapi.yaml", "/"):
        assert service.get(path).status_code == 200
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Bearer "}, {"Authorization": TOKEN},
                    {"Authorization": "Bearer " + TOKEN[:-1]}, {"Authorization": "Bearer " + TOKEN + "x"},
                    {"Authorization": "Basic " + TOKEN}, {"Authorization": "Bearer # the course"}):
        for path in ("/v1/experiments", "/v1/queue", "/v1/nothing"):
            response = service.get(path, headers=headers)
            assert response.status_code == 401 and response.headers["WWW-Authenticate"].startswith("Bearer")
        assert service.post(SMALL, headers=headers).status_code == 401
    for token in (TOKEN, OTHER):
        service.headers = {"Authorization": "Bearer " + token}
        service.works()
    assert service.get("/v1/nothing").status_code == 404


@pytest.mark.parametrize("text, mode, word", [
    (LINES, 0o644, "chmod"), (LINES, 0o602, "chmod"), ("# nothing\n\n", 0o600, "no token"),
    ("two words\n", 0o600, "line 1"), (LINES + TOKEN + "\n", 0o600, "line 5"),
    (TOKEN + "\n", 0o600, "coalesced token add"),
])
def test_a_token_file_that_does_not_protect_is_refused(tmp_path, text, mode, word):
    done = run("--port", "0", "--data-dir", str(tmp_path / "data"), "--token-file", token_file(tmp_path, text, mode))
    assert done.returncode == 1 and word in done.stderr


def test_a_token_file_that_is_not_there_is_said(tmp_path):
    done = run("--port", "0", "--data-dir", str(tmp_path / "data"), "--token-file", str(tmp_path / "none"))
    assert done.returncode == 1 and "none" in done.stderr


# ---- one of a kind ----

def test_a_taken_port_is_said(start, tmp_path):
    service = start()
    done = run("--port", str(service.port), "--data-dir", str(tmp_path / "other"), "--executor-command", FAKE)
    assert done.returncode == 1 and f"port {service.port}" in done.stderr and "taken" in done.stderr
    assert not (tmp_path / "other").exists()
    service.works()


def test_a_second_service_on_the_same_data_directory_is_refused(start, tmp_path):
    service = start()
    where = service.post({**SMALL, "labels": {"fake": "sleep:1"}}).json()["links"]["self"]
    done = run("--port", "0", "--data-dir", str(tmp_path / "data"), "--executor-command", FAKE)
    assert done.returncode == 1 and str(tmp_path / "data") in done.stderr and "in use" in done.stderr
    result = service.get(where + "?wait=20").json()
    assert result["state"] == "succeeded" and result["attempt"] == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_data_directory_of_another_user_is_said_with_both():
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)  # Everybody may go there, so that the lock is what is refused.
        # A copy: the other user may not come to where this clone lies.
        done = subprocess.run([shutil.copy(BINARY, directory), "--data-dir", directory, "--port", "0"], capture_output=True, text=True, timeout=20,
                              user=65534)
    assert done.returncode == 1 and "as user 65534" in done.stderr and f"{directory} is user 0's" in done.stderr


def test_an_executor_that_cannot_be_started_is_said(tmp_path):
    done = run("--port", "0", "--data-dir", str(tmp_path / "data"), "--executor-command", "/nonexistent --executor")
    assert done.returncode == 1 and "/nonexistent" in done.stderr


def test_more_devices_than_one(start):
    service = start("--devices", "cpu, cpu:1")
    assert [device["index"] for device in service.get("/v1/devices").json()["devices"]] == [0, 1]
    assert service.run({**SMALL, "device": 1})["device"]["index"] == 1
    service = start(environment={"FAKE_DEVICES": "3"}, directory=service.directory / "..")
    assert len(service.get("/v1/devices").json()["devices"]) == 3


@pytest.mark.slow
def test_before_a_device_is_known_a_submission_is_told_to_come_again(start, tmp_path):
    slow = tmp_path / "slow.sh"
    slow.write_text(f"sleep 2\nexec {FAKE} \"$@\"\n")
    service = start("--devices", "cpu", "--executor-command", f"/bin/sh {slow}", ready=False)
    response = service.post(SMALL)
    assert response.status_code == 503 and int(response.headers["Retry-After"]) >= 1
    assert service.get("/readyz").status_code == 503
    status = service.get("/v1/devices/0").json()["status"]
    assert status["health"] == "starting" and status["reason"]
    check, = [one for one in service.get("/readyz?verbose").json()["checks"] if one["name"] == "device 0 (cpu)"]
    assert not check["ok"] and check["reason"].startswith("it is started for the first time")
    assert service.post({**SMALL, "size": 0}).status_code == 422  # wrong on any device
    service.until(lambda: service.get("/readyz").status_code == 200)
    service.works()


@pytest.mark.parametrize("second", ["sleep 2", "exit 1"])
def test_who_is_told_that_all_is_ready_may_name_any_device(start, tmp_path, second):
    """One that is slow is waited for, and one that cannot be started is not."""
    command = tmp_path / "second.sh"
    command.write_text(f'case "$*" in *cpu:1*) {second};; esac\nexec {FAKE} "$@"\n')
    service = start("--devices", "cpu:1,cpu:2", "--executor-command", f"/bin/sh {command}", ready=False)
    if second == "sleep 2":
        service.until(lambda: service.get("/v1/devices/1").json()["status"]["health"] == "healthy")
        assert service.get("/readyz").status_code == 503
        assert "\ncoalesced_ready 0" in service.get("/metrics").text
    service.until(lambda: service.get("/readyz").status_code == 200, 5)
    works = [0, 1] if second == "sleep 2" else [1]
    assert [service.post({**SMALL, "device": device}).status_code for device in works] == [202] * len(works)
    assert service.run({**SMALL, "device": 1})["state"] == "succeeded"


def test_a_full_queue_says_when_to_come_again(start):
    service = start("--queue-limit", "3")
    with service.busy():
        codes = [service.post(SMALL).status_code for _ in range(5)]
        assert codes == [202, 202, 202, 429, 429]


def test_a_sweep_without_room_is_told_how_long_that_takes(start):
    service = start("--queue-limit", "50")

    def sweep(count):
        return service.request("POST", "/v1/sweeps", json={**SMALL, "labels": {"fake": "sleep:0.2"}, "offset": list(range(count))})

    for _ in range(2):
        service.run({**SMALL, "labels": {"fake": "sleep:0.2"}})
    assert sweep(50).status_code == 202
    service.until(lambda: service.get("/v1/queue").json()["running"] == 1)
    refused = sweep(40)  # when some 39 of those that wait have begun, of 0.2 s each or what the machine makes of it
    assert refused.status_code == 429 and 6 <= int(refused.headers["Retry-After"]) <= 40
    assert sweep(51).status_code == 422  # there is no such time


# ---- the end ----

def test_sigterm_ends_it_cleanly_and_what_waited_is_there_again(start):
    service = start("--grace-seconds", "0.2")
    running = service.post({**SMALL, "labels": {"fake": "sleep:20"}}).json()["links"]["self"]
    queued = service.post(SMALL).json()["links"]["self"]
    service.until(lambda: service.get(running).json()["state"] == "running")
    begun = time.monotonic()
    assert service.stop() == 0
    assert time.monotonic() - begun < 10
    service = start()
    one = service.get(running).json()
    assert one["state"] in ("queued", "running") and one["attempt"] <= 1  # the clean end cost no attempt
    service.delete(running)
    assert service.get(running + "?wait=20").json()["state"] == "cancelled"
    assert service.get(queued + "?wait=20").json()["state"] == "succeeded"


def test_a_running_experiment_that_ends_within_the_grace_is_kept(start):
    service = start("--grace-seconds", "10")
    where = service.post({**SMALL, "labels": {"fake": "sleep:1"}}).json()["links"]["self"]
    service.until(lambda: service.get(where).json()["state"] == "running")
    assert service.stop() == 0
    assert start().get(where).json()["state"] == "succeeded"


def test_sigterm_lets_go_of_whoever_waits(start):
    service = start("--grace-seconds", "0.2")
    where = service.post({**SMALL, "labels": {"fake": "sleep:30"}}).json()["links"]["self"]
    answers = []

    def poll():
        response = service.get(where + "?wait=60")
        answers.append((response.status_code, int(response.headers["Retry-After"])))

    def submit():
        response = service.post(SMALL, headers={"Prefer": "wait=60"})
        answers.append((response.status_code, int(response.headers["Retry-After"])))

    threads = [threading.Thread(target=poll) for _ in range(40)] + [threading.Thread(target=submit) for _ in range(10)]
    for thread in threads:
        thread.start()
    service.until(lambda: service.get("/v1/queue").json()["queued"] == 10)
    time.sleep(0.3)
    begun = time.monotonic()
    assert service.stop() == 0
    assert time.monotonic() - begun < 10
    for thread in threads:
        thread.join()
    # A submission is on disk and says where; a poll is told to come again.
    assert sorted(status for status, _ in answers) == [202] * 10 + [503] * 40
    assert all(after >= 1 for _, after in answers)


def test_another_way_to_end_it_is_clean_too(start):
    assert start().stop(signal.SIGINT) == 0


@pytest.mark.slow
def test_it_ends_cleanly_under_load(start):
    service = start("--grace-seconds", "0.2")
    acknowledged, stop = [], threading.Event()

    def load():
        while not stop.is_set():
            try:
                response = service.post(SMALL)
            except requests.RequestException:
                continue
            if response.status_code == 202:
                acknowledged.append(response.headers["Location"])

    threads = [threading.Thread(target=load) for _ in range(16)]
    for thread in threads:
        thread.start()
    time.sleep(0.7)
    assert service.stop() == 0
    stop.set()
    for thread in threads:
        thread.join()
    assert acknowledged
    service = start()
    for where in acknowledged[-50:]:
        assert service.get(where).status_code == 200


@pytest.mark.kills
def test_an_executor_killed_while_it_runs_costs_an_attempt_and_only_the_last_one_the_experiment(start, tmp_path):
    journal = tmp_path / "journal"
    service = start("--attempts", "2", environment={"FAKE_WORK_LOG": str(journal)})
    where = service.post({**SMALL, "labels": {"fake": "sleep:30"}}).json()["links"]["self"]
    for attempt in (1, 2):
        # The executor writes it down when it has it; a test copy's line comes between.
        service.until(lambda: journal.exists() and journal.read_text().split().count(where.rpartition("/")[2]) == attempt)
        os.kill(service.get("/v1/devices/0").json()["status"]["executor_pid"], signal.SIGKILL)
    result = service.get(where + "?wait=20").json()
    assert result["state"] == "failed" and result["failure"]["kind"] == "abandoned"
    assert "2 attempts" in result["failure"]["detail"] and "killed by SIGKILL" in result["failure"]["detail"]
    service.works()


# ---- its size ----

@pytest.mark.slow
def test_it_stays_small_after_a_thousand_experiments(start):
    service = start()
    with requests.Session() as session:
        last = None
        for i in range(1000):
            last = session.post(service.url + "/v1/experiments", json={**SMALL, "offset": i}).headers["Location"]
            if i % 100 == 99:
                session.get(service.url + "/v1/experiments?page_size=500")
        service.until(lambda: service.get("/v1/queue").json()["queued"] == 0, seconds=60)
    assert service.get(last + "?wait=20").json()["state"] == "succeeded"
    if not sanitized():
        assert service.anonymous_bytes() < 12 << 20
