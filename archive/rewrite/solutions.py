"""Solutions of a SELECT as columns, read from SPARQL's TSV by kernels and not one by one.

Source: SPARQL 1.1 Query Results CSV and TSV Formats.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl
import pyoxigraph as ox

from ...language.nodes import ValueType
from ...semfilter import term_column

_LITERAL = r'(?s)^"(.*)"(?:\^\^<[^>]*>|@[A-Za-z0-9-]+)?$'
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def read_solutions(tsv: bytes, variables: Sequence[str]) -> pl.DataFrame:
    """The terms of solutions, one column per variable; null is unbound.

    Args:
        tsv: as SPARQL's TSV format has it.
        variables: the columns that are wanted, without `?`, each of which the result has.
    """
    if not tsv.strip():
        return pl.DataFrame(schema=dict.fromkeys(variables, pl.String()))
    frame = pl.read_csv(tsv, separator="\t", quote_char=None, infer_schema=False, truncate_ragged_lines=False)
    return frame.select(pl.col(f"?{name}").alias(name) for name in variables)


def iri_of(terms: pl.Series) -> pl.Series:
    """The IRIs among terms, without angle brackets; null for anything else."""
    return terms.str.extract(r"^<(.*)>$", 1)


def lexical_of(terms: pl.Series) -> pl.Series:
    """The lexical forms of the literals among terms; null for anything else."""
    quoted = terms.str.extract(_LITERAL, 1)
    bare = ~terms.str.starts_with('"') & ~terms.str.starts_with("<") & ~terms.str.starts_with("_:")
    text = pl.select(pl.when(pl.lit(bare)).then(pl.lit(terms)).otherwise(pl.lit(quoted))).to_series()
    escaped = text.filter(text.str.contains("\\", literal=True)).unique().to_list()
    return text.replace(escaped, [_ESCAPE.sub(_character, e) for e in escaped]) if escaped else text


def typed(terms: pl.Series, kind: ValueType) -> pl.Series:
    """Terms as a column of the canonical type, as the semantic filter types what a PATH binds."""
    distinct = terms.drop_nulls().unique(maintain_order=True)
    values = term_column([_term(text) for text in distinct], kind)
    place = pl.DataFrame({"term": distinct, "place": range(len(distinct))}, schema_overrides={"place": pl.Int64})
    places = terms.alias("term").to_frame().join(place, on="term", how="left", maintain_order="left")["place"]
    return values.gather(places) if len(distinct) else pl.repeat(None, len(terms), dtype=values.dtype, eager=True)


def _term(text: str) -> object:
    triple = f"<urn:s> <urn:p> {text} ."
    return next(iter(ox.parse(triple, format=ox.RdfFormat.TURTLE))).triple.object


def _character(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    return chr(int(code, 16)) if code else _ESCAPED.get(found[3], found[3])
