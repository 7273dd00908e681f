#!/usr/bin/env python3
"""What people, turns and the log cost: this build with 40 owners' tokens and its access log, against an earlier build without.

    bench/http_before.py --build build --before ../before/build [--out bench/results/http_before.json] [--seconds 5] [--rounds 5]

Durable POSTs and GETs of an ended experiment, 64 connections, the device doing nothing; rounds of the two take turns, and
the medians are reported. Wants both to hold coalesced and tests/fake_executor, --build also http_load."""
import argparse
import pathlib
import subprocess
import tempfile

from http_service import BODY, CONNECTIONS, HANG, SMALL, Service, load, median
from report import report_begin, report_end, version

OWNERS = 40


class Guarded(Service):
    """With people: the first one's token is presented with every request of its own."""

    def __init__(self, build, directory, tokens, *flags, **how):
        self.secret = tokens.with_suffix(".secrets").read_text().splitlines()[0]
        super().__init__(build, directory, "--token-file", str(tokens), "--access-log", str(directory / "access.log"), *flags, **how)

    def open(self, path, body=None, **headers):
        return super().open(path, body, Authorization=f"Bearer {self.secret}", **headers)


def people(build, directory):
    """A token file, and beside it the secrets, one a line."""
    tokens = directory / "tokens"
    secrets = [subprocess.run([build / "coalesced", "token", "add", f"owner{i}", "--role", "run", "--token-file", tokens],
                              check=True, capture_output=True, text=True).stdout.strip() for i in range(OWNERS)]
    tokens.with_suffix(".secrets").write_text("\n".join(secrets) + "\n")
    return tokens


def posts(start, options, tokens):
    with tempfile.TemporaryDirectory() as directory:
        service = start(pathlib.Path(directory), "--queue-limit", "1000000")
        service.json("/v1/experiments", HANG)
        result = load(options.build, "post", service.port, "--path", "/v1/experiments", "--body", BODY, "--connections",
                      CONNECTIONS, "--seconds", options.seconds, *tokens)
        service.process.kill()
        service.process.wait()
    return result


def reads(start, options, tokens):
    with tempfile.TemporaryDirectory() as directory:
        service = start(pathlib.Path(directory), fake=False)
        path = "/v1/experiments/" + service.json("/v1/experiments", SMALL, Prefer="wait=30")["id"]
        result = load(options.build, "get", service.port, "--path", path, "--connections", CONNECTIONS, "--seconds",
                      options.seconds, *tokens)
        service.stop()
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--before", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    report = report_begin(options.build, before=version(options.before), owners=OWNERS)
    with tempfile.TemporaryDirectory() as directory:
        tokens = people(options.build, pathlib.Path(directory))
        presented = ["--tokens", tokens.with_suffix(".secrets")]
        for name, part in {"posts": posts, "reads": reads}.items():
            now, before = [], []
            for _ in range(options.rounds):
                now.append(part(lambda *flags, **how: Guarded(options.build, flags[0], tokens, *flags[1:], **how), options, presented))
                before.append(part(lambda *flags, **how: Service(options.before, *flags, **how), options, []))
            report[name] = {"now": median(now), "before": median(before)}
            report[name]["ratio"] = round(report[name]["now"]["per_s"] / report[name]["before"]["per_s"], 3)
    report_end(report, options.out)


if __name__ == "__main__":
    main()
