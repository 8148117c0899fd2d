"""What is wrong with a text that Oxigraph does not take for a query."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...errors import ArchiveError, Place, did_you_mean

_QUERIES = "SELECT, ASK, CONSTRUCT or DESCRIBE"
_UPDATE_FORMS = "INSERT, DELETE, CLEAR, CREATE, DROP, ADD, MOVE or COPY"
_OPAQUE = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|<[^<>\s]*>|#[^\n]*")
_PROLOGUE = re.compile(r"(?:\s|PREFIX\s+[\w.-]*:|BASE\b)*", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]+|\S|$")
_FROM = re.compile(r"(?<![?$:\w.-])FROM(?![\w:.-])", re.IGNORECASE)
_UPDATES = frozenset(["INSERT", "DELETE", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY", "WITH"])
_DECLARED = re.compile(r"PREFIX\s+([\w.-]*):", re.IGNORECASE)
_PREFIX = re.compile(r"(?<![\w.?$@:-])([A-Za-z][\w.-]*)?:")
_AT = re.compile(r"error at (\d+):(\d+): (?:expected )?(?:one of )?(.*)", re.DOTALL)
_FAULTS = {
    "The SELECT contains a variable that is unbound": (
        "SELECT names a variable that is neither grouped nor aggregated",
        "add it to GROUP BY",
    ),
    "Duplicated variable name in SELECT": ("SELECT names a variable twice", "rename one of the two"),
}


def masked(text: str) -> str:
    """Blank out strings, IRIs and comments; every other character stays where it is."""
    return _OPAQUE.sub(lambda found: " " * len(found[0]), text)


def names_dataset(text: str) -> bool:
    """Whether a query has a FROM of its own."""
    return _FROM.search(masked(text)) is not None


def explain_syntax(
    error: SyntaxError, text: str, prefixes: Mapping[str, str], source: str, *, updates: bool = False
) -> ArchiveError:
    """Explain Oxigraph's syntax error.

    Args:
        error: its message says a place and what it would have taken there.
        text: the query.
        prefixes: preset.
        source: the text's name.
        updates: whether it is an update.
    """
    plain = masked(text)
    return (
        (None if updates else _no_query(plain, text, source))
        or _unknown_prefix(plain, text, prefixes, source)
        or _fault(error, text, source)
        or _no_sparql(error, text, source, updates=updates)
    )


def _no_query(plain: str, text: str, source: str) -> ArchiveError | None:
    prologue = _PROLOGUE.match(plain)
    first = _WORD.search(plain, prologue.end() if prologue else 0)
    if first is None or first[0].upper() in {"SELECT", "ASK", "CONSTRUCT", "DESCRIBE"}:
        return None
    place = Place.at(source, text, first.start(), first.end())
    if first[0].upper() in _UPDATES:
        return ArchiveError("this is an update, and no query", place=place, hint=f"write {_QUERIES}")
    return ArchiveError("this is no SPARQL query", place=place, hint=f"write {_QUERIES}")


def _unknown_prefix(plain: str, text: str, prefixes: Mapping[str, str], source: str) -> ArchiveError | None:
    known = {*prefixes, "_", *(found[1] for found in _DECLARED.finditer(plain))}
    unknown = next((found for found in _PREFIX.finditer(plain) if (found[1] or "") not in known), None)
    if unknown is None:
        return None
    name = unknown[1] or ""
    hint = did_you_mean(name, sorted(prefixes)) or f'declare it, or add {name} = "…" to [prefixes]'
    place = Place.at(source, text, unknown.start(), unknown.end())
    return ArchiveError(f"unknown prefix '{name}:'", place=place, hint=hint)


def _fault(error: SyntaxError, text: str, source: str) -> ArchiveError | None:
    found = next((words for fault, words in _FAULTS.items() if fault in error.msg), None)
    if found is None:
        return None
    start = masked(text).upper().index("SELECT")
    return ArchiveError(found[0], place=Place.at(source, text, start, start + len("SELECT")), hint=found[1])


def _no_sparql(error: SyntaxError, text: str, source: str, *, updates: bool) -> ArchiveError:
    kind, forms = ("update", _UPDATE_FORMS) if updates else ("query", _QUERIES)
    found = _AT.match(error.msg)
    if found is None:
        return ArchiveError(f"this is no SPARQL: {error.msg}", place=Place(source), hint=f"write {forms}")
    lines = text.split("\n")
    offset = sum(len(line) + 1 for line in lines[: int(found[1]) - 1]) + int(found[2]) - 1
    words = [w for w in re.split(r",\s+", found[3]) if re.fullmatch(r'[A-Z]{2,}|"[^"\\\s]+"', w)]
    hint = f"expected here: {' or '.join(words)}" if words else "the reader got no further than this"
    ended = not text[offset:].strip()
    message = f"the {kind} ends too early" if ended else "this is no SPARQL"
    return ArchiveError(message, place=Place.at(source, text, offset, offset + 1), hint=hint)
