"""The automaton of a pattern as a diagram.

States are boxes, labelled with what may come next; arrows say take, ignore or proceed, the variable, the link before it
and the conditions in χ-CEP.
"""

from __future__ import annotations

from typing import assert_never

from ....cep.nfa import AutomatonTable, Edge, EdgeAction, automaton_table
from ....errors import PlanError
from ....language.nodes import Query
from .diagram import Arrow, Box, Diagram, Tone

__all__ = ["automaton_diagram_of"]


def automaton_diagram_of(query: Query) -> Diagram:
    """The automaton of a checked query.

    Raises:
        PlanError: the query has no SEQ.
    """
    if query.pattern is None:
        raise PlanError("the query has no automaton", hint="only a query with SEQ has one")
    table = automaton_table(query)
    ends = (Box("begin", (), Tone.BEGIN), Box("accepted", (), Tone.END))
    states = tuple(Box(f"s{number}", (label,)) for number, label in enumerate(_labels(table)))
    begins = tuple(Arrow("begin", f"s{number}") for number in table.initial)
    edges = tuple(_arrow(edge) for edge in table.edges)
    remark = "" if table.complete else "cut: the automaton has more states"
    return Diagram("automaton", (*ends, *states), (*begins, *edges), states=True, remark=remark)


def _labels(table: AutomatonTable) -> list[str]:
    """The number of each state and what may come next."""
    return [
        f"{number} awaits " + (", ".join(f"?{variable}" for variable in items if variable) or "nothing")
        for number, items in enumerate(table.states)
    ]


def _arrow(edge: Edge) -> Arrow:
    target = "accepted" if edge.target is None else f"s{edge.target}"
    return Arrow(f"s{edge.source}", target, _label(edge), tuple(edge.conditions))


def _label(edge: Edge) -> str:
    match edge.action:
        case EdgeAction.TAKE:
            return f"take {'' if edge.link is None else f'{edge.link.value} '}?{edge.what}"
        case EdgeAction.IGNORE | EdgeAction.PROCEED:
            return f"{edge.action.value} {edge.what}".rstrip()
        case _:
            assert_never(edge.action)
