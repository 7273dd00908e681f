"""Every example of the contract is what its schema says, by a validator that is not ours."""
import pathlib
import sys

import pytest

jsonschema = pytest.importorskip("jsonschema", reason="python3-jsonschema is not there")

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "http"))
import contract  # noqa: E402


def validator(schema):
    resolver = jsonschema.RefResolver("", contract.DOCUMENT)
    return jsonschema.Draft202012Validator(schema, resolver=resolver)


def examples():
    """(where, schema, value) of every example that stands beside a schema, or in one."""
    def walk(node, where):
        if isinstance(node, list):
            for i, child in enumerate(node):
                yield from walk(child, f"{where}/{i}")
        if not isinstance(node, dict):
            return
        if isinstance(node.get("schema"), dict):
            for name, example in (node.get("examples") or {}).items():
                yield f"{where}/{name}", node["schema"], example["value"]
            if "example" in node:
                yield where, node["schema"], node["example"]
        elif isinstance(node.get("examples"), list):
            for i, value in enumerate(node["examples"]):
                yield f"{where}/examples/{i}", node, value
        for name, child in node.items():
            yield from walk(child, f"{where}/{name}")
    return list(walk(contract.DOCUMENT, "#"))


def test_there_are_examples():
    assert len(examples()) >= 6


@pytest.mark.parametrize("schema, value", [pytest.param(schema, value, id=where) for where, schema, value in examples()])
def test_an_example_satisfies_its_schema(schema, value):
    wrong = [f"{'/'.join(map(str, error.absolute_path))}: {error.message}" for error in validator(schema).iter_errors(value)]
    assert not wrong
    assert not contract.problems(value, schema)


def test_every_schema_is_one():
    for name, schema in contract.DOCUMENT["components"]["schemas"].items():
        jsonschema.Draft202012Validator.check_schema(schema)
        assert validator(schema), name


@pytest.mark.parametrize("name, value", [
    ("Request", {}), ("Request", {"kernel": 1}), ("Request", {"kernel": "copy", "offset": "11"}),
    ("Request", {"kernel": "copy", "size": [1, 2, 3]}), ("SweepRequest", {"size": 1}),
    ("SweepRequest", {"kernel": "copy", "offset": [[1]]}), ("Missing", {"status": "gone", "reason": ""}),
    ("Experiment", {"state": "succeeded"}), ("Counters", {"status": "measured"})])
def test_what_is_wrong_is_found(name, value):
    """By both validators: a check that cannot fail is none."""
    schema = {"$ref": f"#/components/schemas/{name}"}
    assert list(validator(schema).iter_errors(value))
    assert contract.problems(value, schema)
