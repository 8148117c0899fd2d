"""Streams of readings written as letters, for queries whose variables are named by the kind of their events."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from kaicep.cep import QueryOperator, build_operator

from .operators import START, Reading, compiled, events, feed

__all__ = ["ask", "readings", "seconds", "text_of"]

_EVENT = re.compile(r"(?P<kind>[a-z])(?P<n>\d+)?(@(?P<at>[\d.]+))?(/(?P<sensor>\w))?(?P<alarm>!)?")


def readings(text: str) -> list[Reading]:
    """`a b7@2.5/s c!`: kind, `n`, second (a second after the one before), `sensor`, `!` for the stream of alarms."""
    found: list[Reading] = []
    for place, word in enumerate(text.split(), 1):
        event = _EVENT.fullmatch(word)
        assert event is not None, word
        t = float(event["at"]) if event["at"] else found[-1]["t"] + 1 if found else 0.0
        n = int(event["n"]) if event["n"] else None
        stream = "alarms" if event["alarm"] else "readings"
        found.append(
            {"id": f"{event['kind']}{place}", "t": t, "note": event["kind"], "n": n, "stream": stream,
             "sensor": event["sensor"]}
        )  # fmt: skip
    return found


def text_of(pattern: str, *clauses: str, window: str | None = "20s", select: str = "") -> str:
    """A query whose variables are named by the kind of their events; `x`, `y`, `z` are of any kind."""
    variables = list(dict.fromkeys(re.findall(r"\?(\w)\b", " ".join([pattern, *clauses]))))
    absent = re.findall(r"NOT \?(\w)\b", pattern)
    matched = [v for v in variables if v not in absent]
    filters = [f"FILTER (?{v}.note = '{v}')" for v in variables if v not in "xyz"]
    width = [f"WINDOW ({', '.join(f'?{v}' for v in matched)}, {window})"] if window and len(matched) > 1 else []
    before = [c for c in clauses if c.startswith("JOIN")]
    behind = [c for c in clauses if not c.startswith("JOIN")]
    return "\n".join(
        [f"SELECT {select or f'?{matched[0]}.n AS n'}", f"FROM {', '.join(f'(?{v}, readings)' for v in variables)}",
         *filters, *before, f"SEQ ({pattern})", *width, *behind]
    )  # fmt: skip


def ask(pattern: str, stream: str, *clauses: str, window: str | None = "20s") -> list[str]:
    """The events of each row; whole, and in batches of one event with a snapshot between."""
    query = compiled(text_of(pattern, *clauses, window=window))
    rows = readings(stream)
    found = events(feed(build_operator(query), query, rows))
    operator, pieces = build_operator(query), []
    for one in sorted(rows, key=lambda r: r["t"]):
        pieces += feed(operator, query, [one], until=one["t"])
        operator = _resumed(operator)
    pieces += feed(operator, query, [])
    assert events(pieces) == found
    return found


def _resumed(operator: QueryOperator) -> QueryOperator:
    fresh = build_operator(operator.query)
    fresh.restore(operator.snapshot())
    return fresh


def seconds(rows: Sequence[dict[str, Any]]) -> list[float]:
    return [(row["_time"] - START).total_seconds() for row in rows]
