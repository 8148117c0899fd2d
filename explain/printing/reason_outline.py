"""The explanation of an event as an outline: entries with what they rest on, before they are a tree or a picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...ontology.proofs import AssertionOrigin, Inference, Leaf, Proof, TurtleWriter
from ..candidacy import Candidacy, Explanation
from ..reasons import Reason, ReasonKind
from .reason_json import json_value

__all__ = ["OutlineEntry", "attribute_texts", "outline"]

# Steps by the same one of these rules are told as one: their premises are links of a chain.
_CHAINS = {"scm-sco", "scm-spo", "eq-trans", "prp-trp", "cax-sco"}


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One thing that an explanation says of an event.

    Attributes:
        text: what is said, such as a triple or a clause.
        holds: whether it is so; `None`: it is a premise, of which that goes without saying.
        verdict: whether it is the verdict on an event variable.
        note: what is instead, and how near; empty where there is nothing to say.
        source: which files state it; empty where it is derived, or no triple.
        rule: by which it is derived, and in how many steps; empty where it is stated.
        parts: what it rests on.
    """

    text: str
    holds: bool | None = None
    verdict: bool = False
    note: str = ""
    source: str = ""
    rule: str = ""
    parts: tuple[OutlineEntry, ...] = ()


def attribute_texts(explanation: Explanation) -> list[str]:
    """What the event says, attribute by attribute."""
    return [f"{name}={json_value(value)}" for name, value in explanation.attributes.items()]


def outline(explanation: Explanation, wording: TurtleWriter) -> tuple[OutlineEntry, ...]:
    """The verdict on each event variable, with clauses, what they ask for, and proofs down to the files."""
    return tuple(_candidacy(candidacy, explanation.query, wording) for candidacy in explanation.candidacies)


def _candidacy(candidacy: Candidacy, query: str, wording: TurtleWriter) -> OutlineEntry:
    holds = candidacy.failed is None
    text = f"{'a' if holds else 'no'} candidate of ?{candidacy.variable}"
    parts = tuple(_reason(clause, wording) for clause in candidacy.clauses)
    return OutlineEntry(text, holds, verdict=True, note=f"in {query}", parts=parts)


def _reason(reason: Reason, wording: TurtleWriter) -> OutlineEntry:
    parts = tuple(_reason(part, wording) for part in reason.parts)
    if reason.kind is ReasonKind.PATTERN and len(reason.proofs) == 1:
        source, rule, grounds = _grounds(reason.proofs[0], wording)
        return OutlineEntry(
            reason.text, reason.holds, note=reason.note, source=source, rule=rule, parts=(*parts, *grounds)
        )
    proofs = tuple(_proof(proof, wording) for proof in reason.proofs)
    return OutlineEntry(reason.text, reason.holds, note=reason.note, parts=(*parts, *proofs))


def _proof(proof: Proof, wording: TurtleWriter) -> OutlineEntry:
    source, rule, grounds = _grounds(proof, wording)
    return OutlineEntry(wording.triple(proof.triple), source=source, rule=rule, parts=grounds)


def _grounds(proof: Proof, wording: TurtleWriter) -> tuple[str, str, tuple[OutlineEntry, ...]]:
    """What a triple rests on: which files state it, or by which rule it follows from what."""
    if isinstance(proof, Leaf):
        return _stated(proof), "", ()
    premises = [p for p in _premises(proof) if not (isinstance(p, Leaf) and wording.is_cell(p.triple))]
    times = f" × {_length(proof)}" if _length(proof) > 1 else ""
    return "", f"{proof.rule}{times}", tuple(_proof(premise, wording) for premise in premises)


def _premises(step: Inference) -> Iterator[Proof]:
    """The premises of a step; of a chain of steps those of all links, in order, the mark of transitivity once."""
    seen: set[object] = set()
    for premise in step.premises:
        linked = step.rule in _CHAINS and isinstance(premise, Inference) and premise.rule == step.rule
        inner = _premises(premise) if linked and isinstance(premise, Inference) else iter((premise,))
        for proof in inner:
            if proof.triple not in seen:
                seen.add(proof.triple)
                yield proof


def _length(step: Inference) -> int:
    if step.rule not in _CHAINS:
        return 1
    linked = (p for p in step.premises if isinstance(p, Inference) and p.rule == step.rule)
    return 1 + sum(_length(p) for p in linked)


def _stated(leaf: Leaf) -> str:
    source = ", ".join(leaf.sources)
    match leaf.origin:
        case AssertionOrigin.MODULE:
            return source
        case AssertionOrigin.EVENT:
            return f"the event: {source}"
        case AssertionOrigin.REASONER:
            return f"inferred by {source}, which gives no proof"
        case AssertionOrigin.OPEN:
            return f"of the closure by {source}; no proof was found"
