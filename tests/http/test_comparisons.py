"""POST /v1/comparisons: two sides, matched by their points, and a verdict for each."""
import csv
import io
import json

import pytest

from conftest import SMALL

CSV = {"Accept": "text/csv"}
AROUND_10 = "time:10.00,10.02,9.98,10.01,9.99,10.00"
AROUND_9 = "time:9.00,9.02,8.98,9.01,8.99,9.00"


def compare(service, a, b, headers=None, **rest):
    return service.request("POST", "/v1/comparisons", data=json.dumps({"a": a, "b": b, **rest}),
                           headers={"Content-Type": "application/json", **(headers or {})})


def compared(service, a, b, times=False, **rest):
    """Without when they were measured, unless asked for: the sides here are measured one after the other."""
    response = compare(service, a, b, **rest)
    assert response.status_code == 200, response.text
    answer = response.json()
    return answer if times else {**answer, "differs": [one for one in answer["differs"] if one["field"] != "measured_at"]}


def ended(service):
    """Once everything has."""
    service.until(lambda: not any(service.get(f"/v1/experiments?state={state}").json()["experiments"] for state in ("queued", "running")))


def runs(service, side, how, count=6, more_labels=None, **fields):
    """Experiments with the label side, one after the other; their ids."""
    labels = {"side": side, **({"fake": how} if how else {}), **(more_labels or {})}
    ids = [service.post({**SMALL, **fields, "labels": labels}).json()["id"] for _ in range(count)]
    ended(service)
    return ids


def label(side):
    return {"labels": {"side": side}}


def test_a_clear_difference_gets_its_verdict_and_none_is_the_same(service):
    runs(service, "clear-a", AROUND_10)
    runs(service, "clear-b", AROUND_9)
    runs(service, "clear-c", AROUND_10.replace("time:", "time:10.00,"))
    answer = compared(service, label("clear-a"), label("clear-b"))
    assert answer["verdicts"] == {"better": 1, "worse": 0, "same": 0, "cannot_tell": 0}
    point = answer["points"][0]
    assert point["verdict"] == "better" and point["needs"] is None and abs(point["ratio"] - 10 / 9) < 0.002
    assert point["ratio_ci95"][0] < point["ratio"] < point["ratio_ci95"][1] and point["ratio_ci95"][0] > 1.1
    assert point["a"] == {"runs": 6, "unstable": 0, "placements": 6, "median_us": 10, "min_us": 9.98, "max_us": 10.02}
    assert answer["common"]["kernel"] == "read_offset" and point["values"] == {}
    assert answer["time"] == "cold" and answer["same_within"] == 0.005 and answer["differs"] == []
    assert answer["chance"] == {"points": 1, "expected": pytest.approx(0.0411, abs=1e-3)}
    assert answer["a"]["experiments"] == answer["a"]["runs"] == 6 and answer["a"]["only_here"]["count"] == 0

    assert compared(service, label("clear-b"), label("clear-a"))["points"][0]["verdict"] == "worse"
    assert compared(service, label("clear-a"), label("clear-c"))["points"][0]["verdict"] == "same"
    assert compared(service, label("clear-a"), label("clear-b"), same_within=0.2)["points"][0]["verdict"] == "same"
    hot = compared(service, label("clear-a"), label("clear-b"), time="hot")["points"][0]
    assert hot["a"]["median_us"] == 5 and hot["verdict"] == "better"


def test_too_few_runs_or_placements_cannot_tell_and_say_how_many_more(service):
    runs(service, "few-a", "time:10", count=4)
    runs(service, "few-b", "time:5", count=6)
    point = compared(service, label("few-a"), label("few-b"))["points"][0]
    assert point["verdict"] == "cannot_tell" and point["needs"]["code"] == "few_runs"
    assert (point["needs"]["a"], point["needs"]["b"]) == (1, 0) and point["ratio"] == 2

    runs(service, "kept-a", "time:10,10.1@one", count=8)
    point = compared(service, label("kept-a"), label("few-b"))["points"][0]
    assert point["verdict"] == "cannot_tell" and point["needs"]["code"] == "few_placements"
    assert point["a"]["runs"] == 8 and point["a"]["placements"] == 1 and point["needs"]["a"] == 4
    assert point["ratio_ci95"] == [None, None]

    runs(service, "unknown-a", None, count=6)  # as results of before there were placements
    point = compared(service, label("unknown-a"), label("few-b"))["points"][0]
    assert point["verdict"] == "cannot_tell" and point["a"]["placements"] == 1


def test_an_interval_that_is_too_wide_says_about_how_many_runs_it_takes(service):
    runs(service, "wide-a", "time:10,11,9,10.5,9.5")
    runs(service, "wide-b", "time:9.8,10.8,8.8,10.3,9.3")
    point = compared(service, label("wide-a"), label("wide-b"))["points"][0]
    assert point["verdict"] == "cannot_tell" and point["needs"]["code"] == "wide"
    assert 6 < point["needs"]["a"] <= 1000 and point["needs"]["a"] == point["needs"]["b"] and point["uneven"] is False


def test_a_ratio_that_the_two_medians_contradict_is_marked(service):
    runs(service, "uneven-a", "time:10,10,10,20,20", count=5)
    runs(service, "uneven-b", "time:10,10,20,20,20", count=5)
    point = compared(service, label("uneven-a"), label("uneven-b"))["points"][0]
    assert point["verdict"] == "cannot_tell" and point["uneven"] is True
    table = compare(service, label("uneven-a"), label("uneven-b"), headers=CSV).text
    assert [row["uneven"] for row in csv.DictReader(io.StringIO(table))] == ["true"]


def test_points_are_matched_by_what_was_asked_for_and_those_of_one_side_are_told(service):
    for offset in (1, 0, 3):
        runs(service, "match-a", "time:10,10.01,10.02", offset=offset, count=5, priority=3, timeout_s=20)
    for offset in (0, 1, 7):
        runs(service, "match-b", "time:10,10.01,10.02", offset=offset, count=5, measure={"noise": 0.02})
    answer = compared(service, label("match-a"), label("match-b"))
    assert [point["values"] for point in answer["points"]] == [{"offset": 1}, {"offset": 0}]
    assert answer["a"]["only_here"] == {"count": 1, "values": [{"offset": 3}]}
    assert answer["b"]["only_here"] == {"count": 1, "values": [{"offset": 7}]}
    assert answer["a"]["points"] == 3 and answer["verdicts"]["same"] == 2
    assert answer["differs"] == [{"field": "request.measure.noise", "a": [{"value": 0.01, "runs": 10}],
                                  "b": [{"value": 0.02, "runs": 10}]}]


def test_but_for_a_field_two_parts_of_one_sweep_are_matched(service):
    """The grid follows from the field, and is not held against it."""
    body = {"kernel": "read_offset_unroll", "size": [1024, 4096], "unroll": [2, 4], "labels": {"fake": "time:5,5.01"}}
    sweep = service.request("POST", "/v1/sweeps", data=json.dumps(body), headers={"Content-Type": "application/json"}).json()["id"]
    ended(service)
    a, b = ({"sweep": sweep, "where": {"unroll": unroll}} for unroll in (2, 4))
    alone = compared(service, a, b)
    assert alone["points"] == [] and alone["a"]["only_here"]["count"] == alone["b"]["only_here"]["count"] == 2
    assert alone["apart"] == [{"field": "unroll", "a": {"count": 1, "values": [2]}, "b": {"count": 1, "values": [4]}}]
    answer = compared(service, a, b, but_for=["unroll"])
    assert [point["values"] for point in answer["points"]] == [{"size": 1024}, {"size": 4096}]
    assert {"field": "request.unroll", "a": [{"value": 2, "runs": 2}], "b": [{"value": 4, "runs": 2}]} in answer["differs"]
    assert answer["but_for"] == ["unroll"] and "grid" not in answer["common"] and answer["apart"] == []
    assert answer["points"][0]["needs"]["a"] == 4


def test_where_takes_shapes_in_short(service):
    runs(service, "shape", "time:5", count=1, block=128)
    runs(service, "shape", "time:5", count=1, block=[256, 1, 1])
    for shape in (128, [128], [128, 1], [128, 1, 1]):
        answer = compared(service, {**label("shape"), "where": {"block": shape}},
                          {**label("shape"), "where": {"block": 256}}, but_for=["block"])
        assert answer["a"]["experiments"] == answer["b"]["experiments"] == 1 and len(answer["points"]) == 1
        assert answer["differs"][0]["a"] == [{"value": [128, 1, 1], "runs": 1}]


def test_a_side_is_what_all_of_its_members_say(service):
    first = runs(service, "members", "time:5", count=2, offset=1)
    service.run({**SMALL, "labels": {"side": "members", "more": "1"}})
    other = {"experiments": runs(service, "members-other", "time:5", count=1)}

    def count(side):
        response = compare(service, side, other)
        return response.json()["a"]["experiments"] if response.status_code == 200 else 0

    submitted = service.get("/v1/experiments?label=side:members").json()["experiments"]
    assert len(submitted) == 3
    assert count(label("members")) == 3
    assert count({"labels": {"side": "members", "more": "1"}}) == 1
    assert count({"labels": {"more": "1", "side": "members"}}) == 1
    assert count({**label("members"), "where": {"offset": 1}}) == 2
    assert count({**label("members"), "since": submitted[0]["submitted_at"]}) == 1
    assert count({**label("members"), "until": submitted[0]["submitted_at"]}) == 2
    assert count({**label("members"), "device": 0, "kernel": "read_offset"}) == 3
    assert count({**label("members"), "device": 1}) == count({**label("members"), "kernel": "copy"}) == 0
    assert count({**label("members"), "device_uuid": "fake"}) == 3
    assert count({**label("members"), "device_uuid": "other"}) == count({**label("members"), "owner": "ada"}) == 0
    assert count({"experiments": first + first}) == 2
    assert count({"experiments": first, "where": {"offset": 2}}) == 0


def test_what_did_not_go_well_is_counted_and_not_used(service):
    runs(service, "left-a", "time:5,5.01", count=5)
    runs(service, "left-a", "error:out_of_memory", count=2)
    runs(service, "left-a", "unstable:noise", count=3)
    runs(service, "left-b", "time:5,5.01", count=5)
    a = compared(service, label("left-a"), label("left-b"))["a"]
    assert (a["experiments"], a["runs"], a["unstable"]) == (10, 8, 3) and a["left_out"]["not_succeeded"] == 2
    a = compared(service, label("left-a"), label("left-b"), stable_only=True)["a"]
    assert (a["runs"], a["unstable"], a["left_out"]["unstable"]) == (5, 0, 3)


def test_of_turns_that_were_cancelled_nothing_counts_and_what_is_asked_for_again_does(service):
    turns = {"coalesced.turns": "t1"}
    runs(service, "cut-a", AROUND_10, count=6)
    runs(service, "cut-b", AROUND_9, count=6)
    runs(service, "cut-b", "time:1", count=6, more_labels=turns)
    assert compared(service, label("cut-a"), label("cut-b"))["b"]["runs"] == 12
    assert service.request("POST", "/v1/queue/pause").ok
    waits = service.post({**SMALL, "labels": {"who": "somebody", **turns}}).json()["id"]
    assert service.request("DELETE", f"/v1/experiments/{waits}").ok and service.request("POST", "/v1/queue/resume").ok
    b = compared(service, label("cut-a"), label("cut-b"))["b"]
    assert b["runs"] == 6 and b["left_out"]["cut_short"] == 6
    runs(service, "cut-b", AROUND_9, count=2, more_labels=turns)
    b = compared(service, label("cut-a"), label("cut-b"))["b"]
    assert b["runs"] == 8 and b["left_out"]["cut_short"] == 6


def test_what_differs_beside_is_said(start):
    service = start(environment={"FAKE_COMMIT": "one"})
    runs(service, "a", AROUND_10)
    service.stop()
    service = start(environment={"FAKE_COMMIT": "two"})
    runs(service, "b", AROUND_10)
    answer = compared(service, label("a"), label("b"), time="hot")
    assert list(answer)[0] == "differs"
    assert answer["differs"] == [{"field": "commit", "a": [{"value": "one", "runs": 6}], "b": [{"value": "two", "runs": 6}]}]
    assert answer["points"][0]["verdict"] == "same"
    # The same two builds on both sides, in other parts of their runs; then in the same ones.
    runs(service, "a", AROUND_10, count=2)
    service.stop()
    service = start(environment={"FAKE_COMMIT": "one"})
    runs(service, "b", AROUND_10, count=2)
    [differs] = compared(service, label("a"), label("b"), time="hot")["differs"]
    assert differs == {"field": "commit", "a": [{"value": "one", "runs": 6}, {"value": "two", "runs": 2}], "b": [{"value": "two", "runs": 6}, {"value": "one", "runs": 2}]}
    runs(service, "b", AROUND_10, count=4)
    service.stop()
    service = start(environment={"FAKE_COMMIT": "two"})
    runs(service, "a", AROUND_10, count=4)
    assert compared(service, label("a"), label("b"), time="hot")["differs"] == []


def test_sides_of_which_one_was_measured_before_the_other_say_so(service):
    runs(service, "late", None, 1, offset=7)  # of a point that is not compared
    a, b = runs(service, "early", None, 4), runs(service, "late", None, 4)
    [differs] = [one for one in compared(service, label("early"), label("late"), times=True)["differs"] if one["field"] == "measured_at"]
    for side, ids in ("a", a), ("b", b):
        ended_at = [service.get(f"/v1/experiments/{one}").json() for one in ids]
        assert differs[side] == [{"value": f"{ended_at[0]['started_at']}/{ended_at[-1]['finished_at']}", "runs": 4}]
    # However long the pauses were: the median of each side lies between runs of the other.
    mixed = compared(service, {"experiments": [a[0], a[3], b[0], b[3]]}, {"experiments": [a[1], a[2], b[1], b[2]]}, times=True)
    assert not any(one["field"] == "measured_at" for one in mixed["differs"]), "in turns"
    # Some late runs of both sides do not make them so.
    late_a, late_b = runs(service, "x", None, 1), runs(service, "y", None, 1)
    more = compared(service, {"experiments": a + late_a}, {"experiments": b + late_b}, times=True)
    assert any(one["field"] == "measured_at" for one in more["differs"])


def test_cold_times_of_other_executors_may_all_be_off_by_their_timers_level(start):
    service = start()
    runs(service, "a", "time:10.05,10.07,10.03,10.06,10.04,10.05")
    one = runs(service, "b", AROUND_10)
    answer = compared(service, label("a"), {"experiments": one}, same_within=0)
    assert (answer["points"][0]["verdict"], answer["apart_us"]) == ("better", 0)
    service.stop()
    service = start()
    other = runs(service, "b", AROUND_10)
    answer = compared(service, label("a"), {"experiments": other}, same_within=0)
    assert (answer["points"][0]["verdict"], answer["apart_us"]) == ("cannot_tell", 0.16)
    low, high = answer["points"][0]["ratio_ci95"]
    assert high - low > 2 * 0.16 / 10.1
    answer = compared(service, label("a"), {"experiments": other}, same_within=0, time="hot")
    assert (answer["points"][0]["verdict"], answer["apart_us"]) == ("better", 0)


def test_as_a_table_it_has_a_row_a_point(service):
    for side, how in (("table-a", AROUND_10), ("table-b", AROUND_9)):
        for offset in (0, 5):
            runs(service, side, how, offset=offset)
    response = compare(service, label("table-a"), label("table-b"), headers=CSV)
    assert response.headers["Content-Type"] == "text/csv"
    rows = list(csv.DictReader(io.StringIO(response.text)))
    assert [(row["offset"], row["verdict"], row["a_placements"]) for row in rows] == [("0", "better", "6"), ("5", "better", "6")]
    assert float(rows[0]["ratio_ci95_low"]) < float(rows[0]["ratio"]) < float(rows[0]["ratio_ci95_high"])
    assert rows[0]["kernel"] == "read_offset" and json.loads(rows[0]["block"]) == [512, 1, 1]
    assert rows[0]["needs_a"] == rows[0]["needs_code"] == "" and rows[0]["uneven"] == "false" and None not in rows[0]


NOBODY = "01M7YM65F54TJADP7Z58JCT8G6"
KNOWN = {"kernel": "read_offset"}


@pytest.mark.parametrize("body, pointer, words", [
    ({}, "#/a", "is required"),
    ({"a": KNOWN}, "#/b", "is required"),
    ({"a": [], "b": KNOWN}, "#/a", "must be an object"),
    ({"a": {}, "b": KNOWN}, "#/a", "names no experiments"),
    ({"a": {"where": {"offset": 0}}, "b": KNOWN}, "#/a", "names no experiments"),
    ({"a": {"sweeep": NOBODY}, "b": KNOWN}, "#/a/sweeep", 'did you mean "sweep"'),
    ({"a": {"sweep": NOBODY}, "b": KNOWN}, "#/a/sweep", "there is no sweep"),
    ({"a": KNOWN, "b": {"sweep": "x"}}, "#/b/sweep", "there is no sweep"),
    ({"a": {"sweep": 1}, "b": KNOWN}, "#/a/sweep", "must be a text, is an integer"),
    ({"a": {"experiments": [NOBODY]}, "b": KNOWN}, "#/a/experiments/0", "there is no experiment"),
    ({"a": {"experiments": []}, "b": KNOWN}, "#/a/experiments", "1 to 10000"),
    ({"a": {"experiments": [1]}, "b": KNOWN}, "#/a/experiments/0", "must be the id"),
    ({"a": {"labels": {"a b": "c"}}, "b": KNOWN}, "#/a/labels/a b", "a label's name"),
    ({"a": {"labels": {"unheard": "of"}}, "b": KNOWN}, "#/a", "there is no experiment that is all of this"),
    ({"a": {"device": -1}, "b": KNOWN}, "#/a/device", "number or the name"),
    ({"a": KNOWN, "b": {"device": "nobody"}}, "#/b/device", "no device of that name"),
    ({"a": {"since": "yesterday"}, "b": KNOWN}, "#/a/since", "2026"),
    ({"a": {"since": "2026-02-31T00:00:00Z"}, "b": KNOWN}, "#/a/since", "2026"),
    ({"a": {"until": "2026-11-21T06:41"}, "b": KNOWN}, "#/a/until", "must be a time"),
    ({"a": {**KNOWN, "where": {"ofset": 1}}, "b": KNOWN}, "#/a/where/ofset", 'did you mean "offset"'),
    ({"a": KNOWN, "b": KNOWN, "but_for": ["unrol"]}, "#/but_for/0", 'did you mean "unroll"'),
    ({"a": KNOWN, "b": KNOWN, "but_for": "unroll"}, "#/but_for", "must be a list"),
    ({"a": KNOWN, "b": KNOWN, "time": "warm"}, "#/time", "cold"),
    ({"a": KNOWN, "b": KNOWN, "same_within": 0.6}, "#/same_within", "0.5"),
    ({"a": KNOWN, "b": KNOWN, "same_within": "1 %"}, "#/same_within", "0.5"),
    ({"a": KNOWN, "b": KNOWN, "stable_only": 1}, "#/stable_only", "true or false"),
    ({"a": KNOWN, "b": KNOWN, "same": 0.1}, "#/same", "unknown field"),
    ({"a": KNOWN, "b": KNOWN}, "#/b", "nothing can be compared with itself"),
])
def test_what_is_wrong_is_told_with_its_field(service, body, pointer, words):
    runs(service, "wrong", None, count=1)
    response = service.request("POST", "/v1/comparisons", data=json.dumps(body), headers={"Content-Type": "application/json"})
    assert response.status_code == 422, response.text
    assert any(one["pointer"].replace("%20", " ") == pointer and words in one["detail"] for one in response.json()["errors"]), response.text


def test_what_is_no_comparison_at_all_is_told_what_one_looks_like(service):
    response = service.request("POST", "/v1/comparisons", data="", headers={"Content-Type": "application/json"})
    assert response.status_code == 400 and '"a"' in response.json()["detail"]
