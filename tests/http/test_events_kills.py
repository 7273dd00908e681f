"""A client that follows events misses none and receives none twice, whenever its connection breaks and however often
the service is killed."""
import os
import random
import signal
import threading
import time

import pytest
import requests
from conftest import SMALL, sanitized
from following import DURABLE, Stream

EVENTS = int(os.environ.get("COALESCED_EVENTS", "10000"))
KILLS = 10


class Listener(threading.Thread):
    """Reads, goes away at random, comes back with the last id that it has."""

    def __init__(self):
        super().__init__(daemon=True)
        self.port, self.last, self.received, self.wrong, self.over = None, None, [], [], False
        self.reconnections = 0

    def run(self):
        generator = random.Random(11)
        while not self.over:
            try:
                with Stream(self.port, "/v1/events", last=self.last, timeout=2) as stream:
                    self.reconnections += 1
                    for _ in range(generator.choice([1, 3, 20, 200, 1000])):
                        event = stream.next()
                        if not event:
                            break
                        self._take(*event)
            except (OSError, ValueError, IndexError):
                time.sleep(0.01)  # it is being killed, or quiet

    def _take(self, kind, data, number):
        if kind == "reset" or (kind == "snapshot" and self.last):
            self.wrong.append((kind, data))
        if number:
            self.last = number
        if kind in DURABLE:
            self.received.append((int(number), kind, data))


def submit(port, stop):
    session = requests.Session()
    try:
        while not stop.is_set():
            session.post(f"http://127.0.0.1:{port}/v1/experiments", json=SMALL, timeout=5)
    except requests.RequestException:
        pass


def stored(port, first, last):
    """All durable events behind that one, received at one go, up to the end of that experiment."""
    with Stream(port, "/v1/events", last=first) as stream:
        seen = stream.until("state", id=last, state="succeeded")
    assert "reset" not in {kind for kind, _, _ in seen}
    return [(int(number), kind, data) for kind, data, number in seen if kind in DURABLE]


@pytest.mark.kills
@pytest.mark.slow
def test_ten_thousand_events_over_ten_kills_are_heard_once_each(start):
    wanted = EVENTS // 10 if sanitized() else EVENTS
    listener, first = Listener(), None
    for kill in range(KILLS + 1):
        service = start("--attempts", "100", "--event-comment-seconds", "0.5")
        if first is None:
            with Stream(service.port, "/v1/events") as stream:
                stream.next()
                first = listener.last = stream.last
        listener.port = service.port
        if kill == 0:
            listener.start()
        stop = threading.Event()
        workers = [threading.Thread(target=submit, args=(service.port, stop)) for _ in range(3)]
        for worker in workers:
            worker.start()
        service.until(lambda: len(listener.received) >= wanted * (kill + 1) // (KILLS + 1), 60)
        if kill < KILLS:
            service.process.send_signal(signal.SIGKILL)
            service.process.wait(10)
        stop.set()
        for worker in workers:
            worker.join(20)
    service.until(lambda: service.get("/v1/queue").json()["queued"] + service.get("/v1/queue").json()["running"] == 0, 60)
    events = stored(service.port, first, service.run()["id"])
    service.until(lambda: len(listener.received) >= len(events), 30)
    listener.over = True
    listener.join(20)
    assert not listener.wrong and listener.reconnections > KILLS
    assert len(events) >= wanted and listener.received == events
    numbers = [number for number, _, _ in events]
    assert numbers == sorted(set(numbers))
    check_lives(service, events)


def check_lives(service, events):
    """Each experiment of the store has been queued once, and ended once, as it is there."""
    lives = {}
    for _, kind, data in events:
        lives.setdefault(data["id"], []).append(data["state"])
    token, rows = "", 0
    while token is not None:
        page = service.get("/v1/experiments?page_size=500" + (f"&page_token={token}" if token else "")).json()
        for row in page["experiments"]:
            life, rows = lives.pop(row["id"]), rows + 1
            assert life[0] == "queued" and life[-1] == row["state"] == "succeeded"
            assert set(life[1:-1]) <= {"queued", "running"} and life.count("running") >= 1
        token = page["next_page_token"]
    assert not lives and rows
