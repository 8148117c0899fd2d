"""Literals that are none of their datatype, or not of the range of their property."""

from __future__ import annotations

import pytest
from kaicep.ontology.consistency.literal_ranges import wrong_literals
from pyoxigraph import RdfFormat, Store
from support.ontologies import PREAMBLE, X


def wrong(text: str) -> list[tuple[str, str]]:
    """Lexical value and expected datatype of each."""
    store = Store()
    store.load((PREAMBLE + text).encode(), RdfFormat.TURTLE, lenient=True)
    return [(found.value.value, found.expected.value.rpartition("#")[2]) for found in wrong_literals(store)]


@pytest.mark.parametrize(
    ("lexical", "datatype"),
    [
        ("five", "integer"), ("1.", "integer"), ("1e", "double"), ("yes", "boolean"),
        ("2012-13-01T00:00:00", "dateTime"),
        ("2012-05-07", "dateTime"), ("2012-05-07T24:00:01Z", "dateTime"),
    ],
)  # fmt: skip
def test_ill_formed_literals(lexical: str, datatype: str) -> None:
    assert wrong(f':i :p "{lexical}"^^xsd:{datatype} .') == [(lexical, datatype)]


@pytest.mark.parametrize(
    ("lexical", "datatype"),
    [
        (" 5 ", "integer"), ("+05", "int"), (".5", "decimal"), ("INF", "double"), ("1", "boolean"),
        ("2012-05-07T24:00:00Z", "dateTime"), ("-0044-03-15T00:00:00.123+01:00", "dateTime"), ("whatever", "token"),
    ],
)  # fmt: skip
def test_well_formed_literals(lexical: str, datatype: str) -> None:
    assert wrong(f':i :p "{lexical}"^^xsd:{datatype} .') == []


def test_a_datatype_of_ones_own_takes_anything() -> None:
    assert wrong(':i :p "x"^^:color .') == []


@pytest.mark.parametrize(
    ("datatype", "value", "fits"),
    [
        ("double", "5", True), ("integer", "5.0", True), ("integer", "5.5", False), ("string", '"a"@en', True),
        ("double", '"a"', False), ("string", "5", False), ("anyURI", '"urn:a"', True), ("date", "5", True),
    ],
)  # fmt: skip
def test_values_and_ranges(datatype: str, value: str, fits: bool) -> None:
    assert (wrong(f":p rdfs:range xsd:{datatype} . :i :p {value} .") == []) is fits


def test_it_names_who_has_the_value() -> None:
    store = Store()
    store.load((PREAMBLE + ':p rdfs:range xsd:double . :i :p "many" .').encode(), RdfFormat.TURTLE)
    (found,) = wrong_literals(store)
    assert [str(term) for term in (found.subject, found.property)] == [f"<{X}i>", f"<{X}p>"]
