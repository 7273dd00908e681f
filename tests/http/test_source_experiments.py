"""Kernels that users bring, run on the CPU device: what they wrote, whether that is what another kernel writes, and their faults."""
import hashlib
import signal
import struct

import pytest

from conftest import Service, token_line
from test_stored_kernels import As, secret

SCALE = """extern "C" __global__ void scale(const float *in, float *out, unsigned n, float by)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = by * in[i];
}
"""
INPUT = {"name": "in", "type": "f32", "elements": "n", "fill": "index"}
ARGUMENTS = [INPUT, {"name": "out", "type": "f32", "elements": "n"}, {"name": "n", "type": "u32", "value": "size"}, {"name": "by", "type": "f32"}]
DEFINITION = {"source": SCALE, "arguments": ARGUMENTS, "threads": "n"}
ASKED = {**DEFINITION, "n": 1000, "by": 0.5}
LOOP = """extern "C" __global__ void naive(const float *in, float *out, unsigned n, float by)
{
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = in[i] * by;
}
"""
USERS = {"rita": "read", "bob": "run", "eve": "run", "ada": "admin"}


def begin(directory, *flags):
    return Service(directory, "--devices", "cpu", *flags, fake=False)


@pytest.fixture(scope="module")
def interpreting(tmp_path_factory):
    one = begin(tmp_path_factory.mktemp("interpreting"))
    answer = one.request("POST", "/v1/predictions", json={**ASKED, "arch": "sm_90"})
    if answer.status_code == 503:
        one.stop(signal.SIGKILL)
        pytest.skip(f"no compiler: {answer.json()['detail']}")
    yield one
    assert one.stop() == 0


@pytest.fixture(scope="module")
def people(interpreting, tmp_path_factory):
    directory = tmp_path_factory.mktemp("people")
    tokens = directory / "tokens"
    tokens.write_text("".join(token_line(name, role, secret(name)) for name, role in USERS.items()))
    tokens.chmod(0o600)
    one = begin(directory, "--token-file", str(tokens))
    yield {name: As(one, name) for name in USERS}
    assert one.stop() == 0


def refused(service, **fields):
    answer = service.post(fields)
    assert answer.status_code == 422, answer.text
    return answer.json()["errors"]


def test_the_outputs_are_answered_and_nothing_is_called_correct(interpreting):
    made = interpreting.run({**ASKED, "show": {"out": "0..3"}, "labels": {"who": "ada"}})
    assert made["state"] == "succeeded" and made["request"]["kernel"].startswith("src-") and "source" not in made["request"]
    out, = made["outputs"]
    assert out["name"] == "out" and out["elements"] == out["elements_written"] == 1000
    assert out["shown"] == {"first": 0, "values": [0.0, 0.5, 1.0, 1.5]}
    assert out["sha256"] == hashlib.sha256(struct.pack("<1000f", *(i / 2 for i in range(1000)))).hexdigest()
    assert made["correctness"]["status"] == "not_requested" and "reference" in made["correctness"]["reason"]
    assert made["interpreter"]["blocks_run"] == made["interpreter"]["blocks"] == 4
    for part in ("timing", "bandwidth"):  # nothing that might be taken for a GPU's
        assert made[part]["status"] == "not_applicable"
    listed, = interpreting.get("/v1/experiments?label=who:ada").json()["experiments"]
    assert listed["kernel"] == made["request"]["kernel"] and listed["entry"] == made["entry"] == "scale"
    assert interpreting.get(f"/v1/experiments?kernel={listed['kernel']}").json()["experiments"]


def test_a_stored_kernel_runs_by_its_name(interpreting):
    name = As(interpreting, None).store(**DEFINITION)["name"]
    made = interpreting.run({"kernel": name, "n": 64, "by": 2, "show": {"out": 63}})
    assert made["outputs"][0]["shown"] == {"first": 63, "values": [126.0]}
    assert made["request"]["kernel"] == name and made["request"]["size"] == 64
    with_source = interpreting.run({**DEFINITION, "n": 64, "by": 2, "show": {"out": 63}})
    assert with_source["outputs"] == made["outputs"] and with_source["request"] == made["request"]


def test_what_a_reference_says_is_the_verdict(interpreting):
    reference = {"source": LOOP, "arguments": ARGUMENTS, "grid": 1, "block": 64}
    made = interpreting.run({**ASKED, "reference": reference})
    assert made["state"] == "succeeded" and made["correctness"]["verified"] and made["correctness"]["elements_checked"] == 1000
    assert made["request"]["reference"]["grid"] == [1, 1, 1] and made["request"]["reference"]["block"] == [64, 1, 1]
    wrong = interpreting.run({**ASKED, "source": SCALE.replace("by * in[i]", "i == 7 ? 5 : by * in[i]"), "reference": reference})
    assert wrong["state"] == "failed" and wrong["failure"]["kind"] == "incorrect"
    assert wrong["correctness"]["mismatches"] == 1 and wrong["correctness"]["max_abs_error"] == 1.5
    assert wrong["correctness"]["first_mismatch"] == {"buffer": "out", "index": 7, "outside": False, "expected": 3.5, "found": 5.0, "line": 5, "reference_line": 4}


def test_a_reference_without_arguments_has_those_of_the_kernel(interpreting):
    """Whether they were sent or are stored, and whether the reference is sent or stored."""
    store = As(interpreting, None).store
    other = LOOP.replace("*in,", "*from,").replace("in[i]", "from[i]")
    derived = store(source=LOOP)["name"]  # its `in` has another fill
    filled = [{**INPUT, "fill": {"modulo": 7}}, *ARGUMENTS[1:]]
    for kernel in ({**DEFINITION, "arguments": filled}, {"kernel": store(**{**DEFINITION, "arguments": filled})["name"]}):
        for reference in ({"source": other}, {"source": LOOP, "grid": 1}, {"kernel": derived}):
            made = interpreting.run({**kernel, "n": 1000, "by": 0.5, "show": {"out": "6..8"}, "reference": reference})
            assert made["state"] == "succeeded" and made["correctness"]["verified"], made
            assert made["outputs"][0]["shown"]["values"] == [3.0, 0.0, 0.5]
    own = {"kernel": store(source=LOOP, arguments=ARGUMENTS)["name"]}
    made = interpreting.run({**ASKED, "reference": own})
    assert made["request"]["reference"]["kernel"] == own["kernel"]  # the same ones: it stays what it is


def test_a_result_has_the_prediction_of_its_launch(interpreting):
    """The members of a suite kernel's result, with the counts that POST /v1/predictions gives."""
    uneven = {**ASKED, "source": SCALE.replace("in[i]", "in[i * 33 % n]")}
    made = interpreting.run(uneven)
    answer, = interpreting.request("POST", "/v1/predictions", json={**uneven, "arch": "sm_90"}).json()["predictions"]
    more = {"note"}  # that the model does not know the CPU
    assert {key: value for key, value in made["prediction"].items() if key not in more} == \
        {key: value for key, value in answer.items() if key not in more | {"lines", "occupancy", "time"}}
    assert made["prediction"]["gld_efficiency_pct"] < 20 and "sm_90" in made["prediction"]["note"]
    assert made["occupancy"] == answer["occupancy"] and made["time"]["status"] == "unavailable"
    suite = interpreting.run({"kernel": "copy", "size": 64})
    assert {"prediction", "occupancy", "time"} <= set(suite) & set(made)
    table = interpreting.get(f"/v1/experiments?kernel={made['request']['kernel']}&columns=predicted_gld_efficiency_pct,predicted_gld_transactions",
                             headers={"Accept": "text/csv"}).text.splitlines()
    assert [float(cell) for cell in table[1].split(",")] == [pytest.approx(made["prediction"]["gld_efficiency_pct"]), made["prediction"]["gld_sectors"]]


def test_of_a_launch_with_a_fault_nothing_is_predicted(interpreting):
    made = interpreting.run({**ASKED, "source": SCALE.replace("i < n", "i <= n")})
    assert made["prediction"]["status"] == "unavailable" and "had a fault" in made["prediction"]["reason"]


@pytest.mark.parametrize("tolerance, state", [(0, "failed"), (0.05, "failed"), (0.15, "succeeded")])
def test_values_may_differ_by_the_tolerance(interpreting, tolerance, state):
    near = {**ASKED, "source": SCALE.replace("by * in[i]", "by * in[i] + 0.1f")}
    made = interpreting.run({**near, "tolerance": tolerance, "reference": {"source": LOOP, "arguments": ARGUMENTS, "grid": 1}})
    assert made["state"] == state and 0.09 < made["correctness"]["max_abs_error"] < 0.11


def test_what_is_no_finite_number_is_told_from_what_nobody_wrote(interpreting):
    odd = SCALE.replace("by * in[i]", "i == 5 ? sqrtf(-1.0f - in[i]) : i == 6 ? 1.0f / (by - by) : i == 7 ? -1.0f / (by - by) : by * in[i]")
    made = interpreting.run({**ASKED, "source": odd, "show": {"out": "4..7"}, "reference": {"source": LOOP, "arguments": ARGUMENTS, "grid": 1}})
    assert made["outputs"][0]["shown"]["values"] == [2, "NaN", "Infinity", "-Infinity"]
    first = made["correctness"]["first_mismatch"]
    assert (first["index"], first["found"], first["expected"]) == (5, "NaN", 2.5) and first["line"] == 5
    turned = interpreting.run({**ASKED, "reference": {"source": odd, "arguments": ARGUMENTS}})["correctness"]["first_mismatch"]
    assert (turned["index"], turned["found"], turned["expected"]) == (5, 2.5, "NaN")


def test_an_element_that_only_the_reference_writes_is_missing(interpreting):
    made = interpreting.run({**ASKED, "source": SCALE.replace("i < n", "i < n - 1"), "show": {"out": "997..999"},
                             "reference": {"source": LOOP, "arguments": ARGUMENTS, "grid": 1}})
    assert made["correctness"]["mismatches"] == 1 and made["correctness"]["first_mismatch"]["found"] is None
    assert "line" not in made["correctness"]["first_mismatch"] and made["correctness"]["first_mismatch"]["reference_line"] == 4
    assert made["outputs"][0]["elements_written"] == 999 and made["outputs"][0]["shown"]["values"] == [498.5, 499.0, None]


@pytest.mark.parametrize("wrong, line, said", [
    (SCALE.replace("i < n", "i <= n"), 5, "in[1000] is loaded by thread (232, 0, 0) of block (3, 0, 0)"),
    (SCALE.replace("out[i] = by", "out[i] += by"), 5, "never written"),
    (SCALE.replace("out[i] = by", "out[i / 2] = by"), 5, "thread")])
def test_a_fault_is_the_answer_of_the_failed_experiment(interpreting, wrong, line, said):
    roles = [{**one, "role": "output"} if one["name"] == "out" else one for one in ARGUMENTS]  # also where the source reads it
    made = interpreting.run({**ASKED, "source": wrong, "arguments": roles, "reference": {"source": LOOP, "arguments": ARGUMENTS, "grid": 1}})
    assert made["state"] == "failed" and made["failure"]["kind"] == "incorrect"
    assert made["failure"]["detail"] == made["faults"][0]["detail"] and made["faults"][0]["line"] == line
    assert said in made["failure"]["detail"] and "verified" not in made["correctness"]


def test_a_fault_of_the_reference_is_said_to_be_that(interpreting):
    made = interpreting.run({**ASKED, "reference": {"source": LOOP.replace("i < n", "i <= n"), "arguments": ARGUMENTS, "grid": 1}})
    assert made["state"] == "failed" and made["failure"]["detail"].startswith("the reference: ") and made["faults"]


def test_a_launch_without_end_fails_by_its_time(interpreting):
    made = interpreting.run({**ASKED, "source": SCALE.replace("if (i < n)", "while (i < n)"), "timeout_s": 2})
    assert made["state"] == "failed" and made["failure"]["kind"] == "timed_out", made["failure"]
    assert interpreting.run(ASKED)["state"] == "succeeded"


@pytest.mark.parametrize("wrong, pointer", [
    ({"show": "out"}, "#/show"), ({"show": {"in": 0}}, "#/show/in"), ({"show": {"out": "0..1000"}}, "#/show/out"),
    ({"show": {"out": "0..5000"}}, "#/show/out"), ({"show": {"out": -1}}, "#/show/out"), ({"show": {"out": "0..9 step 3"}}, "#/show/out"),
    ({"tolerance": 1}, "#/tolerance"), ({"reference": "copy"}, "#/reference"), ({"reference": {}}, "#/reference/source"),
    ({"reference": {"kernel": "copy"}}, "#/reference/kernel"), ({"reference": {"kernel": "src-0123456789ab"}}, "#/reference/kernel"),
    ({"reference": {"source": LOOP, "arguments": ARGUMENTS, "n": 3}}, "#/reference/n"),
    ({"reference": {"source": LOOP.replace(", float by", "").replace("by", "2")}}, "#/reference/arguments"),
    ({"reference": {"source": LOOP.replace("in[i] *", "inn[i] *"), "arguments": ARGUMENTS, "grid": 1}}, "#/reference/source"),
    ({"reference": {"source": LOOP, "arguments": ARGUMENTS}, "tolerance": -1}, "#/tolerance"),
    ({"source": SCALE.replace("by * ", "bye * ")}, "#/source"), ({"offset": 1}, "#/offset"), ({"definition": {}}, "#/definition"),
    ({"entry": "scal"}, "#/entry"), ({"n": 0}, "#/n"), ({"n": 10**12}, "#/n"), ({"n": 1.5}, "#/n"), ({"n": 2**33}, "#/n"),
    ({"reference": {"source": LOOP, "entry": "nave", "arguments": ARGUMENTS}}, "#/reference/entry"),
    ({"repeat": 0}, "#/repeat"), ({"device": "far"}, "#/device"), ({"arch": "sm_90"}, "#/arch")])
def test_wrong_members_are_named(interpreting, wrong, pointer):
    errors = refused(interpreting, **{**ASKED, **wrong})
    assert any(error["pointer"] == pointer for error in errors), errors
    assert pointer == "#/size" or all(error["pointer"] != "#/size" for error in errors)


def test_what_is_not_executed_is_refused_with_its_line(interpreting):
    odd = SCALE.replace("    if (i < n)", '    unsigned odd;\n    asm volatile("mov.u32 %0, %%reserved_smem_offset_1;" : "=r"(odd));\n    if (i < n + odd)')
    answer = interpreting.request("POST", "/v1/predictions", json={**ASKED, "source": odd, "arch": "sm_90"})
    error, = answer.json()["errors"]
    assert error == {"pointer": "#/source", "line": 5, "detail": "%reserved_smem_offset_1 is not known"}
    assert interpreting.run({**ASKED, "source": odd})["failure"]["detail"] == "line 5: %reserved_smem_offset_1 is not known"


@pytest.mark.parametrize("arguments", [{}, {"arguments": ARGUMENTS}])
def test_a_mistyped_entry_is_wrong_at_the_entry(interpreting, arguments):
    two = SCALE + SCALE.replace("scale", "add").replace("by * ", "by + ")
    for path, more in (("experiments", {"n": 64, "by": 1}), ("predictions", {"n": 64, "by": 1}), ("kernels", {})):
        answer = interpreting.request("POST", f"/v1/{path}", json={"source": two, "entry": "scael", "threads": "n", **arguments, **more})
        error, = answer.json()["errors"]
        assert error == {"pointer": "#/entry", "detail": 'there is no __global__ function "scael": did you mean "scale"? there are: scale, add'}, path


@pytest.mark.parametrize("name", ["norm", "max"])
def test_a_kernel_with_the_name_of_one_of_cudas_functions_is_told_so(interpreting, name):
    answer = interpreting.request("POST", "/v1/predictions", json={**ASKED, "source": SCALE.replace('extern "C" ', "").replace("scale", name)})
    error, = answer.json()["errors"]
    assert error == {"pointer": "#/entry", "detail": f'"{name}" is also the name of another function, perhaps of CUDA\'s own: give the kernel another name'}


def test_what_is_for_sources_alone_is_refused_elsewhere(interpreting):
    assert refused(interpreting, kernel="copy", show={"C": 0})[0]["pointer"] == "#/show"
    assert interpreting.post({**ASKED, "source": "/" * 70000}).status_code == 413


def test_a_gpu_takes_no_source_yet(start):
    errors = refused(start(environment={"FAKE_BACKEND": "cuda"}), **ASKED)
    assert errors[0]["pointer"] == "#/device" and "CPU" in errors[0]["detail"]


def test_a_source_of_another_user_stays_theirs(people):
    name = people["bob"].store(**DEFINITION)["name"]
    for asked in ({"kernel": name}, {**DEFINITION, "reference": {"kernel": name}}):
        answer = people["eve"]("POST", "/v1/experiments", json={"n": 64, "by": 1, **asked})
        assert answer.status_code == 422 and "there is no kernel" in answer.json()["detail"]
    made = people["bob"]("POST", "/v1/experiments?", json={"kernel": name, "n": 64, "by": 1}).json()
    path = f"/v1/experiments/{made['id']}"
    assert people["eve"]("GET", path + "?wait=30").json()["state"] == "succeeded"  # everybody reads results
    for text in (people["eve"]("GET", path).text, people["eve"]("GET", "/v1/experiments").text):
        assert "blockIdx" not in text
    assert people["eve"]("GET", f"/v1/kernels/{name}").status_code == 404
    # What is used stays with its experiments, and is seen by who ran them.
    assert people["bob"]("DELETE", f"/v1/kernels/{name}").status_code == 204
    assert people["bob"].stored() == [] and people["bob"]("GET", f"/v1/kernels/{name}").json()["stored"] is False
    assert people["eve"]("GET", f"/v1/kernels/{name}").status_code == 404
    assert people["bob"]("DELETE", path + "?remove=true").status_code == 204
    assert people["eve"]("GET", f"/v1/kernels/{name}").status_code == 404


def test_what_waits_is_run_after_a_kill_though_its_kernel_was_deleted(tmp_path, interpreting):
    service = begin(tmp_path)
    try:
        anybody = As(service, None)
        assert service.request("POST", "/v1/queue/pause").status_code < 300
        naive = anybody.store(source=LOOP, arguments=ARGUMENTS)["name"]
        name = anybody.store(**DEFINITION)["name"]
        waiting = service.post({"kernel": name, "n": 64, "by": 3, "show": {"out": 63}, "reference": {"kernel": naive, "grid": 1}}).json()
        for one in (name, naive):
            assert anybody("DELETE", f"/v1/kernels/{one}").status_code == 204
    finally:
        service.stop(signal.SIGKILL)
    service = begin(tmp_path)
    try:
        assert service.request("POST", "/v1/queue/resume").status_code < 300
        made = service.get(f"/v1/experiments/{waiting['id']}?wait=40").json()
        assert made["state"] == "succeeded" and made["correctness"]["verified"], made
        assert made["outputs"][0]["shown"]["values"] == [189.0]
    finally:
        assert service.stop() == 0


def test_buffers_that_are_too_large_to_be_executed_are_not_called_wrong(interpreting):
    failed = interpreting.run({**ASKED, "n": 50_000_000})["failure"]
    assert failed["kind"] == "out_of_memory" and failed["detail"].startswith("not executed: the buffers hold more than 256 MiB")


def test_a_run_that_stores_nothing_says_so(interpreting):
    source = "__global__ void f(int *out, const int *in, int n) { out[threadIdx.x] = in[threadIdx.x] / (n - n); }"
    made = interpreting.run({"source": source, "n": 32, "block": 32, "grid": 1})
    assert made["outputs"][0]["elements_written"] == 0 and "no thread stored anything" in made["notes"][0]["detail"]
