"""Problem details in English and Chinese, by Accept-Language."""
import re

import pytest

ZH = {"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8"}


def chinese(text):
    return any("\u4e00" <= letter <= "\u9fff" for letter in text)


@pytest.mark.parametrize("wanted, language", [
    (None, "en"), ("en", "en"), ("fr", "en"), ("zh", "zh"), ("zh-TW;q=0.5, en;q=0.4", "zh"), ("en, zh;q=0.9", "en"), ("*", "en"),
    ("zh;q=0", "en"), ("de, zh;q=0.1", "zh"),
])
def test_the_language_is_the_one_that_weighs_more(service, wanted, language):
    reply = service.get("/v1/experiments/none", headers={"Accept-Language": wanted})
    assert reply.status_code == 404 and reply.headers["Content-Language"] == language
    assert "Accept-Language" in reply.headers["Vary"]
    assert chinese(reply.json()["title"]) == chinese(reply.json()["detail"]) == (language == "zh")


KERNEL, NEVER = {"kernel": "copy"}, "01ARZ3NDEKTSV4RRFFQ69G5FAV"
WRONG_BODIES = [{"kernel": "zzzzzzzzz"}, {"kernel": "cpy"}, [1], {}, {"recipe": "zzzzzz"}, *({**KERNEL, **wrong} for wrong in (
    {"qqqqqqq": 1}, {"sise": 1}, {"load": "x"}, {"load": "cgs"}, {"load": "0..5"}, {"load": ["cg", "qq"]}, {"block": 2000}, {"block": [2, 3]}, {"device": {"arhc": "x"}},
    {"device": {"qqqqqqq": "x"}}, {"device": "nope"}, {"device": 99}, {"measure": {"qqqqqqqq": 1}}, {"measure": {"noize": 1}}, {"dtype": "f16"}, {"size": [1, 2]},
    {"size": "x"}, {"size": "5..1"}, {"labels": {"a b": "x"}}, {"counters": ["a b"]}, {"grid": [1]}, {"spread": True}, {"arch": "zz"}, {"arch": "sm_09"}, {"arch": "K81"}))]
WRONG_SIDES = [{"a": {}}, {"a": {"qqqqq": 1}, "b": {"swep": 1}}, {"qqqqqqqq": 1}, {"a": {"sweep": NEVER}, "b": {"sweep": "x"}}, {"a": {"where": {"offst": 1}}, "b": {"where": 5}}]
WRONG_PATHS = ["/v1/kernels/zzzzzzzz", "/v1/kernels/cpy", "/v1/recipes/zzzzzzzzz", "/v1/devices/zzzz", f"/v1/experiments/{NEVER}", "/v1/occupancy", "/v1/occupancy?arch=zz",
               "/v1/occupancy?arch=sm_90&block=9999", "/v1/columns?table=zzz", "/nope", "/v1/removals?removed_by=*", *(f"/v1/experiments?{query}" for query in (
                   "qqqqqqqq=1", "statt=1", "state=qqqqqqqq", "state=runing", "page_size=0", "label=x y", "columns=zzzzzz", "since=x", "device=zzzzz", "kernel=cpy", "owner=*"))]
TABLE = {**ZH, "Accept": "text/csv"}


def test_no_refusal_in_chinese_has_the_punctuation_of_english(service):
    """Nor English between names. What stands in quotes is a client's, what stands in brackets is JSON."""
    replies = [service.request("POST", f"/v1/{name}", json=body, headers=ZH) for body in WRONG_BODIES for name in ("experiments", "sweeps", "predictions")]
    replies += [service.request("POST", "/v1/comparisons", json=body, headers=ZH) for body in WRONG_SIDES]
    replies += [service.get(path, headers=ZH) for path in WRONG_PATHS]
    replies += [service.get(f"/v1/experiments?columns={columns}", headers=TABLE) for columns in ("zzzzzz", "cold_medan_us", "offset,offset")]
    wrong = [reply.json() for reply in replies if reply.status_code >= 400]
    told = {text for one in wrong for text in (one["title"], one.get("detail", ""), *(error["detail"] for error in one.get("errors", []))) if text}
    assert len(told) > 80 and all(chinese(text) for text in told), [text for text in told if not chinese(text)]
    plain = {re.sub(r'"[^"]*"|[\[{].*?[\]}]', '""', text): text for text in told}
    assert [text for bare, text in plain.items() if re.search(r"[\u4e00-\u9fff”）] ?[;,:!?]|[;,:!?] ?[\u4e00-\u9fff“（]| and | or ", bare)] == []


@pytest.mark.parametrize("path, request_, errors", [
    ("/v1/experiments", {"kernel": "cpy"}, {"#/kernel": "没有内核"}),
    ("/v1/experiments", {"kernel": "read_offset", "ofset": 1, "size": 0, "dtype": "f16", "device": 77},
     {"#/ofset": "是否指 \"offset\"", "#/size": "不能小于 1", "#/dtype": "接受 f32、f64、i32", "#/device": "没有设备 77"}),
    ("/v1/experiments", {"kernel": "copy", "block": 4096}, {"#/block": "4096"}),
    ("/v1/sweeps", {"kernel": "read_offset", "offset": "5..1"}, {"#/offset": "范围 5..1 为空"}),
    ("/v1/comparisons", {"a": {}}, {"#/a": "没有指明实验", "#/b": "必填"}),
    ("/v1/predictions", {"kernel": "copy", "arch": "sm_1"}, {"#/arch": "模型"}),
])
def test_each_wrong_field_is_explained_in_chinese(service, path, request_, errors):
    reply = service.request("POST", path, json=request_, headers=ZH)
    assert reply.status_code == 422, reply.text
    told = {error["pointer"]: error["detail"] for error in reply.json()["errors"]}
    for pointer, words in errors.items():
        assert words in told[pointer] and chinese(told[pointer])
    english = service.request("POST", path, json=request_).json()["errors"]
    assert [error["pointer"] for error in english] == list(told) and not any(chinese(error["detail"]) for error in english)
