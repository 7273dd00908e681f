#!/usr/bin/env python3
"""What two pages take in Debian's chromium without a screen: the form from a key to the drawing, and a sweep of 10,000 points
until it is drawn.

    bench/page_times.py --build build [--keys 40] [--opens 7] [--out bench/results/page_times.json]

The form measures itself, from the change of a field to the end of the drawing. The rival of each in the same run is what it asks,
asked by the same page and only read: what is above that is the drawing. The service has a CPU device whose experiments are made
up (tests/http/fake_executor.py), as 10,000 real ones would take minutes."""
import argparse
import json
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

from report import report_begin, report_end
from scrape import Service
from selenium import webdriver
from selenium.webdriver.chrome.service import Service as Driver
from selenium.webdriver.common.keys import Keys

HERE = pathlib.Path(__file__).resolve().parent
FAKE = HERE.parent / "tests" / "http" / "fake_executor.py"
OPENED = "return /10,000 of 10,000 measured/.test(document.querySelector('main')?.textContent) && " \
         "!document.body.textContent.includes('read so far') && document.querySelector('svg.lines .dense-half') && performance.now() / 1000"
TABLE = """const [path, done] = arguments, begun = performance.now();
fetch(path, {headers: {Accept: "text/csv"}}).then(one => one.text()).then(() => done((performance.now() - begun) / 1000));"""
READ = """const [offset, done] = arguments, begun = performance.now();
fetch("/v1/predictions", {method: "POST", headers: {"Content-Type": "application/json"},
  body: JSON.stringify({kernel: "read_offset", offset, explain: true})}).then(one => one.json()).then(() => done(performance.now() - begun));"""


def chromium():
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-proxy-server", "--window-size=1280,1000"):
        options.add_argument(argument)
    return webdriver.Chrome(service=Driver(shutil.which("chromedriver")), options=options)


def quantiles(times, places=1):
    ordered = sorted(times)
    return {"count": len(ordered), "least": round(ordered[0], places), "median": round(statistics.median(ordered), places),
            "p95": round(ordered[int(0.95 * (len(ordered) - 1))], places)}


def typing(browser, url, keys):
    drawn = "return performance.getEntriesByName('redraw').map(one => one.duration)"
    browser.get(url + "/ui/new?kernel=read_offset")
    while not browser.execute_script(drawn):
        time.sleep(0.1)
    field, read = browser.find_element("id", "field-offset"), []
    for key in range(keys):
        before = len(browser.execute_script(drawn))
        field.send_keys(Keys.BACKSPACE if key % 2 else str(1 + key // 2 % 9))
        while len(browser.execute_script(drawn)) == before:
            time.sleep(0.01)
        time.sleep(0.2)  # what a neighbour's answer draws
        read.append(browser.execute_async_script(READ, key))
    return {"from_key_to_drawing_ms": quantiles(browser.execute_script(drawn)[1:]), "question_alone_ms": quantiles(read)}


def opening(browser, service, url, opens):
    body = {"kernel": "read_offset", "offset": "0..9999", "size": 16384, "labels": {"fake": "vary"}}
    sweep = json.loads(service.ask("/v1/sweeps", body, **{"Content-Type": "application/json"}))
    while json.loads(service.ask(f"/v1/sweeps/{sweep['id']}?view=summary&page_size=1"))["state"] == "running":
        time.sleep(0.5)
    opened, table = [], []
    for _ in range(opens):
        browser.get(f"{url}/ui/sweeps")
        time.sleep(1)
        browser.get(f"{url}/ui/sweeps/{sweep['id']}?lang=en")
        while not (took := browser.execute_script(OPENED)):
            time.sleep(0.02)
        opened.append(took)
        table.append(browser.execute_async_script(TABLE, f"/v1/sweeps/{sweep['id']}.csv"))
    return {"ten_thousand_points_open_s": quantiles(opened, 2), "their_table_alone_s": quantiles(table, 2)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--keys", type=int, default=40)
    parser.add_argument("--opens", type=int, default=7)
    parser.add_argument("--out", type=pathlib.Path)
    given = parser.parse_args()
    report = report_begin(given.build)
    with tempfile.TemporaryDirectory() as directory:
        service = Service(given.build, directory, "cpu", "--executor-command", f"{sys.executable} {FAKE}")
        browser = chromium()
        try:
            report["browser"] = browser.capabilities["browserVersion"]
            url = f"http://127.0.0.1:{service.port}"
            report.update(typing(browser, url, given.keys))
            report.update(opening(browser, service, url, given.opens))
        finally:
            browser.quit()
            service.process.terminate()
            service.process.wait()
    report_end(report, given.out)


if __name__ == "__main__":
    main()
