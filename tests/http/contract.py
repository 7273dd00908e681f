"""Is a response what api/openapi.yaml says? As much of JSON Schema as that document uses."""
import pathlib
import re

import yaml

# libyaml's loader where it is: the one in Python takes a fifth of a second, of each file of tests.
DOCUMENT = yaml.load((pathlib.Path(__file__).parents[2] / "api" / "openapi.yaml").read_text(),
                     getattr(yaml, "CSafeLoader", yaml.SafeLoader))
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
         "null": type(None)}
_merged = {}  # by the id of the schema: (the schema, which must live as long as its id is used; what whole() made of it)


def _follow(reference):
    node = DOCUMENT
    for part in reference[2:].split("/"):
        node = node[part]
    return node


def _is(value, name):
    if name in ("integer", "number") and isinstance(value, bool):
        return False
    return isinstance(value, TYPES[name])


def whole(schema):
    """The schema with its references followed and what allOf puts together merged, once for each. It is not to be changed."""
    if id(schema) not in _merged:
        _merged[id(schema)] = schema, _whole(schema)
    return _merged[id(schema)][1]


def _whole(schema):
    parts = []
    if "$ref" in schema:
        parts.append(whole(_follow(schema["$ref"])))
    parts += [whole(part) for part in schema.get("allOf", [])]
    merged = {}
    for part in parts + [{name: value for name, value in schema.items() if name not in ("$ref", "allOf")}]:
        for name, value in part.items():
            if name == "properties":
                known = merged.setdefault("properties", {})
                for key, child in value.items():
                    known[key] = {"allOf": [known[key], child]} if key in known else child
            elif name == "required":
                merged["required"] = [*merged.get("required", []), *value]
            elif name in ("enum",) and name in merged:
                merged[name] = [one for one in merged[name] if one in value]
            else:
                merged[name] = value
    return merged


def _problems_of_union(value, schema, where):
    chooser = schema.get("discriminator")
    if chooser:
        tag = value.get(chooser["propertyName"]) if isinstance(value, dict) else None
        if tag not in chooser["mapping"]:
            return [f"{where}: {chooser['propertyName']} is {tag!r}"]
        (chosen,) = [one for one in schema["oneOf"] if one == {"$ref": chooser["mapping"][tag]}]
        return problems(value, chosen, where)
    kind = "oneOf" if "oneOf" in schema else "anyOf"
    tries = [problems(value, one, where) for one in schema[kind]]
    if kind == "oneOf" and tries.count([]) > 1:
        return [f"{where}: {value!r} is more than one of the forms"]
    return [] if [] in tries else min(tries, key=len)


def _problems_of_object(value, schema, where):
    wrong = [f"{where}: {name} is missing" for name in schema.get("required", []) if name not in value]
    names = schema.get("propertyNames", {}).get("pattern", "")
    others = schema.get("additionalProperties", "properties" not in schema)  # what is described is described in full
    for name, child in value.items():
        if not re.search(names, name):
            wrong.append(f"{where}: the name {name} does not fit {names}")
        if name in schema.get("properties", {}):
            wrong += problems(child, schema["properties"][name], f"{where}/{name}")
        elif isinstance(others, dict):
            wrong += problems(child, others, f"{where}/{name}")
        elif not others:
            wrong.append(f"{where}: {name} is not in the contract")
    return wrong


def problems(value, schema, where="#"):
    """What is wrong with the value, as texts. A member that an object's schema does not name is wrong: what the
    service answers is in the contract, though clients must bear with members that are new to them."""
    schema = whole(schema)
    if "oneOf" in schema or "anyOf" in schema:
        return _problems_of_union(value, schema, where)
    wrong = []
    types = schema.get("type")
    if types and not any(_is(value, one) for one in ([types] if isinstance(types, str) else types)):
        return [f"{where}: {value!r} is no {types}"]
    if "const" in schema and value != schema["const"]:
        wrong.append(f"{where}: {value!r} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        wrong.append(f"{where}: {value!r} is not one of {schema['enum']}")
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        wrong.append(f"{where}: {value!r} does not fit {schema['pattern']}")
    if isinstance(value, (int, float)) and not (
            schema.get("minimum", value) <= value <= schema.get("maximum", value)):
        wrong.append(f"{where}: {value!r} is out of its range")
    if isinstance(value, dict):
        wrong += _problems_of_object(value, schema, where)
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            wrong.append(f"{where}: {len(value)} items")
        for i, item in enumerate(value):
            wrong += problems(item, schema.get("items", {}), f"{where}/{i}")
    return wrong


def operation(method, path):
    """The document's operation for that request, or None."""
    for pattern, item in DOCUMENT["paths"].items():
        if re.fullmatch(re.sub(r"\{[^}]*\}", "[^/]+", pattern), path):
            return item.get({"HEAD": "get"}.get(method, method.lower()))
    return None


def queries():
    """The names of all query parameters."""
    parameters = [one for item in DOCUMENT["paths"].values() for part in item.values() for one in
                  (part if isinstance(part, list) else part.get("parameters", []))]
    parameters = [_follow(one["$ref"]) if "$ref" in one else one for one in parameters]
    return {one["name"] for one in parameters if one["in"] == "query"}


def check(method, path, response):
    """Raises when the response is not what the contract says."""
    assert response.headers["Coalesced-Instance"]
    name = _follow("#/components/headers/X-Request-Id")["schema"]["pattern"]
    assert re.fullmatch(name, response.headers["X-Request-Id"]), response.headers
    status, kind = str(response.status_code), response.headers.get("Content-Type")
    if response.status_code >= 400 and not path.startswith("/readyz"):
        assert kind == "application/problem+json", kind
        if method != "HEAD":
            document = response.json()
            wrong = problems(document, _follow("#/components/schemas/Problem"))
            assert not wrong, (wrong, document)
            assert document["status"] == response.status_code
            _follow(document["type"][len("/openapi.yaml"):])
        if response.status_code in (429, 503):
            assert int(response.headers["Retry-After"]) >= 1
    described = operation(method, path.partition("?")[0])
    anywhere = status in ("405", "421") or (status == "403" and (method == "HEAD" or response.json()["type"].endswith("/ForeignOrigin")))
    anywhere |= method != "HEAD" and status == "503" and kind == "application/problem+json" and response.json()["detail"] == "the service is stopping"
    if not described or anywhere or (described.get("security") and status == "401"):
        return
    assert status in described["responses"], f"{method} {path}: {status} is not in the contract: {response.text}"
    answer = described["responses"][status]
    while "$ref" in answer:
        answer = _follow(answer["$ref"])
    if status == "503" and method != "HEAD" and kind == "application/problem+json":
        assert f"`{response.json()['type'].rpartition('/')[2]}`" in answer["description"], response.text
    if method == "HEAD" or "content" not in answer:
        return
    assert kind in answer["content"], kind
    if kind == "application/json":
        wrong = problems(response.json(), answer["content"][kind]["schema"])
        assert not wrong, wrong
