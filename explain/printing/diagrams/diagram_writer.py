"""Diagrams as text: Mermaid, DOT for Graphviz; and as SVG, which Graphviz makes of the DOT."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from enum import StrEnum
from typing import assert_never

from .diagram import Box, Diagram, Tone
from .graphviz_svg import svg_of_dot

__all__ = ["DiagramFormat", "write_diagram"]

_WIDTH = 64  # characters of a line in a box
_FILLS = {Tone.PLAIN: "#ffffff", Tone.HOLDS: "#e3f4e1", Tone.FAILS: "#fbdcd9", Tone.GROUND: "#eeeeee"}


class DiagramFormat(StrEnum):
    """How a diagram is written."""

    MERMAID = "mermaid"
    DOT = "dot"
    SVG = "svg"


def write_diagram(diagram: Diagram, form: DiagramFormat) -> str:
    """Return a diagram in a form.

    Raises:
        PlanError: SVG is asked for, and no Graphviz is there.
    """
    match form:
        case DiagramFormat.MERMAID:
            return "\n".join(_state_diagram(diagram) if diagram.states else _flowchart(diagram))
        case DiagramFormat.DOT:
            return "\n".join(_dot(diagram))
        case DiagramFormat.SVG:
            return svg_of_dot("\n".join(_dot(diagram)))
        case _:
            assert_never(form)


def _state_diagram(diagram: Diagram) -> Iterator[str]:
    """Mermaid's diagrams of states: where they begin and end has a sign instead of a name."""
    yield "stateDiagram-v2"
    signs = {box.key: "[*]" for box in diagram.boxes if box.tone in (Tone.BEGIN, Tone.END)}
    yield from (f"    {box.key} : {_plain(box.lines[0])}" for box in diagram.boxes if box.key not in signs)
    for arrow in diagram.arrows:
        condition = f" if {'; '.join(arrow.conditions)}" if arrow.conditions else ""
        label = f" : {_plain(arrow.label + condition)}" if arrow.label else ""
        yield f"    {signs.get(arrow.source, arrow.source)} --> {signs.get(arrow.target, arrow.target)}{label}"
    if diagram.remark:
        yield f"    %% {diagram.remark}"


def _flowchart(diagram: Diagram) -> Iterator[str]:
    yield "flowchart LR"
    for box in diagram.boxes:
        yield f'    {box.key}["{"<br/>".join(_entities(line) for line in _wrapped(box))}"]:::{box.tone.value}'
    for arrow in diagram.arrows:
        label = f'|"{_entities(" ".join(arrow.label.splitlines()))}"|' if arrow.label else ""
        yield f"    {arrow.source} -->{label} {arrow.target}"
    for tone in dict.fromkeys(box.tone for box in diagram.boxes):
        yield f"    classDef {tone.value} fill:{_FILLS[tone]},stroke:#555555,color:#000000,text-align:left"
    if diagram.remark:
        yield f"    %% {diagram.remark}"


def _dot(diagram: Diagram) -> Iterator[str]:
    yield f"digraph {diagram.name} {{"
    yield "    rankdir=LR;"
    if not diagram.states:
        yield '    node [shape=box, style="rounded,filled"];'
    for box in diagram.boxes:
        yield f"    {box.key} [{_attributes(box, states=diagram.states)}];"
    for arrow in diagram.arrows:
        said = [*arrow.label.splitlines(), *(f"{'and' if n else 'if'} {c}" for n, c in enumerate(arrow.conditions))]
        lines = "\\n".join(_escaped(line) for line in said)
        label = f' [label="{lines}"]' if arrow.label else ""
        yield f"    {arrow.source} -> {arrow.target}{label};"
    if diagram.remark:
        yield f"    // {diagram.remark}"
    yield "}"


def _attributes(box: Box, *, states: bool) -> str:
    match box.tone:
        case Tone.BEGIN:
            return "shape=point"
        case Tone.END:
            return 'shape=doublecircle, label=""'
        case _ if states:
            return f"label={_quoted(box.lines[0])}"
        case _:
            # `\l` ends a line that begins on the left.
            lines = "".join(_escaped(line) + "\\l" for line in _wrapped(box))
            return f'label="{lines}", fillcolor="{_FILLS[box.tone]}"'


def _wrapped(box: Box) -> Iterator[str]:
    """The lines of a box, none of them long; what goes on is indented."""
    for line in box.lines:
        yield from textwrap.wrap(line, _WIDTH, subsequent_indent="    ", break_long_words=False) or [""]


def _plain(label: str) -> str:
    """A label of Mermaid's states, which would end at a semicolon; a number sign begins an entity."""
    entities = {"#": "#35;", ";": "#59;", ":": "#58;", "<": "#60;", "\n": " "}
    return "".join(entities.get(character, character) for character in label)


def _entities(label: str) -> str:
    """A label of Mermaid's flowcharts, which stands in quotes and is HTML; spaces in front are kept."""
    entities = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "&": "#amp;", "`": "#96;"}
    text = label.lstrip(" ")
    kept = "#nbsp;" * (len(label) - len(text))
    return kept + "".join(entities.get(character, character) for character in text)


def _quoted(label: str) -> str:
    return f'"{_escaped(label)}"'


def _escaped(label: str) -> str:
    return label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
