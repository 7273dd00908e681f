"""The page as it is served: its files, their headers, what they weigh, and that its dictionary is whole."""
import gzip
import pathlib
import re

import pytest
import requests

WEB = pathlib.Path(__file__).parents[2] / "web"
SCRIPTS = sorted(path.relative_to(WEB).as_posix() for path in WEB.rglob("*.js"))
STYLES = sorted(path.relative_to(WEB).as_posix() for path in WEB.rglob("*.css"))
MOST_BYTES = 308_000
MADE = ["d3.js", "codemirror.js", "codemirror.css"]  # of the distribution's files, when it is built
MOST_EDITOR_BYTES = 75_000  # CodeMirror, which one page loads
MOST_LESSON_BYTES = 6_000  # with the requests that its figures are asked by
TYPES = {".js": "text/javascript", ".css": "text/css"}


def bare(text):
    """Without the comments that begin or end a line, and without indentation."""
    text = re.sub(r"\n[ \t]*/\*.*?\*/", "", "\n" + text, flags=re.S)
    lines = re.sub(r"[ \t]+/\*[^*\n]*\*/(?=\n)", "", text).split("\n")
    return "".join(line.lstrip(" \t") + "\n" for line in lines if line.strip(" \t"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_text_of_a_script_goes_over_lines(name):
    """Its indentation would be lost when it is served. An expression in a template may: its indentation is no text."""
    plain = re.sub(r'"(\\.|[^"\\\n])*"|(?<=[(=,])( ?)/(\\.|\[[^]]*\]|[^/\\\n])+/', "", bare((WEB / name).read_text()))
    depths = []  # of braces, for each template that is open
    for at, character in enumerate(plain):
        if depths and depths[-1] == 0:  # in a template's text
            assert character != "\n", plain[max(0, at - 80):at]
            if character == "`":
                depths.pop()
            elif plain.startswith("{", at) and plain[at - 1] == "$":
                depths[-1] = 1
        elif character == "`":
            depths.append(0)
        elif depths:
            depths[-1] += {"{": 1, "}": -1}.get(character, 0)
    assert not depths


@pytest.mark.parametrize("name", [*SCRIPTS, *STYLES])
def test_a_file_is_served_as_it_is_in_the_sources(service, name):
    reply = service.get(f"/ui/assets/{name}")
    assert reply.status_code == 200 and reply.content == bare((WEB / name).read_text()).encode()
    assert reply.headers["Content-Type"] == TYPES[pathlib.Path(name).suffix] and reply.headers["X-Content-Type-Options"] == "nosniff"
    assert service.get(f"/ui/assets/{name}", headers={"If-None-Match": reply.headers["ETag"]}).status_code == 304


def test_d3_comes_with_its_license(service):
    text = service.get("/ui/assets/d3.js").text
    assert "Copyright Mike Bostock" in text and "permission notice" in text and "scaleLog" in text


def test_codemirror_comes_with_its_license_and_is_loaded_where_it_is_used(service):
    text = service.get("/ui/assets/codemirror.js").text
    assert "Copyright (C) 2017 by Marijn Haverbeke" in text and "permission notice" in text
    assert text.count("\nexport ") == 1 and "\nimport " not in text and 'defineMode("clike"' in text and "text/x-kotlin" not in text
    assert {name for name in SCRIPTS if "codemirror.js" in code(name)} == {"source/editor.js"}
    assert sum(weight(service, f"assets/{name}") for name in MADE[1:]) <= MOST_EDITOR_BYTES


def test_d3_has_what_scripts_take_of_it(service):
    """Its parts that are large and hardly needed are left out."""
    text = service.get("/ui/assets/d3.js").text
    taken = {name for script in SCRIPTS for names in re.findall(r"\{([^{}]+)\} = (?:globalThis|window)\.d3", code(script)) for name in names.split(",")}
    taken |= {name for script in SCRIPTS for name in re.findall(r"(?:globalThis|window)\.d3\.(\w+)", code(script))}
    assert "scaleLinear" in {name.strip() for name in taken}
    given = re.findall(r"\w+", re.search(r"\nreturn \{(.*)\};", text)[1])
    assert not [name for name in taken if name.strip() not in given]
    assert "import" not in text and "export" not in text


@pytest.mark.parametrize("path, up", [("/ui/", ""), ("/ui/queue", ""), ("/ui/experiments/01ABC", "../"), ("/ui/compare?a=1&b=x", "")])
def test_every_address_of_the_page_is_the_same_document(service, path, up):
    reply = service.get(path)
    assert reply.headers["Content-Type"] == "text/html; charset=utf-8"
    policy = reply.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';") and "unsafe" not in policy
    for name in "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "connect-src 'self'":
        assert name in policy
    assert reply.headers["Referrer-Policy"] == "no-referrer" and reply.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert reply.text == (WEB / "index.html").read_text().replace("{up}", up)
    assert service.get(path, headers={"If-None-Match": reply.headers["ETag"]}).status_code == 304


@pytest.mark.parametrize("path", ["/ui/assets/nothing.js", "/ui/assets/pages/nothing.js", "/ui/assets/nothing.css"])
def test_what_is_no_file_of_the_page_is_said_so(service, path):
    assert service.get(path).status_code == 404


def test_a_browser_is_led_to_the_page_and_others_are_told_where_to_begin(service):
    browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    reply = service.get("/", headers={"Accept": browser}, allow_redirects=False)
    assert reply.status_code == 303 and reply.headers["Location"] == "ui/" and "Accept" in reply.headers["Vary"]
    for accept in "*/*", "text/plain", "text/html;q=0.5, text/plain":
        assert service.get("/", headers={"Accept": accept}).text.startswith("coalesced")


def test_the_address_without_its_last_slash_leads_to_the_page(service):
    for query, kept in (("", ""), ("?lang=zh", "?lang=zh"), ("?lang=en", "?lang=en"), ("?lang=//other.example", "")):
        reply = service.get(f"/ui{query}", allow_redirects=False)
        assert reply.status_code == 303 and reply.headers["Location"] == f"ui/{kept}", query


def weight(service, name):
    with requests.get(f"{service.url}/ui/{name}", headers={"Accept-Encoding": "gzip"}, stream=True, timeout=20) as reply:
        raw = reply.raw.read(decode_content=False)
    assert reply.headers.get("Content-Encoding") == "gzip" or len(raw) < 400
    assert reply.headers.get("Content-Encoding") != "gzip" or gzip.decompress(raw)
    return len(raw)


def test_all_of_it_weighs_little(service):
    """All pages together; a lesson's text is a document, loaded by who opens that lesson, and by nobody else."""
    texts = [name for name in SCRIPTS if name.startswith("lessons/") and name != "lessons/list.js"]
    total = sum(weight(service, name) for name in ["", "assets/d3.js", *(f"assets/{name}" for name in [*SCRIPTS, *STYLES] if name not in texts)])
    assert total <= MOST_BYTES, total
    assert texts and all(weight(service, f"assets/{name}") <= MOST_LESSON_BYTES for name in texts)
    assert {found for name in SCRIPTS for found in re.findall(r"lessons/(\w+)\.js", code(name))} == {"list"}, "a lesson is loaded with another page"


def test_what_kernels_say_of_themselves_is_there_in_chinese(service):
    """All but formulas without words; each that is missing is named with its kernel's file."""
    def chinese(one, *names):
        return [name for name in names if not re.search("[\u4e00-\u9fff]", one.get("zh", {}).get(name, "")) and
                not one[name].startswith("STREAM") and (name != "text" or re.search("[a-z]{2,} [a-z]{2,}", one["text"]))]
    kernels = service.get("/v1/kernels").json()["kernels"]
    missing = {f"kernels/suite/{kernel['name']}.cu": without for kernel in kernels if (
        without := chinese(kernel, "title", "text", "lesson") + [
            f"text of {one['name']}" for one in kernel["parameters"] if not re.search("[\u4e00-\u9fff]", one.get("zh", {}).get("text", ""))])}
    assert missing == {}
    assert len(kernels) > 40


# ---- the sources ----

def code(name):
    """Without comments."""
    return re.sub(r"/\*.*?\*/", "", (WEB / name).read_text(), flags=re.S)


def test_nothing_is_fetched_from_elsewhere():
    for path in WEB.rglob("*.*"):
        addresses = set(re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}[^\s\"'`)]*", code(path.relative_to(WEB))))
        assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/2000/svg'"}, path


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_a_script_imports_is_there(name):
    for other in re.findall(r"(?:from|import) \"([^\"]+)\"", code(name)):
        path = ((WEB / name).parent / other).resolve()
        assert other.startswith(".") and (path.is_file() or path.relative_to(WEB.resolve()).as_posix() in MADE), other


@pytest.mark.parametrize("name", SCRIPTS)
def test_nothing_runs_that_the_policy_refuses(name):
    assert not re.search(r"\beval\(|new Function|innerHTML|insertAdjacentHTML|document\.write|setAttribute\(\"style\"", code(name))


def dictionary_text():
    """Of all pages, and of those scripts that bring their own words."""
    return "\n".join(code(name) for name in SCRIPTS if name == "words.js" or "\nwordsAdd({" in code(name))


def dictionary():
    return re.findall(r'^  "([\w.]+)": \[("(?:[^"\\]|\\.)*"), ("(?:[^"\\]|\\.)*")\],$', dictionary_text(), re.M)


def used():
    """Keys as they stand, and what keys that are put together begin with."""
    texts = [re.sub(r'^  "[\w.]+": \[.*\],$', "", code(name), flags=re.M) for name in SCRIPTS]
    keys = {key for text in texts for key in re.findall(r'"([a-z_]+(?:\.\w+)?)"', text)}
    begins = {key for text in texts for key in re.findall(r"`([a-z_]+(?:\.[a-z_]*)+)\$\{", text)}
    asked = {key for text in texts for key in re.findall(r'\b(?:t|parts|words\.parts|words\.t)\("([^"]+)"', text)}
    return keys, begins, asked


def test_the_dictionary_has_every_word_in_both_languages_and_no_other():
    entries = dictionary()
    names = [key for key, _, _ in entries]
    assert len(names) > 100 and len(names) == len(set(names)), [name for name in names if names.count(name) > 1]
    assert len(names) == len(re.findall(r'^  "[\w.]+": \["', dictionary_text(), re.M)), "an entry is written otherwise"
    keys, begins, asked = used()
    assert asked <= set(names), asked - set(names)
    begins.add("nav.")  # the bar's words; a page that comes takes its own
    unused = [name for name in names if name not in keys and not any(name.startswith(begin) for begin in begins)]
    assert not unused, unused
    for key, english, chinese in entries:
        values = [set(re.findall(r"\{(\w+)\}", text)) for text in (english, chinese)]
        assert values[0] == values[1], key
        assert "|" not in re.sub(r"\{\w+\|[^}|]*\|[^}|]*\}", "", english) and "|" not in chinese, key


def test_every_constant_of_a_device_has_its_words():
    told = re.findall(r'\] = \{"(\w+)", "', (WEB.parent / "kernels" / "calibrations" / "calibration.c").read_text())
    assert told and sorted(told) == sorted(key[len("constant."):] for key, _, _ in dictionary() if key.startswith("constant."))


def test_every_term_is_explained_in_both_languages():
    known = set(re.findall(r'^  "([^"]+)": \[\["[^"]+", "[^"]+"\], \["[^"]+", "[^"]+"\]\],$', "".join(code(script) for script in SCRIPTS if script.endswith("words.js")), re.M))
    assert len(known) >= 27
    asked = {name for script in SCRIPTS for name in re.findall(r'\bterm\("([^"]+)"', code(script))}
    assert asked <= known, asked - known
