"""bench/fairness.py in short: nobody can hurt the others."""
import os
import pathlib
import sys

import pytest

from conftest import BINARY, HERE

sys.path.insert(0, str(HERE.parents[1] / "bench"))

import fairness  # noqa: E402

pytestmark = pytest.mark.slow

BUILD = pathlib.Path(os.environ.get("COALESCED_BUILD", pathlib.Path(BINARY).parent)).resolve()


def test_singles_begin_after_at_most_one_of_anothers_sweep():
    # Points that take longer than a commit on a busy machine: none begins between a request and its place in the queue.
    said = fairness.turns(BUILD, points=2000, others=3, seconds=0.5)
    assert said["singles"] == 3 and said["begun_before_most"] <= 1


def test_equal_demand_gets_equal_device_time_while_two_are_greedy():
    said = fairness.shares(BUILD, owners=8, greedy=2, seconds=4)
    assert said["jain"] >= 0.98 and said["refused"]["modest"] == 0, said
    assert said["refused"]["greedy"] > 0 and said["runs"] > 40, said


def test_jains_index_sees_one_who_has_all():
    assert fairness.jain([1, 1, 1, 1]) == 1 and fairness.jain([4, 0, 0, 0]) == 0.25
