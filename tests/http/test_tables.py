"""Which columns and which rows: ?columns=, ?view=summary, tables as a reply to POST, filters by time, device and label."""
import csv
import datetime
import io
import json
import time

import pytest

from conftest import SMALL
from test_sweeps import accepted, refused, run, send, table

SWEEP = {**SMALL, "offset": [0, 1], "block": [[32, 1], [64]], "labels": {"who": "tables, \"all\""}}


def first_line(text):
    return next(csv.reader(io.StringIO(text, newline="")))


def test_a_table_has_the_columns_that_are_asked_for_in_their_order(service):
    sweep = run(service, SWEEP)
    whole = table(service.get(sweep["links"]["csv"]).text)
    wanted = ["hot_median_us", "offset", "id", "index"]
    for path, headers in ((sweep["links"]["csv"], {}), (sweep["links"]["self"], {"Accept": "text/csv"}),
                          (sweep["links"]["experiments"], {"Accept": "text/csv"})):
        text = service.get(path + ("&" if "?" in path else "?") + "columns=" + ",".join(wanted), headers=headers).text
        assert first_line(text) == wanted
        rows = sorted(table(text), key=lambda row: row["id"])
        for row, all_of_it in zip(rows, sorted(whole, key=lambda row: row["id"]), strict=True):
            for name in wanted[:3]:
                assert row[name] == all_of_it[name]


@pytest.mark.parametrize("columns, words", [
    ("hot_median", ["hot_median", "did you mean", "hot_median_us"]), ("id,,state", ['\\"\\"']), ("id,id", ["twice"]),
    ("id,", ['\\"\\"']), ("x" * 300, ["there is no column"])])
def test_a_wrong_column_is_told(service, columns, words):
    sweep = run(service, SWEEP)
    for path in (sweep["links"]["csv"], "/v1/experiments"):
        refused(service.get(path, params={"columns": columns}, headers={"Accept": "text/csv"}), 400, *words)
    before = service.get("/v1/sweeps?page_size=1").json()["sweeps"][0]["id"]
    refused(service.request("POST", "/v1/sweeps", params={"columns": columns}, json=SWEEP, headers={"Accept": "text/csv"}),
            400, *words)
    assert service.get("/v1/sweeps?page_size=1").json()["sweeps"][0]["id"] == before  # nothing was queued


def columns_of(service, view):
    return [column["name"] for column in service.get("/v1/columns").json()["columns"] if view in column["views"]]


def test_the_list_of_columns_is_the_header_of_the_tables(service):
    sweep = run(service, SWEEP)
    for path in (sweep["links"]["csv"], sweep["links"]["experiments"]):
        assert first_line(service.get(path, headers={"Accept": "text/csv"}).text) == columns_of(service, "runs")
    header = first_line(service.get(sweep["links"]["csv"] + "?view=summary").text)
    assert sorted(header) == sorted(columns_of(service, "summary") + ["offset", "block"])
    for view in ("runs", "summary"):
        for wanted in (columns_of(service, view), columns_of(service, view)[::-1]):
            asked = {"view": view, "columns": ",".join(wanted)}
            assert first_line(service.get(sweep["links"]["csv"], params=asked).text) == wanted


def test_a_wrong_name_finds_the_list_of_columns(service):
    refused(service.get("/v1/experiments?columns=nothing", headers={"Accept": "text/csv"}), 400, "GET /v1/columns")


def test_columns_are_of_tables_alone(service):
    sweep = run(service, SWEEP)
    for path in (sweep["links"]["self"], "/v1/experiments"):
        refused(service.get(path + "?columns=id"), 400, "text/csv")
    refused(service.get(sweep["links"]["csv"] + "?view=all"), 400, "runs or summary")


def test_a_summary_is_few_columns_and_a_row_a_point(service):
    sweep = run(service, SWEEP)
    text = service.get(sweep["links"]["csv"] + "?view=summary").text
    assert first_line(text)[:6] == ["index", "offset", "block", "state", "runs", "succeeded"]
    rows = table(text)
    assert [(row["offset"], row["block"]) for row in rows] == [("0", "32x1"), ("0", "64"), ("1", "32x1"), ("1", "64")]
    assert {row["state"] for row in rows} == {"succeeded"}
    assert {(row["hot_median_us"], row["hot_ci95_low_us"], row["hot_ci95_high_us"]) for row in rows} == {("1.7", "1.69", "1.72")}
    text = service.get(sweep["links"]["csv"] + "?view=summary&columns=hot_median_us,block").text
    assert text == "hot_median_us,block\r\n1.7,32x1\r\n1.7,64\r\n1.7,32x1\r\n1.7,64\r\n"
    page = service.get(sweep["links"]["self"] + "?view=summary").json()
    assert page["view"] == "summary" and len(page["points"]) == 4
    hot = page["points"][3]["hot"]
    assert (hot["interval_of"], hot["ci95_us"], hot["effective_gbps"]) == ("placement", [1.69, 1.72], 1.0)
    assert page["points"][3]["runs"]["asked"] == 1


def test_each_view_has_a_tag_of_its_own(service):
    sweep = run(service, SWEEP)
    tags = set()
    paths = [path + query for path in (sweep["links"]["self"], sweep["links"]["csv"])
             for query in ("?view=runs", "?view=summary")] + [sweep["links"]["csv"] + "?columns=id"]
    for path in paths:
        response = service.get(path)
        tags.add(response.headers["ETag"])
        assert service.get(path, headers={"If-None-Match": response.headers["ETag"]}).status_code == 304
    assert len(tags) == len(paths)


def test_the_table_is_the_reply_to_a_post_that_waits(service):
    response = send(service, SWEEP, Accept="text/csv", Prefer="wait=30")
    assert response.status_code == 200 and response.headers["Content-Type"] == "text/csv"
    rows = table(response.text)
    assert len(rows) == 4 and {row["state"] for row in rows} == {"succeeded"}
    response = service.request("POST", "/v1/sweeps", params={"view": "summary", "columns": "offset,hot_median_us"},
                               json={**SWEEP, "block": 64}, headers={"Accept": "text/csv", "Prefer": "wait=30"})
    assert response.text == "offset,hot_median_us\r\n0,1.7\r\n1,1.7\r\n"


def test_what_has_not_ended_is_told_in_json(service):
    for headers in ({}, {"Prefer": "wait=1"}):
        response = send(service, {**SWEEP, "labels": {"fake": "sleep:0.6"}}, Accept="text/csv", **headers)
        assert response.status_code == 202 and response.headers["Content-Type"] == "application/json"
        assert response.json()["total"] == 4
        service.delete(response.json()["links"]["self"])


def test_labels_sweep_and_what_is_off_are_in_the_table(service):
    sweep = run(service, SWEEP)
    row = table(service.get(sweep["links"]["csv"]).text)[0]
    assert json.loads(row["labels"]) == SWEEP["labels"]
    assert row["sweep"] == sweep["id"] and row["repeat_index"] == ""
    assert (row["hot_ci95_low_us"], row["hot_ci95_high_us"], row["hot_mean_us"], row["cold_stddev_us"]) == (
        "1.69", "1.72", "1.71", "0.1")
    one = service.run()
    row = table(service.get("/v1/experiments?page_size=1", headers={"Accept": "text/csv"}).text)[0]
    assert row["id"] == one["id"] and row["labels"] == row["sweep"] == ""
    sweep = run(service, {"recipe": "vector_add_blocks", "size": 4096})
    for row, point in zip(table(service.get(sweep["links"]["csv"]).text), sweep["points"], strict=True):
        assert json.loads(row["published_off"]) == point["published"]["off"]
        assert float(row["published_achieved_occupancy"]) == point["published"]["achieved_occupancy"]


def moment(seconds=0.0):
    return datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)


def ids(service, path, **query):
    response = service.get(path, params=query)
    assert response.status_code == 200, response.text
    return [one["id"] for one in response.json()[path.rpartition("/")[2]]]


def test_lists_are_of_a_period(service):
    """since is in it, until is not."""
    first = run(service, SWEEP)
    time.sleep(0.01)
    second = run(service, SWEEP)
    alone = service.run()["id"]
    begin, middle = first["submitted_at"], second["submitted_at"]
    later = moment(3600).isoformat()
    for query, sweeps in (({"since": begin}, [second["id"], first["id"]]), ({"since": middle}, [second["id"]]),
                          ({"since": begin, "until": middle}, [first["id"]]), ({"since": later}, []),
                          ({"since": middle, "until": middle}, [])):
        assert ids(service, "/v1/sweeps", **query) == sweeps, query
    assert len(ids(service, "/v1/experiments", since=middle)) == 5
    assert ids(service, "/v1/experiments", since=middle)[0] == alone
    assert len(ids(service, "/v1/experiments", since=begin, until=middle, label="who")) == 4
    assert len(ids(service, "/v1/experiments", since=middle, sweep=first["id"])) == 0
    assert first["id"] in ids(service, "/v1/sweeps", since=moment(-86400).date().isoformat())
    assert ids(service, "/v1/sweeps", until="2020-01-01") == []
    zone = datetime.timezone(datetime.timedelta(hours=-7, minutes=-30))
    shifted = datetime.datetime.fromisoformat(middle.replace("Z", "+00:00")).astimezone(zone).isoformat()
    assert ids(service, "/v1/sweeps", since=shifted) == [second["id"]]


@pytest.mark.parametrize("time", ["yesterday", "2026", "2026-13-01", "2026-02-30", "2026-02-03T25:00:00Z", "2026-02-03T04:05:06",
                                  "2026-02-03T04:05:06Zulu", "2026-02-03 04:05:06Z", "", "1969-01-01", "2026-02-03T04:05:06+1:00"])
def test_a_wrong_time_is_told(service, time):
    for path in ("/v1/sweeps", "/v1/experiments"):
        for name in ("since", "until"):
            refused(service.get(path, params={name: time}), 400, name, "2026-02-03T04:05:06Z")


def test_lists_are_of_a_device_and_a_label(service):
    sweep = run(service, {**SWEEP, "labels": {"only": "this"}})
    assert ids(service, "/v1/sweeps", label="only") == ids(service, "/v1/sweeps", label="only:this") == [sweep["id"]]
    assert ids(service, "/v1/sweeps", label="only:that") == ids(service, "/v1/sweeps", label="none") == []
    assert ids(service, "/v1/sweeps", label="only", device_uuid="fake", since=sweep["submitted_at"]) == [sweep["id"]]
    assert ids(service, "/v1/sweeps", device_uuid="another") == ids(service, "/v1/experiments", device_uuid="fak") == []
    assert len(ids(service, "/v1/experiments", device_uuid="fake", label="only")) == 4
    waiting = accepted(service, {**SWEEP, "labels": {"fake": "sleep:2"}})
    assert waiting["id"] not in ids(service, "/v1/sweeps", device_uuid="fake")  # nothing of it ran yet
    service.delete(waiting["links"]["self"])
    refused(service.get("/v1/sweeps?device_uuid="), 400, "device_uuid")
