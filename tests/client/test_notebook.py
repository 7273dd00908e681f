"""The code of docs/notebook.md, run as it stands there."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "http"))
from conftest import service  # noqa: E402, F401

TEXT = (pathlib.Path(__file__).parents[2] / "docs" / "notebook.md").read_text()


def test_its_code_makes_a_plot(service, tmp_path):  # noqa: F811
    try:
        import matplotlib  # noqa: F401
        import pandas  # noqa: F401
    except ImportError:
        pytest.skip("python3-pandas and python3-matplotlib are not both here")
    code = re.search(r"^```python\n(.*?)^```", TEXT, re.M | re.S).group(1).replace("http://127.0.0.1:8080", service.url)
    assert len(code.splitlines()) <= 15
    code += "\nassert len(table) == 18 and set(table['runs']) == {6} and not table['hot_ci95_low_us'].isna().any(), table\n"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120,
                          env={**os.environ, "MPLBACKEND": "Agg", "MPLCONFIGDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "offset.png").read_bytes().startswith(b"\x89PNG")
