"""The automaton of a pattern as a picture: Mermaid's state diagrams, or DOT for Graphviz.

States are nodes, labelled with what may come next; edges say take, ignore or proceed, the variable, the link before it
and the conditions in χ-CEP.
"""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

from ...cep.nfa import AutomatonTable, Edge, EdgeAction, automaton_table
from ...errors import PlanError
from ...language.nodes import Query

__all__ = ["DiagramFormat", "draw_automaton"]


class DiagramFormat(StrEnum):
    """How an automaton is drawn."""

    MERMAID = "mermaid"
    DOT = "dot"


def draw_automaton(query: Query, form: DiagramFormat) -> str:
    """Draw the automaton of a checked query.

    Raises:
        PlanError: the query has no SEQ.
    """
    if query.pattern is None:
        raise PlanError("the query has no automaton", hint="only a query with SEQ has one")
    table = automaton_table(query)
    match form:
        case DiagramFormat.MERMAID:
            return _mermaid(table)
        case DiagramFormat.DOT:
            return _dot(table)
        case _:
            assert_never(form)


def _mermaid(table: AutomatonTable) -> str:
    lines = ["stateDiagram-v2"]
    lines += [f"    s{number} : {_plain(label)}" for number, label in enumerate(_labels(table))]
    lines += [f"    [*] --> s{number}" for number in table.initial]
    for edge in table.edges:
        target = "[*]" if edge.target is None else f"s{edge.target}"
        lines.append(f"    s{edge.source} --> {target} : {_plain(_label(edge))}")
    return "\n".join([*lines, *([] if table.complete else ["    %% cut: the automaton has more states"])])


def _dot(table: AutomatonTable) -> str:
    lines = [
        "digraph automaton {",
        "    rankdir=LR;",
        "    begin [shape=point];",
        '    accepted [shape=doublecircle, label=""];',
    ]
    lines += [f"    s{number} [label={_quoted(label)}];" for number, label in enumerate(_labels(table))]
    lines += [f"    begin -> s{number};" for number in table.initial]
    for edge in table.edges:
        target = "accepted" if edge.target is None else f"s{edge.target}"
        lines.append(f"    s{edge.source} -> {target} [label={_quoted(_label(edge))}];")
    return "\n".join([*lines, *([] if table.complete else ["    // cut: the automaton has more states"]), "}"])


def _labels(table: AutomatonTable) -> list[str]:
    """The number of each state and what may come next."""
    return [
        f"{number} awaits " + (", ".join(f"?{variable}" for variable in items if variable) or "nothing")
        for number, items in enumerate(table.states)
    ]


def _label(edge: Edge) -> str:
    match edge.action:
        case EdgeAction.TAKE:
            head = f"take {'' if edge.link is None else f'{edge.link.value} '}?{edge.what}"
        case EdgeAction.IGNORE | EdgeAction.PROCEED:
            head = f"{edge.action.value} {edge.what}".rstrip()
        case _:
            assert_never(edge.action)
    return f"{head} if {'; '.join(edge.conditions)}" if edge.conditions else head


def _plain(label: str) -> str:
    """A label of Mermaid, which would end at a semicolon; a number sign begins an entity."""
    entities = {"#": "#35;", ";": "#59;", ":": "#58;", "<": "#60;", "\n": " "}
    return "".join(entities.get(character, character) for character in label)


def _quoted(label: str) -> str:
    escaped = label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'
