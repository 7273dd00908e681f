"""`coalesce explain`: the sectors that a warp accesses, as text."""
import json

from command import coalesce
from conftest import service  # noqa: F401


def test_a_warp_is_drawn(service):
    text = coalesce(service, "explain", "read_offset", "offset=11", "arch=sm_90", "--ascii").stdout
    assert text.isascii()
    assert "load A[i + 11]: 5 sectors, 160 bytes moved, 128 used, 80 %" in text
    assert "byte 0       |        |...#####|########|########|  lanes 0 to 20" in text
    assert "byte 128     |########|###.....|        |        |  lanes 21 to 31" in text
    for words, lanes in (["sum_matrix_2d", "size=64x64", "order=column", "block=16x16"], "lanes 1, 17"), (["transpose", "how=naive_row", "size=64x64", "block=8x32"], "lanes 0 to 24 step 8"):
        assert f"  {lanes}\n" in coalesce(service, "explain", *words).stdout, "no lane between them"
    both = coalesce(service, "explain", "read_offset", "offset=11", "arch=sm_20,sm_90", "--ascii").stdout
    assert both.endswith("\n\n" + text) and both.count("\nAs sm_") == 2, "one after another"
    assert len(json.loads(coalesce(service, "explain", "copy", "arch=sm_20,sm_90", "--json").stdout)["predictions"]) == 2
