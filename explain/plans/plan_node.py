"""What the explanation of a query is made of; text is printed from it, and so can JSON and pictures be."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PlanNode"]


@dataclass(frozen=True, slots=True)
class PlanNode:
    """One thing that an explanation says, and what it says below it.

    Attributes:
        label: what it speaks of, as `window`; empty where the text says that itself.
        text: in words, IRIs in full; empty where the children say it all.
        children: what belongs to it, in order.

    Source: the plan trees of PostgreSQL's EXPLAIN.
    """

    label: str
    text: str = ""
    children: tuple[PlanNode, ...] = ()
