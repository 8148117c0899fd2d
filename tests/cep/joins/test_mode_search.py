"""What was paired waits for the next variable, and nothing else is remembered."""

from __future__ import annotations

from typing import Any

import pytest
from kaicep.cep import build_operator
from kaicep.cep.snapshot_codec import read_snapshot
from support.operators import Reading, compiled, events, feed

KINDS = {"a": 1, "b": 2, "c": 3}


def letters(text: str) -> list[Reading]:
    """`a0/1` is an event of ?a, named so, of the group 1."""
    rows = [(name, *name.split("/")) for name in text.split()]
    return [{"id": name, "t": t, "n": KINDS[name[0]], "x": float(of)} for t, (name, _, of) in enumerate(rows)]


@pytest.mark.parametrize(
    ("pattern", "policy", "found", "waiting"),
    [
        (", ", "chronicle KEEP ?a: 9 events, ?b: 9 events", ["a0/1 b2/1 c4/1"], {"a": 2, "b": 1, "c": 0}),
        (", ", "recent", ["a1/2 b3/1 c4/1"], {"a": 2, "b": 1, "c": 0}),
        (", ", "recent BY ?a: ?a.x", ["a0/1 b3/1 c4/1", "a1/2 b3/1 c4/1"], {"a": 3, "b": 1, "c": 0}),
        (" AND ", "recent", ["a1/2 b3/1 c4/1", "a5/1 b3/1 c4/1"], {"a": 1, "b": 1, "c": 1}),
    ],
)
def test_only_what_waits_is_remembered(pattern: str, policy: str, found: list[str], waiting: dict[str, int]) -> None:
    tests = " ".join(f"FILTER (?{v}.n = {n})" for v, n in KINDS.items())
    sequence = pattern.join(f"?{v}" for v in KINDS)
    sources = ", ".join(f"(?{v}, readings)" for v in KINDS)
    query = compiled(f"SELECT ?a FROM {sources} WHERE {{ {tests} SEQ ({sequence}) }} POLICY {policy}")
    operator, rows = build_operator(query), list[dict[str, Any]]()
    for row in letters("a0/1 a1/2 b2/1 b3/1 c4/1 a5/1"):
        rows += feed(operator, query, [row], row["t"] + 0.5)
    assert events(rows) == found
    tables = read_snapshot(query, operator.snapshot()).tables
    assert {v: tables[f"kept.{v}"].height for v in KINDS} == waiting
