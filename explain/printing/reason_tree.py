"""The explanation of an event for people, as a tree on the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.markup import escape
from rich.tree import Tree

from ...ontology.proofs import AssertionOrigin, Inference, Leaf, Proof, TurtleWriter
from ..candidacy import Candidacy, Explanation
from ..reasons import Reason, ReasonKind
from .reason_json import json_value

__all__ = ["explanation_tree"]

# Steps by the same one of these rules are told as one: their premises are links of a chain.
_CHAINS = {"scm-sco", "scm-spo", "eq-trans", "prp-trp", "cax-sco"}
_MARKS = {True: "[green]✓[/]", False: "[red]✗[/]"}


def explanation_tree(explanation: Explanation, wording: TurtleWriter) -> Tree:
    """The explanation as a tree: clauses, what they ask for, proofs down to the files that state their leaves."""
    said = ", ".join(f"{name}={json_value(value)}" for name, value in explanation.attributes.items())
    event = explanation.event or "no event"
    root = Tree(f"[bold]{escape(event)}[/]  {escape(said)}", guide_style="dim")
    for candidacy in explanation.candidacies:
        branch = root.add(_verdict(candidacy, explanation.query))
        for clause in candidacy.clauses:
            _add(branch, clause, wording)
    return root


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
    alone = reason.kind is ReasonKind.PATTERN and len(reason.proofs) == 1
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
