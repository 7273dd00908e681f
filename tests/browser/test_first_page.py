"""What somebody sees first who has run nothing yet."""
from chromium import NEEDS, Walk, browser, serve  # noqa: F401
from conftest import SMALL, token_line

pytestmark = NEEDS
SECRET = {"ada": "the-secret-of-ada-0123456789", "bob": "the-secret-of-bob-0123456789"}


def test_an_example_runs_at_a_click_and_the_welcome_goes(browser, serve):
    service = serve("--devices", "cpu", fake=False)
    walk = Walk(browser, service).open("").says("What does a misaligned load cost?", ".welcome")
    walk.open("?lang=zh").says("未对齐读取", ".welcome").open("?lang=en").says("Published tables", ".welcome")
    walk.click(".welcome a", "Begin").says("What does a misaligned load cost?", "h1")
    walk.open("").click(".welcome button", "Run on").until(lambda: "/ui/experiments/" in browser.current_url)
    walk.says("GB/s", "h1")
    one, = service.get("/v1/experiments").json()["experiments"]
    assert one["request"]["kernel"] == "read_offset" and one["request"]["offset"] == 11
    walk.open("").says("offset 11").says("What does a misaligned load cost?", ".welcome")  # one run makes nobody at home
    for offset in range(4):
        service.run({**SMALL, "offset": offset})
    walk.open("").says("Published tables", ".welcome")  # those were another's
    walk.script("localStorage.setItem('ran here', 5)")
    walk.open("").says("offset 3").until(lambda: not walk.text(".welcome"))
    walk.end()


def test_who_has_run_nothing_sees_what_others_measured_first(browser, serve, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text("".join(token_line(name, "run", SECRET[name]) for name in SECRET))
    tokens.chmod(0o600)
    service = serve("--token-file", str(tokens), ready=False)
    service.headers = {"Authorization": f"Bearer {SECRET['ada']}"}
    service.until(lambda: service.get("/readyz").status_code == 200)
    for _ in range(5):
        service.run({**SMALL, "offset": 7})
    walk = Walk(browser, service).open("")
    for name, newcomer in ("bob", True), ("ada", False):
        walk.script("sessionStorage.setItem('token', arguments[0])", SECRET[name])
        walk.open("").says("offset 7").says(name, ".owner")
        walk.until(lambda: bool(walk.text(".welcome")) == newcomer)
        above = walk.script("document.querySelector('main .devices').compareDocumentPosition(document.querySelector('main table')) & 2")
        assert bool(above) == newcomer
    walk.end()


def test_the_last_results_are_those_that_ended_last(browser, serve, tmp_path):
    """Who submitted first may end last: the lists are in the order of submission."""
    tokens = tmp_path / "tokens"
    tokens.write_text("".join(token_line(name, "run", SECRET[name]) for name in SECRET))
    tokens.chmod(0o600)
    service = serve("--token-file", str(tokens), ready=False)
    bearer = {name: {"Authorization": f"Bearer {SECRET[name]}"} for name in SECRET}
    service.until(lambda: service.get("/readyz", headers=bearer["ada"]).status_code == 200)
    asked = {**SMALL, "labels": {"fake": "sleep:0.05"}}
    long, _ = [service.request("POST", "/v1/sweeps", json={**asked, "offset": offsets}, headers=bearer[name]).json()
               for name, offsets in (("ada", "0..29"), ("bob", "100..109"))]
    service.until(lambda: service.get(long["links"]["self"], headers=bearer["ada"]).json()["state"] == "succeeded", seconds=60)
    walk = Walk(browser, service).open("")
    walk.script("sessionStorage.setItem('token', arguments[0])", SECRET["bob"])
    walk.open("?lang=en").says("offset 29").says("ended, ago")
    rows = [row.text for row in walk.all("main table tbody tr") if "offset" in row.text]
    assert [f"offset {n}" in row for n, row in zip(range(29, 21, -1), rows, strict=True)] == [True] * 8
    walk.end()
