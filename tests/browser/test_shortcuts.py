"""The sheet of keyboard shortcuts, and what the language buttons are called."""
from selenium.webdriver.common.keys import Keys

from chromium import NEEDS, Walk, browser, serve  # noqa: F401

pytestmark = NEEDS
SHEET = "dialog.keys-sheet"


def press(browser, *keys):  # noqa: F811
    browser.switch_to.active_element.send_keys(*keys)


def focused(walk):
    return walk.script("document.activeElement.id || document.activeElement.textContent || document.activeElement.tagName")


def test_a_sheet_lists_the_shortcuts_and_gives_the_focus_back(browser, serve):  # noqa: F811
    service = serve()
    service.works()
    walk = Walk(browser, service).open("experiments?lang=en").says("newest first", "h1")
    box = walk.until(lambda: walk.all("tbody .choose input"))[0]
    box.send_keys(Keys.SPACE)
    press(browser, "?")
    walk.says("Keyboard shortcuts", SHEET)
    assert focused(walk) == "Close"
    press(browser, Keys.ESCAPE)
    walk.until(lambda: not walk.all(SHEET))
    assert walk.script("document.activeElement.matches('tbody .choose input')")
    walk.says("1 chosen", ".chosen-bar")  # Escape was the sheet's
    press(browser, Keys.ESCAPE)
    walk.until(lambda: not walk.all(".chosen-bar")[0].is_displayed())

    walk.click(".keys").says("Keyboard shortcuts", SHEET)
    press(browser, "?")
    walk.until(lambda: not walk.all(SHEET))
    assert focused(walk) == "?"
    walk.click(".keys").click(".languages button", "中文").until(lambda: not walk.all(SHEET))
    walk.click(".keys").says("键盘快捷键", SHEET).says("滑块：移动八步", SHEET)
    walk.click(f"{SHEET} button").until(lambda: not walk.all(SHEET))

    # Where one types, it is a character.
    walk.open("experiments?lang=en").type("#filter-owner", "?")
    assert walk.script("document.getElementById('filter-owner').value") == "?" and not walk.all(SHEET)
    walk.end()


def test_each_key_of_the_sheet_does_what_it_says(browser, serve):  # noqa: F811
    """Those that no other test presses: test_bulk.py has the rows', test_sweep_page.py and test_sweep_charts.py the charts'."""
    service = serve("--devices", "cpu", fake=False)
    walk = Walk(browser, service).open("new?kernel=read_offset&offset=8&lang=en")
    slider = walk.until(lambda: walk.all("input[type=range]"))[0]
    at = lambda: int(walk.script("document.querySelector('input[type=range]').value"))  # noqa: E731
    walk.until(lambda: at() == 8)
    slider.send_keys(Keys.ARROW_RIGHT)
    walk.until(lambda: at() == 9)
    slider.send_keys(Keys.SHIFT, Keys.ARROW_RIGHT)
    walk.until(lambda: at() == 17)
    press(browser, "?")
    walk.says("Keyboard shortcuts", SHEET)  # a slider takes no characters
    press(browser, Keys.ESCAPE)
    number = walk.until(lambda: walk.all("input[aria-label='Number of the warp']"))[0]
    walk.until(lambda: number.get_attribute("value") == "1")
    number.send_keys(Keys.ARROW_UP)
    walk.until(lambda: number.get_attribute("value") == "2")
    number.send_keys(Keys.PAGE_UP)
    walk.until(lambda: number.get_attribute("value") == "34")
    walk.open("queue?lang=en").says("Nothing runs", "h1")
    press(browser, Keys.TAB)
    press(browser, Keys.ENTER)
    assert focused(walk) == "main"
    walk.end()


def test_what_a_button_is_called_contains_what_it_shows(browser, serve):  # noqa: F811
    walk = Walk(browser, serve()).open("?lang=en").says("Nothing runs", "h1")
    names = walk.script("[...document.querySelectorAll('.top button')].map(button => [button.textContent, button.ariaLabel ?? button.textContent])")
    assert ["EN", "EN, English"] in names and ["中文", "中文"] in names
    assert all(shown in name for shown, name in names)
    walk.end()
