"""A rule as it runs: what it does for rows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from kaicep import Project
from kaicep.pipeline.flow import Registration
from kaicep.pipeline.flow.rules import shown_calls
from support.batches import at_end, processed
from support.rule_queries import CONTENT

BASE = datetime(2024, 1, 1, tzinfo=UTC)
ROWS: list[dict[str, Any]] = [
    {"id": f"e{n}", "t": (BASE + timedelta(seconds=n)).isoformat(), "k": "ab"[n % 2], "p": 1, "x": n} for n in range(4)
]


def calls(text: str, now: datetime | None = None) -> list[tuple[Any, ...]]:
    """The action, time and arguments of each call."""
    project = Project.parse(CONTENT)
    dataflow = project.dataflow()
    for number, query in enumerate(project.compile(text)):
        dataflow.register(Registration(query, query.called or str(number), now))
    results = [processed(dataflow, {"S": ROWS, "T": []}), at_end(dataflow)]
    assert all(not table.num_rows for result in results for table in result.matches.values())
    found = [call for result in results for call in shown_calls(result.calls)]
    return [(call["action"], (call["_time"] - BASE).total_seconds(), call["arguments"]) for call in found]


def test_arguments_are_values_of_json() -> None:
    arguments = "?row.k AS k, ?row.x * 1.5 AS y, ?row._time AS at, ?row.x > 5 AS big"
    (call,) = calls(f"CREATE RULE r ON S IF (?row.x = 1) DO CALL go({arguments})")
    assert call == ("go", 1.0, {"k": "b", "y": 1.5, "at": "2024-01-01T00:00:01Z", "big": False})


def test_an_integer_that_has_left_64_bits_is_its_double_in_its_own_call_alone() -> None:
    text = "CREATE RULE r ON S IF (?row.x < 2) DO CALL go(?row.x * 9000000000000000000 * 2 AS y)"
    assert calls(text) == [("go", 0.0, {"y": 0}), ("go", 1.0, {"y": 1.8e19})]


def test_rows_before_the_registration_call_nothing() -> None:
    assert calls("CREATE RULE r ON S DO CALL go()", BASE + timedelta(seconds=2)) == [("go", 3.0, {})]


def test_nothing_else_is_seen_of_a_rule() -> None:
    assert calls("CREATE RULE r ON S IF (?row.x = 2) DO EMIT E(?row.x AS x), CALL go()") == [("go", 2.0, {})]
