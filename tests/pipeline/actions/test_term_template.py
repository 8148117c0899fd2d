"""Values are terms, whatever is written in them."""

from __future__ import annotations

import pytest
from kaicep.pipeline.actions import DeliveryError
from kaicep.pipeline.actions.term_template import TermTemplate, filled_name
from pyoxigraph import Store
from support.receivers import call

XSD = "http://www.w3.org/2001/XMLSchema#"


@pytest.mark.parametrize(
    ("value", "term"),
    [
        ("B12", '"B12"'),
        ('" } ; CLEAR ALL #\n\\', '"\\" } ; CLEAR ALL #\\n\\\\"'),
        (-3, f'"-3"^^<{XSD}integer>'),
        (21.5, f'"21.5"^^<{XSD}double>'),
        (1e300, f'"1.0E300"^^<{XSD}double>'),
        (True, f'"true"^^<{XSD}boolean>'),
    ],
)
def test_literals(value: object, term: str) -> None:
    store = Store()
    store.update(TermTemplate("INSERT DATA { <urn:a> <urn:b> $x }").filled(call(x=value)))
    (quad,) = store
    assert str(quad.object) == term or (value == 1e300 and float(quad.object.value) == value)


def test_only_terms_are_replaced() -> None:
    text = """$x "$x" '$x' <urn:{x}/{x}> <{iri}> { ?s ?x } # $x
$x"""
    filled = TermTemplate(text).filled(call(x="ü >", iri="http://a/b#c"))
    assert filled == """"ü >" "$x" '$x' <urn:%C3%BC%20%3E/%C3%BC%20%3E> <http://a/b#c> { ?s ?x } # $x\n"ü >\""""


def test_the_time_is_a_moment() -> None:
    assert TermTemplate("$_time").filled(call()) == f'"2026-01-01T00:00:00Z"^^<{XSD}dateTime>'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("$y", r"the template needs \$y, which is no argument"),
        ("$none", r"the template needs \$none, which has no value"),
        ("<urn:{list}>", r"the template needs \$list, which is no single value"),
        ("<{x}>", "the value 'a b' is no IRI"),
    ],
)
def test_what_cannot_be_filled_is_hopeless(text: str, message: str) -> None:
    with pytest.raises(DeliveryError, match=message) as caught:
        TermTemplate(text).filled(call(x="a b", none=None, list=[1]))
    assert caught.value.hopeless


def test_names() -> None:
    assert filled_name("watch_{room}", call(room="B 1/ü_")) == "watch_B_201_2fü_"
