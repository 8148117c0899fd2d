"""Random queries in consumption modes, and streams for them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Any

__all__ = ["CONTENT", "MODES", "at", "events", "in_contexts", "query"]

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


def at(seconds: float) -> datetime:
    """So many seconds after the beginning."""
    return _BASE + timedelta(seconds=seconds)


_ROAD = (
    "CREATE CONTEXTS road (calm DEFAULT, hot, cold)%s;\n"
    "INITIATE CONTEXT hot FROM (?e, S) FILTER (?e.k = 'a');\nTERMINATE CONTEXT hot FROM (?e, S) FILTER (?e.x = 2);\n"
    "INITIATE CONTEXT cold FROM (?e, T);\nTERMINATE CONTEXT cold FROM (?e, S) FILTER (?e.x = 1);\n"
)


def query(mode: str, rng: Random, *, most: int = 2) -> str:
    """A query in a mode, bounded by WINDOW or KEEP; recent and chronicle pair up to so many variables."""
    names = "abcd"[: rng.randint(2, most) if mode in MODES[:2] else 2]
    pattern = rng.choice((", ", " AND ")).join(f"?{v}" for v in names)
    tests = [f"FILTER (?{v}.k = '{v}')" for v in names if rng.random() < 0.6]
    for one, other in pairwise(names):
        tests += [f"JOIN (?{one}.x {rng.choice(('=', '<=', '!='))} ?{other}.x)"] if rng.random() < 0.5 else []
    tests += ["JOIN (?a.x + ?b.x >= ?c.p)"] if len(names) > 2 and rng.random() < 0.3 else []
    extents = (f"{rng.randint(1, 3)} events", f"{rng.randint(1, 6)}s")
    keep = [f"?{v}: {rng.choice(extents)}" for v in names] if rng.random() < 0.6 else []
    by = [f"?{v}: ?{v}.{rng.choice(('x', 'p'))}" for v in names if rng.random() < 0.5]
    width = "" if keep and rng.random() < 0.7 else _windows(names, rng)
    policy = f"POLICY {mode}" + (" BY " + ", ".join(by) if by else "") + (" KEEP " + ", ".join(keep) if keep else "")
    partition = "PARTITION BY p" if rng.random() < 0.3 else ""
    having = rng.choice(("", "", "HAVING (COUNT(?a) + COUNT(?b) > 2)", "HAVING (SUM(?a.x) > 1)"))
    end = rng.choice(("", "", "LIMIT 4"))
    where = f"{' '.join(tests)} SEQ ({pattern}) {width}"
    items = ", ".join(f"LIST(?{v}.id) AS {v}" for v in names) + ", COUNT(?a) AS n"
    sources = ", ".join(f"(?{v}, {rng.choice('SST') if v != 'a' else 'S'})" for v in names)
    return f"SELECT {items} FROM {sources} WHERE {{ {where} }} {partition} {having} {policy} {end}"


def in_contexts(text: str, rng: Random) -> str:
    """The document with the query in a context, sometimes FOR some of its variables only."""
    names = [v for v in "abcd" if f"(?{v}, " in text]
    some = rng.sample(names, rng.randint(1, len(names)))
    required = f" FOR {', '.join(f'?{v}' for v in some)}" if rng.random() < 0.8 else ""
    contexts = rng.choice(("hot", "hot", "calm", "hot, calm", "cold, hot"))
    where = text.replace(" WHERE", f" IN CONTEXT {contexts}{required} WHERE", 1)
    return f"{_ROAD % rng.choice((' BY p', ' BY p', ''))}{where}"


def _windows(names: str, rng: Random) -> str:
    """One WINDOW over all, or one over each two neighbours."""
    groups = [names] if rng.random() < 0.6 else ["".join(pair) for pair in pairwise(names)]
    return " ".join(f"WINDOW ({', '.join(f'?{v}' for v in of)}, {rng.randint(1, 9)}s)" for of in groups)


def events(rng: Random, kinds: str = "ab") -> dict[str, list[dict[str, Any]]]:
    """Two streams in time order, many events of one time stamp among them."""
    moment, rows = 0, dict[str, list[dict[str, Any]]](S=[], T=[])
    for number in range(rng.randint(8, 22)):
        moment += rng.choice((0, 0, 1, 1, 2))
        at = (_BASE + timedelta(seconds=moment)).isoformat()
        row = {"id": f"e{rng.randint(0, 99):02}-{number}", "t": at, "k": rng.choice(kinds), "p": rng.randint(1, 2)}
        rows[rng.choice("SST")].append(row | ({"x": rng.randint(0, 2)} if rng.random() < 0.9 else {}))
    return rows
