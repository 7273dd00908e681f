"""What the commands print, in a pipe: plain lines, and with --json and --csv what the service said."""
import json
import re

import pytest
from command import CANNOT_TELL, FAILED, WORSE, NOWHERE, REFUSED, UNREACHABLE, UNSTABLE, USAGE, coalesce
from conftest import BINARY, service, start  # noqa: F401

SWEEP = ["sweep", "read_offset", "size=4096", "offset=0..3", "block=128,256"]


def first_word(text):
    return [line.split()[0] for line in text.splitlines() if line.strip()]


def test_a_run_is_one_experiment_as_it_was_asked_for(service):
    done = coalesce(service, "run", "read_offset", "offset=11", "size=2^16", "block=128", "label.who=ada", "--json")
    said = json.loads(done.stdout)
    assert said["state"] == "succeeded"
    assert said["request"]["offset"] == 11 and said["request"]["size"] == 65536 and said["request"]["labels"] == {"who": "ada"}
    assert done.stdout == service.get(f"/v1/experiments/{said['id']}").text
    plain = coalesce(service, "show", said["id"]).stdout
    assert "\t" not in plain and "\x1b" not in plain and "offset=11" in plain and "label.who=ada" in plain
    assert "1.70 (1.69 to 1.72)" in plain
    assert "output verified" in plain
    table = coalesce(service, "show", said["id"], "--csv").stdout.splitlines()
    assert len(table) == 2 and said["id"] in table[1]


def test_a_view_of_one_run_is_refused_before_it_runs(service):
    before = len(service.get("/v1/experiments").json()["experiments"])
    done = coalesce(service, "run", "copy", "size=4096", "--view", "summary", expect=USAGE)
    assert "of several runs" in done.stderr
    assert len(service.get("/v1/experiments").json()["experiments"]) == before
    assert coalesce(service, "run", "copy", "size=4096", "repeat=2", "--view", "summary").stdout.startswith("index,")


def test_a_sweep_is_a_table_and_a_plot(service):
    done = coalesce(service, *SWEEP)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("read_offset: 8 of 8 measured")
    assert lines[1].split()[:5] == ["offset", "block", "cold", "cold", "bandwidth"]
    assert [line.split()[:2] for line in lines[3:11]] == [[str(o), str(b)] for o in range(4) for b in (128, 256)]
    assert "GB/s, cold" in done.stdout and "● block 128  ○ block 256" in done.stdout
    assert done.stderr == ""
    identity = lines[11].split()[1]
    assert coalesce(service, "show", identity, "--json").stdout == service.get(f"/v1/sweeps/{identity}?page_size=500").text
    assert coalesce(service, "show", identity, "--csv").stdout == service.get(f"/v1/sweeps/{identity}.csv").text.replace("\r\n", "\n")
    assert "GB/s" in coalesce(service, "show", identity, "--no-plot").stdout
    assert "┤" not in coalesce(service, "show", identity, "--no-plot").stdout


def test_the_table_of_a_sweep_has_its_predicted_efficiencies(start, tmp_path):
    service = start("--executor-command", f"{BINARY} --executor", "--devices", "cpu", environment={"XDG_RUNTIME_DIR": str(tmp_path)})
    lines = coalesce(service, "sweep", "strided", "size=4096", "stride=1,2", "measure.max_seconds=0.05", "--no-plot").stdout.splitlines()
    loads, stores = lines[1].split().index("loads"), lines[1].split().index("stores")
    assert stores == loads + 1
    assert " 100.0   100.0" in lines[3] and " 50.00   100.0" in lines[4]


def test_an_interval_that_reaches_no_time_is_no_bandwidth_below_zero(service):
    plot = coalesce(service, *SWEEP, "label.fake=wide").stdout.split("\n\n")[1]
    assert "GB/s" in plot and not re.search(r"^ *-\d", plot, re.M), plot


def test_a_plot_may_be_ascii(service):
    text = coalesce(service, "sweep", "read_offset", "size=4096", "offset=0,1,2", "block=128,256", "--ascii", "--y", "hot_us").stdout
    assert text.isascii()
    plot = text.split("\n\n")[1].splitlines()
    assert plot[0] == "us, hot (part of the scale)" and plot[-2].strip() == "offset"
    assert plot[-1] == "  o block 128  x block 256" and plot[-3].split() == ["0", "1", "2"]


def test_more_points_than_a_page_has_come_as_one_document(service):
    done = coalesce(service, "sweep", "read_offset", "size=4096", "offset=0..599", "--json", timeout=120)
    said = json.loads(done.stdout)
    assert [point["values"]["offset"] for point in said["points"]] == list(range(600))
    assert said["next_page_token"] is None


def test_what_waits_is_found_again(service):
    identity = coalesce(service, "run", "copy", "size=4096", "-d").stdout.strip()
    assert "copy" in coalesce(service, "watch", identity).stdout
    assert identity in first_word(coalesce(service, "ls", "--kernel", "copy").stdout)
    assert identity in coalesce(service, "ls", "--csv", "-n", "500").stdout
    sweep = coalesce(service, "sweep", "copy", "size=4096,8192", "--detach").stdout.strip()
    coalesce(service, "watch", sweep)
    assert sweep in first_word(coalesce(service, "ls", "--sweeps").stdout)
    labelled = coalesce(service, "run", "copy", "size=4096", "label.a=b c", "-d").stdout.strip()
    assert first_word(coalesce(service, "ls", "--label", "a=b c").stdout)[1:] == [labelled]


def test_lists_and_pages_of_what_there_is(service):
    assert "read_offset" in first_word(coalesce(service, "kernels").stdout)
    kernel = coalesce(service, "kernels", "read_offset").stdout
    assert "  grid: blocks; at most as many as the device holds at once unless given\n" in coalesce(service, "kernels", "grid_stride").stdout
    assert "0 to size" in kernel and "default ca cg" in kernel
    for words, path in (["kernels"], "/v1/kernels"), (["devices"], "/v1/devices"), (["recipe"], "/v1/recipes"):
        assert coalesce(service, *words, "--json").stdout == service.get(path).text
    assert "Fake device" in coalesce(service, "devices").stdout
    assert "max_threads_per_block" in coalesce(service, "devices", "0").stdout
    assert "Fake device" in coalesce(service, "top").stdout
    assert "read_segment_cached" in first_word(coalesce(service, "recipe").stdout)


def test_predictions_stand_beside_each_other(service):
    lines = coalesce(service, "predict", "read_offset", "offset=11", "arch=sm_20,sm_90").stdout.splitlines()
    assert lines[2].split()[0:5] == ["sm_20", "65,536", "131,070", "lines", "50.00"] and "32,768 segments" in lines[2]
    assert lines[3].split()[0:5] == ["sm_90", "65,536", "327,676", "sectors", "80.00"] and "131,071 sectors" in lines[3]
    unknown = coalesce(service, "predict", "read_offset", "offset=11", "arch=sm_10,sm_12").stdout
    assert "nan" not in unknown and "half-warp segments" in unknown
    lines = coalesce(service, "predict", "read_offset", "arch=3.7,9.0,Tesla M2070").stdout.splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["sm_37", "sm_90", "sm_20"]  # which look like numbers, and are names
    atomic = coalesce(service, "predict", "atomic_add", "size=32", "block=32", "arch=sm_90").stdout
    assert "atomics" in atomic and "4 sectors" in atomic and "not exact: blocks were sampled, addresses depend on the contents of memory, there are atomic updates, or" in atomic
    assert "not exact" in coalesce(service, "explain", "atomic_add", "size=32").stdout and "counts from sm_12 on" in coalesce(service, "explain", "copy", "arch=sm_10").stdout
    noted = coalesce(service, "predict", "copy", "load=ca", "arch=sm_30,sm_37").stdout
    assert "atomics" not in noted and "sm_30: the architecture keeps no global loads in its L1" in noted and "sm_37:" not in noted
    shown = coalesce(service, "predict", "copy", "block=32", "what_if=off", "--device-name", "NVIDIA H200").stdout
    assert "Limited by the start of blocks" in shown and "what if" not in shown


def test_every_value_that_decides_is_shown(service):
    coalesce(service, "run", "grid_stride", "size=4096", "grid=2", "label.what=given")
    shown = coalesce(service, "run", "copy", "size=4096", "dtype=f64", "shared_bytes=64", "label.what=usual").stdout
    assert "size=4096 block=256 grid=16 load" in shown and "shared_bytes=64" in shown
    assert "grid=2x3" in coalesce(service, "run", "transpose", "size=96x64").stdout
    assert "block=256 size=4096 grid=2" in coalesce(service, "ls", "--label", "what=given").stdout
    assert "dtype=f64 shared_bytes=64 block=256 size=4096 grid=16" in coalesce(service, "ls", "--label", "what=usual").stdout


def test_an_export_is_the_file_that_was_named(service, tmp_path):
    identity = coalesce(service, *SWEEP, "-d").stdout.strip()
    coalesce(service, "watch", identity)
    coalesce(service, "export", identity, "-o", str(tmp_path / "table.csv"))
    assert (tmp_path / "table.csv").read_bytes().decode() == service.get(f"/v1/sweeps/{identity}.csv").text.replace("\r\n", "\n")
    coalesce(service, "export", identity, "-o", str(tmp_path / "none" / "table.csv"), expect=FAILED)
    coalesce(service, "export", identity, "-o", str(tmp_path / "all.json"))
    assert json.loads((tmp_path / "all.json").read_text())["id"] == identity
    refused = coalesce(service, "export", identity, "--view", "summary", "-o", str(tmp_path / "view.json"), expect=USAGE).stderr
    assert "is to hold JSON, and --view is of a table" in refused and not (tmp_path / "view.json").exists()


# What was typed, the exit status, and what is said of it.
WRONG = [
    (["nonsense"], USAGE, 'there is no command "nonsense"'),
    (["run"], USAGE, "run needs more"),
    (["run", "offset=1"], USAGE, "the first word is the kernel's name"),
    (["compare", "nosuch", "label.x=1"], USAGE, '"nosuch" is no id: coalesce ls has them'),
    (["sweep", "copy", "block=64..256", "step", "64"], USAGE, 'a range with a step is one word: "block=64..256 step 64"'),
    (["queue", "pause"], USAGE, '"pause" is one too many: did you mean coalesce pause?'),
    (["compare", "label.x", "label.x=1"], USAGE, '"label.x" is not name=value, as a parameter is written'),
    (["run", "copy", "size"], USAGE, '"size" is not name=value, as a parameter is written'),
    (["run", "copy", "--devise", "0"], USAGE, "there is no option --devise: did you mean --device?"),
    (["recip"], USAGE, "there is no command \"recip\": did you mean \"recipe\"?"),
    (["run", "copy", "--sweeps"], USAGE, "run does not take --sweeps"),
    (["run", "copy", "--json", "--csv"], USAGE, "do not go together"),
    (["show", "a", "b"], USAGE, '"b" is one too many: coalesce show'),
    (["ls", "sweeps"], USAGE, '"sweeps" is one too many: did you mean --sweeps?'),
    (["rn", "copy"], USAGE, 'there is no command "rn": did you mean "run"?'),
    (["ls", "--sweeps", "--kernel", "copy"], USAGE, "--kernel is of experiments: sweeps are found by state, label, owner"),
    (["ls", "--sweeps", "--csv"], USAGE, "no table"),
    (["ls", "--sweeps", "--state", "failed"], USAGE, "--state is one of: running succeeded finished cancelled"),
    (["ls", "--sweeps", "--state", "queued"], USAGE, "--state running finds all sweeps that have not ended"),
    (["ls", "--state", "finished"], USAGE, "--state is one of: queued running succeeded failed cancelled"),
    (["ls", "--csv", "--columns", "nope"], REFUSED, "the first line of the table without --columns lists them"),
    (["run", "copy", "size=4096", "--columns", "nope"], REFUSED, "the first line of the table without --columns lists them"),
    (["sweep", "copy", "size=64,128", "--columns", "nope"], REFUSED, "the first line of the table without --columns lists them"),
    (["explain", "copy", "warp=5"], USAGE, "is no field here: did you mean --warp 5?"),
    (["predict", "copy", "--arch", "sm_90"], USAGE, "a field of the request is given as arch=VALUE"),
    (["run", "copy", "size=0x10"], REFUSED, 'is "0x10"'),
    (["run", "copy", "size=99999999999999999999"], USAGE, "size: 99999999999999999999 is beyond a signed integer of 64 bits"),
    (["show", "../livez"], USAGE, "is no id"),
    (["ls", "-n", "0"], USAGE, "--limit, -n is a number from 1 to 10000"),
    (["ls", "--state", "done"], USAGE, "--state is one of: queued"),
    (["top", "--interval"], USAGE, "--interval needs a value"),
    (["show", "01M7YM65F54TJADP7Z58JCT8G6"], REFUSED, "404"),
    (["kernels", "a/b"], REFUSED, "404"),
    (["run", "read_ofset"], REFUSED, "read_ofset\n  ^^^^^^^^^^"),
    (["run", "sum_matrix_2d", "block=256x8", "ordr=row"], REFUSED, '  ordr=row\n  ^^^^^^^^ unknown field: did you mean "order"?'),
    (["run", "sum_matrix_2d", "block=256x8"], REFUSED, "  block=256x8\n  ^^^^^^^^^^^ 256 x 8 x 1 = 2048 threads a block"),
    (["run", "copy", "size=1..4"], REFUSED, "several values are an axis of a sweep: coalesce sweep copy ..."),
    (["predict", "copy", "size=1,4"], REFUSED, "a prediction is of one value of each parameter"),
    (["explain", "copy", "--warp", "99"], REFUSED, "  --warp: must be from 0 to 7"),
    (["explain", "copy", "explain.warp=99"], REFUSED, "explain.warp=99"),
    (["explain", "copy", "explain.bogus=1"], REFUSED, "explain.bogus=1"),
    (["explain", "copy", "--in-block", "axb"], REFUSED, "  --in-block: must be a whole number"),
    (["run", "copy", "measure.noise=7"], REFUSED, "  measure.noise=7\n  ^^^^^^^^^^^^^^^ "),
]


@pytest.mark.parametrize("words, status, said", WRONG, ids=[" ".join(row[0]) for row in WRONG])
def test_what_is_wrong_is_said_where_it_is(service, words, status, said):
    done = coalesce(service, *words, expect=status)
    assert said in done.stderr and done.stdout == ""


def test_each_end_has_a_status_of_its_own(service):
    coalesce(service, "run", "copy", "size=4096", "label.fake=error:crashed", expect=FAILED)
    coalesce(service, "run", "copy", "size=4096", "label.fake=unstable:noise")
    coalesce(service, "run", "copy", "size=4096", "label.fake=unstable:noise", "--strict", expect=UNSTABLE)
    coalesce(service, "sweep", "copy", "size=4096,8192", "label.fake=unstable:noise", "--strict", expect=UNSTABLE)
    coalesce(service, "sweep", "copy", "block=128,4096", expect=FAILED)
    said = coalesce(NOWHERE, "devices", expect=UNREACHABLE).stderr
    assert "Start it with `coalesced`" in said and "COALESCED_URL" in said
    for wrong in ("ftp://localhost", "foo:bar", "http://", "http://localhost:99999", "unix:relative"):
        coalesce(wrong, "devices", expect=USAGE)


def test_two_sides_are_compared(service):
    one, two = (coalesce(service, *SWEEP, "-d").stdout.strip() for _ in range(2))
    coalesce(service, "watch", one)
    coalesce(service, "watch", two)
    done = coalesce(service, "compare", one, two, expect=CANNOT_TELL)
    assert "8 cannot tell" in done.stdout and "differs" in done.stdout
    assert done.stdout.count("a verdict needs at least five runs") == 1 and "more runs" in done.stdout
    assert "\"more runs\": about how many more of A and of B may tell." in done.stdout
    assert coalesce(service, "compare", one, two, "--json", expect=CANNOT_TELL).stdout.startswith('{"differs"')
    ids = [coalesce(service, "run", "copy", "size=4096", "-d").stdout.strip() for _ in range(2)]
    for identity in ids:
        coalesce(service, "watch", identity)
    assert "1 cannot tell" in coalesce(service, "compare", *ids, expect=CANNOT_TELL).stdout


def test_of_placements_is_said_how_many_were_new(start, tmp_path):  # noqa: F811
    service = start("--executor-command", f"{BINARY} --executor", "--devices", "cpu", environment={"XDG_RUNTIME_DIR": str(tmp_path)})  # a lock of its own
    asked = "sweep", "copy", "size=8192,4096", "measure.max_seconds=0.01", "measure.quiet_s=0", "-d"
    one, two = (coalesce(service, *asked, *more).stdout.strip() for more in ([], ["repeat=2"]))
    for side in one, two:
        coalesce(service, "watch", side)
    said = coalesce(service, "compare", one, two, expect=CANNOT_TELL).stdout
    assert re.search(r"^placement differs: A placed anew for [01] of 2 runs; B placed anew for 4 of 4 runs$", said, re.M), said
    said = coalesce(service, "compare", one, two, expect=CANNOT_TELL, LANG="zh_CN.UTF-8", LC_CTYPE="C.UTF-8").stdout
    assert re.search(r"^placement 不同：A 重新放置 [01] 次，共 2 次运行；B 重新放置 4 次，共 4 次运行$", said, re.M), said


def test_where_no_point_is_on_both_sides_the_fields_that_keep_them_apart_are_said(service):
    def swept(*words):
        return json.loads(coalesce(service, "sweep", "copy", *words, "label.fake=time:100", "--json").stdout)["id"]
    compared = lambda *words, **more: coalesce(service, "compare", *words, expect=CANNOT_TELL, **more).stdout  # noqa: E731
    plain, cached = (swept("size=4096,8192", f"load={load}") for load in ("default", "ca"))
    said = compared(plain, cached)
    assert "Nothing differs" not in said and "no point is on both sides" in said
    assert said.endswith("load keeps the points apart: A default; B ca\n--but-for load compares points that differ in nothing else.\n"), said
    said = compared(plain, cached, LANG="zh_CN.UTF-8", LC_CTYPE="C.UTF-8")
    assert said.endswith("load 使两侧的测点不能配对：A default；B ca\n--but-for load 会比较其余字段都相同的测点。\n"), said
    assert "load differs" in compared(plain, cached, "--but-for", "load").replace("request.", "")
    said = compared(plain, swept("size=16384", "load=ca"), "--but-for", "load")
    assert "1 point is on side B alone\nsize keeps the points apart: A 4096, 8192; B 16384\n" in said and "load keeps" not in said and "\n--but-for load,size" in said
    mixed = [swept(f"size={size}", f"block={block}") for size, block in ((4096, 64), (8192, 32), (4096, 32), (8192, 64))]
    joined = compared("sweep:" + ".".join(mixed[:2]), "sweep:" + ".".join(mixed[2:]))
    assert joined.endswith("No single field keeps the points apart: their values are combined in other ways.\n"), joined
    many = [swept("size=4096", f"block=32..{32 * 25} step 32", f"load={load}") for load in ("default", "ca")]
    said = compared(*many)
    assert "25 points are on side B alone\nload keeps the points apart: A default; B ca\n--but" in said, said


def test_a_side_may_be_written_as_the_address_of_the_page_has_it(service):
    ids = [json.loads(coalesce(service, "sweep", "copy", "size=4096", "block=128,256", "label.who=ada", f"label.fake=time:{time}", "--json").stdout)["id"]
           for time in (100, 110)]
    def compared(*sides):
        return json.loads(coalesce(service, "compare", *sides, "--but-for", "block", "--json", expect=CANNOT_TELL).stdout)
    for pasted, typed in (f"sweep:{ids[0]},where.block:128", f"sweep={ids[0]},where.block=128"), ("kernel:copy,label:fake=time:100,where.block:128", "kernel=copy,label.fake=time:100,where.block=128"):
        one, other = (compared(side, f"sweep={ids[1]},where.block=256")["points"] for side in (pasted, typed))
        assert one == other and len(one) == 1
    joined = compared("sweep:" + ".".join(ids) + ",where.block:128", f"sweep:{ids[0]},where.block:256")
    assert joined["a"]["experiments"] == 2 and joined["b"]["experiments"] == 1
    runs = [one["id"] for one in service.get(f"/v1/experiments?sweep={ids[0]}").json()["experiments"]]
    assert len(compared(f"experiment:{runs[0]}", f"experiment:{runs[1]}")["points"]) == 1


# Medians of A and of B, what the command ends with, and the verdict that stands in its table.
PAIRS = [
    ([100, 101, 102, 100.5, 101.5, 100.2, 101.2], [110, 111, 112, 110.5, 111.5, 110.2, 111.2], WORSE, "▼ 1 worse"),
    ([110, 111, 112, 110.5, 111.5, 110.2, 111.2], [100, 101, 102, 100.5, 101.5, 100.2, 101.2], 0, "▲ 1 better"),
    ([100, 100.1, 100.2, 100.05, 100.15, 100.02], [100.1, 100, 100.2, 100.12, 100.08, 100.03], 0, "● 1 same"),
]


@pytest.mark.parametrize("a, b, status, verdict", PAIRS, ids=[row[3].split()[2] for row in PAIRS])
def test_a_comparison_ends_as_its_worst_verdict(service, a, b, status, verdict, tmp_path):
    sides = [coalesce(service, "run", "copy", "size=4096", f"repeat={len(times)}", "--json",
                      "label.fake=time:" + ",".join(map(str, times))).stdout for times in (a, b)]
    one, two = (json.loads(side)["id"] for side in sides)
    done = coalesce(service, "compare", one, two, expect=status)
    assert verdict in done.stdout and "left out" not in done.stdout, done.stdout
    table = coalesce(service, "compare", one, two, "--csv", expect=status).stdout.splitlines()
    assert len(table) == 2 and table[1].startswith(verdict.split()[2] + ",")
    assert json.loads(coalesce(service, "compare", one, two, "--stable-only", "--json", expect=status).stdout)["stable_only"] is True
    said = json.loads(coalesce(service, "compare", one, two, "--json", expect=status).stdout)
    assert said["points"][0]["verdict"] == verdict.split()[2] and said["points"][0]["a"]["placements"] == len(a)


def partly_measured(service):
    """The id of a sweep of 3 points in 4 rounds of which some runs are measured, and which is paused."""
    identity = coalesce(service, "sweep", "copy", "size=4096,8192,16384", "repeat=4", "label.fake=sleep:0.5", "-d").stdout.strip()
    one = lambda: service.get(f"/v1/sweeps/{identity}?page_size=1").json()  # noqa: E731
    service.until(lambda: one()["succeeded"] >= 2)
    assert service.request("POST", "/v1/queue/pause").ok
    service.until(lambda: not one()["running"])
    return identity, one()["succeeded"]


def test_of_a_cancelled_sweep_what_was_measured_counts_as_done(service):
    try:
        identity, measured = partly_measured(service)
        left = 12 - measured
        shown = coalesce(service, "show", identity).stdout
        assert shown.startswith(f"copy: 3 points, {measured} of 12 runs measured, {left} queued, paused, on ") and "running" not in shown
        listed = coalesce(service, "ls", "--sweeps", "-n", "1").stdout.splitlines()
        assert listed[1].split()[1:6] == ["paused", str(measured), "of", "12", "copy"]
        coalesce(service, "cancel", identity)
        shown = coalesce(service, "show", identity, expect=1).stdout
        assert shown.startswith(f"copy: 3 points, {measured} of 12 runs measured, {left} cancelled, on ")
        assert re.search(r"cancelled after [123] of 4 runs\n", shown) and "before it ran" not in shown, shown
        listed = coalesce(service, "ls", "--sweeps", "-n", "1").stdout.splitlines()
        assert listed[0].split()[2:] == ["measured", "request", "submitted", "cancelled"]
        assert listed[1].split()[1:8] == ["cancelled", str(measured), "of", "12", "copy", "repeat=4", "size=4096,8192,16384"]
        assert listed[1].split()[-1] == str(left)
    finally:
        assert service.request("POST", "/v1/queue/resume").ok


def test_repeats_tell_the_median_over_runs_with_its_interval(service):
    done = coalesce(service, "run", "copy", "size=4096", "repeat=7", "label.fake=time:10,20,30,40,50,60,70")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("copy: 1 point, 7 of 7 runs measured, on ") and lines[0].endswith("; median over runs and its 95 % interval")
    assert lines[3].split()[:2] == ["7", "40"]  # the cold one; hot is half of that
    loose = ("sweep", "copy", "size=4096,8192", "label.fake=unstable:noise", "--strict")  # the page has the same rule: web/sweep/sure.js
    often = coalesce(service, *loose, "repeat=6").stdout.splitlines()
    assert sum(line.endswith("runs vary") for line in often) == 2 and not [line for line in often if line.endswith("not stable")]
    assert "runs vary: single runs are not stable; the interval is over the runs of the point." in often
    assert coalesce(service, *loose, "repeat=5", expect=UNSTABLE).stdout.count("not stable") == 2
    few = coalesce(service, "run", "copy", "size=4096", "repeat=2").stdout
    assert "repeat=6 or more" in few
    listed = coalesce(service, "ls", "--sweeps", "-n", "1").stdout.splitlines()
    assert listed[0].split()[:4] == ["id", "state", "measured", "request"] and listed[1].split()[2:7] == ["2", "of", "2", "copy", "repeat=2"]


def test_what_a_comparison_leaves_out_is_told(service):
    loose, sure = ("run", "copy", "size=4096", "repeat=2", "--json", "label.fake=unstable:noise"), ("run", "copy", "size=4096", "repeat=2", "--json")
    one, two = (json.loads(coalesce(service, *words).stdout)["id"] for words in (loose, sure))
    said = coalesce(service, "compare", one, two, "--stable-only", expect=7).stdout
    assert "no point is on both sides\nA: 2 left out: not stable\n" in said and "B: " not in said, said


def test_nothing_is_compared_with_itself_and_that_alone_is_said(service):
    identity = coalesce(service, *SWEEP, "-d").stdout.strip()
    coalesce(service, "watch", identity)
    told = coalesce(service, "compare", identity, identity, expect=REFUSED).stderr
    assert f"  {identity}\n  {'^' * 26} a has 8 of its experiments" in told
    assert "no experiment" not in told
    assert told.count("8 of its") == 1


def test_columns_and_views_are_tables(service, tmp_path):
    identity = coalesce(service, *SWEEP, "--columns", "offset,block_x").stdout.splitlines()
    assert identity[0] == "offset,block_x" and identity[1] == "0,128" and len(identity) == 9
    identity = coalesce(service, *SWEEP, "-d").stdout.strip()
    coalesce(service, "watch", identity)
    path = f"/v1/sweeps/{identity}.csv?view=summary"
    assert coalesce(service, "show", identity, "--view", "summary").stdout == service.get(path).text.replace("\r\n", "\n")
    coalesce(service, "export", identity, "--view", "summary", "--columns", "offset,hot_median_us", "-o", str(tmp_path / "t"))
    assert (tmp_path / "t").read_bytes().decode() == service.get(path + "&columns=offset,hot_median_us").text.replace("\r\n", "\n")
    assert 'no column "nope"' in coalesce(service, "show", identity, "--columns", "nope", expect=REFUSED).stderr
    assert coalesce(service, "run", "copy", "size=4096", "repeat=2", "--view", "summary", "--columns", "succeeded").stdout == "succeeded\n2\n"
    newest = service.get("/v1/experiments?page_size=1").json()
    for words in (("run", "copy", "size=4096"), SWEEP):
        coalesce(service, *words, "--columns", "nope", expect=REFUSED)
    assert service.get("/v1/experiments?page_size=1").json() == newest, "nothing is measured for a table that is refused"
    assert coalesce(service, "ls", "--columns", "kernel", "-n", "2").stdout.splitlines()[0] == "kernel"
    one = service.get(f"/v1/experiments?sweep={identity}").json()["experiments"][0]["id"]
    assert coalesce(service, "show", one, "--columns", "id,kernel").stdout.splitlines() == ["id,kernel", f"{one},read_offset"]


def test_a_kernel_lists_its_types_and_a_size_of_tera_is_one(service):
    rows = {line.split()[0]: line for line in coalesce(service, "kernels", "read_offset").stdout.splitlines() if line}
    assert "f32 f64 i32" in rows["dtype"]
    said = coalesce(service, "run", "read_offset", "size=1T", expect=REFUSED).stderr
    assert "  size=1T\n" in said and "bytes" in said and "integer" not in said, "a number, and too large"
    assert 'did you mean "read_segment_cached"' in coalesce(service, "recipe", "read_segmnt", expect=REFUSED).stderr


def test_sweeps_are_found_by_what_the_service_knows_of_them(service):
    identity = coalesce(service, *SWEEP, "label.of=a b", "-d").stdout.strip()
    coalesce(service, "watch", identity)
    found = lambda *words: first_word(coalesce(service, "ls", "--sweeps", *words).stdout)[1:]  # noqa: E731
    assert found("--label", "of=a b") == [identity]
    assert identity in found("--device-uuid", "fake") and identity in found("--since", "2020-01-01")
    assert found("--until", "2001-01-01") == [] and found("--since", "2999-01-01") == []
    assert found("--device-uuid", "none") == []
    assert identity in found("--owner", "nobody") and found("--owner", "ada") == []


def test_a_plot_along_no_axis_is_told_and_the_table_is_there(service):
    done = coalesce(service, "show", coalesce(service, *SWEEP, "--no-plot").stdout.split()[-1], "--x", "nope")
    assert 'there is no axis "nope", but offset, block' in done.stderr
    assert "8 of 8 measured" in done.stdout and "┤" not in done.stdout


def test_a_plot_along_no_axis_is_refused_before_the_sweep_is_submitted(service):
    newest = service.get("/v1/sweeps?page_size=1").json()
    assert "--x is one of: offset block\n" in coalesce(service, *SWEEP, "counters=on", "--x", "nope", expect=USAGE).stderr
    assert "--x is one of: offset block device\n" in coalesce(service, *SWEEP, "--spread", "--x", "size", expect=USAGE).stderr
    assert "--x: the sweep has no axis" in coalesce(service, "sweep", "copy", "size=64", "--x", "size", expect=USAGE).stderr
    assert "--x is of the plot of a sweep" in coalesce(service, "run", "copy", "size=64", "--x", "size", expect=USAGE).stderr
    assert service.get("/v1/sweeps?page_size=1").json() == newest
    assert "8 of 8 measured" in coalesce(service, *SWEEP, "--spread", "--x", "device").stdout
    assert "└" in coalesce(service, *SWEEP, "--x", "block").stdout


def test_a_list_that_is_cut_says_so_into_a_file_too(service):
    coalesce(service, "sweep", "copy", "size=4096", "repeat=21")
    for form in [], ["--csv", "--columns", "id"]:
        listed = coalesce(service, "ls", *form)
        assert len(listed.stdout.splitlines()) == 21 and "there are older ones: -n N has more" in listed.stderr, form
        assert coalesce(service, "ls", "-n", "3", *form).stderr == ""


def test_the_service_may_listen_on_a_socket(start, tmp_path):  # noqa: F811
    start("--socket", str(tmp_path / "socket"))
    assert "Fake device" in coalesce(f"unix:{tmp_path}/socket", "devices").stdout


def test_kept_samples_are_shown_and_written(start, tmp_path):  # noqa: F811
    service = start("--executor-command", f"{BINARY} --executor", "--devices", "cpu")
    words = ["run", "copy", "size=4096", "measure.max_seconds=0.05", "--json"]
    one = json.loads(coalesce(service, *words, "measure.keep_samples=on").stdout)
    timing, path = one["timing"], f"/v1/experiments/{one['id']}/samples"
    rows = {line.split()[0]: line.split() for line in coalesce(service, "show", one["id"], "--samples").stdout.splitlines() if line.strip()}
    assert [int(rows[kind][1]) for kind in ("cold", "hot")] == [timing[kind]["samples"] for kind in ("cold", "hot")]
    assert coalesce(service, "show", one["id"], "--samples", "--json").stdout == service.get(path).text
    coalesce(service, "export", one["id"], "--samples", "-o", str(tmp_path / "samples.csv"))
    assert (tmp_path / "samples.csv").read_text().splitlines()[0] == "time,round,index,us"
    assert "placement" not in coalesce(service, "show", one["id"], "--samples", "--ascii").stdout
    assert "an interval holds where these arrays lie" in coalesce(service, "show", one["id"]).stdout
    none = json.loads(coalesce(service, *words).stdout)["id"]
    assert "keep_samples" in coalesce(service, "show", none, "--samples", expect=REFUSED).stderr
    sweep = coalesce(service, *SWEEP, "-d").stdout.strip()
    assert f"coalesce ls --sweep {sweep}" in coalesce(service, "show", sweep, "--samples", expect=USAGE).stderr
    coalesce(service, "cancel", sweep)


def test_a_result_begins_with_what_its_kernel_is_about(start):  # noqa: F811
    service = start("--executor-command", f"{BINARY} --executor", "--devices", "cpu")
    for words, unit in (["pointer_chase", "size=4096"], "ns a load"), (["ilp_chain", "size=4096"], "Gop/s"), (["copy", "size=4096"], "GB/s"):
        first = coalesce(service, "run", *words, "measure.max_seconds=0.05").stdout.splitlines()[0]
        assert first.startswith(f"{words[0]}: ") and f" {unit}, " in first, first
    table = coalesce(service, "sweep", "copy", "size=4096", "block=64,128", "measure.max_seconds=0.05").stdout
    assert "loads, stores: as the model predicts them.\n" in table
