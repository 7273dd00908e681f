"""Who is let in: names, origins, addresses, the Unix socket; from a browser's page as well as by hand."""
import contextlib
import http.client
import json
import os
import shutil
import socket
import stat
import subprocess
import tempfile

import pytest

import contract
from conftest import BINARY, FAKE, SMALL, Service, token_line

SECRET = "the-secret-of-ada-0123456789"
PAGE = "http://page.example:8000"
FORMS = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A service that allows pages of two origins, and two more names."""
    one = Service(tmp_path_factory.mktemp("shared"), "--allow-origin", PAGE, "--allow-origin=https://lab.example",
                  "--allow-host", "lab.example, gpu7", "--allow-host", "[2001:db8::1]")
    yield one
    assert one.stop() == 0


def refused(response, status, *words):
    assert response.status_code == status, response.text
    for word in words:
        assert word in response.text, response.text


# ---- Host ----

@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1", "127.9.8.7:1", "[::1]", "[0:0:0:0:0:0:0:1]:8080"])
def test_a_name_of_this_machine_is_answered_to(service, host):
    assert service.get("/v1/queue", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "128.0.0.1",
                                  "[::2]", "[::1", "127.0.0.1:80:80", "localhost:x", "127.0.0.1@evil.example", "0.0.0.0", "127.1"])
@pytest.mark.parametrize("path", ["/v1/queue", "/readyz", "/v1/kernels", "/nothing"])
def test_rebinding_is_refused_with_the_names_and_the_option(service, host, path):
    """A page that points its own name to this machine is same-origin with it: only Host shows it."""
    refused(service.get(path, headers={"Host": host, "Origin": f"http://{host}"}), 421, "localhost, 127.0.0.0/8, [::1]", "--allow-host")


def test_what_was_refused_was_not_done(service):
    before = service.get("/v1/experiments").json()
    refused(service.post(SMALL, headers={"Host": "evil.example"}), 421)
    refused(service.post(SMALL, headers={"Origin": "http://evil.example"}), 403)
    assert service.get("/v1/experiments").json() == before


@pytest.mark.parametrize("host", ["lab.example", "Lab.Example:8443", "gpu7", "[2001:db8::1]:80", "localhost", "127.0.0.1"])
def test_names_that_are_allowed_are_answered_to(shared, host):
    assert shared.get("/v1/queue", headers={"Host": host}).status_code == 200


def test_the_names_that_are_answered_to_are_listed(shared):
    refused(shared.get("/v1/queue", headers={"Host": "other.example"}), 421, "lab.example, gpu7, [2001:db8::1]")


def test_where_a_token_is_asked_for_any_name_will_do(start, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(token_line("ada", "admin", SECRET))
    tokens.chmod(0o600)
    service = start("--token-file", str(tokens))
    assert service.get("/v1/queue", headers={"Host": "gpu7"}).status_code == 401


# ---- Origin ----

@pytest.mark.parametrize("origin", ["null", "http://evil.example", PAGE, "http://localhost:1", "https://127.0.0.1:1", "file://", "http://", ""])
@pytest.mark.parametrize("method, path", [("GET", "/livez"), ("GET", "/v1/kernels"), ("POST", "/v1/experiments"), ("DELETE", "/v1/experiments/x"),
                                          ("GET", "/nothing"), ("OPTIONS", "/v1/experiments")])
def test_a_foreign_origin_is_refused(service, origin, method, path):
    response = service.request(method, path, json=SMALL if method == "POST" else None,
                               headers={"Origin": origin, "Access-Control-Request-Method": "POST"})
    refused(response, 403, "--allow-origin")
    assert not [name for name in response.headers if name.startswith("Access-Control")]


def test_the_services_own_origin_is_no_foreign_one(service):
    for host in service.url[len("http://"):], f"localhost:{service.port}":
        for scheme in "http", "https":  # a proxy with TLS in front
            response = service.get("/v1/queue", headers={"Host": host, "Origin": f"{scheme}://{host}"})
            assert response.status_code == 200 and "Access-Control-Allow-Origin" not in response.headers


def test_two_origins_are_none(shared):
    with shared.connect() as client:
        client.sendall(f"GET /v1/queue HTTP/1.1\r\nHost: localhost\r\nOrigin: {PAGE}\r\nOrigin: http://evil.example\r\n\r\n".encode())
        assert client.recv(65536).startswith(b"HTTP/1.1 400 ")


def shared_with(response, origin=PAGE):
    assert response.headers["Access-Control-Allow-Origin"] == origin
    exposed = response.headers["Access-Control-Expose-Headers"].split(", ")
    assert {"Location", "ETag", "Retry-After", "Preference-Applied", "Link", "X-Request-Id"} <= set(exposed)
    assert "Origin" in response.headers["Vary"].split(", ")
    return response


def test_pages_of_an_allowed_origin_see_every_reply(shared):
    headers = {"Origin": PAGE}
    where = shared_with(shared.post(SMALL, headers=headers)).json()["links"]["self"]
    shared.until(lambda: shared.get(where).json()["state"] == "succeeded")
    tag = shared_with(shared.get(where, headers=headers)).headers["ETag"]
    assert shared_with(shared.get(where, headers={**headers, "If-None-Match": tag})).status_code == 304
    assert shared_with(shared.get("/v1/nothing", headers=headers)).status_code == 404
    assert shared_with(shared.post("{", headers=headers)).status_code == 400
    shared_with(shared.get("/v1/experiments", headers={**headers, "Accept": "text/csv"}))


@pytest.mark.parametrize("path", ["/v1/kernels", "/v1/kernels/copy", "/openapi.yaml"])
def test_a_kept_answer_is_not_one_origins_for_another(shared, path):
    for _ in range(3):
        shared_with(shared.get(path, headers={"Origin": PAGE}))
        shared_with(shared.get(path, headers={"Origin": "https://lab.example"}), "https://lab.example")
        plain = shared.get(path)
        assert "Access-Control-Allow-Origin" not in plain.headers and "Origin" in plain.headers["Vary"]
        refused(shared.get(path, headers={"Origin": "http://evil.example"}), 403)


def preflight(service, path, method="POST", origin=PAGE, **headers):
    return service.request("OPTIONS", path, headers={"Origin": origin, "Access-Control-Request-Method": method, **headers})


@pytest.mark.parametrize("path, methods", [("/v1/experiments", {"GET", "HEAD", "POST"}), ("/v1/experiments/x", {"GET", "HEAD", "DELETE"}),
                                           ("/livez", {"GET", "HEAD"}), ("/nothing", {"GET", "HEAD", "POST", "DELETE"})])
def test_a_preflight_says_what_the_path_takes(shared, path, methods):
    response = shared_with(preflight(shared, path))
    assert response.status_code == 204 and response.content == b""
    assert set(response.headers["Access-Control-Allow-Methods"].split(", ")) == methods
    assert {"Authorization", "Content-Type", "Prefer", "Idempotency-Key", "If-None-Match", "Last-Event-ID"} <= set(
        response.headers["Access-Control-Allow-Headers"].split(", "))
    assert int(response.headers["Access-Control-Max-Age"]) > 0
    assert "Access-Control-Allow-Private-Network" not in response.headers


def test_a_preflight_is_told_that_a_private_network_may_be_asked(shared):
    response = preflight(shared, "/v1/queue", **{"Access-Control-Request-Private-Network": "true"})
    assert response.headers["Access-Control-Allow-Private-Network"] == "true"


def test_a_preflight_carries_no_token_and_what_follows_must(start, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(token_line("ada", "admin", SECRET))
    tokens.chmod(0o600)
    service = start("--token-file", str(tokens), "--allow-origin", PAGE)
    assert preflight(service, "/v1/experiments").status_code == 204
    assert shared_with(service.post(SMALL, headers={"Origin": PAGE})).status_code == 401
    headers = {"Origin": PAGE, "Authorization": f"Bearer {SECRET}"}
    assert shared_with(service.post(SMALL, headers=headers)).status_code == 202
    assert preflight(service, "/v1/experiments", origin="http://evil.example").status_code == 403


def test_options_that_are_no_preflight_are_answered_as_ever(shared, service):
    for one in shared, service:
        assert one.request("OPTIONS", "/v1/experiments").status_code == 405
    assert shared_with(shared.request("OPTIONS", "/v1/experiments", headers={"Origin": PAGE})).status_code == 405


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_refused_whoever_posts_it(shared, form):
    """A form needs no preflight, and old browsers send it without an Origin."""
    for origin in {}, {"Origin": PAGE}:
        refused(shared.post('{"kernel": "copy"}', headers={"Content-Type": form, **origin}), 415, "application/json")
    refused(shared.post('{"kernel": "copy"}', headers={"Content-Type": form, "Origin": "http://evil.example"}), 403)


@pytest.mark.parametrize("flags, words", [
    (["--allow-origin", "*"], ["--allow-origin", "name each origin"]),
    (["--allow-origin", "*", "--token-file", "TOKENS"], ["--allow-origin", "name each origin"]),
    (["--allow-origin", "https://*.example"], ["name each origin"]),
    (["--allow-origin", "null"], ["https://lab.example", "null"]),
    (["--allow-origin", "lab.example"], ["https://lab.example"]),
    (["--allow-origin", "https://lab.example/"], ["without a path"]),
    (["--allow-origin", "https://lab.example:443"], ['"https://lab.example"']),
    (["--allow-origin", "https://me@lab.example"], ["without a path"]),
    (["--allow-origin", PAGE + " http://"], ["http://"]),
    (["--allow-host", "lab.example:80"], ["without a port"]),
    (["--allow-host", "*"], ["--allow-host"]),
    (["--allow-host", "http://lab"], ["--allow-host"]),
    (["--address", "none"], ["--socket"]),
    (["--address", "none", "--socket", "SOCKET", "--port-file", "f"], ["--port-file"]),
    (["--socket", "/" + "x" * 200], ["--socket", "107"]),
    (["--socket", "SOCKET", "--socket-mode", "rw"], ["--socket-mode", "0660"]),
    (["--socket", "SOCKET", "--socket-mode", "1777"], ["--socket-mode"]),
    (["--socket-mode", "9999"], ["--socket-mode"]),
    (["--port-file", "/nowhere/at/all"], ["/nowhere/at/all"]),
    (["--socket", "SOCKET", "--socket-group", "nobody-of-that-name"], ["--socket-group"]),
    (["--socket", "FILE"], ["no socket"]),
    (["--socket", "/nowhere/at/all"], ["/nowhere/at/all"]),
    (["--access-log", "/nowhere/at/all"], ["/nowhere/at/all"]),
])
def test_a_wrong_option_is_said_at_the_start(tmp_path, flags, words):
    (tmp_path / "tokens").write_text(token_line("ada", "admin", SECRET))
    (tmp_path / "tokens").chmod(0o600)
    (tmp_path / "file").write_text("not to be lost")
    names = {"TOKENS": "tokens", "SOCKET": "socket", "FILE": "file"}
    flags = [str(tmp_path / names[flag]) if flag in names else flag for flag in flags]
    said = subprocess.run([BINARY, "--port", "0", "--data-dir", str(tmp_path / "data"), "--executor-command", FAKE, *flags],
                          capture_output=True, text=True, timeout=30)
    assert said.returncode == 1 and not said.stdout
    for word in words:
        assert word in said.stderr, said.stderr
    assert (tmp_path / "file").read_text() == "not to be lost"
    assert not (tmp_path / "socket").exists()


# ---- the Unix socket ----

class Local(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("any.name.will.do")
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(20)
        self.sock.connect(self.path)


def ask(path, method, target, body=None, **headers):
    client = Local(path)
    client.request(method, target, body, headers)
    reply = client.getresponse()
    data = reply.read()
    client.close()
    return reply, data


@pytest.fixture
def local(tmp_path):
    """local(*flags) -> a process that listens on tmp_path/socket alone, once it does."""
    running = []

    def begin(*flags):
        command = [BINARY, "--address", "none", "--socket", str(tmp_path / "socket"), "--data-dir", str(tmp_path / "data"),
                   "--executor-command", FAKE, *flags]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        running.append(process)
        process.announced = json.loads(process.stdout.readline())
        return process

    yield begin
    for process in running:
        process.kill()
        process.wait()
        process.stdout.close()


def test_the_socket_serves_beside_the_port(start, tmp_path):
    service = start("--socket", str(tmp_path / "socket"))
    assert service.announced["socket"] == str(tmp_path / "socket")
    assert service.get("/livez").status_code == 200
    reply, data = ask(tmp_path / "socket", "POST", "/v1/experiments", json.dumps(SMALL), **{"Content-Type": "application/json", "Prefer": "wait=20"})
    assert reply.status == 200 and json.loads(data)["state"] == "succeeded"
    where = reply.headers["Location"]
    assert service.get(where).status_code == 200
    assert ask(tmp_path / "socket", "GET", where)[0].status == 200
    assert ask(tmp_path / "socket", "GET", "/livez", Origin="http://evil.example")[0].status == 403
    assert service.stop() == 0
    assert not (tmp_path / "socket").exists()


def test_without_a_port_only_the_socket_is_there(local, tmp_path):
    process = local()
    assert process.announced["port"] == 0 and process.announced["url"] is None
    assert ask(tmp_path / "socket", "GET", "/livez")[0].status == 200
    ours = set()
    for fd in os.listdir(f"/proc/{process.pid}/fd"):
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            ours.add(os.readlink(f"/proc/{process.pid}/fd/{fd}"))
    with open(f"/proc/{process.pid}/net/tcp") as table:
        assert not [line for line in table if line.split()[3] == "0A" and f"socket:[{line.split()[9]}]" in ours]
    process.terminate()
    assert process.wait(20) == 0 and not (tmp_path / "socket").exists()


@pytest.mark.parametrize("flags, mode", [([], 0o600), (["--socket-group", str(os.getgid())], 0o660),
                                         (["--socket-mode", "0666"], 0o666), (["--socket-mode=600", "--socket-group", str(os.getgid())], 0o600)])
def test_the_sockets_mode_and_group_are_as_asked_for(local, tmp_path, flags, mode):
    local(*flags)
    status = (tmp_path / "socket").stat()
    assert stat.S_IMODE(status.st_mode) == mode and status.st_gid == os.getgid()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_group_without_the_services_user_is_said():
    with tempfile.TemporaryDirectory() as directory:
        os.chown(directory, 65534, 65534)
        # A copy: the other user may not come to where this clone lies.
        said = subprocess.run([shutil.copy(BINARY, directory), "--address", "none", "--socket", directory + "/socket", "--socket-group", "0", "--data-dir",
                               directory], capture_output=True, text=True, timeout=30, user=65534, group=65534, extra_groups=[])
        assert said.returncode == 1 and "member of --socket-group" in said.stderr
        assert not os.path.exists(directory + "/socket")


def test_a_stale_socket_is_replaced_and_a_live_one_is_not(local, tmp_path):
    first = local()
    said = subprocess.run([BINARY, "--address", "none", "--socket", str(tmp_path / "socket"), "--data-dir", str(tmp_path / "other"),
                           "--executor-command", FAKE], capture_output=True, text=True, timeout=30)
    assert said.returncode == 1 and "another program listens on" in said.stderr and "--socket" in said.stderr
    assert ask(tmp_path / "socket", "GET", "/livez")[0].status == 200
    first.kill()
    first.wait()
    assert (tmp_path / "socket").exists()
    local()
    assert ask(tmp_path / "socket", "GET", "/livez")[0].status == 200


def test_the_socket_of_somebody_else_is_left(local, tmp_path):
    process = local()
    (tmp_path / "socket").unlink()
    (tmp_path / "socket").write_text("of somebody else")
    process.terminate()
    assert process.wait(20) == 0
    assert (tmp_path / "socket").read_text() == "of somebody else"


# ---- names of requests ----

@pytest.mark.parametrize("name", ["a", "7f3c-1.2_3~4:5/6+7=8@9", "x" * 128])
@pytest.mark.parametrize("path", ["/livez", "/v1/kernels", "/nothing", "/v1/experiments"])
def test_a_sane_name_is_taken_over(service, name, path):
    for _ in range(2):
        assert service.get(path, headers={"X-Request-Id": name}).headers["X-Request-Id"] == name


@pytest.mark.parametrize("name", ["", "x" * 129, "a b", 'a"b', "a\tb", "a;b", "a\\b", b"\xc3\xa9", "a,b", "<a>"])
def test_another_name_is_replaced(service, name):
    for path in "/livez", "/v1/kernels":
        given = service.get(path, headers={"X-Request-Id": name}).headers["X-Request-Id"]
        assert given != name and len(given) < 40


def test_every_request_has_a_name_of_its_own(service):
    paths = ["/livez", "/v1/kernels", "/v1/kernels", "/nothing", "/v1/experiments"] * 20
    names = [service.get(path).headers["X-Request-Id"] for path in paths]
    assert len(set(names)) == len(names)


def test_a_kept_answer_has_the_name_of_whoever_asks(service):
    """Many at once, several on each connection, of one document: none may have another one's name."""
    clients = [service.connect() for _ in range(64)]
    try:
        for number in range(5):
            for i, client in enumerate(clients):
                client.sendall(f"GET /v1/kernels/copy HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: {i}-{number}\r\n\r\n".encode() * 3)
            for i, client in enumerate(clients):
                received = b""
                while received.count(b"SUITE_KERNEL(copy)") < 3:
                    received += client.recv(65536)
                assert received.count(f"X-Request-Id: {i}-{number}\r\n".encode()) == received.count(b"X-Request-Id") == 3
    finally:
        for client in clients:
            client.close()


def test_the_contract_knows_these_answers():
    for name in "Misdirected", "ForeignOrigin":
        assert contract.DOCUMENT["components"]["responses"][name]["content"]
