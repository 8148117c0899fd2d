"""Thresholds that are compared one behind the other let pass what each lets pass alone."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.expressions import Threshold, ThresholdChain

_VALUES = st.sampled_from([float("nan"), -1.0, -0.0, 0.0, 0.5, 1.0, 2.0, float("inf")])


@given(
    st.sampled_from(["<", "<=", ">", ">="]),
    st.lists(_VALUES.filter(lambda value: not isnan(value)), min_size=1, max_size=90),
    st.lists(_VALUES, max_size=30),
)
def test_each_lets_pass_what_it_does_alone(symbol: str, limits: list[float], values: list[float]) -> None:
    """Few of them one by one, many in blocks, and in whatever order they stand."""
    chain, column = ThresholdChain(symbol, limits), np.array(values, dtype=np.float64)
    places = np.arange(len(column)) * 3
    expected = [places[Threshold("x", symbol, limit).passed(column)].tolist() for limit in limits]
    assert [found.tolist() for found in chain.passing(column, places)] == expected
    masks = [(Threshold("x", symbol, limit).passed(column)).tolist() for limit in limits]
    assert [mask.tolist() for mask in chain.masks(column, np.arange(len(column)))] == masks
    some = np.arange(0, len(column), 3)
    assert [np.flatnonzero(mask).tolist() for mask in chain.masks(column, some)] == [
        [place for place in some.tolist() if mask[place]] for mask in masks
    ]
    ordered = np.sort(column[~np.isnan(column)])
    assert chain.counts(ordered).tolist() == list(map(len, expected))


@pytest.mark.parametrize(("symbol", "first"), [(">", 1), (">=", 1), ("<", 2), ("<=", 2)])
def test_the_loosest_stands_first(symbol: str, first: int) -> None:
    chain = ThresholdChain(symbol, [5.0, 1.0, 9.0])
    assert chain.loosest_first[0] == first
    assert chain.of(np.array([True, False, True])).loosest_first == ([0, 1] if first == 1 else [1, 0])
