"""The explanation of a query as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from ..plans import PlanNode
from ..prefixed_text import with_prefixes

__all__ = ["plan_text"]


def plan_text(explanation: PlanNode, prefixes: Mapping[str, str] = MappingProxyType({})) -> str:
    """An explanation in lines, children indented below their parents.

    Args:
        explanation: of a query, or a part of one.
        prefixes: prefix → namespace, by which IRIs are shortened.

    Returns:
        Lines without a final line break.
    """
    return with_prefixes("\n".join(_lines(explanation, "")), prefixes)


def _lines(node: PlanNode, indentation: str) -> Iterator[str]:
    said = ": ".join(part for part in (node.label, node.text) if part)
    yield f"{indentation}{said}" if node.text else f"{indentation}{said}:"
    for child in node.children:
        yield from _lines(child, f"{indentation}  ")
