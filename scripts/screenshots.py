#!/usr/bin/env python3
"""Takes the pictures of docs/page.md: every page, light, dark, on a phone and in Chinese.

  COALESCED_BIN=build-dev/coalesced scripts/screenshots.py DATA [--out docs/page] [--only NAME ...] [--looks light,dark,phone,chinese]

DATA is the data directory of a service that has measured something; it is copied, and a service with this machine's devices is started
on the copy. A page whose experiment or sweep is not in DATA is left out, and said. Needs chromium, chromium-driver, python3-selenium,
pngquant."""
import argparse
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parents[1]
os.environ.setdefault("COALESCED_BIN", str(HERE / "build-dev" / "coalesced"))
sys.path.insert(0, str(HERE / "tests" / "browser"))
import chromium  # noqa: E402

LOOKS = {"light": (1280, "light", "en"), "dark": (1280, "dark", "en"), "phone": (390, "light", "en"), "chinese": (1280, "light", "zh")}
TALLEST = {390: 2400, 1280: 1600}  # px; what is below is cut off
SETTLED_S = 0.7
GUESSES = {"0": 2, "1": 20}  # in the lesson of offsets: by question
LARGEST = 120_000  # bytes of a picture


def first(found, what):
    for one in found:
        if what(one):
            return one
    return None


def kernels(sweep):
    return [sweep["kernel"]] if isinstance(sweep["kernel"], str) else sweep["kernel"] or []


def pages(service):
    """{name of the picture: address below /ui/, or None where DATA has nothing to show there}"""
    sweeps = service.get("/v1/sweeps?page_size=100").json()["sweeps"]
    def sweep(what):
        one = first(sweeps, lambda sweep: not sweep["recipe"] and what(sweep))
        return one and one["id"]
    def address(form, *ids):
        return form.format(*ids) if all(ids) else None
    singles = service.get("/v1/experiments?state=succeeded&kernel=read_offset&page_size=500").json()["experiments"]
    whole = first(singles, lambda one: "sweep" not in one["links"] and one["request"]["measure"]["keep_samples"])
    unrolls = sweep(lambda sweep: kernels(sweep) == ["read_offset_unroll"] and sweep["repeat"] > 1)
    sides = [first(service.get(f"/v1/experiments?label=build:{build}&page_size=1").json()["experiments"], bool) for build in ("old", "new")]
    unroll = f"compare?a=sweep:{unrolls},where.unroll:2&b=sweep:{unrolls},where.unroll:4&but_for=unroll"
    recipe = first(sweeps, lambda sweep: sweep["recipe"] == "sum_matrix_blocks")
    return {
        "lab": "",
        "source": "source?example=naive&line=8",
        "source-race": "source?example=race",
        "new": "new?kernel=read_offset&offset=11&size=67108864&block=512",
        "experiment": address("experiments/{}", whole and whole["id"]),
        "sweep-offsets": address("sweeps/{}", sweep(lambda sweep: {"read_offset", "write_offset"} <= set(kernels(sweep)))),
        "sweep-shapes": address("sweeps/{}", sweep(lambda sweep: kernels(sweep) == ["sum_matrix_2d"])),
        "sweep-repeat": address("sweeps/{}", unrolls),
        "compare-same": all(sides) and "compare?a=label:build=old&b=label:build=new" or None,
        "compare-unroll": unroll if unrolls else None,
        "queue": "queue",
        "device": "devices/0",
        "experiments": "experiments",
        "sweeps": "sweeps",
        "recipes": "recipes",
        "recipe": address("recipes/sum_matrix_blocks", recipe and recipe["id"]),
        "recipe-marks": "recipes/read_segment_unroll",
        "lessons": "lessons",
        "lesson-before": "lessons/offsets",
        "lesson-after": "lessons/offsets",
    }


def settle(walk):
    """Until nothing on the page has changed for a while: answers come, and charts are drawn as they do."""
    walk.until(lambda: walk.text("h1") not in ("", "…") and walk.text("footer"))
    walk.until(lambda: not walk.all(".source-page") or walk.text(".lead"))  # a first compilation takes a while
    seen, since = None, time.monotonic()
    limit = since + 15
    while time.monotonic() - since < SETTLED_S and time.monotonic() < limit:
        now = walk.script("document.querySelector('main').innerHTML.length")
        if now != seen:
            seen, since = now, time.monotonic()
        time.sleep(0.1)


def take(browser, walk, path, look, guesses):
    width, scheme, language = LOOKS[look]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme},
                                                                         {"name": "prefers-reduced-motion", "value": "reduce"}]})

    def size(height):
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
    size(900)
    walk.open("no/such")  # for its origin: the lesson's guess is kept in the tab
    walk.script("sessionStorage.clear()")
    if guesses:
        walk.script("sessionStorage.setItem('lesson.offsets', arguments[0])", json.dumps({"guesses": guesses}))
    address, _, query = path.partition("?")
    walk.open(f"{address}?{query}{'&' if query else ''}lang={urllib.parse.quote(language)}")
    settle(walk)
    size(min(TALLEST[width], max(600, walk.script("document.documentElement.scrollHeight"))))
    settle(walk)
    wide = walk.script("document.documentElement.scrollWidth")
    if wide > width:
        print(f"  {path}, {look}: {wide} px wide", file=sys.stderr)
    return base64.b64decode(browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"])


def smaller(picture):
    """The same in fewer colours: as many as keep it small."""
    for colours in (128, 64, 32):
        done = subprocess.run(["pngquant", "--speed", "1", "--nofs", "--strip", str(colours), "-"], input=picture, stdout=subprocess.PIPE, check=True)
        if len(done.stdout) <= LARGEST:
            break
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "docs" / "page")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--looks", default=",".join(LOOKS))
    asked = parser.parse_args()
    if not shutil.which("pngquant"):
        sys.exit("pngquant is not there")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(asked.data, pathlib.Path(folder) / "data", ignore=shutil.ignore_patterns("lock*"))
        service = chromium.Service(folder, fake=False)
        begun = chromium.browser.__wrapped__() if hasattr(chromium.browser, "__wrapped__") else chromium.browser.__pytest_wrapped__.obj()
        browser = next(begun)
        try:
            walk = chromium.Walk(browser, service)
            for name, path in pages(service).items():
                if asked.only and name not in asked.only:
                    continue
                if path is None:
                    print(f"{name}: nothing of it in {asked.data}", file=sys.stderr)
                    continue
                for look in asked.looks.split(","):
                    picture = smaller(take(browser, walk, path, look, GUESSES if name == "lesson-after" else None))
                    file = asked.out / look / f"{name}.png"
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(picture)
                    print(f"{file.relative_to(asked.out)}: {len(picture) / 1000:.0f} kB", flush=True)
        finally:
            next(begun, None)
            service.stop()


if __name__ == "__main__":
    main()
