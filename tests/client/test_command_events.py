"""How the command waits: by the service's events where there are any, by asking where there are none."""
import http.server
import json
import subprocess
import threading

import pytest
from command import COMMAND, INTERRUPTED, Terminal, coalesce, environment
from test_failing_disk import disk  # noqa: F401
from conftest import start  # noqa: F401

ID = "0" * 26


class Told(http.server.BaseHTTPRequestHandler):
    """A sweep that ends once it was asked for as often as its server says; its events are what its server has, a list a
    connection, each an event's bytes."""
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        server = self.server
        server.asked.append((self.path, self.headers.get("Last-Event-ID")))
        if "/events" in self.path:
            return self.tell(server.streams.pop(0) if server.streams else None)
        server.left -= 1
        text = json.dumps({"id": ID, "state": "running" if server.left > 0 else "succeeded", "total": 1, "done": 0, "repeat": 1,
                           "request": {"kernel": "copy"}, "points": [], "next_page_token": None, "recipe": None}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def tell(self, events):
        self.send_response(200 if events is not None else 404)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for event in events or []:
            self.wfile.write(event)
            self.wfile.flush()
        self.close_connection = True

    def log_message(self, *_):
        pass


@pytest.fixture
def told():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Told)
    server.asked, server.streams, server.left, server.url = [], [], 1000, f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


def events_of(server):
    return [last for path, last in server.asked if "/events" in path]


SNAPSHOT = b'id: 41\nevent: snapshot\ndata: {"sweep": {"done": 0}}\n\n'
END = b'id: 43\nevent: end\ndata: {"id": "%s", "state": "succeeded"}\n\n' % ID.encode()


def test_a_lost_stream_goes_on_behind_the_last_event(told):
    told.streams = [[SNAPSHOT, b': \n\nid: 42\neve', b'nt: sweep\ndata: {}\n\nevent: end\n'], [END]]
    coalesce(told.url, "watch", ID)
    assert events_of(told) == [None, "42"]


@pytest.mark.parametrize("streams", [[], [[]]], ids=["refused", "empty"])
def test_where_no_events_are_to_be_had_it_asks(told, streams):
    told.streams, told.left = streams, 8
    coalesce(told.url, "watch", ID, timeout=20)
    assert len(events_of(told)) == 1
    assert sum("wait=30" in path for path, _ in told.asked) >= 3


def test_lines_may_end_as_they_like_and_be_unknown(told):
    told.streams = [[b'retry: 5\r\nid: 7\r\nevent: snapshot\r\ndata: {}\r\n\r\nevent: other\ndata: no JSON\n\n', END]]
    coalesce(told.url, "watch", ID)
    assert len(events_of(told)) == 1


def questions(service, log):
    """The addresses that were read until now, once the service has ended and with it its log."""
    service.stop()
    return [line["path"] for line in map(json.loads, log.read_text().splitlines()) if line["method"] == "GET"]


def test_a_sweep_is_followed_and_not_asked_for(start, tmp_path):  # noqa: F811
    log = tmp_path / "access.log"
    service = start("--access-log", str(log))
    words = ["sweep", "copy", "size=4096", "block=" + ",".join(str(32 * n) for n in range(1, 13)), "label.fake=sleep:0.2"]
    coalesce(service, *words)
    asked = questions(service, log)
    assert sum(path.endswith("/events") for path in asked) == 1
    assert sum("/v1/sweeps/" in path for path in asked) <= 4, asked  # once, its events, and the answer with its pages


@pytest.mark.slow
def test_progress_comes_from_events(start, tmp_path):  # noqa: F811
    log = tmp_path / "access.log"
    service = start("--access-log", str(log))
    terminal = Terminal(service, "sweep", "copy", "size=4096", "block=32,64,128", "label.fake=sleep:1.2")
    terminal.until(r"\[[█░]+\] [12]/3(  about [^ ]+ s left)?  copy block=\d+")
    assert terminal.end() == 0
    asked = questions(service, log)
    assert sum(path.endswith("/events") for path in asked) == 1
    assert sum("/v1/sweeps/" in path for path in asked) <= 4, asked


@pytest.mark.slow
def test_the_time_left_goes_down_while_nothing_is_told(start):  # noqa: F811
    service = start()
    coalesce(service, "run", "copy", "size=4096", "label.fake=sleep:4")  # how long a run takes is known from now on
    coalesce(service, "run", "copy", "size=4096", "label.fake=sleep:5", "-d")
    terminal = Terminal(service, "sweep", "copy", "size=4096,8192", "--cancel-on-interrupt")
    told = int(terminal.until(r"0/2  about (\d+) s left").group(1))
    terminal.until(rf"0/2  about ({'|'.join(map(str, range(1, told - 1)))}) s left")  # a busy machine leaves some out
    terminal.interrupt()
    assert terminal.end() == INTERRUPTED


@pytest.mark.slow
def test_a_killed_service_is_waited_for_once_it_is_back(start, tmp_path):  # noqa: F811
    directory = tmp_path / "run"
    directory.mkdir()
    path = str(directory / "socket")
    first = start("--socket", path)
    command = subprocess.Popen([COMMAND, "sweep", "read_offset", "size=4096", "offset=0..5", "label.fake=sleep:1.5", "--json"],
                               env=environment(f"unix:{path}"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    first.until(lambda: any(s["done"] for s in first.get("/v1/sweeps").json()["sweeps"]))
    first.process.kill()
    first.process.wait()
    start("--socket", path)
    said, trouble = command.communicate(timeout=60)
    assert command.returncode == 0, trouble
    assert json.loads(said)["succeeded"] == 6
    assert trouble.count("trying again") == 1


def test_what_waits_says_that_the_disk_is_full(disk):  # noqa: F811
    full = disk()
    terminal = Terminal(full, "sweep", "copy", "size=" + ",".join(str(4096 + i) for i in range(60)), "label.fake=sleep:0.2", columns=120)
    terminal.until(r"\] [1-9]/60")
    disk.fails("write")
    terminal.until(r"/60, the service cannot write: [^\r]*(full|No space)")
    assert "left" not in terminal.text.rsplit("cannot write", 1)[1]
    assert "the service cannot write: " in coalesce(full, "queue").stdout
    disk.works()
    assert terminal.end() == 0
