"""What partial matches hold, as JSON: nodes once each, values as they were."""

from __future__ import annotations

import json
import math

import pytest
from kaicep.cep.nfa.runtime import NodeWriter, read_nodes, read_value, written_value
from kaicep.cep.nfa.shared_buffer import chain, extended, paths, united
from kaicep.expressions import NOTHING

EVENTS = [(10 * i, i, -1, 100 + i) for i in range(3)]


@pytest.mark.parametrize(
    "value", [None, True, 3, "x", 1.5, math.inf, (1, (2.5, None)), frozenset({(1, 2)}), (NOTHING,)]
)
def test_values_come_back(value: object) -> None:
    assert read_value(json.loads(json.dumps(written_value(value)))) == value


def test_what_cannot_be_written_is_refused() -> None:
    """Rather than taken for something else."""
    with pytest.raises(TypeError, match="a register cannot be written that holds"):
        written_value({1: 2})


def test_what_is_shared_is_written_once() -> None:
    a, b, c = EVENTS
    one = chain([(0, a)])
    both = united(extended(one, 1, b), extended(one, 1, c))
    nodes = NodeWriter(whole=False)
    assert nodes.number(None) == -1
    number = nodes.number(both)
    assert nodes.number(one) == 0
    assert len(nodes.written) == 4
    assert sorted(paths(read_nodes(json.loads(json.dumps(nodes.written)))[number])) == sorted(paths(both))
