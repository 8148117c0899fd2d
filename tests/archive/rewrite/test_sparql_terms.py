"""Terms as SPARQL text: whatever they hold, they end nothing but themselves."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kaicep.archive.rewrite.sparql_terms import duration_text, iri, iris, moment_text
from support.archives import NINE

XSD = "http://www.w3.org/2001/XMLSchema#"


def test_iris_stand_in_angle_brackets() -> None:
    assert iris(["urn:a", "urn:b"]) == "<urn:a> <urn:b>"
    with pytest.raises(ValueError, match="Invalid IRI"):
        iri("urn:a> . <urn:b")


def test_moments_and_durations_are_exact() -> None:
    assert moment_text(NINE) == f'"2012-05-07T09:00:00Z"^^<{XSD}dateTime>'
    assert duration_text(timedelta(microseconds=1)) == f'"PT0.000001S"^^<{XSD}dayTimeDuration>'
    assert duration_text(-timedelta(hours=1)) == f'"-PT3600.000000S"^^<{XSD}dayTimeDuration>'
