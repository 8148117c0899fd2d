"""What a SPARQL text could do to the process that answers it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pyoxigraph as ox
import pytest
from kaicep.archive.sparql import SparqlRequest
from kaicep.archive.sparql.sparql_hazards import is_intricate, refuse_long_description, refuse_service
from kaicep.errors import ArchiveError
from support.archives import STREAM, opened, readings

SERVICE = "SERVICE <http://127.0.0.1:9/> { ?s ?p ?o }"
HIDDEN = {
    "plain": f"SELECT * {{ {SERVICE} }}",
    "small": f"SELECT * {{ {SERVICE.lower()} }}",
    "silent": "SELECT * {\n  service SILENT <http://127.0.0.1:9/> {} }",
    "behind a comparison": "SELECT * { BIND(<http://127.0.0.1:9/> AS ?s) FILTER(1<2)SERVICE?s#>\n{ ?a ?b ?c } }",
    "behind an escaped name": f"PREFIX e: <http://e/> SELECT * {{ ?x e:a\\#b ?y . {SERVICE}\n }}",
    "behind an escaped quote": f"PREFIX e: <http://e/> SELECT * {{ ?x e:a\\'b ?y . {SERVICE} ?x e:a\\'b ?z }}",
    "within": f"SELECT * {{ OPTIONAL {{ GRAPH ?g {{ {SERVICE} }} }} }}",
}
NONE = (
    "SELECT ?service { ?s <http://e/service> ?service FILTER (?service = 'SERVICE <http://e/>') } # SERVICE <http://e/>",
    "PREFIX service: <http://e/SERVICE/> ASK { ?s service:SERVICE ?o }",
    'ASK { ?s ?p "a SERVICE { }" }',
)


@pytest.mark.parametrize("case", HIDDEN)
def test_service_is_refused_at_its_place(case: str) -> None:
    text = HIDDEN[case]
    with suppress(OSError):  # it is SPARQL, and else it would connect
        ox.Store().query(text)
    with pytest.raises(ArchiveError) as error:
        SparqlRequest(text)
    assert error.value.message == "SERVICE asks another endpoint, and the archive opens no connections"
    assert error.value.hint == "ask that endpoint by itself, and join the answers"
    place = error.value.place
    assert place is not None
    assert text.split("\n")[place.line - 1][place.column - 1 :][:7].upper() == "SERVICE"


@pytest.mark.parametrize("resource", ["<urn:a>", "e:a", "?a", "e:aDESCRIBE"])
def test_long_lists_to_describe_are_refused_at_their_place(resource: str) -> None:
    text = f"PREFIX e: <http://e/>\nDESCRIBE {f'{resource} ' * 1_001}"
    with pytest.raises(ArchiveError) as error:
        SparqlRequest(text)
    assert error.value.message == "DESCRIBE of 1,001 resources at once"
    assert error.value.hint == "describe at most 1,000, or those that a pattern finds: DESCRIBE ?x WHERE { ... }"
    assert error.value.place is not None
    assert (error.value.place.line, error.value.place.column) == (2, 1)


@pytest.mark.parametrize(
    "text",
    [
        f"DESCRIBE {'<urn:a> ' * 1_000}",
        f"DESCRIBE ?x WHERE {{ VALUES ?x {{ {'<urn:a> ' * 2_000} }} }}",
        f"ASK {{ VALUES ?x {{ {'<urn:a> ' * 2_000} }} }} # DESCRIBE",
    ],
    ids=["list", "pattern", "no description"],
)
def test_what_describes_less_is_not(text: str) -> None:
    refuse_long_description(text)


@pytest.mark.parametrize("text", NONE)
def test_what_is_only_called_so_is_none(text: str) -> None:
    refuse_service(text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { FILTER(" + "(" * 8_000 + "1" + ")" * 8_000 + ") }",
        "SELECT * { FILTER(1 = " + "1 + " * 8_000 + "1) }",
        "SELECT * { " + "{ ?s ?p ?o } UNION " * 8_000 + "{ } }",
        "SELECT * { " + "FILTER EXISTS { " * 1_000 + "}" * 1_000 + "}",
        "SELECT * " + "{" * 3_000 + "}" * 3_000,
    ],
    ids=["brackets", "sums", "unions", "exists", "groups"],
)
def test_a_text_that_ends_who_parses_it_ends_a_process_of_its_own(tmp_path: Path, text: str) -> None:
    with opened(tmp_path) as archive:
        archive.append(0, {STREAM: readings(3)})
        assert archive.flush()
        with pytest.raises(ArchiveError) as error:
            archive.query(text)
    assert error.value.message == "the query's process ended without an answer: exit code -11"
    assert error.value.hint == "the query nests too deep, or links too much: write it in fewer brackets and operators"


def test_texts_that_people_write_are_not_intricate() -> None:
    assert not is_intricate("SELECT * { " + "{ ?s ?p ?o } UNION " * 40 + "{ FILTER(((1 + 2) * 3) > 4) } }")
    assert not is_intricate("SELECT * { VALUES (?a ?b) { " + '("((((" <http://e/[[>) ' * 5_000 + "} }")
    assert is_intricate("ASK { FILTER" + "(" * 51 + "1" + ")" * 51 + " }")
