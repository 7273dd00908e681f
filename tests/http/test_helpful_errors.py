"""What is refused says what would have been right: the name that was meant, the place where a list goes."""
import json

import pytest

from conftest import SMALL
from test_wrong_inputs import refused


@pytest.mark.parametrize("path, body, words", [
    pytest.param(path, body, words, id=f"{path[4:]} {json.dumps(body)[:60]}") for path, body, words in [
        ("/v1/experiments", {"kernel": "readoffset"}, ['did you mean \\"read_offset\\"']),
        ("/v1/predictions", {"kernel": "Copy", "arch": "sm_90"}, ['did you mean \\"copy\\"']),
        ("/v1/sweeps", {"kernel": ["copy", "readoffset"]}, ["#/kernel/1", 'did you mean \\"read_offset\\"']),
        ("/v1/experiments", {"kernel": "read_offset", "ofset": 11}, ['did you mean \\"offset\\"']),
        ("/v1/experiments", {"kernel": "copy", "timeout": 3}, ['did you mean \\"timeout_s\\"']),
        ("/v1/experiments", {"kernel": "copy", "measure": {"min_sample": 3}}, ['did you mean \\"min_samples\\"']),
        ("/v1/experiments", {"kernel": "copy", "load": "volatil"}, ['did you mean \\"volatile\\"', "default, ca"]),
        ("/v1/sweeps", {"recipe": "aossoa"}, ['did you mean \\"aos_soa\\"']),
        ("/v1/experiments", {"kernel": "read_offset", "offset": [0, 1, 2]}, ["#/offset", "integer", "/v1/sweeps"]),
        ("/v1/experiments", {"kernel": ["copy"]}, ["#/kernel", "string", "/v1/sweeps"]),
        ("/v1/experiments", {"kernel": "copy", "block": [128, 256, 512]}, ["#/block", "/v1/sweeps"]),
        ("/v1/sweeps", {"kernel": "read_offset", "offset": "0-128"}, ["#/offset", "an axis is a list of its values", "0..128"]),
        ("/v1/sweeps", {"kernel": "read_offset", "offset": "0..128 step 0"}, ["#/offset", "at least 1"]),
        ("/v1/experiments", {"kernel": "read_offset", "offset": "0..128"}, ["#/offset", "/v1/sweeps"]),
        ("/v1/experiments", {"kernel": "read_offset", "repat": 3}, ["#/repat", "did you mean", "repeat"]),
        ("/v1/experiments", {"kernel": "copy", "device_name": "NVIDIA H200"}, ["#/device_name", "is for POST /v1/predictions"]),
        ("/v1/predictions", {"kernel": "copy", "devicename": "NVIDIA H200"}, ['did you mean \\"device_name\\"']),
        ("/v1/predictions", {"kernel": "copy", "whatif": True}, ['did you mean \\"what_if\\"']),
        ("/v1/experiments", {"kernel": "copy", "host_timer": True}, ["#/host_timer", 'belongs into \\"measure\\"']),
        ("/v1/experiments", {"kernel": "copy", "debug": True}, ["#/debug", "of copy there is no build for a debugger", "but of sum_matrix_mix", "vector_add"]),
        ("/v1/experiments", {"kernel": "vector_add", "debug": "yes"}, ["#/debug", "must be true or false", "string"]),
        ("/v1/sweeps", {"kernel": "vector_add", "debug": [False, True]}, ["#/debug", "must be true or false", "array"]),
        ("/v1/experiments", {"kernel": "vector_add", "debgu": True}, ["#/debgu", 'did you mean \\"debug\\"']),
        ("/v1/predictions", {"kernel": "copy", "arch": 3.7}, ["#/arch", '\\"3.7\\"']),
        ("/v1/experiments", {"kernel": "copy", "size": "4M"}, ['is \\"4M\\" (write 4000000, or 4194304 in powers of 1024)']),
        ("/v1/experiments", {"kernel": "copy", "size": "64KiB"}, ['is \\"64KiB\\" (write 65536)"']),
        ("/v1/experiments", {"kernel": "copy", "size": "1MB"}, ['is \\"1MB\\" (write 1000000, or 1048576 in powers of 1024)"']),
        ("/v1/experiments", {"kernel": "copy", "size": "1.5Mi"}, ['is \\"1.5Mi\\" (write 1572864)"']),
        ("/v1/experiments", {"kernel": "copy", "size": "abc"}, ['"#/size: must be an integer, is \\"abc\\""']),
        ("/v1/experiments", {"kernel": "transpose", "size": "abc"}, ["#/size: transpose takes two numbers, rows and columns"]),
        ("/v1/sweeps", {"kernel": "read_offset", "offset": [0, "x"]}, ["#/offset/1", 'is \\"x\\"']),
        ("/v1/sweeps", {"kernel": "read_offset", "size": {"from": 1, "to": 9}}, ["#/size", "an axis is a list of its values"]),
    ]])
def test_a_refusal_says_what_would_have_been_right(service, path, body, words):
    refused(service.request("POST", path, json=body), 422, *words)


def test_what_is_no_slip_is_not_guessed_at(service):
    for body in ({"kernel": "warp_drive"}, {**SMALL, "zzz": 1}, {**SMALL, "zzz": [1]}, {**SMALL, "load": "slow"},
                 {**SMALL, "block": [256, 8]}):
        answer = service.post(body)
        assert "did you mean" not in answer.text and "/v1/sweeps" not in answer.text


def test_a_list_of_experiments_is_sent_to_sweeps(service):
    refused(service.post(json.dumps([SMALL, SMALL])), 400, "one JSON object", "/v1/sweeps")


def test_a_query_parameter_of_another_name_is_named(service):
    for query, word in (("limit=3", "page_size"), ("pagesize=3", "page_size"), ("cursor=x", "page_token"),
                        ("status=failed", "state"), ("kernle=copy", "kernel")):
        refused(service.get("/v1/experiments?" + query), 400, f'did you mean \\"{word}\\"')
    assert "did you mean" not in service.get("/v1/experiments?zzz=3").text


def test_an_address_of_what_is_not_there_names_what_was_meant(service):
    refused(service.get("/v1/kernels/readoffset"), 404, 'did you mean \\"read_offset\\"')
    refused(service.get("/v1/recipes/aos-soa"), 404, 'did you mean \\"aos_soa\\"')
