"""What does not change any more has an entity tag, and is sent compressed to who takes that."""
import gzip

import pytest
import requests

from conftest import SMALL


@pytest.fixture(scope="module")
def paths(service):
    experiment = "/v1/experiments/" + service.run()["id"]
    sweep = service.request("POST", "/v1/sweeps", json={**SMALL, "offset": list(range(100))}, headers={"Prefer": "wait=30"})
    assert sweep.json()["state"] == "succeeded"
    sweep = f"/v1/sweeps/{sweep.json()['id']}"
    return {"index": "/", "openapi": "/openapi.yaml", "kernels": "/v1/kernels", "kernel": "/v1/kernels/read_offset",
            "recipes": "/v1/recipes", "recipe": "/v1/recipes/aos_soa", "experiment": experiment, "sweep": sweep,
            "page": sweep + "?page_size=3&page_token=2", "table": sweep + ".csv"}


NAMES = ["index", "openapi", "kernels", "kernel", "recipes", "recipe", "experiment", "sweep", "page", "table"]


@pytest.mark.parametrize("name", NAMES)
def test_it_has_a_tag_and_is_not_sent_twice(service, paths, name):
    plain = {"Accept-Encoding": "identity"}
    first = service.get(paths[name], headers=plain)
    tag = first.headers["ETag"]
    assert tag.startswith('"') and first.headers["Cache-Control"] == "private, no-cache"
    assert "Accept-Encoding" in first.headers["Vary"]
    for method in "GET", "HEAD", "GET":
        again = service.request(method, paths[name], headers={**plain, "If-None-Match": f'"other", W/{tag}'})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    other = service.get(paths[name], headers={**plain, "If-None-Match": '"other"'})
    assert (other.status_code, other.content, other.headers["ETag"]) == (200, first.content, tag)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_compressed_for_who_takes_that(service, paths, name):
    plain = service.get(paths[name], headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    for _ in range(2):
        coded = requests.get(service.url + paths[name], headers={"Accept-Encoding": "gzip"}, stream=True, timeout=20)
        raw = coded.raw.read(decode_content=False)
        if "Content-Encoding" in coded.headers:
            assert coded.headers["Content-Encoding"] == "gzip" and coded.headers["ETag"] != plain.headers["ETag"]
            assert len(raw) < len(plain.content)
            raw = gzip.decompress(raw)
        else:
            assert len(plain.content) < 1024
        assert raw == plain.content
    tags = coded.headers["ETag"], plain.headers["ETag"]
    for accepted, statuses in ("gzip", (304, 200)), ("identity", (200, 304)):
        if tags[0] != tags[1]:
            assert tuple(service.get(paths[name], headers={"Accept-Encoding": accepted, "If-None-Match": tag}).status_code
                         for tag in tags) == statuses


def test_types_of_one_path_are_told_apart(service, paths):
    as_json, as_table = (service.get(paths["sweep"], headers={"Accept": accept}) for accept in ("application/json", "text/csv"))
    assert as_json.headers["ETag"] != as_table.headers["ETag"]
    assert as_json.json()["state"] == "succeeded" and as_table.text.startswith("index,")


def test_what_is_kept_is_not_sent_to_who_asks_otherwise(service, paths):
    path = paths["experiment"]
    assert service.get(path).status_code == 200
    assert service.get(path + "?wait=x").status_code == 400
    assert service.get(path + "?nope").status_code == 400
    assert service.get(path, headers={"Prefer": "wait=5"}).headers["Preference-Applied"] == "wait=5"
    assert service.get(path, headers={"Accept": "text/html"}).status_code == 406
    assert "Preference-Applied" not in service.get(path).headers


def test_what_has_not_ended_has_no_tag(service):
    where = service.post({**SMALL, "labels": {"fake": "sleep:4"}}).json()["links"]["self"]
    running = service.get(where)
    assert "ETag" not in running.headers and running.headers["Cache-Control"] == "no-store"
    assert "ETag" in service.get(where + "?wait=20").headers


def test_a_long_list_is_compressed_piece_by_piece(service, paths):
    accept = {"Accept": "text/csv"}
    plain = service.get("/v1/experiments", headers={**accept, "Accept-Encoding": "identity"})
    coded = service.get("/v1/experiments", headers={**accept, "Accept-Encoding": "gzip"})
    assert coded.headers["Content-Encoding"] == "gzip" and "Content-Encoding" not in plain.headers
    assert coded.text == plain.text and len(plain.content) > 32 << 10
