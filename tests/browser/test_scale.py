"""Where the scale of a chart ends: outliers that are not sure do not flatten all else. And where the names of its values stand."""
from chromium import NEEDS, Walk, browser, serve  # noqa: F401
from test_sweep_page import ended, submit

pytestmark = NEEDS


def test_a_scale_leaves_out_outliers_that_are_not_sure_and_nothing_else(browser, serve):  # noqa: F811
    walk = Walk(browser, serve()).open("sweeps?lang=en")

    def end(values, sure=(), cut=1):
        """Of so many lines of equal length."""
        points = [{"y": value, "unsure": i not in sure} for i, value in enumerate(values)]
        return walk.module("charts/axis.js", "m.scaleEnd(given[0])", [points[i::cut] for i in range(cut)])

    flat = [10 + i % 3 for i in range(120)]
    disturbed = [*flat[:50], 900, 800, 700, *flat[53:]]
    assert end(disturbed) == 12 and end(disturbed, sure=[50]) == 900 and end(disturbed[40:130]) == 900, "few values are all drawn"
    assert end([2 ** (i / 6) for i in range(120)]) > 900000, "what grows is no outlier"
    assert end([*flat, 900]) == 900, "nor is the end of a line"
    assert end([1000 if i % 8 == 7 else 10 for i in range(160)], cut=8) == 1000, "nor is a line that lies above the others"
    series = {"name": "all", "kind": "measured", "dash": 0, "predicted": [], "published": [], "coming": [], "refused": [], "without": [],
              "points": [{"x": i, "y": y, "low": None, "high": None, "words": "", "unsure": True} for i, y in enumerate(disturbed)]}
    spec = {"series": [series], "axis": {"kind": "number", "name": "offset", "values": list(range(120))}, "xName": "offset", "unit": "us", "zero": True}
    assert walk.module("charts/lines.js", "m.linesDraw(800, given[0]).beyond", spec) == [900, 800, 700]
    assert min(walk.module("charts/lines.js", "m.linesDraw(800, given[0]).marks.map(mark => mark.y)", spec)) >= 0, "they stand at the upper edge"
    walk.end()


NAMES = """(place => [...place.querySelectorAll('.tick')].map(one => one.getBoundingClientRect()).map(box => [Math.round(box.top), box.left, box.right]).sort((a, b) => a[0] - b[0] || a[1] - b[1]))(
    document.querySelector('.board .drawing'))"""


def test_long_names_of_values_stand_apart_and_in_the_panel(browser, serve):  # noqa: F811
    service = serve()
    sweep = ended(service, submit(service, size=[2 ** k for k in range(16, 28)], block=[64, 256], labels={"fake": "vary"}))
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True})
    walk = Walk(browser, service)
    for view in "view=map&x=size&series=block", "view=map&x=block&series=size", "view=lines&x=size&series=block":
        walk.open(f"sweeps/{sweep}?lang=en&{view}").until(lambda: walk.all(".board .drawing .tick"))
        panel = walk.script("(box => [box.left, box.right])(document.querySelector('.board').getBoundingClientRect())")
        names = walk.script(NAMES)
        assert all(panel[0] < left and right < panel[1] for _, left, right in names), (view, panel, names)
        assert all(above != top or right <= left for (above, _, right), (top, left, _) in zip(names, names[1:])), (view, names)
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    walk.end()
