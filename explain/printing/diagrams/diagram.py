"""A picture before it has a form: boxes with text, and arrows between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

__all__ = ["Arrow", "Box", "Diagram", "Tone", "joined_diagrams"]


class Tone(StrEnum):
    """What a box is, which is how it looks."""

    PLAIN = "plain"
    HOLDS = "holds"
    FAILS = "fails"
    GROUND = "ground"
    BEGIN = "begin"
    END = "end"


@dataclass(frozen=True, slots=True)
class Box:
    """A node.

    Attributes:
        key: names it in arrows: letters and digits.
        lines: its text; the first is its title.
        tone: how it looks.
    """

    key: str
    lines: tuple[str, ...]
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge, between the keys of two boxes.

    Attributes:
        source: where it begins.
        target: where it ends.
        label: what it says, in lines where there is room for several; empty: nothing.
        conditions: under which it is gone, all of them.
    """

    source: str
    target: str
    label: str = ""
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagram:
    """A directed graph, drawn from left to right.

    Attributes:
        name: what it is of: `plan`, `automaton`, `reasons`.
        boxes: in order.
        arrows: in order.
        states: whether it is of states, which Mermaid draws in a way of their own.
        remark: what is to be known of it, such as that it is cut; empty: nothing.
    """

    name: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    states: bool = False
    remark: str = ""


def joined_diagrams(diagrams: Sequence[Diagram]) -> Diagram:
    """Return several diagrams of one kind as one, beside each other."""
    if len(diagrams) == 1:
        return diagrams[0]
    boxes = [replace(box, key=f"q{n}{box.key}") for n, one in enumerate(diagrams, 1) for box in one.boxes]
    arrows = [
        replace(arrow, source=f"q{n}{arrow.source}", target=f"q{n}{arrow.target}")
        for n, one in enumerate(diagrams, 1)
        for arrow in one.arrows
    ]
    first = diagrams[0]
    remark = next((one.remark for one in diagrams if one.remark), "")
    return replace(first, boxes=tuple(boxes), arrows=tuple(arrows), remark=remark)
