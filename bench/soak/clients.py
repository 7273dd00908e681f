"""Clients of several owners, and one that reads what became of everybody's: each a thread with choices of its own."""
import collections
import csv
import io
import random
import threading
import time

from soak.ledger import labels
from soak.talk import Connection, Cut, NotSent

REFUSALS = (401, 429, 503, 507)
LABELS_THAT_FAIL = ("out_of_memory", "incorrect", "cuda_error", "exit", "rubbish")


class Client(threading.Thread):
    def __init__(self, world, owner, name):
        super().__init__(name=name, daemon=True)
        self.world, self.owner, self.ledger = world, owner, world.ledger
        self.choose = random.Random(f"{world.options.seed}/{name}")
        self.link = Connection(world, owner)
        self.mine, self.sweeps = collections.deque(maxlen=400), collections.deque(maxlen=50)
        self.doubtful, self.keyed = collections.deque(), collections.deque(maxlen=200)

    def acts(self):
        return ((30, self.submit), (25, self.submit_keyed), (12, self.replay), (5, self.sweep), (8, self.cancel),
                (2, self.cancel_sweep), (6, self.wait), (10, self.look), (3, self.table), (2, self.steal), (2, self.meddle), (2, self.remove))

    def run(self):
        weights, acts = zip(*self.acts())
        while not self.world.over.is_set():
            self.world.gate.wait(1)
            if not self.world.gate.is_set():
                if self.name not in self.world.resting:  # others may use the connection of one that rests
                    self.link.close()
                    self.world.resting.add(self.name)
                continue
            self.world.resting.discard(self.name)
            act = self.choose.choices(acts, weights)[0]
            pause = self.choose.uniform(0.002, 0.04)
            try:
                act()
            except Cut:
                self.ledger.count(act.__name__, "cut")
            except NotSent:
                self.ledger.count(act.__name__, "not sent")
                pause += 0.02
            except Exception as error:  # the soak's own mistake, or a reply that is none
                self.ledger.violate("a client could not go on", act=act.__name__, error=repr(error)[:500])
            time.sleep(pause)

    def ask(self, what, allowed, method, path, body=None, **rest):
        """The reply; one that is neither `allowed` nor explained by a fault is a violation."""
        machine, life_began = self.world.machine, self.world.life_began
        reply = self.link.ask(method, path, body, **rest)
        self.ledger.count(what, reply.status)
        wrong = reply.status not in allowed
        if reply.status in (500, 503, 507):
            wrong = not (machine.failed_since(reply.begun) or self.world.passing(reply))
        elif reply.status == 401:
            wrong = not self.world.tokens.is_new(self.owner, life_began, reply.begun)
        if wrong:
            self.ledger.violate("unexpected reply", asked=f"{method} {path}", status=reply.status, text=reply.text[:500])
        return reply

    # ---- what is wanted ----

    def experiment(self):
        body = {"kernel": "read_offset", "size": 1024 * self.choose.randint(1, 64), "block": self.choose.choice((64, 128, 256)),
                "offset": self.choose.randint(0, 40), "device": self.choose.randrange(self.world.devices)}
        if self.world.options.device == "cpu":
            body["measure"] = {"min_samples": 5, "max_seconds": 0.01}
        if self.choose.random() < 0.05:
            return body, {"fake": self.choose.choice(LABELS_THAT_FAIL)}
        if self.choose.random() < 0.1:
            body["priority"] = self.choose.randint(-100, 100)
        return body, {}

    def submit(self, key=None):
        body, more = self.experiment()
        with self.ledger.lock:
            one = self.ledger.submission(self.owner, "/v1/experiments", body, key, 0)
            one.body = {**body, "labels": {**labels(one.number), **more}}
        self.send(one)

    def submit_keyed(self):
        self.submit(f"{self.owner}-{self.choose.getrandbits(64):016x}")

    def sweep(self):
        body, _ = self.experiment()
        points = self.choose.randint(2, 12)
        body["offset"] = list(range(points))
        key = f"s{self.choose.getrandbits(64):016x}" if self.choose.random() < 0.5 else None
        with self.ledger.lock:
            one = self.ledger.submission(self.owner, "/v1/sweeps", body, key, points)
            one.body = {**body, "labels": labels(one.number)}
        self.send(one)

    def send(self, one):
        words = {"Idempotency_Key": one.key} if one.key else {}
        if self.choose.random() < 0.2:
            words["Prefer"] = "wait=1"
        try:
            reply = self.ask("submit", (200, 202, *REFUSALS), "POST", one.path, one.body, **words)
        except Cut:
            one.cut += 1
            if one.key:
                self.doubtful.append(one)
            raise
        if reply.uncertain:
            one.uncertain += 1
            if one.key:
                self.doubtful.append(one)
            return reply
        if reply.status not in (200, 202):
            one.refused += (reply.status,)
            if self.world.machine.failed_since(reply.begun):
                one.faulty = self.world.machine.last_fault
            return reply
        body = reply.json()
        self.ledger.acknowledged(one, body["id"])
        if one.points:
            self.sweeps.append(one)
            if body.get("total", one.points) != one.points:
                self.ledger.violate("a sweep lacks points", id=one.id, asked=one.points, total=body.get("total"))
        else:
            self.mine.append(one)
            self.ledger.observe(body, reply.begun, asked=f"POST {one.path}, key {one.key}")
        if one.key and one not in self.keyed:
            self.keyed.append(one)
        return reply

    def replay(self):
        """The same again: what is in doubt first."""
        if self.doubtful:
            one = self.doubtful.popleft()
            reply = self.send(one)  # cut again, it is in doubt again
            if reply.status not in (200, 202) and not reply.uncertain:
                self.doubtful.append(one)
        elif self.keyed:
            self.send(self.choose.choice(self.keyed))

    # ---- what becomes of it ----

    def cancel(self):
        if not self.mine:
            return
        one = self.choose.choice(self.mine)
        reply = self.ask("cancel", (200, 202, 404, 409, *REFUSALS), "DELETE", f"/v1/experiments/{one.id}")
        if reply.status == 404:
            self.ledger.gone(one.id, reply.status, reply.text)
        if reply.status == 200:  # from now on it stays so
            self.ledger.observe(reply.json(), reply.begun, asked="DELETE")

    def cancel_sweep(self):
        if self.sweeps:
            one = self.choose.choice(self.sweeps)
            self.ask("cancel", (200, 202, 409, *REFUSALS), "DELETE", f"/v1/sweeps/{one.id}")

    def remove(self):
        """For good. From the moment of asking it may be gone; once that is acknowledged it is."""
        if not self.mine or not self.world.removes:
            return
        one = self.choose.choice(self.mine)
        if one.spared or one in self.doubtful:  # which is sent again, and its key goes with it
            return
        before = one.removal
        if one in self.keyed:  # its key goes with it: sent again it would be another
            self.keyed.remove(one)
        self.ledger.removal(one, "asked")
        reply = self.ask("remove", (204, 404, 409, *REFUSALS), "DELETE", f"/v1/experiments/{one.id}?remove=true")
        if reply.status == 204:
            self.ledger.removal(one, "gone")
        elif before is None and not reply.uncertain:
            self.ledger.removal(one, None)
            if reply.status == 404:
                self.ledger.gone(one.id, reply.status, reply.text)

    def wait(self):
        if self.mine:
            self.read(self.choose.choice(self.mine).id, "?wait=1")

    def look(self):
        if self.mine:
            self.read(self.choose.choice(self.mine).id)

    def read(self, name, query=""):
        reply = self.ask("read", (200, 401, 404, 500, 503), "GET", f"/v1/experiments/{name}{query}")
        if reply.status == 404:
            self.ledger.gone(name, reply.status, reply.text)
        if reply.status == 200:
            self.ledger.observe(reply.json(), reply.begun, reply.body, asked=f"GET {query}")
        return reply

    def table(self):
        """A sweep's table, streamed: whatever is read to its end is whole."""
        if not self.sweeps:
            return
        one = self.choose.choice(self.sweeps)
        reply = self.ask("table", (200, 401, 500, 503), "GET", f"/v1/sweeps/{one.id}.csv")
        if reply.status == 200:
            rows = list(csv.reader(io.StringIO(reply.text)))
            if len(rows) != one.points + 1:
                self.ledger.violate("a sweep lacks points", id=one.id, asked=one.points, rows=len(rows) - 1)

    def steal(self):
        """Whatever holds no more opens nothing."""
        secret = self.world.tokens.dead(self.world.life_began, time.monotonic())
        if secret:
            reply = self.link.ask("GET", "/v1/queue", secret=secret)
            self.ledger.count("steal", reply.status)
            if reply.status not in (401, 503):
                self.ledger.violate("a revoked token was taken", status=reply.status, text=reply.text[:300])


    def meddle(self):
        """What is another's stays another's."""
        with self.ledger.lock:
            others = [one for one in self.ledger.submissions[-100:] if one.id and one.owner != self.owner]
        if others and self.world.tokens.named:
            one = self.choose.choice(others)
            reply = self.ask("meddle", (401, 403, 404, 500, 503), "DELETE", f"{one.path}/{one.id}")
            if reply.status == 404:
                self.ledger.gone(one.id, reply.status, reply.text)


class Watcher(Client):
    """Asks again and again for what others submitted, and reads lists and streams."""

    def acts(self):
        return (70, self.any), (10, self.page), (3, self.stream), (5, self.health)

    def any(self):
        with self.ledger.lock:
            names = [one.id for one in self.ledger.submissions[-600:] if one.id and not one.points]
            old = [self.choose.choice(self.ledger.submissions).id for _ in range(3)] if self.ledger.submissions else []
        if names and self.choose.random() < 0.7:
            self.read(self.choose.choice(names))
        elif any(name in self.ledger.seen for name in old):
            self.read(next(name for name in old if name in self.ledger.seen))

    def page(self):
        query = self.choose.choice(("", "?state=running", "?state=queued&page_size=500", "?page_size=200", "?state=failed"))
        reply = self.ask("page", (200, 401, 500, 503), "GET", "/v1/experiments" + query)
        if reply.status == 200:
            for row in reply.json()["experiments"]:
                self.ledger.observe(row, reply.begun, asked=f"list {query}")

    def stream(self):
        reply = self.ask("stream", (200, 401, 500, 503), "GET", "/v1/experiments?page_size=500", Accept="text/csv")
        if reply.status == 200:
            head, *rows = csv.reader(io.StringIO(reply.text))
            at = head.index("id")
            if len({row[at] for row in rows}) != len(rows):
                self.ledger.violate("a table tells one twice", rows=len(rows))

    def health(self):
        reply = self.link.ask("GET", "/livez")
        if reply.status != 200 and not self.world.passing(reply):
            self.ledger.violate("unexpected reply", asked="GET /livez", status=reply.status, text=reply.text[:500])


class Warden(Client):
    """Pauses the queue now and then. What is acknowledged of that holds through every kill."""

    def __init__(self, world, owner, name):
        super().__init__(world, owner, name)
        self.paused, self.able = False, True  # paused is None while that is in doubt

    def acts(self):
        return (4, self.pause), (10, self.resume), (16, self.compare), (70, self.idle)

    def pause(self):
        if not self.paused:
            self.hold("pause", True)

    def resume(self):
        if self.paused is not False:
            self.hold("resume", False)

    def hold(self, what, paused):
        if not self.able:
            return
        before, self.paused = self.paused, None
        reply = self.ask(what, (200, 404, *REFUSALS), "POST", f"/v1/queue/{what}")
        self.able = reply.status != 404  # a version without
        self.paused = paused if reply.status == 200 else None if reply.uncertain else before

    def compare(self):
        reply = self.ask("compare", (200, *REFUSALS), "GET", "/v1/queue")
        if reply.status == 200 and self.paused is not None and reply.json().get("paused", self.paused) != self.paused:
            self.ledger.violate("a pause was forgotten", acknowledged=self.paused, queue=reply.json())

    def idle(self):
        """Most of the time nothing is wanted."""

    def release(self):
        while self.able and self.paused is not False:
            self.resume()
            time.sleep(0.05)
