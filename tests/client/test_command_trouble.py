"""Tokens, a service that is full, goes away and comes back: nothing runs twice and nobody is left to guess."""
import http.server
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import threading

import pytest
from command import COMMAND, FAILED, INTERRUPTED, REFUSED, UNREACHABLE, USAGE, coalesce, environment
from conftest import service, start, token_line  # noqa: F401
from test_failing_disk import disk  # noqa: F401

SECRET = "the-secret-of-ada-0123456789"


@pytest.fixture
def shared(start, tmp_path):  # noqa: F811
    (tmp_path / "tokens").write_text(token_line("ada", "run", SECRET) + token_line("eve", "read", SECRET + "-of-eve"))
    (tmp_path / "tokens").chmod(0o600)
    return start("--token-file", str(tmp_path / "tokens"), ready=True)


def token_file(tmp_path, text, mode=0o600):
    path = tmp_path / "mine"
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def test_the_token_comes_from_a_file(shared, tmp_path):
    refused = coalesce(shared, "devices", expect=REFUSED)
    assert "401" in refused.stderr and "COALESCED_TOKEN_FILE" in refused.stderr
    mine = token_file(tmp_path, SECRET + "\n")
    done = coalesce(shared, "run", "copy", "size=4096", "--json", COALESCED_TOKEN_FILE=mine)
    assert json.loads(done.stdout)["owner"] == "ada" and done.stderr == ""
    theirs = token_file(tmp_path, SECRET + "-of-eve")
    assert "403" in coalesce(shared, "run", "copy", COALESCED_TOKEN_FILE=theirs, expect=REFUSED).stderr


def test_a_token_that_others_may_read_is_warned_of(shared, tmp_path):
    done = coalesce(shared, "devices", COALESCED_TOKEN_FILE=token_file(tmp_path, SECRET, 0o644))
    assert "others may read the token file" in done.stderr and SECRET not in done.stderr
    assert coalesce(shared, "devices", "-q", COALESCED_TOKEN_FILE=token_file(tmp_path, SECRET, 0o644)).stderr == ""


@pytest.mark.parametrize("text", ["", "\n", "two words\n", "x" * 2000], ids=["empty", "a line", "words", "long"])
def test_a_file_without_a_token_is_no_token_file(tmp_path, text):
    coalesce("http://127.0.0.1:1", "devices", COALESCED_TOKEN_FILE=token_file(tmp_path, text), expect=USAGE)


def test_a_token_file_that_is_not_there_is_named(tmp_path):
    done = coalesce("http://127.0.0.1:1", "devices", COALESCED_TOKEN_FILE=str(tmp_path / "none"), expect=USAGE)
    assert str(tmp_path / "none") in done.stderr
    secret = "coal_" + "s" * 43
    done = coalesce("http://127.0.0.1:1", "devices", COALESCED_TOKEN_FILE=secret, expect=USAGE)
    assert "is the name of a file that has the token, not the token itself" in done.stderr and secret not in done.stderr


class Moody(http.server.BaseHTTPRequestHandler):
    """Answers what its server's list of moods says, one a request, then for ever the last."""
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append((self.command, self.path, self.headers.get("Idempotency-Key"), body))
        mood = self.server.moods.pop(0) if len(self.server.moods) > 1 else self.server.moods[0]
        if mood == "slow":
            threading.Event().wait(5)
        if mood in ("gone", "slow"):
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        status, headers, answer = mood
        text = json.dumps(answer).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_DELETE = do_POST

    def log_message(self, *_):
        pass


@pytest.fixture
def moody():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Moody)
    server.asked, server.url = [], f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


FULL = (429, {"Retry-After": "1"}, {"title": "Too many wait", "detail": "as many wait as may"})
TAKEN = (202, {}, {"id": "0" * 26, "state": "queued"})
STOPPING = (503, {"Retry-After": "30"}, {"title": "Not now", "detail": "it stops"})


def test_a_full_service_is_asked_again_under_the_same_key(moody):
    moody.moods = [FULL, FULL, TAKEN]
    done = coalesce(moody.url, "run", "copy", "-d")
    assert done.stdout == "0" * 26 + "\n"
    assert done.stderr == "coalesce: not now (429: as many wait as may); trying again for up to 60 s\n", "told once, with the reason"
    keys = {key for _, _, key, _ in moody.asked}
    assert len(moody.asked) == 3 and len(keys) == 1 and len(keys.pop()) >= 32


def test_patience_ends_and_says_when_to_come_again(moody):
    moody.moods = [STOPPING]
    done = coalesce(moody.url, "run", "copy", "--patience", "5", expect=REFUSED)
    assert "it stops" in done.stderr and "it says to try again in 30 s" in done.stderr and len(moody.asked) == 1


def test_an_answer_that_was_lost_is_asked_for_under_the_same_key(moody):
    moody.moods = ["gone", FULL, "gone", TAKEN]
    coalesce(moody.url, "run", "copy", "-d")
    assert len(moody.asked) == 4 and len({key for _, _, key, _ in moody.asked}) == 1


def test_two_runs_have_two_keys(moody):
    moody.moods = [TAKEN]
    coalesce(moody.url, "run", "copy", "-d")
    coalesce(moody.url, "run", "copy", "-d")
    assert len({key for _, _, key, _ in moody.asked}) == 2


def test_what_was_never_reached_is_not_waited_for(moody):
    moody.moods = ["gone"]
    coalesce(moody.url, "kernels", expect=UNREACHABLE, timeout=20)
    coalesce(moody.url, "run", "copy", "--patience", "2", expect=UNREACHABLE, timeout=20)
    coalesce("http://127.0.0.1:1", "run", "copy", expect=UNREACHABLE, timeout=20)


def test_an_interrupt_while_it_is_submitted_asks_what_became_of_it(moody):
    moody.moods = ["slow", TAKEN]
    command = subprocess.Popen([COMMAND, "run", "copy"], env=environment(moody.url), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    for _ in range(500):
        if moody.asked:
            break
        threading.Event().wait(0.02)
    command.send_signal(signal.SIGINT)
    _, told = command.communicate(timeout=20)
    assert command.returncode == INTERRUPTED and f"coalesce watch {'0' * 26}" in told
    assert len({key for _, _, key, _ in moody.asked}) == 1 and len(moody.asked) == 2


def test_an_answer_that_is_no_json_is_no_answer(moody):
    moody.moods = [(200, {}, "a text")]
    assert "no JSON" in coalesce(moody.url, "kernels", expect=UNREACHABLE).stderr
    moody.moods = [(500, {}, {})]
    assert "500" in coalesce(moody.url, "kernels", expect=REFUSED).stderr


@pytest.mark.slow
def test_a_service_that_restarts_in_the_middle_is_waited_for(start, tmp_path):  # noqa: F811
    directory = tmp_path / "run"
    directory.mkdir()
    path = str(directory / "socket")
    first = start("--socket", path)
    command = subprocess.Popen([COMMAND, "sweep", "read_offset", "size=4096", "offset=0..9", "label.fake=sleep:0.2", "--json"],
                               env=environment(f"unix:{path}"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    first.until(lambda: first.get("/v1/sweeps").json()["sweeps"])
    first.stop()
    second = start("--socket", path)
    said, told = command.communicate(timeout=60)
    assert command.returncode == 0, told
    assert json.loads(said)["succeeded"] == 10 and "trying again" in told
    assert len(second.get("/v1/sweeps").json()["sweeps"]) == 1


def test_a_standard_output_that_takes_nothing_is_a_failure(service, tmp_path):  # noqa: F811
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    with open("/dev/full", "w") as full:
        done = subprocess.run([COMMAND, "kernels"], stdout=full, stderr=subprocess.PIPE, text=True, env=environment(service.url))
    assert done.returncode == 1 and "cannot be written" in done.stderr
    done = subprocess.run(["sh", "-c", f"{COMMAND} kernels >&-"], stderr=subprocess.PIPE, text=True, env=environment(service.url))
    assert done.returncode == 1 and "cannot be written" in done.stderr
    done = subprocess.run(["sh", "-c", f"{COMMAND} export {service.run()['id']} -o {tmp_path}/one.csv >&-"], stderr=subprocess.PIPE, text=True, env=environment(service.url))
    assert done.returncode == 0 and (tmp_path / "one.csv").read_text().count("\n") == 2, done.stderr


def test_the_points_that_were_refused_are_told_where_experiments_are_listed(service):  # noqa: F811
    identity = coalesce(service, "sweep", "copy", "size=64", "block=0,128", "-d").stdout.strip()
    coalesce(service, "watch", identity, expect=FAILED)
    head, row = (line.split() for line in coalesce(service, "ls", "--sweeps", "-n", "1").stdout.splitlines())
    assert head[:4] == ["id", "state", "measured", "refused"] and row[:6] == [identity, "finished", "1", "of", "2", "1"]
    listed = coalesce(service, "ls", "--sweep", identity)
    assert len(listed.stdout.splitlines()) == 2
    assert f"refused, and therefore no experiments: 1; coalesce show {identity} says why" in listed.stderr
    missing = identity[:-1] + ("0" if identity[-1] != "0" else "1")
    for form in "-q", "--json", "--csv":
        wrong = coalesce(service, "ls", "--sweep", missing, form, expect=REFUSED)
        assert f"there is no sweep {missing}" in wrong.stderr and bool(wrong.stdout) == (form == "--json")
    twice = coalesce(service, "sweep", "copy", "size=64,128", "foo=1,2", expect=REFUSED).stderr
    assert twice.count("unknown field") == 1


def test_a_value_that_is_given_twice_is_told_to_be_measured_once(service):  # noqa: F811
    for repeat in [], ["repeat=2"]:
        said = coalesce(service, "sweep", "copy", "size=4096", "block=128,256,128", *repeat).stdout
        assert "points that ask for the same as one before and show its runs: 1; repeat=N measures more often" in said
        assert "ask for the same" not in coalesce(service, "sweep", "copy", "size=4096", "block=128,256", *repeat).stdout


def test_a_refusal_is_json_where_json_is_asked_for(service):  # noqa: F811
    refused = coalesce(service, "run", "copy", "size=0", "--json", expect=REFUSED)
    assert [error["pointer"] for error in json.loads(refused.stdout)["errors"]] == ["#/size"]
    assert "must be at least 1" in refused.stderr
    assert coalesce(service, "run", "copy", "size=0", expect=REFUSED).stdout == ""


def test_a_wrong_name_of_a_label_is_shown_as_it_was_typed(service):  # noqa: F811
    for named in "labels.a b=c", "label.a b=c":
        assert f"\n  {named}\n  {'^' * len(named)} a label's name is " in coalesce(service, "run", "copy", named, expect=REFUSED).stderr


def test_a_kernel_that_there_is_not_is_told_where_nothing_is_found(service):  # noqa: F811
    for quiet in [], ["-q"], ["--json"], ["--csv"]:
        wrong = coalesce(service, "ls", "--kernel", "read_ofset", *quiet, expect=REFUSED)
        assert 'did you mean "read_offset"? coalesce kernels lists them' in wrong.stderr and bool(wrong.stdout) == (quiet == ["--json"])
    assert coalesce(service, "ls", "--kernel", "halo").stderr == ""


def test_a_file_keeps_its_content_where_an_export_is_refused(service, tmp_path):  # noqa: F811
    identity = coalesce(service, "run", "copy", "size=4096", "-d").stdout.strip()
    coalesce(service, "watch", identity)
    kept = tmp_path / "kept.csv"
    kept.write_text("precious")
    coalesce(service, "export", identity, "--columns", "nope", "-o", str(kept), expect=REFUSED)
    coalesce(service, "export", identity, "--samples", "-o", str(kept), expect=REFUSED)
    assert kept.read_text() == "precious"
    coalesce(service, "export", identity, "-o", str(kept))
    assert "cold_median_us" in kept.read_text()


def test_what_others_wrote_does_not_steer_the_terminal(service):  # noqa: F811
    written = "a\x1b]0;title\x07b\noutput verified, 9 elements\x9bc\x7f"
    one = service.post({"kernel": "copy", "size": 4096, "labels": {"note": written}}).json()
    service.until(lambda: service.get(one["links"]["self"]).json()["state"] == "succeeded")
    shown = coalesce(service, "show", one["id"]).stdout
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown) and "a ]0;title b output verified, 9 elements" in shown
    assert json.loads(coalesce(service, "show", one["id"], "--json").stdout)["request"]["labels"]["note"] == written


def test_where_the_connection_is_lost_the_id_is_told(start):  # noqa: F811
    service = start()
    waiting = subprocess.Popen([COMMAND, "run", "copy", "label.fake=sleep:3600", "timeout_s=3600", "--patience", "1"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=environment(service.url))
    service.until(lambda: service.get("/v1/queue").json()["running"] == 1)
    [one] = service.get("/v1/experiments").json()["experiments"]
    service.stop(signal.SIGKILL)
    said = waiting.communicate(timeout=60)[1]
    assert waiting.returncode == UNREACHABLE and f"it was submitted: coalesce watch {one['id']}" in said


def test_a_certificate_of_the_labs_own_is_trusted_by_its_file(tmp_path):
    key, certificate = str(tmp_path / "key.pem"), str(tmp_path / "certificate.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", certificate,
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)

    class Proxy(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"devices": []}')

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"https://localhost:{server.server_address[1]}"
    assert "certificate" in coalesce(url, "devices", "--json", "--patience", "0", expect=UNREACHABLE).stderr
    assert coalesce(url, "devices", "--json", CURL_CA_BUNDLE=certificate).stdout.strip() == '{"devices": []}'
    server.shutdown()


def test_an_answer_that_breaks_off_is_no_service_that_is_not_there():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def answer():
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65536)
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        threading.Thread(target=answer, daemon=True).start()
        said = coalesce(f"http://127.0.0.1:{listener.getsockname()[1]}", "devices", "--patience", "0", expect=UNREACHABLE).stderr
    assert "the answer of the service at http://127.0.0.1:" in said and "broke off" in said and "Start it with" not in said


def test_the_list_of_sweeps_counts_what_ended_and_is_not_written(disk):  # noqa: F811
    """Others of the sweep wait, so the sweep waits."""
    full = disk()
    sweep = full.request("POST", "/v1/sweeps", json={"kernel": "read_offset", "size": 4096, "offset": [0, 1, 2, 3, 4], "labels": {"fake": "sleep:0.5"}}).json()
    full.until(lambda: full.get(sweep["links"]["self"]).json()["running"] == 1)
    disk.fails("write")
    full.until(lambda: full.get(sweep["links"]["self"]).json().get("unwritten"))

    def alike():
        """What was running when the first one ended ends, too: after that the list and the points say the same."""
        head, row = (re.split(r"  +", line) for line in coalesce(full, "ls", "--sweeps").stdout.splitlines())
        told = dict(zip(head, row))
        points = full.get(sweep["links"]["self"] + "?view=summary").json()["points"]
        assert int(told["ended, not written"]) >= 1
        return told["state"] == "queued" and int(told["ended, not written"]) == sum(point.get("unwritten", 0) for point in points) and all(
            point["state"] == ("running" if point.get("unwritten") else "queued") for point in points)
    full.until(alike)
    rows = [line for line in coalesce(full, "show", sweep["id"], "--no-plot").stdout.splitlines() if re.match(r" +[0-4] ", line)]
    assert len(rows) == 5 and rows[0].endswith("ended, not written") and rows[4].endswith("queued")
    disk.works()
    full.until(lambda: full.get(sweep["links"]["self"]).json()["succeeded"] == 5)
    assert "not written" not in coalesce(full, "ls", "--sweeps").stdout
