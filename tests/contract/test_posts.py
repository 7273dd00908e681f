"""docs/posts.md: each statement of the posts is asked again by its request, and the answer is what its row expects.

How requests and expectations are written stands on top of the document; how they are evaluated, in tests/contract/statements.py. A row
whose verdict begins with "pending" is asked too: it fails once all that it expects is there, so that its verdict is mended."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "http"))
import statements  # noqa: E402
from conftest import BINARY, Service  # noqa: E402

DOCS = HERE.parents[1] / "docs"
ENGLISH, CHINESE = (statements.rows_of((DOCS / name).read_text()) for name in ("posts.md", "posts.zh.md"))
VERDICTS = {"holds": "成立", "holds when": "有条件成立", "held then": "当时成立", "is wrong because": "错误", "pending": "待补"}
PENDING = 0  # what the service cannot answer yet; to be lowered, never raised
QUICK = {"min_samples": 1, "max_seconds": 0.001}
# Recipes of more elements than a test can afford; what was published does not change with the size.
SMALL = {"vector_add_blocks": {"size": 65536}, "sum_matrix_blocks": {"size": [256, 256]}, "latency_hiding": {"size": 1024, "steps": 16}}


@pytest.fixture(scope="module")
def answer(tmp_path_factory):
    """answer(request) -> what the service says to it, on the CPU; each different request is sent once."""
    one = Service(tmp_path_factory.mktemp("posts"), "--devices", "cpu", fake=False)
    known = {}

    def ask(request):
        if request not in known:
            known[request] = sent(one, request)
        return known[request]

    yield ask
    assert one.stop() == 0


def sent(service, request):
    """An Answer, which may be a refusal."""
    words = statements.words_of(request)
    if words[0] == "coalesce":
        words += small_words(words)
        done = subprocess.run([str(pathlib.Path(BINARY).with_name("coalesce")), *words[1:]], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "COALESCED_URL": service.url, "LC_ALL": "C"})
        return statements.Answer(done.returncode in (0, 1), done.stdout)  # 1: a point failed, as it may have been published
    if words[0] == "open":
        page = service.get(words[1])
        lesson = service.get(words[1].replace("/ui/", "/ui/assets/") + ".js")
        text = lesson.content.decode().removeprefix("export default ").rstrip().removesuffix(";")
        return statements.Answer(page.status_code == lesson.status_code == 200, text)
    if len(words) == 2:
        found = service.get(words[1])
    else:
        found = service.request("POST", words[1], json=affordable(words[1], json.loads(words[2])), headers={"Prefer": "wait=60"})
    return statements.Answer(found.status_code == 200, found.content.decode())


def affordable(path, body):
    if path == "/v1/predictions":
        return body
    return {**body, **SMALL.get(body.get("recipe"), {}), "measure": QUICK}


def small_words(words):
    """What affordable() does to a body, for a line of the command."""
    if words[1] != "recipe":
        return []
    fields = {**SMALL.get(words[2], {}), **{f"measure.{name}": value for name, value in QUICK.items()}}
    return [f"{name}={statements.shape_text(value)}" for name, value in fields.items()]


def wrong_of(row, answer):
    """What of a row's expectations does not hold, as sentences."""
    found = answer(row["request"])
    if not found.accepted and not any(expectation.startswith("status ") for expectation in row["expect"]):
        return [f"refused: {found.text[:500]}"]
    return [f"{expectation}: {reason}" for expectation in row["expect"] if (reason := statements.reason_against(expectation, found))]


def verdict_of(row, verdicts):
    named = [verdict for verdict in sorted(verdicts, key=len, reverse=True) if row["verdict"].startswith(verdict)]
    return named[0] if named else row["verdict"]


def is_pending(row):
    return verdict_of(row, VERDICTS) == "pending"


@pytest.mark.parametrize("row", ENGLISH, ids=lambda row: row["id"])
def test_a_statement_is_asked_again_and_answered_as_expected(row, answer):
    wrong = wrong_of(row, answer)
    if not is_pending(row):
        assert not wrong, "\n".join(wrong)
    else:
        assert wrong, "all of it is there: its verdict is no longer pending"


def test_what_is_pending_becomes_less():
    pending = [f"{row['id']}: {row['verdict']}" for row in ENGLISH if is_pending(row)]
    print(f"{len(pending)} of {len(ENGLISH)} statements are pending:", *pending, sep="\n  ")
    assert len(pending) <= PENDING, "\n".join(pending)


def test_both_languages_ask_and_expect_the_same():
    assert [row["id"] for row in ENGLISH] == [row["id"] for row in CHINESE]
    for one, other in zip(ENGLISH, CHINESE):
        assert (one["request"], one["expect"]) == (other["request"], other["expect"]), one["id"]
        assert VERDICTS[verdict_of(one, VERDICTS)] == verdict_of(other, VERDICTS.values()), one["id"]


def test_each_row_is_whole_and_has_an_id_of_its_own():
    ids = [row["id"] for row in ENGLISH]
    assert len(set(ids)) == len(ids) and {name.partition("-")[0] for name in ids} == {"000", "001", "002", "003", "004"}
    for row in [*ENGLISH, *CHINESE]:
        assert re.fullmatch(r"00[0-4]-\d\d+", row["id"])
        assert row["where"] and row["says"] and row["request"] and row["expect"] and row["verdict"], row["id"]
    assert all(re.search("[\u4e00-\u9fff]", row["verdict"]) for row in CHINESE)


@pytest.mark.parametrize("request_, expectation", [
    ("ask /v1/predictions '{\"kernel\": \"read_offset\", \"offset\": 11, \"arch\": \"sm_20\"}'", "predictions[0].gld_transactions = 131071"),
    ("ask /v1/predictions '{\"kernel\": \"read_offset\", \"arch\": \"sm_99\"}'", "predictions[0].exact = true"),
    ("ask /v1/recipes/read_segment_cached/predictions", "points[offset=11].published.elapsed_ms < points[offset=0].published.elapsed_ms"),
    ("ask /v1/recipes/nope", "name = \"nope\""),
    ("open /ui/lessons/paths", "figures.c11[0] = 2"),
    ("open /ui/lessons/nope", "text has \"\"")])
def test_what_is_wrong_is_found(request_, expectation, answer):
    """A check that cannot fail is none."""
    assert wrong_of({"request": request_, "expect": [expectation]}, answer)
