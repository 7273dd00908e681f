"""When all is done: what the service tells over HTTP, then what its store holds, against what clients were told."""
import collections
import random
import sqlite3
import time

from soak.ledger import ENDS, number_of

READ_AT_MOST = 20000
ATTEMPTS = 3


def settle(client, service, seconds):
    """Waits until nothing waits or runs; then whatever is in doubt and has a key is sent again until it is answered."""
    client.world.warden.release()
    ledger, limit = client.ledger, time.monotonic() + seconds
    while True:
        queue = client.ask("settle", (200,), "GET", "/v1/queue").json()
        if queue["queued"] + queue["running"] == 0:
            break
        if time.monotonic() > limit:
            ledger.violate("the queue does not empty", within_s=seconds, queue=queue)
            return
        time.sleep(0.1)


def resolve(clients, world):
    """Replays what is in doubt and has a key, each as its owner: how many there were, and how many of them are answered."""
    by_owner = {client.owner: client for client in clients}
    doubtful = [one for one in world.ledger.submissions if one.key and one.state == "doubtful"]
    for one in doubtful:
        limit = time.monotonic() + 60
        while one.id is None and time.monotonic() < limit:
            if by_owner[one.owner].send(one).status not in (200, 202):
                time.sleep(0.2)
        if one.id is None:
            world.ledger.violate("a doubtful one is not resolved", key=one.key, refused=one.refused[-3:])
    return len(doubtful)


def replay_some(clients, world, count):
    """Keys that were acknowledged give the same id, however old."""
    by_owner = {client.owner: client for client in clients}
    choose = random.Random(f"{world.options.seed}/replays")
    keyed = [one for one in world.ledger.of("acknowledged") if one.key and not one.removal]
    for one in choose.sample(keyed, min(count, len(keyed))):
        by_owner[one.owner].send(one)
    return min(count, len(keyed))


def over_http(client):
    """Everything that was acknowledged, once more: the list tells all of it, ended, and results are what they were."""
    ledger = client.ledger
    there, token = {}, ""
    while token is not None:
        reply = client.ask("page", (200,), "GET", "/v1/experiments?page_size=500" + (f"&page_token={token}" if token else ""))
        page = reply.json()
        for row in page["experiments"]:
            if row["id"] in there:
                ledger.violate("a list tells one twice", id=row["id"])
            there[row["id"]] = row["state"], row.get("owner")
            ledger.observe(row, reply.begun)
        token = page["next_page_token"]
    for one in ledger.of("acknowledged"):
        if not one.points and one.id not in there:
            ledger.gone(one.id, 200, "not in the list")
        elif one.id in there:
            state, owner = there[one.id]
            if state not in ENDS:
                ledger.violate("not ended", id=one.id, state=state)
            if client.world.tokens.named and owner != one.owner:
                ledger.violate("another's", id=one.id, owner=owner, submitted_by=one.owner)
    told = [name for name, seen in list(ledger.seen.items()) if seen.digest]
    random.Random(f"{client.world.options.seed}/read").shuffle(told)
    for name in told[:READ_AT_MOST]:
        client.read(name)
    for name, one in list(ledger.sweeps.items()):
        reply = client.ask("sweep", (200, 404), "GET", f"/v1/sweeps/{name}?page_size=500")
        if reply.status == 404:
            ledger.gone(name, reply.status, reply.text)
            continue
        body = reply.json()
        if len(body["points"]) != one.points or body["total"] != one.points or body["done"] != one.points:
            ledger.violate("a sweep lacks points", id=name, asked=one.points, total=body["total"], done=body["done"],
                           shown=len(body["points"]))
    return {"listed": len(there), "results_compared": min(len(told), READ_AT_MOST), "sweeps_compared": len(ledger.sweeps)}


def of_the_store(path, ledger):
    """The stopped store itself: figures, with what is wrong told to the ledger."""
    db = sqlite3.connect(path)
    said = db.execute("PRAGMA integrity_check").fetchall()
    if said != [("ok",)]:
        ledger.violate("the store is not whole", after="all", said=said[:10])
    single, swept = collections.defaultdict(list), collections.defaultdict(list)
    states = {}
    outcomes = collections.Counter()
    for name, state, attempt, failure, sweep, request in db.execute(
            "SELECT id, state, attempt, failure, sweep, request FROM experiments WHERE id NOT IN (SELECT id FROM removals)"
            " AND (sweep IS NULL OR sweep NOT IN (SELECT id FROM removals))"):
        (swept if sweep else single)[number_of(request)].append(sweep or name)
        states[name] = state
        outcomes[state if state != "failed" else f"failed, {failure}"] += 1
        if state not in ENDS:
            ledger.violate("not ended", id=name, state=state)
        if attempt > ATTEMPTS or (failure == "abandoned" and attempt != ATTEMPTS):
            ledger.violate("attempts are not counted", id=name, attempt=attempt, failure=failure)
    points = dict(db.execute("SELECT sweep_id, count(experiment) FROM points GROUP BY sweep_id"))
    keys = dict(db.execute("SELECT key, experiment FROM keys"))
    sweeps = dict(db.execute("SELECT id, total FROM sweeps WHERE id NOT IN (SELECT id FROM removals)"))
    for name, total in sweeps.items():
        if points.get(name, 0) != total:
            ledger.violate("a sweep lacks points", id=name, total=total, found=points.get(name, 0))
    db.close()
    resolved = compare(ledger, single, swept, sweeps, keys)
    return {"experiments": len(states), "sweeps": len(sweeps), "ended": dict(sorted(outcomes.items())), **resolved}


def compare(ledger, single, swept, sweeps, keys):
    there = absent = after_failure = 0
    for one in ledger.submissions:
        found = swept[one.number] if one.points else single[one.number]
        names = set(found)
        if one.state == "acknowledged":
            if one.id not in names:
                ledger.gone(one.id, 0, "not in the store")
            elif one.removal == "gone":
                ledger.violate("came back", id=one.id, found="in the store")
            if len(names) > 1 or (not one.points and len(found) > 1):
                ledger.violate("there twice", id=one.id, found=sorted(names))
            if one.points and (len(found) != one.points or sweeps.get(one.id) != one.points):
                ledger.violate("a sweep lacks points", id=one.id, asked=one.points, experiments=len(found),
                               total=sweeps.get(one.id))
            if one.key and not one.removal and keys.get(one.key, one.id) != one.id:
                ledger.violate("key gave another id", key=one.key, first=one.id, now=keys[one.key])
        elif one.state == "doubtful":
            there, absent = there + bool(names), absent + (not names)
            if len(names) > 1 or (one.points and names and len(found) != one.points):
                ledger.violate("there twice", number=one.number, found=sorted(names))
        elif names:  # refused each time, or nobody ever accepted its connection
            after_failure += one.faulty is not None
            ledger.violate("refused, but there", number=one.number, statuses=one.refused, found=sorted(names),
                           while_the_disk_failed=one.faulty or "no")
    return {"doubtful_without_a_key": {"there": there, "absent": absent}, "refused_but_there_after_a_failed_disk": after_failure}
