"""Problem details in English and Chinese, by Accept-Language."""
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


@pytest.mark.parametrize("path, request_, errors", [
    ("/v1/experiments", {"kernel": "cpy"}, {"#/kernel": "没有内核"}),
    ("/v1/experiments", {"kernel": "read_offset", "ofset": 1, "size": 0, "dtype": "f16", "device": 77},
     {"#/ofset": "是否指 \"offset\"", "#/size": "不能小于 1", "#/dtype": "必须是", "#/device": "没有设备 77"}),
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
