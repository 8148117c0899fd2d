"""Each kind of query has its kernel; automata answer what repeats, and nothing else."""

from __future__ import annotations

import pytest
from kaicep.cep.joins import LoosePatternKernel, PatternKernel
from kaicep.cep.kernel_table import build_kernel, stop_candidates
from kaicep.cep.limits import Limits
from kaicep.cep.nfa import NfaOperator
from kaicep.cep.order import Interval
from kaicep.cep.selection import SelectionKernel
from kaicep.cep.settled_query import settled_query
from kaicep.cep.windows import AggregationKernel
from support.operators import compiled

BOTH = "FROM (?a, readings), (?b, readings)"
ABSENT = "SELECT ?a FROM (?a, readings), (?n, readings), (?b, readings) SEQ (?a, NOT ?n, ?b) WINDOW (?a, ?n, ?b, 5s)"
PAIRS = f"SELECT ?a {BOTH} SEQ (?a, ?b) WINDOW (?a, ?b, 5s)"
RUNS = f"SELECT COUNT(?a) AS n {BOTH} FILTER (?a.n = 1) SEQ (?a+, ?b) WINDOW (?a, ?b, 5s)"
UNTIL = f"SELECT COUNT(?b) AS n {BOTH} SEQ (?a -> ?b{{1,; ->}} UNTIL (?b.n > 5)) WINDOW (?a, ?b, 5s)"


@pytest.mark.parametrize(
    ("text", "kernel"),
    [
        ("SELECT ?e.n FROM (?e, readings)", SelectionKernel),
        ("SELECT SUM(?e.n) AS s FROM (?e, readings) WINDOW (?e, sliding, 5s)", AggregationKernel),
        (PAIRS, LoosePatternKernel),
        (ABSENT, PatternKernel),
        (RUNS, NfaOperator),
    ],
)
def test_the_kind_of_a_query_says_which_kernel_answers_it(text: str, kernel: type) -> None:
    assert type(build_kernel(settled_query(compiled(text)), Interval(), Limits())) is kernel


def test_only_until_is_given_candidates_of_its_own() -> None:
    assert stop_candidates(compiled(PAIRS)) == {}
    assert stop_candidates(compiled(RUNS)) == {}
    ((name, empty),) = stop_candidates(compiled(UNTIL)).items()
    assert name.endswith("?b")
    assert empty.columns == ["_time", "_id", "n"]
    assert empty.height == 0
