"""Is a response what api/openapi.yaml says? As much of JSON Schema as that document uses."""
import pathlib
import re

import yaml

DOCUMENT = yaml.safe_load((pathlib.Path(__file__).parents[2] / "api" / "openapi.yaml").read_text())
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
         "null": type(None)}


def _follow(reference):
    node = DOCUMENT
    for part in reference[2:].split("/"):
        node = node[part]
    return node


def _is(value, name):
    if name in ("integer", "number") and isinstance(value, bool):
        return False
    return isinstance(value, TYPES[name])


def problems(value, schema, where="#"):
    """What is wrong with the value, as texts."""
    while "$ref" in schema:
        schema = _follow(schema["$ref"])
    if "oneOf" in schema:
        tries = [problems(value, one, where) for one in schema["oneOf"]]
        return [] if [] in tries else min(tries, key=len)
    wrong = []
    types = schema.get("type")
    if types and not any(_is(value, one) for one in ([types] if isinstance(types, str) else types)):
        return [f"{where}: {value!r} is no {types}"]
    if "const" in schema and value != schema["const"]:
        wrong.append(f"{where}: {value!r} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        wrong.append(f"{where}: {value!r} is not one of {schema['enum']}")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        wrong.append(f"{where}: {value!r} does not fit {schema['pattern']}")
    if isinstance(value, dict):
        wrong += [f"{where}: {name} is missing" for name in schema.get("required", []) if name not in value]
        for name, child in schema.get("properties", {}).items():
            if name in value:
                wrong += problems(value[name], child, f"{where}/{name}")
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            wrong += problems(item, schema["items"], f"{where}/{i}")
    return wrong


def operation(method, path):
    """The document's operation for that request, or None."""
    for pattern, item in DOCUMENT["paths"].items():
        if re.fullmatch(re.sub(r"\{[^}]*\}", "[^/]+", pattern), path):
            return item.get({"HEAD": "get"}.get(method, method.lower()))
    return None


def check(method, path, response):
    """Raises when the response is not what the contract says."""
    assert response.headers["Coalesced-Instance"]
    status, kind = str(response.status_code), response.headers.get("Content-Type")
    if response.status_code >= 400 and not path.startswith("/readyz"):
        assert kind == "application/problem+json", kind
        if method != "HEAD":
            document = response.json()
            assert not problems(document, {"$ref": "#/components/schemas/Problem"}), document
            assert document["status"] == response.status_code
            _follow(document["type"][len("/openapi.yaml"):])
        if response.status_code in (429, 503):
            assert int(response.headers["Retry-After"]) >= 1
    described = operation(method, path.partition("?")[0])
    if not described or status == "405" or (described.get("security") and status == "401"):
        return
    assert status in described["responses"], f"{method} {path}: {status} is not in the contract: {response.text}"
    answer = described["responses"][status]
    while "$ref" in answer:
        answer = _follow(answer["$ref"])
    if method == "HEAD" or "content" not in answer:
        return
    assert kind in answer["content"], kind
    if kind == "application/json":
        wrong = problems(response.json(), answer["content"][kind]["schema"])
        assert not wrong, wrong
