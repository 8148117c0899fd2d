"""What OpenAPI says of parameters: an example of each is one that the server takes."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped] # it comes with nbclient
from kaicep.server.request_parameters import GRAPH_PARAMETERS
from support.servers import ask


@pytest.fixture(scope="module")
def described(plain_url: str) -> list[dict[str, Any]]:
    """The parameters of all operations."""
    paths = ask(f"{plain_url}/openapi.json").json["paths"]
    return [one for path in paths.values() for operation in path.values() for one in operation.get("parameters", [])]


def test_examples_are_what_their_schemas_allow(described: list[dict[str, Any]]) -> None:
    examples = [(one["schema"], example) for one in described for example in one["schema"].get("examples", [])]
    examples += [(one["schema"], one["example"]) for one in described if "example" in one]
    assert len(examples) > 40
    for schema, example in examples:
        Draft202012Validator(schema).validate(example)


def test_a_parameter_that_many_routes_take_is_told_in_one_way(described: list[dict[str, Any]]) -> None:
    of_addresses = {(one["name"], one["description"]) for one in described if one["in"] == "path"}
    names = sorted(name for name, _ in of_addresses)
    assert names == ["alarm", "id", "id", "label", "local", "name"]  # of jobs, of rows


def test_the_default_graph_has_no_value() -> None:
    named = {one["name"]: one for one in GRAPH_PARAMETERS}
    assert (named["default"]["example"], named["default"]["allowEmptyValue"]) == ("", True)
