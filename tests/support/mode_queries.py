"""Random queries in consumption modes, and streams for them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

__all__ = ["CONTENT", "MODES", "events", "query"]

MODES = ("recent", "chronicle", "continuous", "cumulative")
_BASE = datetime(2024, 1, 1, tzinfo=UTC)
CONTENT: dict[str, Any] = {
    "prefixes": {"x": "http://x/"},
    "streams": {
        name: {
            "event_type": f"x:{name}",
            "time": {"attribute": "t"},
            "identity": ["id"],
            "attributes": {
                "id": {"datatype": "xsd:string"},
                "k": {"datatype": "xsd:string"},
                "x": {"datatype": "xsd:integer"},
                "p": {"datatype": "xsd:integer"},
            },
        }
        for name in ("S", "T")
    },
}


def query(mode: str, rng: Random) -> str:
    """A query in a mode, bounded by WINDOW or KEEP."""
    pattern = rng.choice(("?a, ?b", "?a AND ?b"))
    tests = [f"FILTER (?{v}.k = '{v}')" for v in "ab" if rng.random() < 0.6]
    tests += [f"JOIN (?a.x {rng.choice(('=', '<=', '!='))} ?b.x)"] if rng.random() < 0.5 else []
    extents = (f"{rng.randint(1, 3)} events", f"{rng.randint(1, 6)}s")
    keep = [f"?{v}: {rng.choice(extents)}" for v in "ab"] if rng.random() < 0.6 else []
    by = [f"?{v}: ?{v}.{rng.choice(('x', 'p'))}" for v in "ab" if rng.random() < 0.5]
    width = f"WINDOW (?a, ?b, {rng.randint(1, 9)}s)" if not keep or rng.random() < 0.3 else ""
    policy = f"POLICY {mode}" + (" BY " + ", ".join(by) if by else "") + (" KEEP " + ", ".join(keep) if keep else "")
    partition = "PARTITION BY p" if rng.random() < 0.3 else ""
    having = rng.choice(("", "", "HAVING (COUNT(?a) + COUNT(?b) > 2)", "HAVING (SUM(?a.x) > 1)"))
    end = rng.choice(("", "", "LIMIT 4"))
    where = f"{' '.join(tests)} SEQ ({pattern}) {width}"
    items = "LIST(?a.id) AS a, LIST(?b.id) AS b, COUNT(?a) AS n"
    other = rng.choice(("S", "T"))
    return f"SELECT {items} FROM (?a, S), (?b, {other}) WHERE {{ {where} }} {partition} {having} {policy} {end}"


def events(rng: Random) -> dict[str, list[dict[str, Any]]]:
    """Two streams in time order, many events of one time stamp among them."""
    moment, rows = 0, dict[str, list[dict[str, Any]]](S=[], T=[])
    for number in range(rng.randint(8, 22)):
        moment += rng.choice((0, 0, 1, 1, 2))
        at = (_BASE + timedelta(seconds=moment)).isoformat()
        row = {"id": f"e{rng.randint(0, 99):02}-{number}", "t": at, "k": rng.choice("ab"), "p": rng.randint(1, 2)}
        rows[rng.choice("SST")].append(row | ({"x": rng.randint(0, 2)} if rng.random() < 0.9 else {}))
    return rows
