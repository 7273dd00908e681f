"""What clients were told, and whether what they are told later agrees with it."""
import collections
import hashlib
import json
import threading
import time

ENDS = ("succeeded", "failed", "cancelled")
SHOWN = 20  # violations of a kind that the report tells in full


class Submission:
    """One thing that a client wants done, however often it is sent."""
    __slots__ = ("number", "owner", "path", "text", "key", "points", "id", "refused", "cut", "uncertain", "later", "faulty", "spared",
                 "removal", "gone_at")

    def __init__(self, number, owner, path, body, key, points):
        self.number, self.owner, self.path, self.key, self.points = number, owner, path, key, points
        self.body = body
        self.id = None        # acknowledged as this
        self.refused = ()     # statuses of replies that refused it
        self.cut = 0          # requests whose reply was not read whole
        self.uncertain = 0    # replies that said that nobody knows whether it was taken
        self.later = 0        # an acknowledgement that came after a cut
        self.faulty = None    # how the disk failed while it was refused
        self.spared = False   # the check of the checks tampered with it: no client removes it
        self.removal = None   # "asked": it may be gone; "gone": its removal was acknowledged
        self.gone_at = None

    @property
    def body(self):
        return json.loads(self.text)

    @body.setter
    def body(self, body):
        self.text = json.dumps(body, separators=(",", ":")).encode()  # there are hundreds of thousands of them

    @property
    def state(self):
        return "acknowledged" if self.id else "doubtful" if self.cut or self.uncertain else "refused" if self.refused else "not sent"


class Seen:
    """What was last told of an experiment, and when the reply that told it was there."""
    __slots__ = ("digest", "state", "ended_at", "attempt", "attempt_at")

    def __init__(self):
        self.digest = self.state = self.ended_at = None
        self.attempt, self.attempt_at = 0, 0.0


class Ledger:
    def __init__(self):
        self.lock = threading.RLock()
        self.submissions, self.seen, self.sweeps, self.by_id = [], {}, {}, {}
        self.violations = collections.defaultdict(list)
        self.replies = collections.Counter()
        self.handed_back = []  # monotonic times of clean stops and of killed executors: what ran, or was just given to the executor, goes back without its attempt

    def violate(self, kind, **what):
        with self.lock:
            self.violations[kind].append({"at": time.strftime("%H:%M:%S"), **what})

    def report(self):
        with self.lock:
            return {kind: {"count": len(found), "seen": found[:SHOWN]} for kind, found in sorted(self.violations.items())}

    def submission(self, *arguments):
        with self.lock:
            one = Submission(len(self.submissions), *arguments)
            self.submissions.append(one)
        return one

    def acknowledged(self, submission, name):
        """The reply was read whole and names it."""
        with self.lock:
            if submission.id is None:
                submission.id = name
                self.by_id[name] = submission
                submission.later = submission.cut
                if submission.points:
                    self.sweeps[name] = submission
                else:
                    self.seen.setdefault(name, Seen())
            elif submission.id != name:
                self.violate("key gave another id", key=submission.key, first=submission.id, now=name,
                             removal=submission.removal, replies_cut=submission.cut, uncertain=submission.uncertain)

    def observe(self, body, begun, exact=None, asked=""):
        """An experiment as a reply has it whose request began at that time; `exact` are the reply's bytes, if it is all of it."""
        now = time.monotonic()
        self.there(body["id"], begun)
        with self.lock:
            seen = self.seen.setdefault(body["id"], Seen())
            state, attempt = body["state"], body.get("attempt")
            if seen.ended_at is not None and begun > seen.ended_at and state != seen.state:
                self.violate("left its end", id=body["id"], was=seen.state, now=state, asked=asked)
            if attempt is not None:
                self.attempts(body, seen, attempt, begun, now)
            if state in ENDS:
                if seen.ended_at is None:
                    seen.state, seen.ended_at = state, now
                if exact is not None:
                    digest = hashlib.blake2b(exact, digest_size=12).digest()
                    if seen.digest is not None and seen.digest != digest:
                        self.violate("an ended one changed", id=body["id"], now=exact.decode(errors="replace")[:400])
                    seen.digest = seen.digest or digest

    def attempts(self, body, seen, attempt, begun, now):
        if attempt < seen.attempt and begun > seen.attempt_at:
            ended = seen.ended_at is not None and begun > seen.ended_at
            stops = 0 if ended else sum(seen.attempt_at - 1 < stop < now for stop in self.handed_back)
            if seen.attempt - attempt > stops:
                self.violate("attempts fell", id=body["id"], was=seen.attempt, now=attempt)
            else:
                seen.attempt, seen.attempt_at = attempt, now
        elif attempt > seen.attempt:
            seen.attempt, seen.attempt_at = attempt, now

    def gone(self, name, status, text):
        """It is told as if it were not there: which nobody may who was not asked to remove it."""
        one = self.by_id.get(name)
        if not one or not one.removal:
            self.violate("lost", id=name, status=status, text=text[:300])

    def there(self, name, begun):
        """It is told as being there, to somebody who asked then."""
        one = self.by_id.get(name)
        if one and one.removal == "gone" and begun > one.gone_at:
            self.violate("came back", id=name)

    def removal(self, one, how):
        with self.lock:
            if one.removal != "gone":
                one.removal, one.gone_at = how, time.monotonic()

    def count(self, what, reply):
        with self.lock:
            self.replies[f"{what} {reply}"] += 1

    def of(self, state):
        with self.lock:
            return [one for one in self.submissions if one.state == state]


def labels(number):
    return {"soak": str(number)}


def number_of(request):
    """Of which submission a stored request is; None: of none of ours."""
    number = json.loads(request).get("labels", {}).get("soak")
    return None if number is None else int(number)
