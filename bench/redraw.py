#!/usr/bin/env python3
"""How long the form takes from a key to the drawing, in Debian's chromium without a screen.

    bench/redraw.py --build build [--keys 40] [--out bench/results/redraw.json]

The page measures itself, from the change of a field to the end of the drawing. Its rival in the same run is the same question,
asked by the same page and only read: what is above it is the drawing. The service has the CPU device alone."""
import argparse
import pathlib
import shutil
import statistics
import tempfile
import time

from report import report_begin, report_end
from scrape import Service
from selenium import webdriver
from selenium.webdriver.chrome.service import Service as Driver
from selenium.webdriver.common.keys import Keys

READ = """const [offset, done] = arguments, begun = performance.now();
fetch("/v1/predictions", {method: "POST", headers: {"Content-Type": "application/json"},
  body: JSON.stringify({kernel: "read_offset", offset, explain: true})}).then(one => one.json()).then(() => done(performance.now() - begun));"""


def chromium():
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-proxy-server", "--window-size=1280,1000"):
        options.add_argument(argument)
    return webdriver.Chrome(service=Driver(shutil.which("chromedriver")), options=options)


def quantiles_ms(times):
    ordered = sorted(times)
    return {"count": len(ordered), "least": round(ordered[0], 1), "median": round(statistics.median(ordered), 1),
            "p95": round(ordered[int(0.95 * (len(ordered) - 1))], 1)}


def measure(browser, url, keys):
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
    return {"from_key_to_drawing_ms": quantiles_ms(browser.execute_script(drawn)[1:]), "question_alone_ms": quantiles_ms(read)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--keys", type=int, default=40)
    parser.add_argument("--out", type=pathlib.Path)
    given = parser.parse_args()
    report = report_begin(given.build)
    with tempfile.TemporaryDirectory() as directory:
        service = Service(given.build, directory, "cpu")
        browser = chromium()
        try:
            report["browser"] = browser.capabilities["browserVersion"]
            report.update(measure(browser, f"http://127.0.0.1:{service.port}", given.keys))
        finally:
            browser.quit()
            service.process.terminate()
            service.process.wait()
    report_end(report, given.out)


if __name__ == "__main__":
    main()
