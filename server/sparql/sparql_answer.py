"""SPARQL over an open store; the answer as bytes, in the form that is wanted, and no larger than it may be."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyoxigraph as ox

from ...archive.sparql import SparqlRequest, explain_syntax, names_dataset, serialized
from ...errors import ArchiveError, Place
from ..problem import ProblemError
from .media_types import GRAPH_FORMATS, GRAPH_TYPES, RESULT_FORMATS, RESULT_TYPES

__all__ = ["BoundedBuffer", "Document", "SparqlQuestion", "answered", "written"]


@dataclass(frozen=True, slots=True)
class SparqlQuestion:
    """A query, over which graphs, and which answers are taken.

    Attributes:
        text: of the query.
        base: IRI that relative ones are resolved against.
        prefixes: preset.
        default: graphs whose union is the default graph; `None`: as the query, else the store, says.
        named: graphs that GRAPH finds; likewise.
        union: whether the union of all graphs is the default graph where nobody names one.
        results: media types of solutions and booleans that are taken, the best one first.
        graphs: of triples.
        largest: bytes that the answer may have.
    """

    text: str
    base: str
    prefixes: Mapping[str, str]
    default: tuple[str, ...] | None = None
    named: tuple[str, ...] | None = None
    union: bool = False
    results: tuple[str, ...] = RESULT_TYPES
    graphs: tuple[str, ...] = GRAPH_TYPES
    largest: int = 100 * 10**6


@dataclass(frozen=True, slots=True)
class Document:
    """An answer as bytes."""

    media_type: str
    content: bytes


class BoundedBuffer(io.BytesIO):
    """Takes so many bytes, and refuses more.

    Args:
        largest: how many.
    """

    def __init__(self, largest: int) -> None:
        super().__init__()
        self._left, self._largest = largest, largest

    def write(self, data: Any, /) -> int:
        """Take some.

        Raises:
            ProblemError: there is no room for them.
        """
        self._left -= len(data)
        if self._left < 0:
            hint = "ask for less, with LIMIT and OFFSET, or let result_size be more"
            raise ProblemError(400, ArchiveError(f"the answer has more than {self._largest:,} bytes", hint=hint))
        return super().write(data)


def written(write: Callable[[io.BytesIO], object], media: str, largest: int) -> Document:
    """What is written, as a document.

    Args:
        write: to a file.
        media: the form that it has then.
        largest: bytes that it may have.

    Raises:
        ProblemError: it is larger (400), or this form cannot say it (406).
    """
    try:
        return Document(media, serialized(write, BoundedBuffer(largest), xml=media.endswith("xml")))
    except ArchiveError as error:
        raise ProblemError(406, error) from error


def answered(store: ox.Store, question: SparqlQuestion) -> Document:
    """The answer of a store.

    Raises:
        ArchiveError: the text is no query, asks other hosts, or cannot be answered.
        ProblemError: the answer is too large, or in no form that is taken.
    """
    SparqlRequest(question.text)  # refuses what asks other hosts, and descriptions that never end
    over_all = question.union and question.default is None and not names_dataset(question.text)
    try:
        found = store.query(
            question.text,
            base_iri=question.base,
            prefixes=dict(question.prefixes),
            default_graph=_nodes(question.default),
            named_graphs=_nodes(question.named),
            use_default_graph_as_union=over_all,
        )
        return _document(found, question)
    except SyntaxError as error:
        raise explain_syntax(error, question.text, question.prefixes, "query") from error
    except (RuntimeError, ValueError) as error:
        raise ArchiveError(f"the query cannot be answered: {error}", place=Place("query")) from error


def _nodes(names: Sequence[str] | None) -> list[Any] | None:  # its lists of terms take no narrower lists
    return None if names is None else [ox.NamedNode(name) for name in names]


def _document(
    found: ox.QuerySolutions | ox.QueryBoolean | ox.QueryTriples | ox.QuadParser, question: SparqlQuestion
) -> Document:
    if isinstance(found, ox.QueryTriples):
        media = _first(question.graphs, "triples", GRAPH_TYPES)
        document = written(partial(found.serialize, format=GRAPH_FORMATS[media]), media, question.largest)
        # Of no triples; an empty body is no answer to YASGUI, which goes on showing the last one.
        return document if document.content else Document(media, b"\n")
    if isinstance(found, ox.QuerySolutions | ox.QueryBoolean):
        media = _first(question.results, "solutions", RESULT_TYPES)
        return written(partial(found.serialize, format=RESULT_FORMATS[media]), media, question.largest)
    raise TypeError(type(found))


def _first(taken: Sequence[str], what: str, offered: Sequence[str]) -> str:
    if not taken:
        raise ProblemError(406, f"{what} are not given in any form that Accept names", f"accept {', '.join(offered)}")
    return taken[0]
