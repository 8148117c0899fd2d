"""Solutions of a SELECT, read from SPARQL's TSV as columns."""

from __future__ import annotations

import polars as pl
from kaicep.archive.rewrite.solutions import iri_of, lexical_of, read_solutions, typed
from kaicep.language.nodes import ValueType

XSD = "http://www.w3.org/2001/XMLSchema#"


def test_each_variable_is_a_column_of_terms() -> None:
    found = read_solutions(b'?x\t?y\n<urn:a>\t1\n\t"b"\n', ["y", "x"])
    assert found.to_dict(as_series=False) == {"y": ["1", '"b"'], "x": ["<urn:a>", None]}
    assert read_solutions(b"", ["x"]).to_dict(as_series=False) == {"x": []}


def test_terms_are_told_apart() -> None:
    terms = pl.Series(["<urn:a>", '"b"', f'"1.5"^^<{XSD}double>', '"c"@fr', "7", "_:n", None])
    assert iri_of(terms).to_list() == ["urn:a", None, None, None, None, None, None]
    assert lexical_of(terms).to_list() == [None, "b", "1.5", "c", "7", None, None]


def test_escapes_are_undone() -> None:
    terms = pl.Series([r'"a\tb\n\"\\"', r'"é\U0001F600"'])
    assert lexical_of(terms).to_list() == ['a\tb\n"\\', "é😀"]


def test_terms_are_typed_as_the_semantic_filter_types_them() -> None:
    terms = pl.Series([f'"7"^^<{XSD}integer>', None, "<urn:a>", f'"7"^^<{XSD}integer>'])
    assert typed(terms, ValueType.INTEGER).to_list() == [7, None, None, 7]
