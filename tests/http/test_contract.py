"""api/openapi.yaml and the program say the same."""
import pathlib
import re

import yaml

import contract
from conftest import HERE

ROUTES = HERE.parents[1] / "server" / "routes"
METHODS = {"get", "post", "put", "patch", "delete"}


def routes():
    found = {}
    shared = "".join(path.read_text() for path in sorted(ROUTES.glob("*.c")))
    for path in sorted(ROUTES.glob("*_routes.c")):
        text = path.read_text()
        for method, pattern, rest in re.findall(r'\{"([A-Z]+)",\s*"([^"]+)",(.*?\.handle = \w+)\}', text, re.S):
            named = re.search(r"\.queries = (\w+)", rest)
            queries = named and re.search(named.group(1) + r"\[\] = \{([^}]*)\}", text + shared)
            found[method.lower(), pattern] = set(re.findall(r'"(\w+)"', queries.group(1))) if queries else set()
    return found


def operations():
    found = {}
    for pattern, item in contract.DOCUMENT["paths"].items():
        for method in METHODS & item.keys():
            parameters = [contract._follow(p["$ref"]) if "$ref" in p else p for p in item[method].get("parameters", [])]
            found[method, pattern] = {p["name"] for p in parameters if p.get("in") == "query"}
    return found


def test_every_route_is_in_the_contract_and_the_other_way_round():
    assert routes().keys() == operations().keys()


def test_both_name_the_same_query_parameters():
    assert routes() == operations()


def test_every_reference_leads_somewhere():
    text = (HERE.parents[1] / "api" / "openapi.yaml").read_text()
    for reference in re.findall(r'\$ref: "([^"]+)"', text):
        contract._follow(reference)


def test_the_document_that_is_served_is_the_one_of_the_sources(service):
    response = service.get("/openapi.yaml")
    assert response.headers["Content-Type"] == "application/yaml"
    assert yaml.safe_load(response.text) == contract.DOCUMENT


def test_every_problem_type_is_described():
    source = pathlib.Path(HERE.parents[1] / "api" / "problem.c").read_text()
    names = re.findall(r'\{\d{3}, "(\w+)"', source)
    assert len(names) >= 13
    for name in names:
        assert name in contract.DOCUMENT["components"]["responses"]


def test_a_member_that_is_not_in_the_contract_is_seen(service):
    """Planted at every object whose members are known, in real answers."""
    answers = [(service.run(), "Experiment"), (service.get("/v1/devices/0").json(), "Device"),
               (service.get("/v1/kernels/copy").json(), "Kernel")]
    for answer, name in answers:
        schema = {"$ref": f"#/components/schemas/{name}"}
        assert not contract.problems(answer, schema)
        for part in [answer, *(child for child in answer.values() if isinstance(child, dict))]:
            if part is answer.get("request"):
                continue  # holds the parameters of kernels that come later
            part["planted"] = 1
            assert any("planted" in wrong for wrong in contract.problems(answer, schema)), part
            del part["planted"]


def test_every_object_says_what_is_in_it():
    def walk(node, where):
        if isinstance(node, dict):
            if node.get("type") == "object" and where[-2:-1] != ("properties",) or node.get("type") == ["object", "null"]:
                assert "properties" in node or "additionalProperties" in node, where
            for name, child in node.items():
                walk(child, (*where, name))
        elif isinstance(node, list):
            for i, child in enumerate(node):
                walk(child, (*where, i))
    walk(contract.DOCUMENT, ())


def test_every_union_of_tagged_forms_has_a_discriminator():
    """All forms require the same member, and each has values of its own for it."""
    for name, schema in contract.DOCUMENT["components"]["schemas"].items():
        forms = [contract.whole(form) for form in schema.get("oneOf", [])]
        if not forms or any("properties" not in form for form in forms):
            continue
        shared = set.intersection(*(set(form.get("required", [])) for form in forms))
        values = {tag: [contract.whole(form["properties"][tag]).get("enum") for form in forms] for tag in shared}
        tags = [tag for tag, enums in values.items()
                if all(enums) and len(set().union(*enums)) == sum(len(set(enum)) for enum in enums)]
        for tag in tags:
            mapping = schema["discriminator"]["mapping"]
            assert schema["discriminator"]["propertyName"] == tag, name
            for value, target in mapping.items():
                assert value in contract.whole(contract.whole({"$ref": target})["properties"][tag])["enum"]


def test_the_parameters_that_the_contract_names_are_those_of_kernels(service):
    """A kernel may come with a parameter of a new name, but not with a known one of another type."""
    fields = contract.DOCUMENT["components"]["schemas"]
    request, sweep = fields["Request"]["properties"], fields["SweepFields"]["properties"]
    common = {"kernel", "dtype", "size", "block", "grid", "shared_bytes", "device", "measure", "counters", "transfers",
              "timeout_s", "priority", "labels", "placement", "repeat", "peer", "peer_uuid", "debug"}
    assert set(request) - {"kernel"} == set(sweep) - {"spread"}
    found = {}
    for kernel in service.get("/v1/kernels").json()["kernels"]:
        for parameter in kernel["parameters"]:
            found[parameter["name"]] = {"integer": "integer", "choice": "string"}[parameter["type"]]
            assert request.get(parameter["name"], {"type": found[parameter["name"]]})["type"] == found[parameter["name"]]
    assert set(request) - common <= set(found)
