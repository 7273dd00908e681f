"""What docs/model.md shows of the model's rivals is what was measured, and Nsight Compute's words are read rightly."""
import json
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import speed_of_light  # noqa: E402
import why  # noqa: E402

REPORT = ROOT / "bench/results/speed_of_light_h200.json"
BUSY = "SOLBottleneck: This workload is utilizing greater than 80.0% of the available compute or memory performance of the " \
       "device. To further improve performance, work will likely need to be shifted from the most utilized to another unit. "


def case(rule, limiter, second=None):
    return speed_of_light.trimmed({"model": {"limiter": limiter, "close_second": second, "counted": None},
                                   "ncu": {"rules": ["AchievedOccupancy: The difference.", rule],
                                           "metrics": {"Occupancy: Block Limit SM": "32 block",
                                                       "GPU Speed Of Light Throughput: DRAM Throughput": "68.14 %"}}})


@pytest.mark.parametrize("rule, said, agreeing", [
    (BUSY + "Start by analyzing DRAM in the Memory Workload Analysis section.", "DRAM", {"dram"}),
    (BUSY + "Start by analyzing L2 in the Memory Workload Analysis section.", "L2", {"ask"}),
    (BUSY + "Start by analyzing L1 in the Memory Workload Analysis section.", "L1", {"tag"}),
    (BUSY + "Start by analyzing workloads in the Compute Workload Analysis section.", "SM", {"issue"}),
    ("SOLBottleneck: This workload exhibits low compute throughput. Achieved compute throughput and/or memory bandwidth "
     "below 60.0% of peak typically indicate latency issues. Look at Scheduler Statistics.", "latency",
     {"latency", "lines", "launch"}),
    ("SOLBottleneck: Memory is more heavily utilized than Compute: Look at the Memory Workload Analysis section to identify "
     "the DRAM bottleneck. Check memory replay.", None, set()),
])
def test_one_word_is_made_of_a_rule(rule, said, agreeing):
    assert speed_of_light.verdict(case(rule, "dram")["ncu"]) == said
    for limiter in speed_of_light.SAME:
        wanted = "-" if said is None else "yes" if limiter in agreeing else "no"
        assert speed_of_light.agree(case(rule, limiter)) == wanted
        assert speed_of_light.agree(case(rule, "none of them", limiter)) == wanted


def test_no_more_is_kept_than_the_table_needs():
    kept = case(BUSY + "Start by analyzing DRAM in the Memory Workload Analysis section.", "dram")
    assert len(kept["ncu"]["rules"]) == len(kept["ncu"]["metrics"]) == 1
    assert "To further" not in kept["ncu"]["rules"][0]
    assert speed_of_light.trimmed(kept) == kept
    assert REPORT.stat().st_size < 40000


def test_the_table_is_that_of_the_report():
    document = (ROOT / "docs/model.md").read_text()
    begin, end = speed_of_light.MARKS
    shown = document.split(begin)[1].split(end)[0]
    assert shown == speed_of_light.table(json.loads(REPORT.read_text())), \
        "bench/speed_of_light.py --table bench/results/speed_of_light_h200.json --document docs/model.md writes it"


def test_the_roofline_is_the_floor_and_the_bytes_over_the_bandwidth():
    result = {"request": {"kernel": "copy"}, "bandwidth": {"requested_bytes": {"load": 2000000, "store": 2000000, "atomic": 7}},
              "time": {"predicted_us": 10.0, "measured_us": 10.0, "floor_us": 3.0, "limiter": "dram"}}
    rows, found = why.judged_beside([result], 1000.0)
    assert rows == [("copy", 10.0, 10.0, "dram")]
    assert found["all"]["median_error_pct"] == 0
    assert found["roofline_alone"]["all"] == {"experiments": 1, "within_10_pct": 0.0, "within_25_pct": 0.0,
                                              "median_error_pct": 30.0}
