"""tests/modules, by which ./test MODULE finds what is about a module, has every module and every test file."""
import pathlib

TESTS = pathlib.Path(__file__).parents[1]
ROOT = TESTS.parent


def rows():
    lines = [line.split() for line in (TESTS / "modules").read_text().splitlines() if line and not line.startswith("#")]
    return {module: names for module, *names in lines}


def test_every_module_is_a_folder_and_every_folder_a_module():
    assert [module for module in rows() if not (ROOT / module).is_dir()] == []
    folders = {path.relative_to(ROOT).as_posix() for top in ("kernels", "server") for path in (ROOT / top).iterdir() if path.is_dir()}
    assert folders - rows().keys() == set()


def test_every_name_is_a_test_file_and_every_test_file_is_named():
    files = {path.stem for path in TESTS.rglob("test_*.py")}
    named = {name for names in rows().values() for name in names}
    assert named - files == set(), "named in tests/modules, but not there"
    rules = {path.stem for path in (TESTS / "rules").glob("test_*.py")}  # most are about all modules
    assert files - named - rules == set(), "there, but not in tests/modules"
