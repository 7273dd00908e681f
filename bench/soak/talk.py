"""One client's connection. A reply counts only when all of it was read."""
import http.client
import json
import time

IDLE_S = 10  # the service closes connections that were idle for longer than this


class Cut(Exception):
    """The request may have been taken: its reply was not read whole."""


class NotSent(Exception):
    """Nobody accepted the connection: it was not taken."""


class Reply:
    def __init__(self, status, headers, body, begun):
        self.status, self.headers, self.body, self.begun = status, headers, body, begun

    def json(self):
        return json.loads(self.body)

    @property
    def uncertain(self):
        """The service says that it cannot know whether it was done."""
        return self.status == 503 and self.text.find("/Uncertain") >= 0

    @property
    def text(self):
        return self.body.decode(errors="replace")


class Connection:
    def __init__(self, world, owner):
        self.world, self.owner, self.link, self.life, self.used = world, owner, None, None, 0.0

    def close(self):
        if self.link:
            self.link.close()
        self.link = None

    def ask(self, method, path, body=None, timeout=30, secret=None, **headers):
        """The reply, or Cut or NotSent."""
        life, port = self.world.life, self.world.port
        if self.link is None or self.life != life or time.monotonic() > self.used + IDLE_S:
            self.close()
            self.link, self.life = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout), life
            try:
                self.link.connect()
            except OSError as error:
                self.close()
                raise NotSent(str(error)) from error
        self.link.sock.settimeout(timeout)
        words = {"Authorization": "Bearer " + (secret or self.world.secret(self.owner)),
                 **{name.replace("_", "-"): value for name, value in headers.items()}}
        data = None
        if body is not None:
            data, words["Content-Type"] = json.dumps(body).encode(), "application/json"
        begun = self.used = time.monotonic()
        try:
            self.link.request(method, path, data, words)
            answer = self.link.getresponse()
            reply = Reply(answer.status, answer.headers, answer.read(), begun)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Cut(f"{type(error).__name__}: {error}") from error
        if answer.will_close:
            self.close()
        return reply
