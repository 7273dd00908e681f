"""A browser for the tests of the page: `browser` is one for a file's tests, `walk(browser, service)` walks through the page with it."""
import json
import pathlib
import shutil
import sys
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "http"))
from conftest import Service  # noqa: E402

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
try:
    from selenium import webdriver
    from selenium.common.exceptions import ElementClickInterceptedException, StaleElementReferenceException
    from selenium.webdriver.chrome.service import Service as Driver
    from selenium.webdriver.common.by import By
    from selenium.webdriver.remote.webelement import WebElement
except ImportError:
    webdriver = None
NEEDS = [pytest.mark.slow, pytest.mark.skipif(not (CHROMIUM and DRIVER and webdriver),
                                              reason="NO BROWSER: chromium, chromium-driver and python3-selenium are not all here")]
# What a service that asks for a token, refuses, has no events or is away makes a browser write; anything else is a defect.
EXPECTED = ("401 (Unauthorized)", "404 (Not Found)", "net::ERR_CONNECTION_REFUSED", "net::ERR_EMPTY_RESPONSE", "503 (Service Unavailable)",
            "net::ERR_INCOMPLETE_CHUNKED_ENCODING", "net::ERR_CONNECTION_RESET", "net::ERR_SOCKET_NOT_CONNECTED", "409 (Conflict)", "422 (Unprocessable")


def found_again(method):
    """The page draws itself anew when something arrives: an element that is gone between two looks is found again."""
    def asked(element, *arguments):
        for _ in range(100):
            try:
                return method(element, *arguments)
            except StaleElementReferenceException:
                css, at = getattr(element, "found", (None, 0))
                again = element.parent.find_elements(By.CSS_SELECTOR, css) if css else []
                if not css or len(again) <= at:
                    raise
                element._id = again[at]._id
        raise AssertionError(f"{css} is drawn anew all the time")
    return asked


if webdriver:
    class Element(WebElement):
        _execute, is_displayed, get_attribute = map(found_again, (WebElement._execute, WebElement.is_displayed, WebElement.get_attribute))

    class Chromium(webdriver.Chrome):
        _web_element_cls = Element

        def find_elements(self, by=By.ID, value=None):
            elements = super().find_elements(by, value)
            for at, element in enumerate(elements if by == By.CSS_SELECTOR else []):
                element.found = value, at
            return elements

        def find_element(self, by=By.ID, value=None):
            element = super().find_element(by, value)
            element.found = f'[id="{value}"]' if by == By.ID else value, 0
            return element


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server", "--lang=en",
                     "--window-size=1280,1000"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = Chromium(service=Driver(DRIVER), options=options)
    driver.set_script_timeout(120)  # on a busy machine
    yield driver
    driver.quit()


@pytest.fixture
def serve(tmp_path):
    running = []

    def begin(*flags, **rest):
        running.append(Service(tmp_path, *flags, **rest))
        return running[-1]

    yield begin
    for service in running:
        service.stop()


class Walk:
    """Each step waits for what it needs; at the end() nothing may have been refused by the page's policy or thrown."""

    def __init__(self, browser, service, prefix=None):
        self.browser, self.url = browser, prefix or service.url
        browser.get("about:blank")
        browser.get_log("browser")

    def open(self, path):
        self.browser.get(self.url + "/ui/" + path)
        return self

    def script(self, text, *arguments):
        return self.browser.execute_script("return " + text, *arguments)

    def module(self, file, body, *arguments):
        """What `body` returns, an expression in which `m` is that module of the page and `given` are the arguments."""
        return self.browser.execute_async_script("""const given = [...arguments], done = given.pop();
            import([...document.scripts].find(one => one.src.endsWith("app.js")).src.replace(/app.js$/, "%s")).then(m => %s).then(done, error => done(String(error)))""" % (file, body), *arguments)

    def until(self, what, seconds=60):
        limit = time.monotonic() + seconds
        while True:
            try:
                found = what()
            except Exception as error:  # what it looks at is not there yet
                found, last = None, error
            else:
                last = None
            if found:
                return found
            assert time.monotonic() < limit, f"it did not come to that ({last}): {self.browser.title}\n{self.text('body')}\n{self.logs()}"
            time.sleep(0.05)

    def all(self, css):
        return self.browser.find_elements(By.CSS_SELECTOR, css)

    def text(self, css):
        for _ in range(100):
            try:
                return " ".join(element.text for element in self.all(css))
            except StaleElementReferenceException:  # drawn anew between the two
                time.sleep(0.05)
        raise AssertionError(f"{css} is drawn anew all the time")

    def says(self, words, css="main"):
        self.until(lambda: words in self.text(css).replace("\u00a0", " "))
        return self

    def click(self, css, words=""):
        def clicked():
            for element in self.all(css):
                if words in element.text and element.is_displayed():
                    element.found = None, 0  # what stands there when this one is gone may have other words
                    try:
                        element.click()
                    except ElementClickInterceptedException:  # it lies below a bar that stays on screen
                        self.script("arguments[0].scrollIntoView({block: 'center'})", element)
                        element.click()
                    return True
        self.until(clicked)
        return self

    def type(self, css, text):
        self.until(lambda: self.all(css))[0].send_keys(text)
        return self

    def removed_here(self, path):
        """As if this browser had removed it: without tokens the page offers an Undo of nothing else."""
        self.script("localStorage.setItem('removed here', JSON.stringify([{paths: [arguments[0]]}]))", path)

    def logs(self):
        return [entry["message"] for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"]

    def end(self):
        wrong = [message for message in self.logs() if not any(known in message for known in EXPECTED)]
        assert not wrong, json.dumps(wrong, indent=1)
