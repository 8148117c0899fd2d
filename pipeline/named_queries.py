"""The named queries of a project, whose output any statement about the project may read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..errors import ConfigError, KaicepError
from ..language import Statement
from ..language.nodes import Query
from ..language.syntax import parse_document
from ..language.syntax_tree import (
    ContextChanges,
    ContextName,
    ContextSetDeclaration,
    EmitClause,
    Name,
    Node,
    PartialsOfQuery,
    RuleChange,
    StateOfQuery,
    walk,
)
from .catalog import Catalog, labelled
from .control import SubmittedDocument, SubmittedQueries, folder_of
from .query_documents import query_files, read_document

__all__ = ["queries_named", "queries_read"]


def queries_read(
    project: Catalog, text: str, source: str = "query", outputs: Sequence[Query] = ()
) -> tuple[Query, ...]:
    """Return the project's queries whose output a document reads, directly or not, each after those that it reads.

    They are those of `[queries]`, then those that were submitted. What the document defines itself is not looked for,
    nor is the document itself if it is one of the project's.

    Args:
        project: its.
        text: of the document.
        source: what the document is called: its file, where it is one.
        outputs: queries that are answered already; they are not looked for.

    Raises:
        KaicepError: the document is no χ-CEP, or a query that it reads is wrong.
    """
    own = _Outline.of(_Document(source, text))
    asks = frozenset(asked for asked in own.asks if not _sets([asked], own.declares))
    return _found(project, own.reads - own.defines, asks, outputs, source)


def queries_named(
    project: Catalog, names: Collection[str], outputs: Sequence[Query] = (), besides: str = ""
) -> tuple[Query, ...]:
    """Return the project's queries of these names and what they read; see `queries_read`.

    Args:
        project: its.
        names: of streams and queries; those of streams, and those that nobody has, are passed over.
        outputs: queries that are answered already.
        besides: a file that is not looked at.

    Raises:
        KaicepError: one of them is wrong.
    """
    return _found(project, names, frozenset(), outputs, besides)


def _found(
    project: Catalog, names: Collection[str], asks: frozenset[_Asked], outputs: Sequence[Query], besides: str
) -> tuple[Query, ...]:
    known = {*project.annotators, *(name for query in outputs for name in query.streams)}
    wanted = frozenset(names) - known
    if not wanted and not asks:
        return ()
    outlines, sets = _needed(_outlines(project, besides=besides), wanted, asks, known)
    found: list[Query] = []
    for outline in outlines:
        document, others = outline.document, [query for query in outputs if query.called not in outline.defines]
        found += document.queries(project, [*others, *found])
    answered = {query.normal for query in outputs if query.changed_sets or query.rule is not None}
    chosen = _needed_of([query for query in found if query.name is None or query.name not in known], wanted, sets)
    return tuple(query for query in chosen if query.normal not in answered)


def _needed_of(found: Sequence[Query], wanted: Collection[str], asked: Collection[str]) -> list[Query]:
    """Of the queries of documents those of some names, those that change contexts of some sets, and what they need."""
    names, sets, chosen, before = set(wanted), set(asked), list[Query](), -1
    while len(chosen) > before:
        before = len(chosen)
        chosen = [q for q in found if names.intersection(q.streams) or sets.intersection(q.changed_sets)]
        names |= {source.stream.name for query in chosen for source in query.sources}
        sets |= {each.name for query in chosen for each in query.context_sets}
    return chosen


_Asked = tuple[str | None, str | None]
"""A set and a context, as far as a text names them."""


@dataclass(frozen=True, slots=True)
class _Document:
    """A document of the project.

    Attributes:
        submitted: as it was submitted: some of its queries may have been withdrawn; `None`: it was not.
    """

    source: str
    text: str
    submitted: SubmittedDocument | None = None

    def queries(self, project: Catalog, outputs: Sequence[Query]) -> Sequence[Query]:
        """Those that are registered still."""
        if self.submitted is None:
            return project.compile(self.text, source=self.source, outputs=outputs)
        taken = [registration.label for registration in labelled(outputs)]
        found = project.registrations(self.text, self.source, outputs, self.submitted.retention, taken)
        return [registration.query for registration in self.submitted.left(found)]


@dataclass(frozen=True, slots=True)
class _Outline:
    """What a document defines, and what its queries read.

    Attributes:
        defines: names of queries, and of streams that rules emit.
        reads: names of streams and queries.
        declares: the contexts of the sets that it declares.
        changes: the contexts that its queries change.
        asks: those in which they are, also those that they change.
    """

    document: _Document
    defines: frozenset[str]
    reads: frozenset[str]
    declares: frozenset[tuple[str, str]]
    changes: frozenset[_Asked]
    asks: frozenset[_Asked]

    @classmethod
    def of(cls, document: _Document) -> _Outline:
        parts = parse_document(document.text, document.source)
        statements = [part for part in parts if isinstance(part, Statement)]
        named = (s.name.text for s in statements if s.name is not None and s.rule is None)
        actions = [action for s in statements if s.rule is not None for action in s.rule.actions]
        emitted = (action.stream.text for action in actions if isinstance(action, EmitClause))
        defines = frozenset((*named, *emitted))
        streams = (item.stream for statement in statements for item in statement.query.sources)
        reads = frozenset(name for stream in streams if (name := _read(stream)) is not None)
        sets = [part for part in parts if isinstance(part, ContextSetDeclaration)]
        declares = frozenset((each.name.text, context.name.text) for each in sets for context in each.contexts)
        asked = [_asked(node) for statement in statements for node in walk(statement)]
        changed = [s.query.change for s in statements]
        changed += [action.change for action in actions if isinstance(action, RuleChange)]
        changes = frozenset(_asked(change.context) for change in changed if change is not None)
        return cls(document, defines, reads, declares, changes, frozenset(asked) - {(None, None)})

    def speaks_of(self, declared: Collection[tuple[str, str]]) -> frozenset[str]:
        """The sets that it declares, and those that its queries change."""
        return frozenset(of for of, _ in self.declares) | _sets(self.changes, declared)


def _read(stream: Node) -> str | None:
    """The stream or query that a part of FROM names; `None`: it names none."""
    match stream:
        case Name(text=name) | StateOfQuery(query=Name(text=name)) | PartialsOfQuery(query=Name(text=name)):
            return name
    return None


def _asked(node: Node) -> _Asked:
    """The set and the context that a part of a text names; neither: it names none."""
    match node:
        case ContextName(set=of, context=context):
            return None if of is None else of.text, context.text
        case ContextChanges(set=of):
            return of.text, None
    return None, None


def _outlines(project: Catalog, *, besides: str) -> list[_Outline]:
    """The project's documents; one that is no χ-CEP defines nothing."""
    found = []
    for document in (*_stated(project, besides), *_submitted(project)):
        with suppress(KaicepError):
            found.append(_Outline.of(document))
    return found


def _stated(project: Catalog, besides: str) -> Iterator[_Document]:
    with suppress(ConfigError):  # a pattern that no file matches is for `check` to tell
        for path in query_files(project.settings):
            if path.resolve() != Path(besides).resolve():
                yield _Document(str(path), read_document(path))


def _submitted(project: Catalog) -> Iterator[_Document]:
    for document in SubmittedQueries(folder_of(project.settings)).documents():
        yield _Document(document.label, document.text, document)


def _needed(
    outlines: Iterable[_Outline], wanted: frozenset[str], asks: frozenset[_Asked], known: Collection[str | None]
) -> tuple[list[_Outline], frozenset[str]]:
    """Those that define what is wanted, and what they read in turn, in their order; not what is known already.

    With a set of contexts come the documents that declare it, and those that change it: what holds depends on them all.

    Returns:
        The outlines, and the names of the sets that are asked for.
    """
    outlines = list(outlines)
    declared = frozenset().union(*(outline.declares for outline in outlines))
    asked = _sets(asks, declared)
    names, sets, chosen, before = set(wanted), asked, list[_Outline](), -1
    while len(chosen) > before:
        before = len(chosen)
        chosen = [outline for outline in outlines if outline.defines & names or outline.speaks_of(declared) & sets]
        names |= {read for outline in chosen for read in outline.reads}.difference(known)
        sets |= {name for outline in chosen for name in _sets(outline.asks, declared)}
    return chosen, asked


def _sets(asked: Iterable[_Asked], declared: Collection[tuple[str, str]]) -> frozenset[str]:
    """The sets that may be meant."""
    return frozenset(
        of for name, context in asked for of, each in declared if name in (None, of) and context in (None, each)
    )
