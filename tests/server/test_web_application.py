"""The description of the interface is whole: each operation has words, each answer an example."""

from __future__ import annotations

import re

from support.servers import ask


def test_every_operation_is_described_with_an_example(plain_url: str) -> None:
    described = ask(f"{plain_url}/openapi.json").json
    assert described["info"]["title"] == "kaicep"
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"], (method, path)
            assert operation["description"], (method, path)
            found = [
                c for r in operation["responses"].values() for c in r.get("content", {}).values() if "example" in c
            ]
            assert found or method in {"head", "delete", "put"}, (method, path)


def test_every_part_of_an_address_is_described(plain_url: str) -> None:
    """What is not, no client can be made of."""
    for path, operations in ask(f"{plain_url}/openapi.json").json["paths"].items():
        for operation in operations.values():
            named = {one["name"] for one in operation.get("parameters", []) if one["in"] == "path"}
            assert named == set(re.findall(r"{(\w+)}", path)), path


def test_what_a_client_reads_is_described_to_its_fields(plain_url: str) -> None:
    described = ask(f"{plain_url}/openapi.json").json["paths"]
    read = (
        "/streams",
        "/streams/{name}",
        "/contexts",
        "/alarms",
        "/ontologies",
        "/archive",
        "/classes",
        "/individuals",
        "/matches/{id}/why",
        "/queries/{label}/chart",
    )
    for path in read:
        schema = described[path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        assert "#/components/schemas/" in str(schema), path
        assert "additionalProperties" not in schema, path
    listed = described["/graphs"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert "module" in str(listed)
