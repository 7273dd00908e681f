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
    for path in ROUTES.glob("*/*.c"):
        text = path.read_text()
        method = re.search(r'\.method = "(\w+)"', text).group(1).lower()
        pattern = re.search(r'\.pattern = "([^"]+)"', text).group(1)
        queries = re.search(r"queries\[\] = \{([^}]*)\}", text)
        found[method, pattern] = set(re.findall(r'"(\w+)"', queries.group(1))) if queries else set()
    return found


def operations():
    found = {}
    for pattern, item in contract.DOCUMENT["paths"].items():
        for method in METHODS & item.keys():
            parameters = item[method].get("parameters", [])
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
