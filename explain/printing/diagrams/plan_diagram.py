"""The explanation of a query as a diagram: what each part gives flows to the query on the right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from ...plans import PlanNode
from ...prefixed_text import with_prefixes
from .diagram import Arrow, Box, Diagram

__all__ = ["plan_diagram_of"]


def plan_diagram_of(explanation: PlanNode, prefixes: Mapping[str, str] = MappingProxyType({})) -> Diagram:
    """An explanation as boxes: what has parts is a box, what has none a line in the box that it belongs to.

    Args:
        explanation: of a query, or a part of one.
        prefixes: prefix → namespace, by which IRIs are shortened.
    """
    boxes: list[Box] = []
    arrows: list[Arrow] = []
    _add(explanation, boxes, arrows, prefixes)
    return Diagram("plan", tuple(boxes), tuple(arrows))


def _add(node: PlanNode, boxes: list[Box], arrows: list[Arrow], prefixes: Mapping[str, str]) -> str:
    """Add a node and all below it; return its box's key."""
    key = f"n{len(boxes)}"
    said = [_said(node), *(_said(child) for child in node.children if not child.children)]
    boxes.append(Box(key, tuple(with_prefixes(line, prefixes) for line in said)))
    for child in _branches(node):
        arrows.append(Arrow(_add(child, boxes, arrows, prefixes), key))
    return key


def _branches(node: PlanNode) -> Iterator[PlanNode]:
    """The children that have parts; one that says nothing but what its only part is of gives way to that part."""
    for child in node.children:
        while not child.text and len(child.children) == 1 and child.children[0].children:
            child = child.children[0]  # noqa: PLW2901 - one step down
        if child.children:
            yield child


def _said(node: PlanNode) -> str:
    return ": ".join(part for part in (node.label, node.text) if part)
