"""SPARQL Update over an open store: what a request names as its dataset, and what no update may do.

Source: SPARQL 1.1 Protocol, 2.2.3; SPARQL 1.1 Update, 3.1.3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pyoxigraph as ox

from ...archive.sparql import explain_syntax, refuse_service
from ...errors import ArchiveError, Place
from ..problem import ProblemError

__all__ = ["SparqlUpdate", "updated", "with_dataset"]

# As in `archive.sparql`: of an IRI with a bracket nobody knows where it ends, and what it may hide is looked at.
_OPAQUE = re.compile(r"\\.|'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|<[^<>\s()]*>|#[^\n]*")
_LOAD = re.compile(r"(?<![?$:\w.-])LOAD(?![\w:.-])", re.IGNORECASE)
_WORD = re.compile(r"[{}]|(?<![?$:\w.-])(?:WHERE|USING|WITH|DELETE|INSERT)(?![\w:.-])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SparqlUpdate:
    """An update, and over which graphs its patterns are.

    Attributes:
        text: one operation or several.
        base: IRI that relative ones are resolved against.
        prefixes: preset.
        using: graphs whose union is the default graph of its patterns; none: as the text says.
        using_named: graphs that GRAPH finds; likewise.
    """

    text: str
    base: str
    prefixes: Mapping[str, str]
    using: tuple[str, ...] = ()
    using_named: tuple[str, ...] = ()


def updated(store: ox.Store, update: SparqlUpdate) -> None:
    """Change a store, as a whole or not at all; durable when this returns.

    Raises:
        ArchiveError: the text is no update, asks other hosts, or cannot be done.
        ProblemError: it names its dataset itself, beside the request.
    """
    refuse_service(update.text, "update")
    _refuse_load(update.text)
    text = with_dataset(update)
    try:
        store.update(text, base_iri=update.base, prefixes=dict(update.prefixes))
        store.flush()
    except SyntaxError as error:
        raise explain_syntax(error, text, update.prefixes, "update", updates=True) from error
    except (RuntimeError, ValueError) as error:
        raise ArchiveError(f"the update cannot be done: {error}", place=Place("update")) from error


def with_dataset(update: SparqlUpdate) -> str:
    """The text of an update with the dataset that its request names, as clauses USING of each of its patterns.

    Raises:
        ProblemError: the text has USING or WITH, or DELETE WHERE, which takes none.
    """
    if not update.using and not update.using_named:
        return update.text
    graphs = [f"USING {ox.NamedNode(name)}" for name in update.using]
    graphs += [f"USING NAMED {ox.NamedNode(name)}" for name in update.using_named]
    parts, done = list[str](), 0
    for place in _patterns(update.text):
        parts += [update.text[done:place], " ".join(graphs), " "]
        done = place
    return "".join([*parts, update.text[done:]])


def _patterns(text: str) -> Iterator[int]:
    """Where the pattern of each operation begins: WHERE outside of all braces."""
    depth, before = 0, ""
    for found in _WORD.finditer(_OPAQUE.sub(lambda opaque: " " * len(opaque[0]), text)):
        word = found[0].upper()
        depth += (word == "{") - (word == "}")
        if depth == 0 and word in ("USING", "WITH"):
            raise _twice(f"the update has {word}, and the request names its dataset as well", text, found)
        if depth == 0 and word == "WHERE":
            if before == "DELETE":
                raise _twice("DELETE WHERE takes no dataset: write DELETE { … } WHERE { … }", text, found)
            yield found.start()
        before = word


def _twice(message: str, text: str, found: re.Match[str]) -> ProblemError:
    place = Place.at("update", text, found.start(), found.end())
    return ProblemError(400, ArchiveError(message, place=place, hint="let one of the two say it"))


def _refuse_load(text: str) -> None:
    found = _LOAD.search(_OPAQUE.sub(lambda opaque: " " * len(opaque[0]), text))
    if found is not None:
        raise ArchiveError(
            "LOAD fetches from anywhere, and the server opens no connections and no files",
            place=Place.at("update", text, found.start(), found.end()),
            hint="PUT the graph by the Graph Store Protocol, or INSERT DATA",
        )
