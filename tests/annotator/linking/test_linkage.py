"""What an attribute declares of the individuals that its values stand for; refusals are in test_annotation."""

from __future__ import annotations

from typing import Any

import pytest
from kaicep.annotator.linking.linkage import Linkage
from kaicep.errors import AnnotationError
from support.annotators import EX, annotator_of


def declared(**attribute: Any) -> Linkage | None:
    return annotator_of({"s": {"property": "ex:source", **attribute}}).annotation.attributes[-1].linkage


def test_a_key_may_be_of_a_class_and_of_any_case() -> None:
    found = declared(key="ex:code", of_class="ex:Sensor", ignore_case=True)
    assert found == Linkage(None, EX + "code", EX + "Sensor", ignore_case=True)
    assert found.needs_knowledge


def test_a_template_tells_its_values_unless_the_case_is_ignored() -> None:
    plain, folded = declared(individual="ex:{}"), declared(individual="ex:{}", ignore_case=True)
    assert plain is not None
    assert folded is not None
    assert (plain.reversible, folded.reversible) == (True, False)
    assert str(plain.template) == EX + "{}"


@pytest.mark.parametrize("written", ["{}", "{+}"])
def test_a_template_may_be_the_value_alone(written: str) -> None:
    found = declared(individual=written)
    assert found is not None
    assert str(found.template) == "{+}"


def test_an_attribute_without_individuals_has_no_linkage() -> None:
    assert declared(datatype="xsd:string") is None


def test_a_template_without_a_prefix_says_what_to_write() -> None:
    with pytest.raises(AnnotationError, match=r"the template '<no iri/\{\+\}>' makes no IRI: write a prefixed name"):
        declared(individual="<no iri/{+}>")
