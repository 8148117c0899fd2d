"""Random queries with windows by condition and measures of change, and streams about them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

__all__ = ["CONTENT", "FAMILIES", "readings"]

TYPES = {"id": "string", "k": "string", "g": "integer", "x": "integer", "d": "double", "m": "boolean"}
CONTENT: dict[str, Any] = {
    "prefixes": {"x": "http://x/"},
    "streams": {
        "S": {
            "event_type": "x:S",
            "time": {"attribute": "t"},
            "identity": ["id"],
            "lateness": "2s",
            "attributes": {name: {"datatype": f"xsd:{of}"} for name, of in TYPES.items()},
        }
    },
}
"""A project file."""
GROUPS = ("", " GROUP BY ?e.k", " GROUP BY ?e.g", " GROUP BY ?e.k, ?e.g")
PLAIN_WINDOWS = (
    "sliding, 4s", "sliding, 3 events", "sliding, 3 events, SHARED", "batch, 3s", "batch, 3 events",
    "hopping, 4s, 2s", "cumulate, 4s, 2s", "session, 3s",
)  # fmt: skip
Rows = list[dict[str, Any]]


def part(rng: Random) -> str:
    """A condition of a window, or a part of one."""
    n, op = rng.randint(0, 4), rng.choice(("<=", "<", "<=", "<", "="))
    better = rng.choice(("<", ">="))
    options = (
        (f"COUNT(?e) {op} {n}", f"{n} >= COUNT(?e)"),
        (f"?e._time - FIRST(?e._time) {op} {n}s", f"FIRST(?e._time) >= ?e._time - {n}s"),
        (f"MAX(?e._time) - MIN(?e._time) < {n + 1}s",),
        tuple(f"FIRST(?e.{name}) = ?e.{name}" for name in "gkdm"),
        (f"SUM(?e.x) {op} {3 * n}", f"SUM(?e.d) {op} {n * 0.3}"),
        (f"AVG(?e.x) {better} {n}", f"MAX(?e.x) {better} {n}", f"COUNT(DISTINCT ?e.g) <= {n}"),
        (f"?e.x != {n}", f"FIRST(?e.x, 1) {better} ?e.x", f"LAST(?e.x, 1) {better} ?e.x", f"ADIFF(?e.x) {better} {n}"),
    )
    return rng.choice(rng.choice(options))


def checked(rng: Random) -> str:
    """A query with a window by condition."""
    condition = part(rng)
    for _ in range(rng.randint(0, 2)):
        condition = f"{condition} {rng.choice(('AND', 'AND', 'OR'))} {part(rng)}"
    extent, shared = rng.choice(("", ", 4s", ", 3 events", ", 6 events")), ", SHARED" * (rng.random() < 0.35)
    items = rng.choice(
        (
            "?e.k, COUNT(?e) AS n",
            "SUM(?e.x) AS s, FIRST(?e.id) AS f",
            "?e.x, LIST(?e.id) AS l",
            "AVG(?e.d) AS v, ADIFF(?e.x) AS c",
            "?e.id",
        )
    )
    having = rng.choice(("", "", "", " HAVING COUNT(?e) > 1"))
    window = f"WINDOW (?e, CHECK ({condition}){extent}{shared})"
    return f"SELECT {items} FROM (?e, S) {window}{rng.choice(GROUPS)}{having}"


def change(rng: Random, of: str) -> str:
    """A measure of change."""
    options = [f"ADIFF({of})", f"RDIFF({of})", f"RDIFF({of}, {rng.choice(('0.5', '1', '-1'))})", f"OLD({of})"]
    return rng.choice([*options, f"ASLOPE({of}, ?e.d, 1)", f"ASLOPE({of}, ?e._time)"])


def changing(rng: Random) -> str:
    """A query of changes: in a window, of consecutive events, of aggregates."""
    windowed = rng.random() < 0.7
    window = f" WINDOW (?e, {rng.choice(PLAIN_WINDOWS)})" if windowed else ""
    values = ("?e.x", "?e.d", "?e.x * 2", *(("AVG(?e.x)", "COUNT(?e)", "MAX(?e.d) - MIN(?e.d)") if windowed else ()))
    items = [f"{change(rng, rng.choice(values))} AS c{i}" for i in range(rng.randint(1, 3))]
    others = ("?e.k", "?e.x", "OLD(?e.id) AS o", "ADIFF(?e._time) AS dt", "NEW(?e.d) AS z")
    items += rng.sample(others, rng.randint(0, 2))
    having = f" HAVING {change(rng, rng.choice(values))} > {rng.randint(-1, 1)}" * (rng.random() < 0.3)
    return f"SELECT {', '.join(items)} FROM (?e, S){window}{rng.choice(GROUPS)}{having}"


def of_runs(rng: Random) -> str:
    """A query of changes over runs."""
    item = rng.choice(("ADIFF(?b.x)", "RDIFF(?b.d, 1)", "OLD(?b.x)", "ASLOPE(?b.x, ?b._time)"))
    join = rng.choice(("JOIN (ADIFF(?b.x) > 0)", "JOIN (?a.k = ?b.k)", ""))
    run = rng.choice(("+", "{2}", "{1,3}~"))
    return (
        f"SELECT {item} AS c, LIST(?b.id) AS l FROM (?a, S), (?b, S) SEQ (?a, ?b{run}) {join} "
        "FILTER (?a.x > 3) WINDOW (?a, ?b, 4s)"
    )


def readings(rng: Random) -> Rows:
    """Events, many of equal times, some late, some values missing, sometimes some below zero."""
    rows, now, least = [], 0, -3 * (rng.random() < 0.3)
    for number in range(rng.randint(5, 40)):
        now += rng.choice((0, 0, 1, 1, 1, 2, 5))
        at = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(seconds=now - 2 * (rng.random() < 0.1))
        values = {
            "k": rng.choice("ab"), "g": rng.randint(1, 2), "x": rng.randint(int(least), 6),
            "d": rng.choice((0.1, 0.2, 0.30000000000000004, 0.0, 1.5)), "m": rng.random() < 0.5,
        }  # fmt: skip
        kept = {name: value for name, value in values.items() if rng.random() > 0.08}
        rows.append({"id": f"e{number:02d}", "t": at.isoformat(), **kept})
    return rows


FAMILIES: dict[str, Callable[[Random], str]] = {"checked": checked, "changing": changing, "runs": of_runs}
