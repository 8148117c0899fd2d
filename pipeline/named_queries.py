"""The named queries of a project, whose output any statement about the project may read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from ..errors import ConfigError, KaicepError
from ..language import Name, Statement
from ..language.nodes import Query
from ..language.syntax import parse_document
from .catalog import Catalog
from .control import SubmittedQueries, folder_of
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
    return queries_named(project, own.reads - own.defines, outputs, besides=source)


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
    known = {*project.annotators, *(query.name for query in outputs)}
    wanted = frozenset(names) - known
    if not wanted:
        return ()
    outlines = _needed(_outlines(project, besides=besides), wanted, known)
    found: list[Query] = []
    for outline in outlines:
        document, others = outline.document, [query for query in outputs if query.name not in outline.defines]
        found += project.compile(
            document.text, source=document.source, retention=document.retention, outputs=[*others, *found]
        )
    needed = wanted.union(*(outline.reads for outline in outlines)) - known
    return tuple(query for query in found if query.name in needed)


@dataclass(frozen=True, slots=True)
class _Document:
    source: str
    text: str
    retention: timedelta | None = None


@dataclass(frozen=True, slots=True)
class _Outline:
    """What a document defines, and what its queries read."""

    document: _Document
    defines: frozenset[str]
    reads: frozenset[str]

    @classmethod
    def of(cls, document: _Document) -> _Outline:
        parts = parse_document(document.text, document.source)
        statements = [part for part in parts if isinstance(part, Statement)]
        defines = frozenset(statement.name.text for statement in statements if statement.name is not None)
        streams = (item.stream for statement in statements for item in statement.query.sources)
        reads = frozenset(stream.text for stream in streams if isinstance(stream, Name))
        return cls(document, defines, reads)


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
        yield _Document(document.label, document.text, document.retention)


def _needed(outlines: Iterable[_Outline], wanted: frozenset[str], known: Collection[str | None]) -> list[_Outline]:
    """Those that define what is wanted, and what they read in turn, in their order; not what is known already."""
    outlines = list(outlines)
    names, before = set(wanted), 0
    while len(names) > before:
        before = len(names)
        names |= {read for outline in outlines if outline.defines & names for read in outline.reads}.difference(known)
    return [outline for outline in outlines if outline.defines & names]
