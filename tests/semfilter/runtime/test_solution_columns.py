"""Solutions as columns, from which the selection of a batch is gathered."""

from __future__ import annotations

import numpy as np
import pyoxigraph as ox
from kaicep.language.nodes import ValueType
from kaicep.semfilter.plan import DerivedValue, ResidualQuery
from kaicep.semfilter.runtime.solution_columns import SolutionColumns

MAX = DerivedValue("kaicep_0", "?max", frozenset({"max"}), ValueType.DOUBLE)


def columns(*derived: DerivedValue) -> SolutionColumns:
    """Of three keys: two solutions, none, one."""
    residual = ResidualQuery(
        "e", "", (("room", ValueType.IRI),), derived, (), identified=False, classes=(), unbatchable=None
    )
    one, two = ox.NamedNode("urn:r1"), ox.NamedNode("urn:r2")
    limits = [ox.Literal(5), ox.Literal(7), ox.Literal("none")]
    rows = [(one, limits[0]), (one, limits[1]), (two, limits[2])]
    cut = [row[: 1 + len(derived)] for row in rows]
    return SolutionColumns(residual, [cut[:2], [], cut[2:]])


def test_a_key_holds_that_has_a_solution() -> None:
    """The entry behind the last is for what is no key: code -1."""
    assert columns().holds.tolist() == [True, False, True, False]


def test_columns_are_typed_and_what_does_not_fit_is_null() -> None:
    found = columns(MAX).columns
    assert found["?room"].to_list() == ["urn:r1", "urn:r1", "urn:r2"]
    assert found["?kaicep_0"].to_list() == [5.0, 7.0, None]


def test_a_row_per_event_and_solution_of_its_key() -> None:
    codes = np.array([2, 0, 1, -1, 0])
    assert columns().expanded(codes, None).rows() == [(0, 2), (1, 0), (1, 1), (4, 0), (4, 1)]


def test_events_that_are_out_of_the_question_have_no_row() -> None:
    possible = np.array([True, False, True])
    assert columns().expanded(np.array([2, 0, 0]), possible).rows() == [(0, 2), (2, 0), (2, 1)]


def test_solutions_with_equal_bindings_have_one_number() -> None:
    """They differ in what is computed for conditions only, and are one solution once these are applied."""
    numbers = columns(MAX).numbers
    assert numbers is not None
    assert numbers.to_list() == [0, 0, 1]
    assert columns().numbers is None
