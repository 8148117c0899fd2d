"""The description of the interface is whole: each operation has words, each answer an example."""

from __future__ import annotations

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
