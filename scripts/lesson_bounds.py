#!/usr/bin/env python3
"""Writes the tables of bounds in docs/lessons.md and its Chinese anew, as a service predicts them, and what the lessons of the page
(web/lessons/*.js) have of predictions and of shipped constants: for when constants have changed.

  scripts/lesson_bounds.py http://127.0.0.1:8080

A row is a request, its bounds (the largest bold), the predicted time and the measured one, which stays. The words around are not changed:
read them again."""
import json
import pathlib
import re
import subprocess
import sys
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
LESSONS = sorted(path for path in (ROOT / "web" / "lessons").glob("*.js") if path.stem != "list")
DEVICE = "NVIDIA H200"
BOUNDS = ["launch", "dram", "ask", "issue", "latency"]
ROW = re.compile(r"^\| `(\w+(?: \w+=\w+)+)` \|(?: [*\d.]+ \|){6} ([\d.]+) \|$", re.M)


def value_of(text):
    numbers = [int(part) for part in text.split("x")] if re.fullmatch(r"\d+(x\d+)?", text) else None
    return text if numbers is None else numbers if len(numbers) > 1 else numbers[0]


def request_of(words):
    kernel, *fields = words.split()
    return {"kernel": kernel, **{name: value_of(value) for name, value in (field.split("=") for field in fields)}}


def prediction_of(url, request):
    """For the device whose constants are shipped, or for the architecture that is named."""
    body = json.dumps(request if "arch" in request else {**request, "device_name": DEVICE}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{url}/v1/predictions", body, {"Content-Type": "application/json"}), timeout=30) as answer:
        return json.load(answer)["predictions"][0]


def row_of(url, words, measured):
    time = prediction_of(url, request_of(words))["time"]
    us = {bound["name"]: bound["us"] for bound in time["bounds"]}
    cells = [f"**{us[name]:.1f}**" if name == time["limiter"] else f"{us[name]:.1f}" for name in BOUNDS]
    return f"| `{words}` | {' | '.join(cells)} | {time['predicted_us']:.1f} | {measured} |"


def member(document, path):
    """As time.bounds[name=latency].us"""
    for name, key, value in re.findall(r"(\w+)(?![\w=])|\[(\w+)=(\w+)\]", path):
        document = document[name] if name else next(one for one in document if str(one[key]) == value)
    return document


def constants():
    """Of the device whose figures the lessons tell, by the names that the service gives them."""
    names = dict(re.findall(r'\[(CALIBRATION_\w+)\] = \{"(\w+)"', (ROOT / "kernels" / "calibrations" / "calibration.c").read_text()))
    text = (ROOT / "kernels" / "calibrations" / "h200.inc").read_text()
    values = {names[name]: float(value) for name, value in re.findall(r"\[(CALIBRATION_\w+)\] = \{([\d.]+),", text)}
    return {**values, **{name: int(value) for name, value in re.findall(r"\.(sms|clock_khz) = (\d+)", text)}}


def lesson_of(path):
    """A lesson is JSON behind two words."""
    return json.loads(path.read_text().removeprefix("export default ").removesuffix(";\n"))


def lesson_write(path, lesson):
    text = f"export default {json.dumps(lesson, ensure_ascii=False)};\n"
    done = subprocess.run(["clang-format", f"--assume-filename={path}"], input=text, capture_output=True, text=True, check=True, cwd=ROOT)
    path.write_text(done.stdout)


def source_of(figure):
    """("predicted" or "constants", what), or (None, None)"""
    source, _, what = figure[2].partition("/") if isinstance(figure[1], int) else (None, None, None)
    return (source, what) if source in ("predicted", "constants") else (None, None)


def figures_renewed(url, figures):
    known = constants()
    for figure in figures.values():
        source, what = source_of(figure)
        if source:
            figure[0] = known[what] if source == "constants" else member(prediction_of(url, figure[3]), what)


def main():
    for path in LESSONS:
        lesson = lesson_of(path)
        figures_renewed(sys.argv[1], lesson["figures"])
        lesson_write(path, lesson)
    for name in "lessons.md", "lessons.zh.md":
        text = (DOCS / name).read_text()
        (DOCS / name).write_text(ROW.sub(lambda found: row_of(sys.argv[1], *found.groups()), text))


if __name__ == "__main__":
    main()
