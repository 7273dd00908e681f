"""`coalesce again`: the request of what is there, once more and changed."""
import json

from command import REFUSED, USAGE, coalesce
from conftest import service  # noqa: F401


def test_what_ended_is_run_again_with_other_values(service):
    again = lambda *words: json.loads(coalesce(service, "again", *words, "--json").stdout)  # noqa: E731
    one = json.loads(coalesce(service, "run", "read_offset", "offset=11", "size=2^16", "block=256", "label.who=ada", "measure.min_samples=20", "--json").stdout)
    same = again(one["id"])
    assert same["id"] != one["id"] and same["request"] == one["request"]
    larger = again(one["id"], "size=2^17", "block=128", "label.build=new", "measure.keep_samples=on")["request"]
    assert (larger["size"], larger["block"], larger["grid"]) == (131072, [128, 1, 1], [1024, 1, 1]), "the grid follows"
    assert larger["labels"] == {"who": "ada", "build": "new"} and larger["measure"]["keep_samples"] and larger["measure"]["min_samples"] == 20
    own = json.loads(coalesce(service, "run", "copy", "size=4096", "block=128", "grid=64", "--json").stdout)
    assert again(own["id"], "label.a=b")["request"]["grid"] == [64, 1, 1], "a grid of one's own stays"
    sweep = again(one["id"], "offset=0..2")
    assert sweep["request"]["offset"] == [0, 1, 2] and sweep["total"] == 3 and sweep["succeeded"] == 3
    rounds = again(sweep["id"], "repeat=2", "offset=0,5")
    assert rounds["total"] == 4 and rounds["request"]["offset"] == [0, 5] and rounds["succeeded"] == 4
    assert "offset=-1" in coalesce(service, "again", one["id"], "offset=-1", expect=REFUSED).stderr
    for words in ["nope"], [one["id"], "offset"], [one["id"], "--x", "offset"]:
        coalesce(service, "again", *words, expect=USAGE)
