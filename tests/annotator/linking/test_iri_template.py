"""IRI templates: different values have different IRIs, and each IRI tells its value."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.annotator.linking.iri_template import IriTemplate, is_iri

TEMPLATES = ("http://e/{}", "http://e/{}/flow", "http://e/{+}", "http://e/{+}/flow", "{}", "{+}")


@pytest.mark.parametrize(
    ("template", "value", "iri"),
    [
        ("http://e/{}", "ahu/1", "http://e/ahu%2F1"),
        ("http://e/{}", "50%", "http://e/50%25"),
        ("http://e/{+}", "ahu/1", "http://e/ahu/1"),
        ("http://e/{+}", "lighting%20system", "http://e/lighting%20system"),
        ("http://e/{+}/flow", "vav 1", None),
        ("http://e#{+}", "a#b", None),
        ("{}", "http://e/building#ahu/1", "http://e/building#ahu/1"),
        ("{+}", "urn:x", "urn:x"),
        ("{}", "ahu/1", None),
        ("{}", "http://e/<", None),
    ],
)
def test_the_iri_of_a_value(template: str, value: str, iri: str | None) -> None:
    made = IriTemplate.parse(template)
    assert made.iri(value) == iri
    assert made.iris(pl.Series([value, None], dtype=pl.String)).to_list() == [iri, None]


@given(st.sampled_from(TEMPLATES), st.text(max_size=8), st.booleans())
def test_an_iri_tells_its_value(template: str, text: str, whole: bool) -> None:
    made, value = IriTemplate.parse(template), f"urn:{text}" if whole else text
    if (iri := made.iri(value)) is not None:
        assert is_iri(iri)
        assert made.value(iri) == value
        assert made.values(pl.Series([iri, None])).to_list() == [value, None]


def test_an_iri_of_another_template_has_no_value() -> None:
    template = IriTemplate.parse("http://e/{}/flow")
    assert [template.value(iri) for iri in ("http://f/a/flow", "http://e/a", "http://e/flow")] == [None] * 3
    assert template.values(pl.Series(["http://f/a"])).to_list() == ["http://f/a"]


def test_what_a_template_makes() -> None:
    iris = ["http://e/a", "http://e/a/b", "http://e/a%2Fb", "http://f/a"]
    assert IriTemplate.parse("http://e/{}").makes(iris) == ["http://e/a", "http://e/a%2Fb"]
    assert IriTemplate.parse("http://e/{+}").makes(iris) == iris[:3]


@pytest.mark.parametrize("text", ["http://e/", "http://e/{}/{}", "http://e/{}/{+}", "no iri {}", "//{+}"])
def test_what_is_no_template(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        IriTemplate.parse(text)


def test_its_text() -> None:
    assert [str(IriTemplate.parse(text)) for text in TEMPLATES] == [*TEMPLATES[:4], "{+}", "{+}"]
