"""SPARQL over the archive: text in; solutions, a boolean, or RDF out."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, assert_never

import pyoxigraph as ox

from ...errors import ArchiveError, Place
from .serialization import serialized
from .sparql_faults import explain_syntax, names_dataset

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table

    from .sparql_values import Term, Value

# The process that answers one query begins for it, and passes terms on: what makes values and tables of them is loaded
# by whoever asks for values and tables.


@dataclass(frozen=True, slots=True)
class Solutions:
    """The answer to SELECT.

    Attributes:
        variables: names without `?`, in order.
        terms: one tuple per solution, in order; `None` is unbound.
    """

    variables: tuple[str, ...]
    terms: tuple[tuple[Term | None, ...], ...]

    @property
    def rows(self) -> list[tuple[Value, ...]]:
        """The solutions as Python values: IRIs as text, literals by their datatype, dateTimes aware and UTC."""
        from .sparql_values import python_value  # noqa: PLC0415 - see above

        return [tuple(map(python_value, solution)) for solution in self.terms]

    def to_arrow(self) -> pa.Table:
        """Return one column per variable: int64, double, bool, timestamp[us, UTC], or string when types are mixed."""
        from .sparql_values import arrow_columns  # noqa: PLC0415 - see above

        return arrow_columns({name: [s[i] for s in self.terms] for i, name in enumerate(self.variables)})

    def to_pandas(self) -> Any:
        """Return the same as a pandas DataFrame.

        Raises:
            ArchiveError: pandas is not installed.
        """
        if find_spec("pandas") is None:
            raise ArchiveError("pandas is not installed", hint="pip install pandas, or use to_arrow()")
        return self.to_arrow().to_pandas()

    def __rich__(self) -> Table:
        """A table for terminals."""
        from rich.table import Table  # noqa: PLC0415 - see above
        from rich.text import Text  # noqa: PLC0415 - see above

        table = Table(*self.variables)
        for row in self.rows:
            table.add_row(*(Text("" if value is None else str(value)) for value in row))
        return table

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

    def write(self, path: Path) -> None:
        """Write the RDF to a file, in the format that its ending names: .ttl, .nt, .rdf, .jsonld.

        Raises:
            ArchiveError: the ending is none of a graph's format, which cannot say it, or the file cannot be written.
        """
        form = ox.RdfFormat.from_extension(path.suffix.removeprefix("."))
        if form is None:
            raise ArchiveError(
                f"'{path.suffix}' names no RDF format", place=Place(str(path)), hint="use .ttl, .nt, .rdf or .jsonld"
            )
        triples = (q.triple for q in ox.parse(self.turtle, format=ox.RdfFormat.TURTLE))
        content = serialized(
            lambda buffer: ox.serialize(triples, buffer, format=form), io.BytesIO(), xml=form == ox.RdfFormat.RDF_XML
        )
        try:
            path.write_bytes(content)
        except OSError as error:
            raise ArchiveError(
                f"the RDF cannot be written: {error.strerror}", place=Place(str(path)), hint="name another file"
            ) from error


Result = Solutions | bool | Graph


def evaluate(
    store: ox.Store, text: str, prefixes: Mapping[str, str], graphs: Sequence[str] | None = None, source: str = "query"
) -> Result:
    """Answer a query.

    Args:
        store: what is asked.
        text: the query; its own FROM, if it has one, names the dataset.
        prefixes: preset; the text may declare more.
        graphs: names of the graphs whose union is the default graph, and that GRAPH finds; `None`: all.
        source: the text's name for messages.

    Raises:
        ArchiveError: the text is no SPARQL query, or it cannot be answered.
    """
    dataset = names_dataset(text)
    default: list[ox.NamedNode | ox.BlankNode | ox.DefaultGraph] | None = None
    named: list[ox.NamedNode | ox.BlankNode] | None = None
    if graphs is not None and not dataset:
        default, named = [ox.NamedNode(name) for name in graphs], [ox.NamedNode(name) for name in graphs]
    try:
        found = store.query(
            text,
            prefixes=dict(prefixes),
            default_graph=default,
            named_graphs=named,
            use_default_graph_as_union=default is None and not dataset,
        )
        return collected(found, prefixes)
    except SyntaxError as error:
        raise explain_syntax(error, text, prefixes, source) from error
    except (OSError, RuntimeError, ValueError) as error:
        raise ArchiveError(
            f"the query cannot be answered: {error}",
            place=Place(source),
            hint="look at the part that the message names",
        ) from error


def select(store: ox.Store, text: str, default: Sequence[str], named: Sequence[str]) -> bytes:
    """Answer a SELECT of our own in SPARQL's TSV format; see `Store.select`."""
    try:
        found = store.query(
            text,
            default_graph=[ox.NamedNode(name) for name in default],
            named_graphs=[ox.NamedNode(name) for name in named],
        )
        if not isinstance(found, ox.QuerySolutions):
            raise TypeError(type(found))
        return found.serialize(format=ox.QueryResultsFormat.TSV) or b""
    except (SyntaxError, OSError, RuntimeError, ValueError) as error:
        raise ArchiveError(
            f"the archive cannot answer a rewritten query: {error}", hint='ask with strategy="replay"'
        ) from error


def collected(
    found: ox.QuerySolutions | ox.QueryBoolean | ox.QueryTriples | ox.QuadParser, prefixes: Mapping[str, str]
) -> Result:
    """Take an answer in; RDF that was read from elsewhere likewise."""
    match found:
        case ox.QueryBoolean():
            return bool(found)
        case ox.QueryTriples():
            triples = list(found)
            return Graph(_turtle(triples, prefixes), len(triples))
        case ox.QuadParser():
            triples = [quad.triple for quad in found]
            return Graph(_turtle(triples, prefixes), len(triples))
        case ox.QuerySolutions():
            names = tuple(variable.value for variable in found.variables)
            return Solutions(names, tuple(tuple(solution) for solution in found))
        case _:
            assert_never(found)


def _turtle(triples: Sequence[ox.Triple], prefixes: Mapping[str, str]) -> str:
    """Write triples with the prefixes that they need."""
    long = (ox.serialize(triples, format=ox.RdfFormat.TURTLE) or b"").decode()
    used = {name: iri for name, iri in prefixes.items() if f"<{iri}" in long}
    short = (ox.serialize(triples, format=ox.RdfFormat.TURTLE, prefixes=used) or b"").decode()
    lines = short.splitlines(keepends=True)
    # Oxigraph declares prefixes in an order of its own, another one each time.
    return "".join([*sorted(lines[: len(used)]), *lines[len(used) :]])
