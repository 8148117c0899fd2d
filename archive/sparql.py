"""SPARQL over the archive: text in; solutions, a boolean, or RDF out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import pyarrow as pa
import pyoxigraph as ox

from ..errors import ArchiveError, Place, did_you_mean
from ..language.types import ValueType, type_of_datatype

Value = bool | int | float | str | datetime | None
_Term = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple

_AT = re.compile(r"error at (\d+):(\d+): (?:expected )?(?:one of )?(.*)", re.DOTALL)
_OPAQUE = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|<[^<>\s]*>|#[^\n]*")
_FROM = re.compile(r"(?<![?$:\w.-])FROM(?![\w:.-])", re.IGNORECASE)
_UPDATE = re.compile(
    r"(?:\s|(?:PREFIX|BASE)[^<]*)*(INSERT|DELETE|LOAD|CLEAR|DROP|CREATE|ADD|MOVE|COPY|WITH)\b", re.IGNORECASE
)
_KNOWN_FAULTS = {
    "The SELECT contains a variable that is unbound": "SELECT names a variable that has no value there",
    "Duplicated variable name in SELECT": "SELECT names a variable twice",
    "IRI parsing failed": "this is no IRI",
}


@dataclass(frozen=True, slots=True)
class Solutions:
    """The answer to SELECT.

    Attributes:
        variables: names without `?`, in order.
        terms: one tuple per solution, in order; `None` is unbound.
    """

    variables: tuple[str, ...]
    terms: tuple[tuple[_Term | None, ...], ...]

    @property
    def rows(self) -> list[tuple[Value, ...]]:
        """The solutions as Python values: IRIs as text, literals by their datatype, dateTimes aware and UTC."""
        return [tuple(map(python_value, solution)) for solution in self.terms]

    def to_arrow(self) -> pa.Table:
        """Return one column per variable: int64, double, bool, timestamp[us, UTC], or string when types are mixed."""
        columns = {name: [s[i] for s in self.terms] for i, name in enumerate(self.variables)}
        return pa.table({name: _arrow_column(terms) for name, terms in columns.items()})

    def __len__(self) -> int:
        return len(self.terms)

    def __iter__(self) -> Iterator[dict[str, Value]]:
        return (dict(zip(self.variables, row, strict=True)) for row in self.rows)


@dataclass(frozen=True, slots=True)
class Graph:
    """The answer to CONSTRUCT and DESCRIBE: the RDF in Turtle, and how many triples it has."""

    turtle: str
    triples: int

    def __str__(self) -> str:
        return self.turtle


Result = Solutions | bool | Graph


def evaluate(
    store: ox.Store, text: str, prefixes: Mapping[str, str], graphs: Sequence[str] | None = None, source: str = "query"
) -> Result:
    """Answer a query.

    Args:
        store: what is asked.
        text: the query; its own FROM, if it has one, names the dataset.
        prefixes: preset; the text may declare more.
        graphs: names of the graphs whose union is the default graph; `None`: of all.
        source: the text's name for messages.

    Raises:
        ArchiveError: the text is no SPARQL query, or it cannot be answered.
    """
    dataset = _FROM.search(_OPAQUE.sub(lambda m: " " * len(m[0]), text)) is not None
    default: list[ox.NamedNode | ox.BlankNode | ox.DefaultGraph] | None = None
    if graphs is not None and not dataset:
        default = [ox.NamedNode(name) for name in graphs]
    try:
        found = store.query(
            text,
            prefixes=dict(prefixes),
            default_graph=default,
            use_default_graph_as_union=default is None and not dataset,
        )
        return _collect(found, prefixes)
    except SyntaxError as error:
        raise _explain(error, text, prefixes, source) from error
    except (OSError, RuntimeError, ValueError) as error:
        raise ArchiveError(
            f"the query cannot be answered: {error}",
            place=Place(source),
            hint="look at the part that the message names",
        ) from error


def python_value(term: _Term | None) -> Value:
    """Return an RDF term as a Python value; a literal whose text does not fit its datatype as that text."""
    if term is None:
        return None
    if not isinstance(term, ox.Literal):
        return term.value if isinstance(term, ox.NamedNode) else str(term)
    try:
        return _literal_value(term)
    except (ValueError, OverflowError):
        return term.value


def _literal_value(literal: ox.Literal) -> Value:
    match type_of_datatype(literal.datatype.value):
        case ValueType.BOOLEAN:
            return {"true": True, "1": True, "false": False, "0": False}.get(literal.value, literal.value)
        case ValueType.INTEGER:
            return int(literal.value)
        case ValueType.DOUBLE:
            return float(literal.value)
        case ValueType.DATETIME:
            moment = datetime.fromisoformat(literal.value)
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        case _:
            return literal.value


def _arrow_column(terms: Sequence[_Term | None]) -> pa.Array:
    values = [python_value(term) for term in terms]
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        values, kinds = [None if v is None else float(v) for v in values if not isinstance(v, str | datetime)], {float}
    by_kind = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), datetime: pa.timestamp("us", tz="UTC")}
    if len(kinds) == 1 and (kind := by_kind.get(kinds.pop())) is not None:
        try:
            return pa.array(values, kind)
        except (pa.ArrowInvalid, OverflowError):
            pass  # an integer beyond 64 bits: the column is text
    return pa.array([None if t is None else _text(t) for t in terms], pa.string())


def _text(term: _Term) -> str:
    return term.value if isinstance(term, ox.NamedNode | ox.Literal) else str(term)


def _collect(found: ox.QuerySolutions | ox.QueryBoolean | ox.QueryTriples, prefixes: Mapping[str, str]) -> Result:
    match found:
        case ox.QueryBoolean():
            return bool(found)
        case ox.QueryTriples():
            triples = list(found)
            turtle = ox.serialize(triples, format=ox.RdfFormat.TURTLE, prefixes=dict(prefixes))
            return Graph((turtle or b"").decode(), len(triples))
        case _:
            names = tuple(variable.value for variable in found.variables)
            return Solutions(names, tuple(tuple(solution) for solution in found))


def _explain(error: SyntaxError, text: str, prefixes: Mapping[str, str], source: str) -> ArchiveError:
    if update := _UPDATE.match(text):
        place = Place.at(source, text, update.start(1), update.end(1))
        return ArchiveError(
            "the archive answers queries and takes no updates",
            place=place,
            hint="write SELECT, ASK, CONSTRUCT or DESCRIBE",
        )
    found = _AT.match(error.msg)
    if found is None:
        return ArchiveError(f"this is no SPARQL query: {error.msg}", place=Place(source), hint="see SPARQL 1.1")
    lines = text.split("\n")
    offset = sum(len(line) + 1 for line in lines[: int(found[1]) - 1]) + int(found[2]) - 1
    expected = found[3]
    if "Prefix not found" in expected:
        return _unknown_prefix(text, offset, prefixes, source)
    place = Place.at(source, text, offset, offset + 1)
    for fault, message in _KNOWN_FAULTS.items():
        if fault in expected:
            return ArchiveError(message, place=place, hint="see SPARQL 1.1")
    words = [w for w in re.split(r",\s+", expected) if re.fullmatch(r'[A-Z]{2,}|"[^"\\\s]+"', w)]
    hint = f"expected here: {' or '.join(words)}" if words else "see SPARQL 1.1"
    ended = not text[offset:].strip()
    return ArchiveError("the query ends too early" if ended else "this is no SPARQL", place=place, hint=hint)


def _unknown_prefix(text: str, offset: int, prefixes: Mapping[str, str], source: str) -> ArchiveError:
    name = re.search(r"([\w.-]*):[^\s:]*$", text[:offset])
    start, prefix = (name.start(), name[1]) if name else (offset, "")
    hint = did_you_mean(prefix, sorted(prefixes)) or f'declare it, or add {prefix} = "…" to [prefixes]'
    place = Place.at(source, text, start, start + len(prefix) + 1)
    return ArchiveError(f"unknown prefix '{prefix}:'", place=place, hint=hint)
