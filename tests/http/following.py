"""A client of server-sent events that knows the contract."""
import json
import socket

import contract

DURABLE = {"state", "sweep", "removal", "queue"}
KINDS = contract.DOCUMENT["components"]["responses"]["Events"]["content"]["text/event-stream"]["x-events"]


class Stream:
    """Opened as it is made. Its events are (kind, data, id); each is held against the contract."""

    def __init__(self, port, path, last=None, secret=None, timeout=20, host="127.0.0.1"):
        self.socket = socket.create_connection((host, port), timeout=timeout)
        fields = ["Host: localhost", "Accept: text/event-stream"]
        fields += [f"Last-Event-ID: {last}"] * (last is not None) + [f"Authorization: Bearer {secret}"] * (secret is not None)
        self.socket.sendall("\r\n".join([f"GET {path} HTTP/1.1", *fields, "\r\n"]).encode())
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        self.headers = {}
        while (line := self.file.readline().strip()):
            name, _, value = line.decode().partition(":")
            self.headers[name.lower()] = value.strip()
        self.last, self.comments = last, 0

    def next(self):
        """The next event; None when the stream has ended."""
        event = {}
        while True:
            line = self.file.readline()
            if not line.endswith(b"\n"):
                return None  # ended, perhaps within an event
            line = line.decode().rstrip("\n")
            if line.startswith(":"):
                self.comments += 1
            elif line:
                name, _, value = line.partition(": ")
                assert name in ("id", "event", "data") and name not in event, line
                event[name] = value
            elif event:
                return self._taken(event)

    def _taken(self, event):
        kind, data, number = event["event"], json.loads(event["data"]), event.get("id")
        wrong = contract.problems(data, KINDS[kind])
        assert not wrong, (kind, wrong)
        assert (number is not None) == (kind in DURABLE | {"snapshot"}), event
        if number is not None:
            self.last = number
        return kind, data, number

    def until(self, kind, **members):
        """Reads up to an event of that kind with these members; all that was read."""
        seen = []
        while True:
            event = self.next()
            assert event, f"no {kind} with {members} in {seen}"
            seen.append(event)
            if event[0] == kind and all(event[1].get(name) == value for name, value in members.items()):
                return seen

    def rest(self):
        seen = []
        while (event := self.next()):
            seen.append(event)
        return seen

    def close(self):
        self.file.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def states(events, name=None):
    """What `state` events say, in their order."""
    return [data["state"] for kind, data, _ in events if kind == "state" and name in (None, data["id"])]
