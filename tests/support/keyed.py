"""Random questions whose events are tied together by keys, and readings of which many come at one moment."""

from __future__ import annotations

from random import Random
from typing import Any

__all__ = ["STREAMS", "keyed_batches", "keyed_question"]

STREAMS = {
    name: {
        "event_type": f"<urn:{name}>",
        "time": {"attribute": "t"},
        "identity": identity,
        "lateness": "3s",
        "attributes": {
            "id": {"datatype": "xsd:string"},
            "speed": {"datatype": "xsd:double"},
            **{one: {"datatype": "xsd:integer"} for one in ("seg", "v", "car")},
        },
    }
    for name, identity in (("P", ["id", "t"]), ("Q", ["id"]))
}

SHARE = 0.4
_ONE = (
    ("?e.id", "", ""),
    ("?e.v * 2 AS twice, ?e.speed", "FILTER (?e.v > 3)", ""),
    ("COUNT(?e) AS n, LIST(?e.id) AS ids", "WINDOW (?e, batch, 6s)", "GROUP BY ?e.car"),
    ("?e.car, SUM(?e.v) AS s", "WINDOW (?e, hopping, 9s, 3s)", "GROUP BY ?e.car HAVING (COUNT(?e) > 1)"),
    ("MAX(?e.v) AS top, ?e.seg", "WINDOW (?e, cumulate, 10s, 5s)", "GROUP BY ?e.seg, ?e.car"),
    ("COUNT(?e) AS n", "WINDOW (?e, session, 2s)", "GROUP BY ?e.id"),
    ("AVG(?e.v) AS mean", "WINDOW (?e, sliding, 4s)", "GROUP BY ?e.car"),
    ("AVG(?e.v) AS mean", "WINDOW (?e, sliding, 4s)", "GROUP BY ?e.speed"),
    ("AVG(?e.v) AS mean", "WINDOW (?e, sliding, 3 events)", "GROUP BY ?e.car"),
    ("SUM(?e.v) AS s, ?e.id", "WINDOW (?e, batch, 3 events)", "GROUP BY ?e.car"),
    ("SUM(?e.v) AS s, ?e.id", "WINDOW (?e, hopping, 3 events, 2 events)", "GROUP BY ?e.car"),
    ("SUM(?e.v) AS s", "WINDOW (?e, CHECK (SUM(?e.v) < 9), 8s)", "GROUP BY ?e.car"),
    ("ADIFF(?e.v) AS change", "WINDOW (?e, sliding, 3s)", "GROUP BY ?e.car"),
    ("ADIFF(SUM(?e.v)) AS change", "WINDOW (?e, batch, 3s)", "GROUP BY ?e.car"),
    ("OLD(MAX(?e.v)) AS old, MAX(?e.v) AS new", "WINDOW (?e, sliding, 3s)", "GROUP BY ?e.car"),
    ("DISTINCT ?e.v", "", ""),
    ("?e.id", "", "LIMIT 20"),
)
_SEVERAL = (
    ("?a.id AS a, ?b.id AS b", "JOIN (?a.car = ?b.car) SEQ (?a, ?b) WINDOW (?a, ?b, 4s)", ""),
    ("?a.id AS a, ?b.id AS b", "JOIN (?a.car = ?b.car AND ?a.v < ?b.v) WINDOW (?a, ?b, 3s)", ""),
    ("?a.id AS a, ?b.id AS b", "JOIN (?a.car = ?b.seg) WINDOW (?a, ?b, 2s)", ""),
    (
        "?a.id AS a, ?c.id AS c",
        "JOIN (?a.car = ?b.car) JOIN (?c.car = ?b.car) SEQ (?a, ?b, ?c) WINDOW (?a, ?b, ?c, 3s)",
        "",
    ),
    ("?a.id AS a, ?c.id AS c", "JOIN (?a.car = ?c.car) SEQ (?a, ?b, ?c) WINDOW (?a, ?b, ?c, 2s)", ""),
    ("?a.id AS a, ?b.id AS b", "SEQ (?a -> ?b) WINDOW (?a, ?b, 4s)", "PARTITION BY car"),
    ("?a.id AS a, ?b.id AS b", "SEQ (?a => ?b) WINDOW (?a, ?b, 4s)", "PARTITION BY car"),
    ("?a.id AS a, ?b.id AS b", "SEQ (?a, NOT ?n, ?b) WINDOW (?a, ?b, 4s)", "PARTITION BY car"),
    (
        "?a.id AS a, ?b.id AS b",
        "JOIN (?a.car = ?b.car) JOIN (?n.car = ?a.car) SEQ (?a, NOT ?n, ?b) WINDOW (?a, ?b, 4s)",
        "",
    ),
    ("?a.id AS a", "JOIN (?n.car = ?a.car) SEQ (?a, NOT ?n FOR 2s)", ""),
    ("?a.id AS a, ?b.id AS b", "SEQ (?a, ?b, NOT ?n FOR 2s) WINDOW (?a, ?b, 3s)", "PARTITION BY car"),
    ("?a.id AS a, ?b.id AS b", "SEQ (?a, NOT ?n, ?b) WINDOW (?a, ?b, 4s) JOIN (?a.car = ?b.car)", ""),
    ("?a.id AS a, ?b.id AS b", "SEQ (?a, ?b) WINDOW (?a, ?b, 6s)", "PARTITION BY car AFTER MATCH SKIP PAST LAST EVENT"),
    ("?a.id AS a, ?b.id AS b", "SEQ (?a OR ?b) WINDOW (?a, ?b, 3s)", "PARTITION BY car"),
    ("?a.id AS a, ?b.id AS b, ?c.id AS c", "SEQ ((?a AND ?b), ?c) WINDOW (?a, ?b, ?c, 3s)", "PARTITION BY seg"),
    ("?a.id AS a, COUNT(?b) AS n", "SEQ (?a, ?b+) WINDOW (?a, ?b, 3s)", "PARTITION BY car"),
    ("?a.id AS a, ?b.id AS b", "JOIN (?a.car = ?b.car) WINDOW (?a, sliding, 4s) WINDOW (?b, sliding, 2s)", ""),
    ("?a.id AS a, ?b.id AS b", "JOIN (?a.car = ?b.car) SEQ (?a, ?b) WINDOW (?a, ?b, 4s)", "OUTPUT ALL EVERY 3s"),
)


def keyed_question(rng: Random) -> str:
    """A query, named or not."""
    if rng.random() < SHARE:
        items, body, behind = rng.choice(_ONE)
        sources = f"(?e, {rng.choice('PQ')})"
    else:
        items, body, behind = rng.choice(_SEVERAL)
        bound = [name for name in "abcn" if f"?{name}" in items + body]
        sources = ", ".join(f"(?{name}, {rng.choice('PPQ')})" for name in bound)
        of = rng.choice([*bound, None])
        body = body if of is None else f"FILTER (?{of}.v {rng.choice('<>')} {rng.randrange(8)}) {body}"
    return f"SELECT {items} FROM {sources} WHERE {{ {body} }} {behind}"


def keyed_batches(rng: Random) -> list[dict[str, list[dict[str, Any]]]]:
    """Readings in batches of up to twenty: at one moment, twice, late, without a key."""
    batches = []
    front = 0
    for _ in range(rng.randrange(4, 9)):
        batch: dict[str, list[dict[str, Any]]] = {}
        for name in "PQ":
            own: list[dict[str, Any]] = []
            for _ in range(rng.randrange(20)):
                front += rng.random() < 0.4
                second = max(front - (rng.random() < 0.2) * rng.randrange(6), 0)
                numbers = {one: rng.randrange(most) for one, most in (("seg", 2), ("v", 10), ("car", 4))}
                at = f"2024-01-01T00:{second // 60:02}:{second % 60:02}Z"
                reading = {"id": f"e{rng.randrange(60):02}", "t": at, "speed": rng.randrange(3) / 2, **numbers}
                if rng.random() < 0.1:
                    del reading["car"]
                own += [reading] * (1 + (rng.random() < 0.1))
            batch[name] = own
        batches.append(batch)
    return batches
