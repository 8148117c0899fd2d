"""Why something holds or does not: a tree of reasons, down to proofs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from ...ontology.proofs import Proof


class ReasonKind(StrEnum):
    """What a reason speaks of."""

    EVENT = "event"
    CLAUSE = "clause"
    JUNCTION = "junction"
    PATH = "path"
    PATTERN = "pattern"
    CONDITION = "condition"


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason.

    Attributes:
        kind: what it speaks of.
        text: for people, IRIs as prefixed names.
        holds: whether that is so.
        parts: the reasons below it.
        proofs: of the triples that make a `PATTERN` true.
        note: what is instead, and how near; empty where there is nothing to say.
    """

    kind: ReasonKind
    text: str
    holds: bool
    parts: tuple[Reason, ...] = ()
    proofs: tuple[Proof, ...] = ()
    note: str = ""


def failures(reason: Reason) -> Iterator[Reason]:
    """The innermost reasons that do not hold, in order; none below what holds."""
    if reason.holds:
        return
    below = [failure for part in reason.parts for failure in failures(part)]
    yield from below or [reason]
