"""What a SPARQL text could do to the process that answers it: open connections, end it while it is parsed."""

from __future__ import annotations

import re

from ...errors import ArchiveError, Place

__all__ = ["is_intricate", "refuse_long_description", "refuse_service"]

_SERVICE = re.compile(r"(?<![?$:\w.-])SERVICE(?![\w:.-])", re.IGNORECASE)
# An IRI with a bracket may be a comparison that something hides in, and a backslash may be in a prefixed name.
_CERTAIN = re.compile(r"\\.|'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|<[^<>\s()]*>|#[^\n]*")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_LINK = re.compile(r"\b(?:UNION|OPTIONAL|MINUS|BIND|FILTER|VALUES|EXISTS)\b|&&|\|\||[-+*/|^!=]", re.IGNORECASE)
_DESCRIPTION = re.compile(r"\bDESCRIBE\b(?P<resources>[^{]*)", re.IGNORECASE)
_RESOURCE = re.compile(r"<[^<>\s]*>|[?$]\w+|[\w.-]*:[\w.%-]*")
_DEEP, _LONG, _MOST_DESCRIBED = 50, 300, 1_000


def refuse_service(text: str, source: str = "query") -> None:
    """Refuse SERVICE: it lets the archive ask any host.

    Raises:
        ArchiveError: there is one.
    """
    found = _SERVICE.search(_plain(text))
    if found is not None:
        raise ArchiveError(
            "SERVICE asks another endpoint, and the archive opens no connections",
            place=Place.at(source, text, found.start(), found.end()),
            hint="ask that endpoint by itself, and join the answers",
        )


def refuse_long_description(text: str, source: str = "query") -> None:
    """Refuse DESCRIBE of too many resources: Oxigraph takes time by the square of them, and some thousand end it.

    Raises:
        ArchiveError: there is one.
    """
    found = _DESCRIPTION.search(_plain(text))
    listed = 0 if found is None else sum(1 for _ in _RESOURCE.finditer(text, *found.span("resources")))
    if found is not None and listed > _MOST_DESCRIBED:
        raise ArchiveError(
            f"DESCRIBE of {listed:,} resources at once",
            place=Place.at(source, text, found.start(), found.start("resources")),
            hint=f"describe at most {_MOST_DESCRIBED:,}, or those that a pattern finds: DESCRIBE ?x WHERE {{ ... }}",
        )


def is_intricate(text: str) -> bool:
    """Whether a text nests so deep, or links so much, that Oxigraph's recursion may end the process that parses it.

    Some thousand levels do; a query that somebody wrote has a few. Such a text is answered in a process of its own.
    """
    plain = _plain(text)
    depth = deepest = 0
    for character in plain:
        if character in _OPENING:
            depth += 1
            deepest = max(deepest, depth)
        elif character in _CLOSING:
            depth -= 1
    return deepest > _DEEP or sum(1 for _ in _LINK.finditer(plain)) > _LONG


def _plain(text: str) -> str:
    """Blank out strings, IRIs and comments; every other character stays where it is."""
    return _CERTAIN.sub(lambda found: " " * len(found[0]), text)
