"""Explanations for people, as trees on the terminal, and for programs, as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from rich.markup import escape
from rich.tree import Tree

from ..ontology.proofs import AssertionOrigin, Inference, Leaf, Proof, TurtleWriter
from ..pipeline.sinks import iso
from .reasons import Kind, Reason
from .why import Candidacy, Explanation

__all__ = ["explanation_dict", "explanation_tree"]

# Steps by the same one of these rules are told as one: their premises are links of a chain.
_CHAINS = {"scm-sco", "scm-spo", "eq-trans", "prp-trp", "cax-sco"}
_MARKS = {True: "[green]✓[/]", False: "[red]✗[/]"}


def explanation_tree(explanation: Explanation, wording: TurtleWriter) -> Tree:
    """The explanation as a tree: clauses, what they ask for, proofs down to the files that state their leaves."""
    said = ", ".join(f"{name}={_plain(value)}" for name, value in explanation.attributes.items())
    event = explanation.event or "no event"
    root = Tree(f"[bold]{escape(event)}[/]  {escape(said)}", guide_style="dim")
    for candidacy in explanation.candidacies:
        branch = root.add(_verdict(candidacy, explanation.query))
        for clause in candidacy.clauses:
            _add(branch, clause, wording)
    return root


def explanation_dict(explanation: Explanation) -> dict[str, Any]:
    """The explanation for a machine; terms of proofs are N-Triples text."""
    return {
        "query": explanation.query,
        "stream": explanation.stream,
        "event": explanation.event,
        "attributes": {name: _plain(value) for name, value in explanation.attributes.items()},
        "holds": explanation.holds,
        "candidacies": [_candidacy(candidacy) for candidacy in explanation.candidacies],
    }


def _verdict(candidacy: Candidacy, query: str) -> str:
    name = f"?{candidacy.variable}"
    if candidacy.failed is None:
        return f"{_MARKS[True]} [bold]a candidate of {name}[/] in {escape(query)}"
    return f"{_MARKS[False]} [bold]no candidate of {name}[/] in {escape(query)}"


def _add(tree: Tree, reason: Reason, wording: TurtleWriter) -> None:
    note = f"[dim]: {escape(reason.note)}[/]" if reason.note and reason.holds else ""
    note = f": [bold]{escape(reason.note)}[/]" if reason.note and not reason.holds else note
    branch = tree.add(f"{_MARKS[reason.holds]} {escape(reason.text)}{note}")
    for part in reason.parts:
        _add(branch, part, wording)
    alone = reason.kind is Kind.PATTERN and len(reason.proofs) == 1
    for proof in reason.proofs:
        if alone:
            _add_grounds(branch, proof, wording)
        else:
            _add_proof(branch, proof, wording)


def _add_proof(tree: Tree, proof: Proof, wording: TurtleWriter) -> None:
    if isinstance(proof, Leaf):
        tree.add(f"{escape(wording.triple(proof.triple))}  [dim]{escape(_stated(proof))}[/]")
    else:
        branch = tree.add(escape(wording.triple(proof.triple)))
        _add_grounds(branch, proof, wording)


def _add_grounds(branch: Tree, proof: Proof, wording: TurtleWriter) -> None:
    """What a triple that the branch shows already rests on."""
    if isinstance(proof, Leaf):
        branch.label = f"{branch.label}  [dim]{escape(_stated(proof))}[/]"
        return
    premises = [p for p in _premises(proof) if not (isinstance(p, Leaf) and wording.is_cell(p.triple))]
    times = f" × {_length(proof)}" if _length(proof) > 1 else ""
    branch.label = f"{branch.label}  [cyan]{escape(f'[{proof.rule}{times}]')}[/]"
    for premise in premises:
        _add_proof(branch, premise, wording)


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


def _plain(value: object) -> object:
    match value:
        case datetime():
            return iso(value)
        case Mapping():
            return {name: _plain(part) for name, part in value.items()}
        case _:
            return value
