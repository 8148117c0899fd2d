"""The W3C's tests of queries and forms of results, over HTTP: what Oxigraph passes by itself, a server passes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kaicep.config import Settings
from support.servers import serving
from support.w3c_queries import FOLDERS, passes_here, passes_over_http, query_tests

FAIL = {
    "aggregates/agg-empty-group-count-graph": "GRAPH ?g around an aggregate binds ?g to no graph",
    "aggregates/agg-groupconcat-04": "GROUP_CONCAT keeps a language tag that all values have",
    "aggregates/agg-groupconcat-06": "the same",
    "bindings/graph": "GRAPH ?g around VALUES does not join with the graphs",
    "csv-tsv-res/tsv03": "numbers are kept by value: xsd:negativeInteger becomes xsd:integer",
    "functions/bnode01": "BNODE(text) gives one blank node for all solutions",
    "negation/graph-minus": "MINUS within GRAPH ?g also compares ?g",
    "property-path/zero_or_more_set_end": "a path of no steps does not reach a term that is in no triple",
    "property-path/zero_or_more_set_start": "the same",
    "property-path/zero_or_one_set_end": "the same",
    "property-path/zero_or_one_set_start": "the same",
    "syntax-query/test_4": "a function that it does not have is refused before anything is asked",
}
"""What Oxigraph does otherwise, and how."""
COUNT = 338


@pytest.fixture(
    scope="module", params=[False, pytest.param(True, marks=pytest.mark.long)], ids=["in this process", "in its own"]
)
def dataset(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Whose store is opened here, or in a process of its own."""
    project = {"server": {"datasets": {"w3c": {"update": True}}}}
    with serving(Settings.parse(project, root=tmp_path_factory.mktemp("w3c")), stores=request.param) as url:
        yield f"{url}/datasets/w3c"


def test_none_is_missing_and_the_others_pass_in_this_process() -> None:
    tests = [test for folder in FOLDERS for test in query_tests(folder)]
    assert len(tests) == COUNT
    assert {test.name for test in tests if not passes_here(test)} == set(FAIL)


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_server_passes_the_same(dataset: str, folder: str) -> None:
    failed = {test.name for test in query_tests(folder) if not passes_over_http(test, dataset)}
    assert failed == {name for name in FAIL if name.startswith(f"{folder}/")}
