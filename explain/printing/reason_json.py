"""The explanation of an event for programs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ...ontology.proofs import Leaf, Proof
from ...pipeline.sinks import iso
from ..candidacy import Candidacy, Explanation
from ..reasons import Reason

__all__ = ["explanation_dict", "json_value"]


def explanation_dict(explanation: Explanation) -> dict[str, Any]:
    """The explanation for a machine; terms of proofs are N-Triples text."""
    return {
        "query": explanation.query,
        "stream": explanation.stream,
        "event": explanation.event,
        "attributes": {name: json_value(value) for name, value in explanation.attributes.items()},
        "holds": explanation.holds,
        "candidacies": [_candidacy(candidacy) for candidacy in explanation.candidacies],
    }


def _candidacy(candidacy: Candidacy) -> dict[str, Any]:
    failed = candidacy.failed
    return {
        "variable": candidacy.variable,
        "holds": candidacy.holds,
        "failed": None if failed is None else candidacy.clauses.index(failed),
        "clauses": [_reason(clause) for clause in candidacy.clauses],
    }


def _reason(reason: Reason) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": reason.kind.value, "text": reason.text, "holds": reason.holds}
    if reason.note:
        found["note"] = reason.note
    if reason.parts:
        found["parts"] = [_reason(part) for part in reason.parts]
    if reason.proofs:
        found["proofs"] = [_proof(proof) for proof in reason.proofs]
    return found


def _proof(proof: Proof) -> dict[str, Any]:
    triple = [str(term) for term in (proof.triple.subject, proof.triple.predicate, proof.triple.object)]
    if isinstance(proof, Leaf):
        return {"triple": triple, "origin": proof.origin.value, "sources": list(proof.sources)}
    return {"triple": triple, "rule": proof.rule, "premises": [_proof(premise) for premise in proof.premises]}


def json_value(value: object) -> object:
    """A value of an event as JSON has it: moments as ISO 8601."""
    match value:
        case datetime():
            return iso(value)
        case Mapping():
            return {name: json_value(part) for name, part in value.items()}
        case _:
            return value
