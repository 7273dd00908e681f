"""A real browser's page of another origin: refused as the service is by default, let in by --allow-origin."""
import http.server
import json
import pathlib
import shutil
import sys
import threading

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "http"))
from conftest import SMALL, Service, token_line  # noqa: E402

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service as Driver
except ImportError:
    webdriver = None
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not (CHROMIUM and DRIVER and webdriver),
                                reason="NO BROWSER: chromium, chromium-driver and python3-selenium are not all here")]

SECRET = "the-secret-of-ada-0123456789"
# What a page may find out: the reply, or that its browser kept it from it.
ASK = """
const [url, options, done] = arguments;
fetch(url, options).then(async reply => done({
    status: reply.status, text: await reply.text(), headers: Object.fromEntries(reply.headers)}),
    error => done({error: String(error)}));
"""


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"<!doctype html><title>A page of somebody else</title>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def page():
    """The origin of a page of another server on this machine."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser(page):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server",
                     "--host-resolver-rules=MAP rebound.example 127.0.0.1"):
        options.add_argument(argument)
    driver = webdriver.Chrome(service=Driver(DRIVER), options=options)
    driver.set_script_timeout(120)  # on a busy machine
    driver.get(page)
    yield driver
    driver.quit()


@pytest.fixture
def serve(tmp_path):
    running = []

    def begin(*flags):
        running.append(Service(tmp_path, *flags))
        return running[-1]

    yield begin
    for service in running:
        assert service.stop() == 0


def fetch(browser, url, **options):
    return browser.execute_async_script(ASK, url, options)


def submit(browser, service, **headers):
    return fetch(browser, service.url + "/v1/experiments", method="POST", body=json.dumps(SMALL),
                 headers={"Content-Type": "application/json", **headers})


def queued(service):
    return len(service.get("/v1/experiments").json()["experiments"])


def test_by_default_a_page_neither_reads_nor_queues(browser, page, serve):
    service = serve()
    browser.get(page)
    assert "error" in fetch(browser, service.url + "/v1/kernels")
    assert "error" in submit(browser, service)
    # Without a preflight, and without seeing what comes of it:
    for kind in "text/plain", "application/x-www-form-urlencoded":
        fetch(browser, service.url + "/v1/experiments", method="POST", mode="no-cors", body=json.dumps(SMALL), headers={"Content-Type": kind})
    assert queued(service) == 0
    browser.execute_script("""
        document.body.innerHTML = '<form method=post enctype=text/plain><input name=\\'{"kernel":"copy","labels":{"a":"\\' value=\\'"}}\\'></form>';
        document.forms[0].action = arguments[0];
        document.forms[0].submit();""", service.url + "/v1/experiments")
    service.until(lambda: "--allow-origin" in browser.page_source)
    assert queued(service) == 0


def test_an_allowed_page_reads_queues_and_sees_the_headers(browser, page, serve):
    service = serve("--allow-origin", page)
    browser.get(page)
    kernels = fetch(browser, service.url + "/v1/kernels")
    assert kernels["status"] == 200 and json.loads(kernels["text"])["kernels"] and kernels["headers"]["etag"]
    made = submit(browser, service, Prefer="wait=20", **{"Idempotency-Key": "once", "X-Request-Id": "of-a-page"})
    assert made["status"] == 200 and json.loads(made["text"])["state"] == "succeeded"
    assert made["headers"]["x-request-id"] == "of-a-page" and made["headers"]["preference-applied"] == "wait=20"
    where = made["headers"]["location"]
    assert json.loads(fetch(browser, service.url + where)["text"])["state"] == "succeeded"
    missing = fetch(browser, service.url + "/v1/nothing", method="DELETE")
    assert missing["status"] == 404 and "openapi" in missing["text"]
    other = page.replace("127.0.0.1", "localhost")  # the same server, and another origin
    browser.get(other)
    assert "error" in fetch(browser, service.url + "/v1/kernels") and "error" in submit(browser, service)


def test_an_allowed_page_shows_its_token(browser, page, serve, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(token_line("ada", "admin", SECRET))
    tokens.chmod(0o600)
    service = serve("--allow-origin", page, "--token-file", str(tokens))
    browser.get(page)
    assert submit(browser, service)["status"] == 401
    assert submit(browser, service, Authorization=f"Bearer {SECRET}")["status"] == 202


def test_a_name_that_was_pointed_here_is_refused(browser, page, serve):
    """Rebinding: to the browser the page and the service are of one origin."""
    service = serve()
    browser.get(f"http://rebound.example:{service.port}/v1/kernels")
    service.until(lambda: "--allow-host" in browser.page_source)
    seen = fetch(browser, "/v1/kernels")
    assert seen["status"] == 421 and "copy" not in seen["text"]
    assert fetch(browser, "/v1/experiments", method="POST", body=json.dumps(SMALL), headers={"Content-Type": "application/json"})["status"] == 421
    assert queued(service) == 0


def test_its_own_pages_would_work(browser, serve):
    service = serve()
    browser.get(service.url + "/v1/kernels")
    assert fetch(browser, "/v1/experiments", method="POST", body=json.dumps(SMALL), headers={"Content-Type": "application/json"})["status"] == 202
