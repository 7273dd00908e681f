"""`coalesce again`: the request of what is there, once more and changed."""
import json

import pytest
from command import FAILED, REFUSED, USAGE, coalesce
from conftest import BINARY, Service, service  # noqa: F401


@pytest.fixture(scope="module")
def interpreter(tmp_path_factory):
    """Runs kernels of one's own on the CPU, beside other tests that do: nothing is timed."""
    folder = tmp_path_factory.mktemp("again")
    running = Service(folder, "--executor-command", f"{BINARY} --executor", "--devices", "cpu", fake=False, environment={"XDG_RUNTIME_DIR": str(folder)})
    yield running
    running.stop()


def test_what_ended_is_run_again_with_other_values(service):
    again = lambda *words: json.loads(coalesce(service, "again", *words, "--json").stdout)  # noqa: E731
    one = json.loads(coalesce(service, "run", "read_offset", "offset=11", "size=2^16", "block=256", "label.who=ada", "measure.min_samples=20", "--json").stdout)
    same = again(one["id"])
    assert same["id"] != one["id"] and same["request"] == one["request"]
    larger = again(one["id"], "size=2^17", "block=128", "label.build=new", "measure.keep_samples=on")
    larger_id, larger = larger["id"], larger["request"]
    assert (larger["size"], larger["block"], larger["grid"]) == (131072, [128, 1, 1], [1024, 1, 1]), "the grid follows"
    assert larger["labels"] == {"who": "ada", "build": "new"} and larger["measure"]["keep_samples"] and larger["measure"]["min_samples"] == 20
    own = json.loads(coalesce(service, "run", "copy", "size=4096", "block=128", "grid=64", "--json").stdout)
    assert again(own["id"], "label.a=b")["request"]["grid"] == [64, 1, 1], "a grid of one's own stays"
    sweep = again(one["id"], "offset=0..2")
    assert sweep["request"]["offset"] == [0, 1, 2] and sweep["total"] == 3 and sweep["succeeded"] == 3
    rounds = again(sweep["id"], "repeat=2", "offset=0,5")
    assert rounds["total"] == 4 and rounds["request"]["offset"] == [0, 5] and rounds["succeeded"] == 4
    other = again(larger_id, "kernel=copy", "offset=null", "label.who=null", "measure.min_samples=null")["request"]
    assert other["kernel"] == "copy" and "offset" not in other and other["labels"] == {"build": "new"}
    assert other["measure"]["min_samples"] == 30
    assert "offset=-1" in coalesce(service, "again", one["id"], "offset=-1", expect=REFUSED).stderr
    for words in ["nope"], [one["id"], "offset"], [one["id"], "--x", "offset"]:
        coalesce(service, "again", *words, expect=USAGE)


def test_a_grid_that_does_not_cover_the_size_stays_and_is_told(service):
    one = json.loads(coalesce(service, "run", "grid_stride", "size=2^24", "grid=7", "--json").stdout)
    done = coalesce(service, "again", one["id"], "block=128", "--json")
    assert json.loads(done.stdout)["request"]["grid"] == [7, 1, 1] and "the grid stays 7" in done.stderr
    done = coalesce(service, "again", one["id"], "block=128", "grid=9", "--json")
    assert json.loads(done.stdout)["request"]["grid"] == [9, 1, 1] and "stays" not in done.stderr
    assert "stays" not in coalesce(service, "again", one["id"], "label.a=b").stderr


def test_shapes_stay_shapes_in_a_sweep(service):
    one = json.loads(coalesce(service, "run", "sum_matrix_2d", "size=64x32", "block=32x8", "--json").stdout)
    sweep = json.loads(coalesce(service, "again", one["id"], "order=row,column", "--json").stdout)
    assert sweep["total"] == sweep["succeeded"] == 2
    assert [point["values"].get("size", [64, 32]) for point in sweep["points"]] == [[64, 32], [64, 32]]
    assert sweep["request"]["block"] == [[32, 8, 1]]


def test_a_recipes_sweep_is_run_again_along_an_axis_of_the_recipe(service):
    sweep = json.loads(coalesce(service, "recipe", "read_segment_cached", "size=4096", "label.fake=counted", "--json").stdout)
    done = json.loads(coalesce(service, "again", sweep["id"], "--x", "offset", "size=8192", "--json").stdout)
    assert done["recipe"] == sweep["recipe"] and done["request"] == {**sweep["request"], "size": 8192}


def test_a_kernel_of_the_users_own_takes_its_arguments_names(interpreter, tmp_path):
    again = lambda *words: json.loads(coalesce(interpreter, "again", *words, "--json").stdout)["request"]  # noqa: E731
    path, members = tmp_path / "k.cu", tmp_path / "members.json"
    path.write_text("struct Q { int w; float by; };\n__global__ void k(float *out, int n, Q in) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in.w * in.by; }\n")
    members.write_text('{"arguments": [{"name": "out", "type": "f32", "elements": "n"}, {"name": "n", "value": "size"}, '
                       '{"name": "in", "fields": [{"name": "w", "type": "i32"}, {"name": "by", "type": "f32"}]}], "threads": "n"}')
    one = json.loads(coalesce(interpreter, "run", str(path), "n=64", "in.w=3", "in.by=2", "block=64", "--members", str(members), "--json").stdout)
    assert again(one["id"]) == one["request"]
    other = again(one["id"], "n=1000", "in.w=4")
    assert (other["size"], other["in.w"], other["in.by"], other["grid"]) == (1000, 4, 2, [16, 1, 1])
    assert again(one["id"], "size=500")["size"] == 500
    whole = again(one["id"], "n=null")
    assert (whole["size"], whole["grid"]) == (1 << 20, [1 << 14, 1, 1]), "the size's default"
    named = json.loads(coalesce(interpreter, "sweep", str(path), "n=64", "in.w=3,4", "in.by=2", "--members", str(members), "--json").stdout)
    sized = again(named["id"], "size=500")
    assert sized["size"] == 500 and "n" not in sized, "either of the two"
    compared = json.loads(coalesce(interpreter, "again", one["id"], f"reference={path}", "--json").stdout)
    larger = json.loads(coalesce(interpreter, "again", compared["id"], "n=2000", "--json").stdout)
    assert larger["correctness"]["verified"] and larger["request"]["grid"] == larger["request"]["reference"]["grid"] == [32, 1, 1]
    sweep = json.loads(coalesce(interpreter, "again", one["id"], "in.by=0.30000000000000004", "block=32,64", "--json").stdout)
    assert sweep["request"]["in.by"] == 0.30000000000000004 and sweep["succeeded"] == 2
    held = json.loads(coalesce(interpreter, "again", one["id"], f"reference={path}", "--json").stdout)["request"]
    other = json.loads(coalesce(interpreter, "again", one["id"], f"reference={path}", "reference.block=128", "--json").stdout)
    assert held["reference"]["kernel"] == other["request"]["reference"]["kernel"] and other["request"]["reference"]["block"] == [128, 1, 1]
    assert again(other["id"], "reference.block=256")["reference"] == {**other["request"]["reference"], "block": [256, 1, 1]}
    tolerant = json.loads(coalesce(interpreter, "again", compared["id"], "tolerance=0.5", "--json").stdout)
    assert tolerant["request"]["tolerance"] == 0.5
    alone = again(tolerant["id"], "reference=null")
    assert "reference" not in alone and "tolerance" not in alone, "which is of the reference"


def test_a_reference_follows_the_launch(interpreter, tmp_path):
    """Both add what the launch is: with another block than the kernel's the reference would be called different."""
    paths = []
    for name in "k", "other":
        paths.append(tmp_path / f"{name}.cu")
        paths[-1].write_text(f"__global__ void {name}(int *out, int n) {{ for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = blockDim.x + 4096 * gridDim.x; }}\n")
    done = lambda *words, expect=0: json.loads(coalesce(interpreter, *words, "--json", expect=expect).stdout)  # noqa: E731
    one = done("run", str(paths[0]), "n=1000", "block=256", f"reference={paths[1]}")
    for words in ("block=64",), ("grid=2",), ("n=3000",), ("block=64", "grid=3", "shared_bytes=64"):
        assert done("again", one["id"], *words)["correctness"]["verified"], words
    assert done("again", one["id"], "block=64,128")["succeeded"] == 2
    own = done("again", one["id"], "reference.block=256", "block=128", "grid=8", expect=FAILED)["request"]
    assert (own["block"], own["reference"]["block"]) == ([128, 1, 1], [256, 1, 1]), "one of its own stays"


@pytest.mark.parametrize("kernel, given, removed, grid", [("copy", "size=2^12", "size", 4096), ("copy", "block=64", "block", 4096), ("copy_width", "width=1", "width", 1024)])
def test_the_grid_follows_what_is_removed(service, kernel, given, removed, grid):
    one = json.loads(coalesce(service, "run", kernel, given, "--json").stdout)
    fresh = json.loads(coalesce(service, "run", kernel, "--json").stdout)["request"]
    assert fresh["grid"] == [grid, 1, 1] != one["request"]["grid"]
    assert json.loads(coalesce(service, "again", one["id"], f"{removed}=null", "--json").stdout)["request"] == fresh


def test_an_id_in_small_letters_is_that_id(service):
    one = json.loads(coalesce(service, "run", "copy", "size=2^16", "--json").stdout)["id"]
    assert json.loads(coalesce(service, "show", one.lower(), "--json").stdout)["id"] == one


def test_the_grid_follows_in_further_runs_too(service):
    one = json.loads(coalesce(service, "run", "copy", "size=2^18", "block=256", "--json").stdout)
    more = json.loads(coalesce(service, "again", one["id"], "repeat=2", "--json").stdout)
    assert "grid" not in more["request"]
    assert service.get(f"/v1/experiments?sweep={more['id']}").json()["experiments"][0]["request"]["placement"] == "new", "as of a run with repeat"
    fewer = json.loads(coalesce(service, "again", more["id"], "block=64", "--json").stdout)
    assert fewer["succeeded"] == 2
    fixed = json.loads(coalesce(service, "sweep", "grid_stride", "size=2^16", "grid=16", "block=64,128", "--json").stdout)["id"]
    assert "the grid stays 16" in coalesce(service, "again", fixed, "block=32").stderr
    assert "the grid stays" not in coalesce(service, "again", fixed, "label.who=me").stderr


@pytest.mark.parametrize("word, told", [("offest=null", "offest"), ("measure.nois=null", "measure.nois"), ("label.who=null", "labels.who")])
def test_what_the_request_has_not_is_not_removed(service, word, told):
    one = json.loads(coalesce(service, "run", "read_offset", "size=2^16", "--json").stdout)
    assert f"{told}=null: the request has no such value" in coalesce(service, "again", one["id"], word, expect=USAGE).stderr


def test_what_a_stored_kernel_has_not_is_told(interpreter, tmp_path):
    path = tmp_path / "k.cu"
    path.write_text("__global__ void k(float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = i; }\n")
    one = json.loads(coalesce(interpreter, "run", str(path), "n=100", "block=32", "grid=4", "--json").stdout)["id"]
    assert 'a number of blocks; the kernel is stored without "threads"' in coalesce(interpreter, "again", one, "grid=null", expect=REFUSED).stderr
    assert "cannot be changed for the stored kernel src-" in coalesce(interpreter, "again", one, "grid=null", "threads=n", expect=REFUSED).stderr
