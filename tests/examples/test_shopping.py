"""Orders on their way, asked at a moment, against a plain reading of their tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from kaicep import Project
from kaicep.examples import shopping
from kaicep.examples.shopping.orders import STEPS, tasks

EXAMPLE = Path(shopping.__file__).parent
MOMENTS = [datetime(2026, 3, 2, hour, minute, 30, tzinfo=UTC) for hour, minute in ((8, 20), (11, 0), (12, 47))]
TWO_HOURS, TEN_MINUTES = timedelta(hours=2), timedelta(minutes=10)
NAMES = dict(zip(STEPS, ("ordered", "checked", "paid", "delivered", "told"), strict=True))


@cache
def project() -> Project:
    return Project.load(EXAMPLE)


def document() -> str:
    return ";\n".join(path.read_text(encoding="utf-8") for path in sorted((EXAMPLE / "queries").glob("*.chi")))


def asked(name: str, at: datetime) -> list[dict[str, Any]]:
    text = f"{document()};\n{(EXAMPLE / 'asked' / name).read_text(encoding='utf-8')}"
    rows = project().evaluate(text, {"task": tasks().to_arrow()}, ask_at=at)
    return [{name: value for name, value in row.items() if not name.startswith("_")} for row in rows]


def on_the_way(at: datetime) -> dict[int, dict[str, Mapping[str, Any]]]:
    """Orders that are not told yet and may be within two hours: what was done of each, by task."""
    found: dict[int, dict[str, Mapping[str, Any]]] = {}
    for row in tasks().to_dicts():
        if row["at"] <= at:
            found.setdefault(row["order"], {})[row["task"]] = row
    return {
        order: done for order, done in found.items() if "notice" not in done and at < done["order"]["at"] + TWO_HOURS
    }


@pytest.mark.parametrize("at", MOMENTS)
def test_orders_are_counted_by_step(at: datetime) -> None:
    counts = Counter(" ".join(NAMES[step] for step in STEPS if step in done) for done in on_the_way(at).values())
    assert {row["done"]: row["orders"] for row in asked("1_by_step.chi", at)} == counts
    assert sum(counts.values()) > 30


@pytest.mark.parametrize("at", MOMENTS)
def test_the_ten_that_have_waited_longest_come_first(at: datetime) -> None:
    waiting = {order: done for order, done in on_the_way(at).items() if "delivery" not in done}
    first = sorted(waiting, key=lambda order: waiting[order]["order"]["at"])[:10]
    assert asked("2_waiting.chi", at) == [
        {
            "order": order,
            "since": waiting[order]["order"]["at"],
            "last": max(row["at"] for row in waiting[order].values()),
        }
        for order in first
    ]


@pytest.mark.parametrize("at", MOMENTS)
def test_what_is_due_first_is_told(at: datetime) -> None:
    unpaid = {order: done["order"] for order, done in on_the_way(at).items() if "payment" not in done}
    first = sorted(unpaid, key=lambda order: (unpaid[order]["at"], order))[:5]
    assert asked("3_will_miss.chi", at) == [
        {"order": order, "customer": unpaid[order]["customer"], "due": unpaid[order]["at"] + TWO_HOURS}
        for order in first
    ]


@pytest.mark.parametrize("at", MOMENTS)
def test_perishable_things_are_in_the_window_of_another_query(at: datetime) -> None:
    recent = [row for row in tasks().to_dicts() if row["task"] == "order" and at - TEN_MINUTES < row["at"] <= at]
    counts = Counter(row["product"] for row in recent if row["product"] in ("milk", "pear"))
    rows = asked("4_perishable.chi", at)
    assert [(row["product"], row["orders"]) for row in rows] == sorted(counts.items())
    assert rows


def test_orders_are_fulfilled_or_missed() -> None:
    """What is over is told by the registered queries."""
    done: dict[int, dict[str, datetime]] = {}
    for row in tasks().to_dicts():
        done.setdefault(row["order"], {})[row["task"]] = row["at"]
    last = max(row["at"] for row in tasks().to_dicts())
    in_time = {o for o, of in done.items() if "notice" in of and of["notice"] <= of["order"] + TWO_HOURS}
    late = {o for o, of in done.items() if o not in in_time and of["order"] + TWO_HOURS <= last}
    fulfilled, missed, _ = document().split(";\n")
    streams = {"task": tasks().to_arrow()}
    assert sorted(row["order"] for row in project().evaluate(fulfilled, streams)) == sorted(in_time)
    assert late <= {row["order"] for row in project().evaluate(missed, streams)}
    assert len(in_time) > 400
    assert late
