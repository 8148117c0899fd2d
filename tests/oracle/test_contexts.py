"""The oracle's contexts: CAESAR's examples, and what windows, keys and calendars come to, computed by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from support.context_examples import Example, examples
from support.context_families import contexts_oracle

from oracle import evaluate

ROAD = """
CREATE CONTEXTS road (free DEFAULT, jam) BY seg;
INITIATE CONTEXT jam (?e.v AS v) FROM (?e, P) WHERE { FILTER (?e.v < 3) };
TERMINATE CONTEXT jam FROM (?e, P) IN CONTEXT jam WHERE { FILTER (?e.v > 7) };
"""


def passing(*cars: tuple[float, int | None, int]) -> list[dict[str, object]]:
    """Cars: second, segment, speed."""
    return [
        {"id": f"c{n}", "t": f"2024-01-01T00:00:{t:06.3f}Z", "seg": seg, "v": v} for n, (t, seg, v) in enumerate(cars)
    ]


def ask(text: str, *cars: tuple[float, int | None, int]) -> list[dict[str, Any]]:
    """What the oracle gives."""
    return contexts_oracle(0).evaluate(text, {"P": passing(*cars)})


def column(rows: Sequence[Mapping[str, Any]], name: str) -> list[object]:
    """One item of all rows."""
    return [row[name] for row in rows]


@pytest.mark.parametrize("example", examples(), ids=lambda e: e.name)
def test_an_example_has_its_rows(example: Example) -> None:
    rows = evaluate(example.content, example.text, example.streams)
    assert example.shown(rows) == (example.rows, example.contexts)


def test_attributes_of_a_window_are_those_of_the_row_that_began_it() -> None:
    rows = ask(
        f"{ROAD} SELECT ?e.id, ?w.v AS of FROM (?e, P) IN CONTEXT jam AS ?w, free", (1, 1, 2), (2, 1, 1), (3, 1, 8)
    )
    assert column(rows, "of") == [None, 2, 2]


def test_an_event_with_an_unbound_key_is_in_no_context() -> None:
    rows = ask(f"{ROAD} SELECT ?e.id FROM (?e, P) IN CONTEXT jam, free", (1, None, 2), (2, 1, 1), (3, None, 5))
    assert column(rows, "id") == ["c1"]


def test_changes_of_one_time_act_on_what_comes_after_it() -> None:
    rows = ask(
        f"{ROAD} SELECT ?e.id FROM (?e, P) IN CONTEXT jam", (1, 1, 2), (1, 1, 5), (2, 1, 9), (2, 1, 5), (3, 1, 5)
    )
    assert column(rows, "id") == ["c2", "c3"]


def test_for_asks_the_named_variables_alone() -> None:
    text = (
        f"{ROAD} SELECT ?b.id FROM (?a, P), (?b, P) IN CONTEXT jam FOR ?b WHERE {{ SEQ (?a, ?b) WINDOW (?a, ?b, 9s) }}"
    )
    rows = ask(text, (1, 1, 2), (2, 1, 5), (3, 2, 5))
    assert [(row["_events"]["a"][0][-2:], row["id"]) for row in rows] == [("c0", "c1")]


def test_a_window_of_a_context_is_reported_when_that_ends() -> None:
    text = f"{ROAD} SELECT COUNT(?e) AS n FROM (?e, P) IN CONTEXT jam, free WHERE {{ WINDOW (?e, CONTEXT) }}"
    rows = ask(text, (1, 1, 2), (2, 1, 5), (3, 1, 9), (4, 1, 1), (5, 1, 1))
    assert [(row["_context"], row["n"], row["_time"].second) for row in rows] == [
        (["free"], 1, 1),
        (["jam"], 2, 3),
        (["free"], 1, 4),
    ]


def test_what_a_context_leaves_unfinished_is_dropped() -> None:
    text = f"{ROAD} SELECT COUNT(?e) AS n FROM (?e, P) IN CONTEXT jam WHERE {{ WINDOW (?e, batch, 5s) }}"
    rows = ask(text, (1, 1, 2), (2, 1, 5), (6, 1, 5), (7, 1, 9), (11, 1, 1))
    assert [(row["n"], row["_time"].second) for row in rows] == [(1, 5)]
