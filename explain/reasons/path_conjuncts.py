"""A PATH's body, taken apart: triple patterns of one step each, FILTERs, and what else there is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from rdflib import BNode, URIRef, Variable
from rdflib.paths import InvPath, Path, SequencePath
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue

from ...language import Names, SourceText, Span
from ...language.nodes import Vocabulary
from ...language.paths import GroupElement, SparqlToken, Tokens, group_elements, render, tokenize
from ...semfilter import replace_variable, term_text

_CALL = re.compile(r"\b(?!(?:FILTER|IN|BIND|VALUES|AS|SELECT|DISTINCT|BY|HAVING) )([A-Z]+) \(")
STEP = "kaicep_step_"
"""What the variables between the steps of a property path are called."""


@dataclass(frozen=True, slots=True)
class TriplePattern:
    """A triple pattern in rdflib's terms; a predicate that is still a path has alternatives or repetitions."""

    subject: object
    predicate: object
    object: object

    @property
    def text(self) -> str:
        """SPARQL."""
        return " ".join(str(term_text(part)) for part in (self.subject, self.predicate, self.object)) + " ."


@dataclass(frozen=True, slots=True)
class PathConjunct:
    """A part of a group that holds or not as a whole.

    Attributes:
        kind: `triples`, `FILTER`, `OPTIONAL`, `MINUS`, `BIND`, `VALUES`, `SELECT`, or `{` for groups and UNIONs.
        text: SPARQL, the event in the place of its variable.
        tokens: as written, the event variable still there; a FILTER without its keyword.
        pattern: of `triples`.
    """

    kind: str
    text: str
    tokens: tuple[SparqlToken, ...]
    pattern: TriplePattern | None = None


def conjuncts_of(body: str, variable: str, event: str) -> list[PathConjunct]:
    """The parts of a group, those that hang on the event first where order means nothing, FILTERs last.

    Args:
        body: SPARQL group without braces, IRIs in full.
        variable: the event variable.
        event: IRI of the event.
    """
    names = Names(SourceText("PATH", body), {}, Vocabulary({}, {}))
    tokens = [_without_label(token) for token in tokenize(names, Span(0, len(body)))]
    return conjuncts_of_tokens(tokens, variable, event, count())


def conjuncts_of_tokens(tokens: Tokens, variable: str, event: str, numbers: Iterator[int]) -> list[PathConjunct]:
    """`conjuncts_of` for tokens; `numbers` names the variables between the steps of paths."""
    found = [conjunct for s in group_elements(tokens) for conjunct in _of_element(s, variable, event, numbers)]
    conditions = [conjunct for conjunct in found if conjunct.kind == "FILTER"]
    others = [conjunct for conjunct in found if conjunct.kind != "FILTER"]
    last_pattern = max((i for i, conjunct in enumerate(others) if conjunct.pattern is not None), default=-1)
    if all(conjunct.pattern is not None for conjunct in others[: last_pattern + 1]):
        others = _connected(others[: last_pattern + 1], event) + others[last_pattern + 1 :]
    return others + conditions


def groups_in(tokens: Tokens) -> list[tuple[SparqlToken, ...]]:
    """The groups in braces at the top level of some tokens, without the braces."""
    groups: list[tuple[SparqlToken, ...]] = []
    depth, start = 0, 0
    for place, token in enumerate(tokens):
        if token.kind == "mark" and token.text in "{}":
            depth += 1 if token.text == "{" else -1
            if token.text == "{" and depth == 1:
                start = place + 1
            elif depth == 0:
                groups.append(tuple(tokens[start:place]))
    return groups


def joined(conjuncts: Iterable[PathConjunct]) -> str:
    """SPARQL of some parts together."""
    return " ".join(conjunct.text for conjunct in conjuncts)


def tidy(tokens: Tokens) -> str:
    """Tokens as people write them: no space inside parentheses, none after the name of a function."""
    text = render(tokens).replace("( ", "(").replace(" )", ")")
    return _CALL.sub(r"\1(", text)


def _without_label(token: SparqlToken) -> SparqlToken:
    """A labelled blank node is a variable that nobody sees."""
    return replace(token, kind="variable", text=f"?blank_{token.text[2:]}") if token.kind == "blank" else token


def _of_element(element: GroupElement, variable: str, event: str, numbers: Iterator[int]) -> Iterator[PathConjunct]:
    text = replace_variable(render(element.tokens), variable, f"<{event}>")
    if element.kind == "triples":
        for pattern in _patterns(text):
            for step in _steps(pattern, numbers):
                yield PathConjunct("triples", step.text, element.tokens, step)
    elif element.kind == "FILTER":
        for part in _conjuncts(element.tokens):
            condition = replace_variable(render(part), variable, f"<{event}>")
            yield PathConjunct("FILTER", f"FILTER {condition}", part)
    else:
        yield PathConjunct(element.kind, text, element.tokens)


def _patterns(text: str) -> list[TriplePattern]:
    algebra = translateQuery(parseQuery(f"SELECT * WHERE {{ {text} }}")).algebra
    found = [TriplePattern(*triple) for node in _nodes(algebra) if node.name == "BGP" for triple in node.triples]
    return sorted(found, key=lambda p: (_place(text, p.predicate), _place(text, p.object)))


def _place(text: str, term: object) -> int:
    written = term_text(term.args[0] if isinstance(term, SequencePath) else term)
    return text.find(written or "") % (len(text) + 1)


def _nodes(node: CompValue) -> Iterator[CompValue]:
    yield node
    for key in ("p", "p1", "p2"):
        if isinstance(child := node.get(key), CompValue):
            yield from _nodes(child)


def _steps(pattern: TriplePattern, numbers: Iterator[int]) -> Iterator[TriplePattern]:
    """A pattern as patterns of one step: sequences taken apart, inverses turned."""
    match pattern.predicate:
        case SequencePath():
            ends = [Variable(f"{STEP}{next(numbers)}") for _ in pattern.predicate.args[1:]]
            nodes = [pattern.subject, *ends, pattern.object]
            for start, step, end in zip(nodes, pattern.predicate.args, nodes[1:], strict=False):
                yield from _steps(TriplePattern(start, step, end), numbers)
        case InvPath():
            yield from _steps(TriplePattern(pattern.object, pattern.predicate.arg, pattern.subject), numbers)
        case _:
            yield pattern


def _connected(conjuncts: Sequence[PathConjunct], event: str) -> list[PathConjunct]:
    """In their order, but each after those that lead from the event to it."""
    known: set[object] = {URIRef(event)}
    waiting, ordered = list(conjuncts), []
    while waiting:
        chosen = next((conjunct for conjunct in waiting if known & set(_ends(conjunct))), waiting[0])
        waiting.remove(chosen)
        ordered.append(chosen)
        known |= {end for end in _ends(chosen) if isinstance(end, Variable | BNode)}
    return ordered


def _ends(conjunct: PathConjunct) -> tuple[object, ...]:
    pattern = conjunct.pattern
    if pattern is None:
        return ()
    free = (pattern.predicate,) if not isinstance(pattern.predicate, Path) else ()
    return pattern.subject, pattern.object, *free


def _conjuncts(tokens: Tokens) -> list[tuple[SparqlToken, ...]]:
    """The parts of `( a && b )`, each in parentheses; anything else as it is."""
    if not tokens or tokens[0].text != "(":
        return [tuple(tokens)]
    parts = split_at(tokens[1:-1], ("&&",))
    if len(parts) == 1 or len(split_at(tokens[1:-1], ("||",))) > 1:
        return [tuple(tokens)]
    return [(tokens[0], *part, tokens[-1]) for _, part in parts]


def split_at(tokens: Tokens, marks: Sequence[str]) -> list[tuple[str, tuple[SparqlToken, ...]]]:
    """Tokens divided at marks outside of all brackets: each part with the mark before it, the first with none."""
    parts: list[tuple[str, list[SparqlToken]]] = [("", [])]
    depth = 0
    for token in tokens:
        if token.kind == "mark":
            depth += (token.text in ("(", "{", "[")) - (token.text in (")", "}", "]"))
            if not depth and token.text in marks:
                parts.append((token.text, []))
                continue
        parts[-1][1].append(token)
    return [(mark, tuple(part)) for mark, part in parts]
