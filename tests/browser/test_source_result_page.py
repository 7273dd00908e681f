"""The result of a kernel of one's own: its outputs, its reference's verdict, faults at their lines, and the way back to the editor."""
import json
import pytest
from chromium import NEEDS, Walk, browser, serve  # noqa: F401
from conftest import Service

pytestmark = NEEDS
SCALE = """__global__ void scale(const float *in, float *out, unsigned n, float by)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = by * in[i];
}
"""
PLAIN = """__global__ void plain(const float *in, float *out, unsigned n, float by)
{
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = in[i] * by;
}
"""
RACE = """__global__ void same(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i / 64] = 7;
}
"""
ASKED = {"source": SCALE, "n": 1000, "by": 0, "block": 128, "show": {"out": "0..2"}, "reference": {"source": PLAIN, "grid": 1}}
SIGNS = "[...document.querySelectorAll('.listing-row')].filter(one => one.querySelector('.line-note')).map(one => [Number(one.dataset.line), one.querySelector('.line-note').textContent])"


@pytest.fixture(scope="module")
def service(browser, tmp_path_factory):
    one = Service(tmp_path_factory.mktemp("sources"), "--devices", "cpu", fake=False)
    answer = one.request("POST", "/v1/predictions", json={"source": SCALE, "n": 32, "grid": 1, "block": 32, "arch": "sm_90"})
    if answer.status_code == 503:
        pytest.skip(f"no compiler: {answer.json()['detail']}")
    yield one
    assert one.stop() == 0


def opened(browser, service, experiment, language="en"):  # noqa: F811
    walk = Walk(browser, service).open(f"experiments/{experiment['id']}?lang={language}")
    walk.until(lambda: walk.all(".listing-row"))
    return walk


def test_a_kernel_runs_from_the_editor(browser, service):  # noqa: F811
    walk = Walk(browser, service).open("source?example=aos&lang=en").says("No fault", ".lead")
    walk.click(".launch-foot button", "Run it on the CPU device").until(lambda: "/ui/experiments/" in browser.current_url)
    walk.says("[0] on: ").until(lambda: walk.all(".listing-row"))
    walk.open("source?example=aos&lang=zh").says("在 CPU 设备上运行", ".launch-foot")
    walk.end()


REFERENCE_IS = "(() => { const one = document.querySelector('#field-reference'); one.value = %s; one.dispatchEvent(new Event('input')); })()"


def test_a_reference_of_ones_own_is_given_in_the_editor(browser, service):  # noqa: F811
    walk = Walk(browser, service).open("source?example=aos&lang=en").says("No fault", ".lead")
    same = walk.script("[...document.querySelectorAll('.listing-row code')].map(one => one.textContent).join('\\n')")
    walk.script(REFERENCE_IS % json.dumps(same.replace("__global__", "__global")))
    walk.click(".launch-foot button", "Run it on the CPU device").until(lambda: walk.text("[data-field=reference] .wrong"))
    assert "/ui/source" in browser.current_url
    walk.script(REFERENCE_IS % json.dumps(same))
    walk.until(lambda: not walk.text("[data-field=reference] .wrong"))
    browser.get_log("browser")  # it has the 422
    walk.click(".launch-foot button", "Run it on the CPU device").says("The outputs are those of the reference")
    walk.until(lambda: [one for one in walk.all(".result-buttons a") if "/ui/source#" in one.get_attribute("href")])[0].click()
    walk.until(lambda: walk.all("#field-reference"))
    assert walk.script("document.querySelector('#field-reference').value") == same, "Change keeps it"
    walk.end()


def test_outputs_and_the_verdict_are_shown(browser, service):  # noqa: F811
    made = service.run(ASKED)
    walk = opened(browser, service, made).says("The outputs are those of the reference").says("Correct in all 1000 elements").says("1000 of 1000")
    walk.says(made["outputs"][0]["sha256"]).says("[0] on: 0 0 0")
    assert "No time" not in walk.text("main") and not [one for one in walk.all(".result-buttons a") if "ompare" in one.text]
    assert [one.text for one in walk.all(".listing-row code")][4].strip() == "out[i] = by * in[i];"
    walk.end()
    opened(browser, service, made, "zh").says("输出与参照内核一致").end()


def test_where_the_outputs_differ_is_said(browser, service):  # noqa: F811
    made = service.run({**ASKED, "source": SCALE.replace("by * in[i]", "i == 7 ? 5 : by * in[i]")})
    opened(browser, service, made).says("out[7], stored at line 5: 0 was expected, 5 found").says("1 of 1000 elements are not those of the reference").end()
    opened(browser, service, made, "zh").says("1000 个元素中有 1 个与参照内核不同").end()
    near = service.run({**ASKED, "by": 0.1, "source": SCALE.replace("by * in[i]", "by * in[i] + (i == 2 ? 0.00001f : 0)")})
    ten = [float(one) for one in near["outputs"][0]["shown"]["values"]]
    walk = opened(browser, service, near).says("[0] on: " + " ".join(f"{one:.7g}" for one in ten))
    first = near["correctness"]["first_mismatch"]
    assert f"{first['expected']:.6g}" == f"{first['found']:.6g}", "this test is of values that differ behind the sixth digit"
    walk.says(f"{first['expected']:.7g} was expected, {first['found']:.7g} found").end()


def test_what_an_array_held_before_the_launch_is_said(browser, service):  # noqa: F811
    adds = "__global__ void adds(const float *in, float *out, unsigned n)\n{\n    unsigned i = threadIdx.x;\n    if (i < n)\n        atomicAdd(&out[i], in[i]);\n}\n"
    made = service.run({"source": adds, "n": 32, "block": 32, "grid": 1})
    opened(browser, service, made).says("The kernel also reads out, and without a “fill” it held numbers from 0 to 255 before the launch.").end()


def test_faults_stand_at_their_lines(browser, service):  # noqa: F811
    made = service.run({**ASKED, "source": SCALE.replace("i < n", "i <= n")})
    fault, *others = made["faults"]  # of the load and of the store
    walk = opened(browser, service, made)
    assert walk.script(SIGNS)[0] == [5, "✕ " + fault["detail"].partition(": ")[2]] and {one["line"] for one in others} == {5}
    walk.says(fault["detail"], ".lead").says("A fault was found", "h1")
    assert browser.title == "✕\u00a0A fault was found · scale · coalesced"
    walk.end()
    walk = opened(browser, service, made, "zh").says("读取 in[1000]", ".lead")
    (line, said), = walk.script(SIGNS)
    assert line == 5 and "读取 in[1000]" in said and "is loaded" not in walk.text("main")
    walk.end()


def test_a_note_is_in_the_pages_language(browser, service):  # noqa: F811
    made = service.run({"source": RACE, "n": 1000})
    assert made["state"] == "succeeded" and made["notes"]
    walk = opened(browser, service, made)
    assert walk.script(SIGNS)[0][1].startswith("○ ") and "both store the same value" in walk.script(SIGNS)[0][1]
    walk = opened(browser, service, made, "zh")
    assert "both store" not in walk.text("main") and walk.script(SIGNS)[0][0] == 5
    walk.end()


def test_change_leads_to_the_editor_with_the_source_and_the_launch(browser, service):  # noqa: F811
    walk = opened(browser, service, service.run({**ASKED, "by": 0.5, "show": {}, "reference": {"source": PLAIN, "grid": 1}}))
    change = walk.until(lambda: [one for one in walk.all(".result-buttons a") if "/ui/source#" in one.get_attribute("href")])[0]
    change.click()
    walk.until(lambda: walk.all(".editor-panel .listing"))
    assert "/ui/source" in browser.current_url
    assert [one.text.strip() for one in walk.all(".listing-row code")][4] == "out[i] = by * in[i];"
    walk.says("No fault in any of the 8 blocks", ".lead")
    value = {name: walk.script(f"document.querySelector('#field-{name}').value") for name in ("block", "n", "by")}
    assert value == {"block": "128x1x1", "n": "1000", "by": "0.5"}
    walk.end()


def test_a_sweep_shows_the_predicted_efficiency(browser, service):  # noqa: F811
    made = service.request("POST", "/v1/sweeps", json={"source": SCALE.replace("in[i]", "in[i * 8 % n]"), "n": [1000, 2000], "by": 0},
                           headers={"Prefer": "wait=60"}).json()
    Walk(browser, service).open(f"sweeps/{made['id']}?lang=en").says("% predicted").end()


def test_a_sweep_leads_to_the_editor_with_its_kernel(browser, service):  # noqa: F811
    made = service.request("POST", "/v1/sweeps", json={**{name: value for name, value in ASKED.items() if name != "show"}, "n": [64, 1000], "by": 0}).json()
    walk = Walk(browser, service).open(f"sweeps/{made['id']}?lang=en").says("2 of 2 succeeded")
    assert not walk.all("a[href*='/ui/new?']"), "whose form has no such kernel"
    walk.click("button", "Change the kernel").until(lambda: "/ui/source#" in browser.current_url and walk.all(".editor .listing-row"))
    assert walk.all("#field-n")[0].get_attribute("value") == "64" and "plain" in walk.all("#field-reference")[0].get_attribute("value")
    kernel = service.get(f"/v1/sweeps/{made['id']}").json()["request"]["kernel"]
    walk.open(f"new?kernel={kernel}").says("is a kernel that a user brought, and this form has those of the service alone").end()


def test_a_sweep_says_that_its_points_are_as_the_reference(browser, service):  # noqa: F811
    made = service.request("POST", "/v1/sweeps", json={**ASKED, "n": [1000, 2000], "show": {}}, headers={"Prefer": "wait=60"}).json()
    walk = Walk(browser, service).open(f"sweeps/{made['id']}?lang=en").says("as the reference", ".sweep-table")
    assert "unstable" not in walk.text("main"), "it has no times"
    walk.open("sweeps").says(made["id"][-6:], "tbody")
    assert "[object" not in walk.text("tbody")
    walk.end()


def test_lists_name_the_function_and_what_came_of_it(browser, service):  # noqa: F811
    service.run(ASKED)
    made = service.request("POST", "/v1/sweeps", json={**ASKED, "n": [1000, 2000]}, headers={"Prefer": "wait=60"}).json()
    for page in ("", "experiments"):
        walk = Walk(browser, service).open(f"{page}?lang=en")
        row = walk.until(lambda: [one.text for one in walk.all("tbody tr") if "scale" in one.text])[0]
        assert "no times" in row and "✓ as the reference" in row and "src-" not in row and "no value" not in row, row
    walk.open("sweeps?lang=en").says("scale n 2 values")
    assert "src-" not in walk.text("main")
    walk.open(f"sweeps/{made['id']}?lang=en").says("By n: scale", "h1")
    walk.end()


def test_a_fault_of_the_reference_is_shown_in_its_own_source(browser, service):  # noqa: F811
    made = service.request("POST", "/v1/experiments", json={**ASKED, "reference": {"source": RACE.replace("unsigned n)", "unsigned n, float by)").replace("= 7", "= i")}}, headers={"Prefer": "wait=30"}).json()
    assert made["failure"]["detail"].startswith("the reference: line 5: out[0] is stored") and made["failure"]["zh"]["detail"].startswith("参照内核：第 5 行"), made["failure"]
    walk = opened(browser, service, made).says("Source of the reference")
    assert walk.script("[...document.querySelectorAll('.listing')].map(one => one.querySelectorAll('.line-note.fault').length > 0)") == [False, True]
    walk.until(lambda: [one for one in walk.all(".result-buttons a") if "/ui/source#" in one.get_attribute("href")])[0].click()
    walk.until(lambda: walk.all("#field-reference"))
    assert walk.all("#field-reference")[0].is_displayed(), "what a run takes is not folded away"
    walk.end()
