"""From a document's text to checked queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from itertools import pairwise
from typing import assert_never

from .. import syntax_tree as syntax
from ..name_lookup import Names
from ..nodes import ContextSet, KnownContexts, Query, StreamType, Vocabulary
from ..source_text import SourceText, Span
from ..syntax import parse_document
from .asking import known_state
from .contexts import KeyTypes, resolve_contexts, said_types, told
from .resolution import Scope
from .rules import with_emissions
from .statement_compiler import compile_statement
from .window_checks import resolve_bounds


def compile_document(
    text: str,
    vocabulary: Vocabulary,
    source: str = "query",
    retention: timedelta | None = None,
    *,
    asked: bool = False,
) -> tuple[Query, ...]:
    """Check a χ-CEP document against a vocabulary.

    Args:
        text: prefixes and statements; a query may name the output of one before it in FROM.
        vocabulary: streams, prefixes and knowledge.
        source: what messages call the text, such as its file name.
        retention: how long a match may take where no WINDOW bounds it; `None`: such queries are refused.
        asked: whether the last query is asked once, of the states of others.

    Returns:
        The queries in order, deriving ones included; none where the document declares contexts alone.

    Raises:
        QuerySyntaxError: the text is no χ-CEP, or a PATH no SPARQL.
        QueryTypeError: a query cannot mean anything.

    Source: docs/semantics.md 2, 3, 4; SCEPter §3.2.
    """
    return checked_document(text, vocabulary, source, retention, asked=asked).queries


def check_document(
    text: str,
    vocabulary: Vocabulary,
    source: str = "query",
    retention: timedelta | None = None,
    *,
    asked: bool = False,
) -> tuple[tuple[syntax.Statement, Query], ...]:
    """As `compile_document`, with what is written beside what it means."""
    return checked_document(text, vocabulary, source, retention, asked=asked).statements


@dataclass(frozen=True, slots=True)
class CheckedDocument:
    """What a document says.

    Attributes:
        statements: its queries in order, each with what is written.
        sets: the sets of contexts that it declares.
    """

    statements: tuple[tuple[syntax.Statement, Query], ...]
    sets: tuple[ContextSet, ...]

    @property
    def queries(self) -> tuple[Query, ...]:
        """Its queries in order."""
        return tuple(query for _, query in self.statements)


def checked_document(
    text: str,
    vocabulary: Vocabulary,
    source: str = "query",
    retention: timedelta | None = None,
    *,
    asked: bool = False,
) -> CheckedDocument:
    """As `compile_document`, with the sets of contexts, also those that no query speaks of."""
    where = SourceText(source, text)
    parts = parse_document(text, source)
    _check_apart(where, parts)
    names = Names(where, vocabulary.prefixes, vocabulary)
    found = _check_parts(names, parts, retention, {}, asked=asked)
    said = said_types(found.queries)
    if said:  # a key that no stream has is of the type that queries say, also where they stand behind its first use
        found = _check_parts(names, parts, retention, said, asked=asked)
    if not found.statements and not found.sets:
        raise where.syntax_error(_end_of(text), "there is no query", "write SELECT … FILTER (…)")
    return found


def declared_sets(text: str, vocabulary: Vocabulary, source: str = "query") -> tuple[ContextSet, ...]:
    """The sets of contexts that a document declares, its queries unread.

    Raises:
        QuerySyntaxError: the text is no χ-CEP.
        QueryTypeError: a set cannot mean anything.
    """
    parts = tuple(part for part in parse_document(text, source) if not isinstance(part, syntax.Statement))
    return _check_parts(Names(SourceText(source, text), vocabulary.prefixes, vocabulary), parts, None, {}).sets


def _check_parts(
    names: Names,
    parts: tuple[syntax.DocumentPart, ...],
    retention: timedelta | None,
    said: KeyTypes,
    *,
    asked: bool = False,
) -> CheckedDocument:
    last = next((part for part in reversed(parts) if isinstance(part, syntax.Statement)), None)
    compiled: list[tuple[syntax.Statement, Query]] = []
    sets: list[ContextSet] = []
    for part in parts:
        match part:
            case syntax.Prefix(name=name, iri=iri):
                names = replace(names, prefixes={**names.prefixes, name: iri})
            case syntax.ContextSetDeclaration():
                declared = resolve_contexts(names, part, resolve_bounds(Scope(names, {}, {}), part.within), said)
                sets.append(declared)
                known = names.vocabulary.contexts.get(declared.name, KnownContexts(declared))
                names = _knowing(names, {declared.name: replace(known, set=declared)}, {})
            case syntax.Statement():
                _check_rule_name(names, part, [query for _, query in compiled])
                query = _compile(names, part, retention, once=asked and part is last)
                compiled.append((part, query))
                names = _knowing_query(names, query)
            case _:
                assert_never(part)
    return CheckedDocument(tuple(compiled), tuple(sets))


def _check_rule_name(names: Names, statement: syntax.Statement, before: Sequence[Query]) -> None:
    """A rule is called like no other statement of the document."""
    name = statement.name
    if name is not None and any(query.rule is not None and query.called == name.text for query in before):
        hint = f"call this one something else, such as {name.text}2"
        raise names.source.type_error(name.span, f"there is a rule '{name.text}' already", hint)


def _knowing(names: Names, contexts: Mapping[str, KnownContexts], streams: Mapping[str, StreamType]) -> Names:
    """With contexts and streams that the document has told of."""
    known = names.vocabulary
    more = replace(known, contexts={**known.contexts, **contexts}, streams={**known.streams, **streams})
    return replace(names, vocabulary=more)


def _knowing_query(names: Names, query: Query) -> Names:
    """With what a query tells of contexts, its rows as a stream, and its state."""
    streams = with_emissions(names.vocabulary.streams, query)
    rows = {} if query.name is None else {query.name: query.output}
    known = _knowing(names, told(names.vocabulary.contexts, query), streams | rows)
    own = {} if query.called is None else {query.called: known_state(query)}
    states = {**known.vocabulary.states, **own}
    return replace(known, vocabulary=replace(known.vocabulary, states=states))


def _check_apart(where: SourceText, parts: tuple[syntax.DocumentPart, ...]) -> None:
    """A change stands in place of SELECT, not beside it; statements need no `;`, so that would be two."""
    statements = [part for part in parts if isinstance(part, syntax.Statement)]
    for before, after in pairwise(statements):
        if before.span.end != before.query.span.end or (before.query.change is None) is (after.query.change is None):
            continue
        if after.name is None and not _says_more(before.query):
            hint = "a query has a change or SELECT; attributes of the window stand behind it: INITIATE CONTEXT c (…)"
            raise where.syntax_error(after.span, "a change beside SELECT", hint)


def _says_more(query: syntax.SelectQuery) -> bool:
    """Whether a query says more than what it reports or changes."""
    return any(getattr(query, f.name) for f in fields(query) if f.name not in ("change", "items", "span"))


def _end_of(text: str) -> Span:
    end = len(text.rstrip())
    return Span(end, end + 1)


def _compile(names: Names, statement: syntax.Statement, retention: timedelta | None, *, once: bool) -> Query:
    try:
        return compile_statement(names, statement, retention, once=once)
    except RecursionError as error:
        hint = "write `x IN (…)`, or give parts of it names: CREATE QUERY parts AS SELECT …"
        raise names.source.syntax_error(statement.span, "an expression is too long", hint) from error
