#!/usr/bin/env python3
"""Writes the tables of bounds in docs/lessons.md and its Chinese anew, as a service predicts them: for when constants have changed.

  scripts/lesson_bounds.py http://127.0.0.1:8080

A row is a request, its bounds (the largest bold), the predicted time and the measured one, which stays. The words around are not changed:
read them again."""
import json
import pathlib
import re
import sys
import urllib.request

DOCS = pathlib.Path(__file__).resolve().parents[1] / "docs"
BOUNDS = ["launch", "dram", "ask", "issue", "latency"]
ROW = re.compile(r"^\| `(\w+(?: \w+=\w+)+)` \|(?: [*\d.]+ \|){6} ([\d.]+) \|$", re.M)


def value_of(text):
    numbers = [int(part) for part in text.split("x")] if re.fullmatch(r"\d+(x\d+)?", text) else None
    return text if numbers is None else numbers if len(numbers) > 1 else numbers[0]


def request_of(words):
    kernel, *fields = words.split()
    return {"kernel": kernel, **{name: value_of(value) for name, value in (field.split("=") for field in fields)}}


def row_of(url, words, measured):
    body = json.dumps({**request_of(words), "device_name": "NVIDIA H200"}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{url}/v1/predictions", body, {"Content-Type": "application/json"}), timeout=30) as answer:
        time = json.load(answer)["predictions"][0]["time"]
    us = {bound["name"]: bound["us"] for bound in time["bounds"]}
    cells = [f"**{us[name]:.1f}**" if name == time["limiter"] else f"{us[name]:.1f}" for name in BOUNDS]
    return f"| `{words}` | {' | '.join(cells)} | {time['predicted_us']:.1f} | {measured} |"


def main():
    for name in "lessons.md", "lessons.zh.md":
        text = (DOCS / name).read_text()
        (DOCS / name).write_text(ROW.sub(lambda found: row_of(sys.argv[1], *found.groups()), text))


if __name__ == "__main__":
    main()
