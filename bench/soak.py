#!/usr/bin/env python3
"""The whole service under everything at once, watched from the outside.

    bench/soak.py --build build [--kills 1000] [--executor-kills 1000] [--rounds 40] [--life 1] [--seconds 60]
                  [--seed 1] [--out bench/results/soak.json] [--short] [--sabotage]

Clients of several owners submit, sweep, replay keys, cancel, remove, wait and read tables, and an admin pauses the queue,
while the server and its executors are killed (SIGKILL) at random moments, the disk is full, nearly full or fails, the clock
jumps by hours, tokens change and backups are made, --rounds times each. The disk is also filled while a reader holds the
write-ahead log, and goes read-only after a sync that failed: then the service may answer that it cannot know. The last life
is not killed: for --seconds it must not grow, under the rest of the executors' kills. Then everything that a client was told
is compared with what the service and its stopped store say. An acknowledgement is a reply that was read whole; a request
whose reply was cut, or says that nobody knows (503, Uncertain), is in doubt: it may be there once or not at all, and with a
key its replay tells.

With --life 0.3 a kill takes half the time. The store and the ledger grow with the kills: many are better made in several runs
of other seeds.

--short takes 25 seconds or so. --sabotage tampers with the store before the last life and after it, and each change must be
found. What is chosen follows from --seed; when it happens does not. The report is JSON; exit 1: something was violated."""
import argparse
import collections
import os
import pathlib
import random
import signal
import sys
import tempfile
import time

from report import report_begin, report_end
from soak.checks import of_the_store, over_http, replay_some, resolve, settle
from soak.clients import Client, Warden, Watcher
from soak.conductor import Conductor, World
from soak.ledger import Ledger
from soak.machine import Machine, Tokens
from soak.sabotage import Saboteur
from soak.service import Service

OWNERS = ("ada", "grace", "edsger", "barbara")
READY_S = 1  # 99 % of the restarts
GROWN = {"descriptors": 8, "resident_bytes": 24 << 20}  # at most; kept answers are 8 MB of it


def quiet(world, clients):
    """All clients at rest, without a connection."""
    world.gate.clear()
    limit = time.monotonic() + 60
    while any(client.name not in world.resting for client in clients):
        if time.monotonic() > limit:
            raise RuntimeError("a client does not come to rest")
        time.sleep(0.02)


def measured(service):
    time.sleep(0.5)  # connections that were closed are forgotten
    return {"descriptors": service.descriptors(), "resident_bytes": service.resident_bytes()}


def last_life(conductor, clients, world):
    """Executors are killed, the server is not: it must not grow."""
    options, service = world.options, conductor.service
    if not conductor.start():
        raise RuntimeError("the service does not start")
    conductor.ready(measured=True)
    quiet(world, clients)
    settle(clients[0], service, 120)
    world.gate.set()
    time.sleep(options.seconds / 4)
    quiet(world, clients)
    before = measured(service)
    world.gate.set()
    left = max(options.executor_kills - conductor.executor_kills, 0)
    end = time.monotonic() + options.seconds * 3 / 4
    conductor.catch_up()
    while time.monotonic() < end or conductor.executor_kills < options.executor_kills:
        if conductor.executor_kills < options.executor_kills:
            conductor.kill_executor()
        time.sleep(min(0.2, options.seconds * 3 / 4 / max(left, 1)))
    quiet(world, clients)
    settle(clients[0], service, 120)
    after = measured(service)
    for what, most in GROWN.items():
        if after[what] - before[what] > most:
            world.ledger.violate("the service grows", what=what, before=before, after=after)
    return {"seconds": options.seconds, "before": before, "after": after}


def soak(options, folder):
    machine = Machine(folder, options.build.resolve() / "tests" / "steered.so")
    tokens = Tokens(options.build / "coalesced", folder / "tokens", {**dict.fromkeys(OWNERS, "run"), "watcher": "read", "warden": "admin"})
    ledger = Ledger()
    world = World(options, machine, tokens, ledger)
    service = Service(options, machine, tokens, ledger, folder)
    conductor = Conductor(world, service)
    clients = [Client(world, owner, f"{owner}-{i}") for owner in OWNERS for i in range(2)]
    world.warden = Warden(world, "warden", "warden")
    watchers = [*(Watcher(world, "watcher", f"watcher-{i}") for i in range(2)), world.warden]
    saboteur = Saboteur(machine.data / "coalesced.db", ledger, random.Random(options.seed)) if options.sabotage else None
    report = {}
    try:
        conductor.start()
        world.gate.set()
        for client in clients + watchers:
            client.start()
        conductor.finish(signal.SIGTERM)
        conductor.run(lambda it: print(f"{time.strftime('%H:%M:%S')} {it.kills} kills, {it.executor_kills} of executors, "
                                       f"{len(ledger.submissions)} submissions, violations: "
                                       f"{ {kind: len(found) for kind, found in ledger.violations.items()} }",
                                       file=sys.stderr, flush=True))
        quiet(world, clients + watchers)
        if saboteur:
            saboteur.before_the_last_life()
        report["last_life"] = last_life(conductor, clients + watchers, world)
        report["doubtful_with_a_key_left_at_the_end"] = resolve(clients, world)
        settle(clients[0], service, 120)
        report["keys_replayed_at_the_end"] = replay_some(clients, world, 2000)
        report["over_http"] = over_http(watchers[0])
        world.over.set()
        conductor.finish(signal.SIGTERM)
        if saboteur:
            saboteur.after_the_last_life(service)
        report["store"] = of_the_store(machine.data / "coalesced.db", ledger)
        for what in service.left_behind(5):
            ledger.violate("left behind", what=what)
    finally:
        world.over.set()
        world.gate.set()
        if service.process and service.alive():
            service.process.kill()
            service.process.wait()
        if saboteur:
            saboteur.end()
        service.kill_what_is_left()
    missed = saboteur.missed() if saboteur else None
    return told(conductor, ledger, report, missed)


def told(conductor, ledger, report, missed):
    if len(conductor.ready_s) >= 200 and sorted(conductor.ready_s)[int(0.99 * len(conductor.ready_s))] > READY_S:
        ledger.violate("readyz comes back too late", p99_over_s=READY_S)
    states = collections.Counter(one.state for one in ledger.submissions)
    doubtful = [one for one in ledger.submissions if one.cut or one.uncertain]
    if not all(conductor.machine.hits().values()) and conductor.options.rounds:
        ledger.violate("no call was made to fail", hits=conductor.machine.hits())
    figures = {
        **conductor.figures(),
        "submissions": {"sent": len(ledger.submissions), **dict(sorted(states.items())),
                        "of_these_sweeps": sum(bool(one.points) for one in ledger.submissions)},
        "doubtful": {"replies_cut": sum(one.cut for one in doubtful), "replies_uncertain": sum(one.uncertain for one in doubtful), "submissions": len(doubtful),
                     "with_a_key_resolved_by_replay": sum(bool(one.key and one.id) for one in doubtful)},
        **report,
        "lost": len(ledger.violations.get("lost", ())),
        "ended_twice": sum(len(ledger.violations.get(kind, ())) for kind in ("ended twice", "left its end", "an ended one changed")),
        "replies": dict(sorted(ledger.replies.items())),
        "violations": ledger.report(),
    }
    if missed is not None:
        figures["sabotage_not_found"] = missed
    return figures


def options_of(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--executor-kills", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=40, help="of each fault, of clocks and of tokens")
    parser.add_argument("--seconds", type=float, default=60, help="of the last life")
    parser.add_argument("--life", type=float, default=1, help="the longest time in seconds from ready to killed; faults take about half of it")
    parser.add_argument("--device", choices=("fake", "cpu"), default="fake",
                        help="fake: three that only play one, 1 to 50 ms an experiment; cpu: the real executor")
    parser.add_argument("--queue-limit", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--short", action="store_true", help="15 kills, 15 of executors, 2 rounds, lives of 0.4 and a last one of 4 seconds")
    parser.add_argument("--sabotage", action="store_true")
    options = parser.parse_args(words)
    if options.short:
        options.kills, options.executor_kills, options.rounds, options.seconds, options.life = 15, 15, 2, 4, 0.4
    return options


def main():
    options = options_of(sys.argv[1:])
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        figures = soak(options, pathlib.Path(folder))
    report = report_begin(options.build, load_at_the_end=os.getloadavg(), seed=options.seed,
                          took_s=round(time.monotonic() - begun, 1), **figures)
    report_end(report, options.out)
    good = not figures["sabotage_not_found"] if options.sabotage else not figures["violations"]
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
