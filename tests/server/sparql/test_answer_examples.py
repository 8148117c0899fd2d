"""Examples say the same in every form."""

from __future__ import annotations

import json

import pyoxigraph as ox
import pytest
from kaicep.server.sparql.answer_examples import graph_examples, result_examples
from kaicep.server.sparql.media_types import GRAPH_FORMATS, RESULT_FORMATS

THERMOMETER = ox.NamedNode("urn:ex:Thermometer")


@pytest.mark.parametrize("media", GRAPH_FORMATS)
def test_a_triple_is_read_from_each(media: str) -> None:
    (quad,) = ox.parse(graph_examples()[media].encode(), format=GRAPH_FORMATS[media])
    assert (quad.subject, quad.object) == (ox.NamedNode("urn:ex:s1"), THERMOMETER)


@pytest.mark.parametrize("media", [media for media in RESULT_FORMATS if media != "text/csv"])
def test_a_solution_is_read_from_each(media: str) -> None:
    """CSV has lost what its values are, and nobody reads it back."""
    example = result_examples()[media]
    written = example if isinstance(example, str) else json.dumps(example)
    found = ox.parse_query_results(written.encode(), format=RESULT_FORMATS[media])
    assert isinstance(found, ox.QuerySolutions)
    (solution,) = found
    assert (solution["class"], solution["n"]) == (ox.NamedNode("urn:ex:Reading"), ox.Literal(11))


def test_a_solution_as_a_table() -> None:
    assert result_examples()["text/csv"].split() == ["class,n", "urn:ex:Reading,11"]
