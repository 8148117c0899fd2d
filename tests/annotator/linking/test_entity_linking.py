"""Attribute values → the individuals that they stand for, by template or by key."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl
import pyarrow as pa
import pytest
from kaicep.annotator import Annotator
from kaicep.annotator.linking.entity_linking import EntityLinker, encode
from kaicep.config import Settings
from kaicep.ontology import KnowledgeBase
from support.annotators import EX, NOON, annotator_of

MODEL = KnowledgeBase.of_turtle(
    f"""@prefix : <{EX}> . @prefix ref: <https://brickschema.org/schema/Brick/ref#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    <{EX}ahu/1> a :AHU ; rdfs:label "AHU 1" . <{EX}ahu/2> a :AHU ; rdfs:label "AHU 2" .
    :SAT a :Point ; rdfs:label "SAT" ; ref:hasExternalReference [ ref:hasTimeseriesId "4f1" ] .
    :r1 a :Room ; rdfs:label "101", "102" .
    :t1 a :Point ; rdfs:label "101" . :t2 a :Point ; rdfs:label "102" . :t3 a :Point ; rdfs:label "103" ."""
)


def linker(**attribute: Any) -> EntityLinker:
    return annotator(**attribute).linkers["s"]


def annotator(**attribute: Any) -> Annotator:
    stream = {"event_type": "ex:Report", "time": {"attribute": "at"}, "identity": ["s", "at"]}
    attributes = {"s": {"property": "ex:source", **attribute}}
    prefixes = {"ex": EX, "ref": "https://brickschema.org/schema/Brick/ref#"}
    content = {"prefixes": prefixes, "streams": {"report": {**stream, "attributes": attributes}}}
    return Annotator("report", Settings.parse(content, file="kaicep.toml"), MODEL)


def test_individuals_by_template() -> None:
    """The value is percent-encoded; equal values stand for one individual, null for none."""
    attributes = {"s": {"property": "ex:source", "individual": "ex:{}"}}
    values = ["a", "b/c", 'x> . <y "ü', None, "a", ""]
    annotated = annotator_of(attributes).annotate(pa.table({"at": [NOON] * 6, "s": values}))
    assert annotated.events.column("s").to_pylist() == values
    iris = [None if v is None else EX + quote(v, safe="") for v in values]
    assert annotated.events.column(f"{EX}source").to_pylist() == iris
    assert annotated.unlinked == 0


def test_individuals_by_iris_as_they_are() -> None:
    """What makes no IRI stands for nobody, and is counted."""
    values = ["ahu/1", None, "vav 1", "ahu/1"]
    annotated = annotator(individual="ex:{+}").annotate(pa.table({"at": [NOON] * 4, "s": values}))
    assert annotated.events.column(f"{EX}source").to_pylist() == [f"{EX}ahu/1", None, None, f"{EX}ahu/1"]
    assert annotated.unlinked == 1


def test_individuals_by_whole_iris() -> None:
    values = [f"{EX}ahu/1", "ahu/1", f"{EX}new"]
    annotated = annotator(individual="{}").annotate(pa.table({"at": [NOON] * 3, "s": values}))
    assert annotated.events.column(f"{EX}source").to_pylist() == [f"{EX}ahu/1", None, f"{EX}new"]


def test_individuals_by_key() -> None:
    """A value that is nobody's key keeps its event, without an individual, and is counted."""
    attributes = {"s": {"property": "ex:source", "key": "ex:code"}}
    annotated = annotator_of(attributes).annotate(pa.table({"at": [NOON] * 4, "s": ["one", "two", None, "two"]}))
    assert annotated.events.column(f"{EX}source").to_pylist() == [f"{EX}s1", None, None, None]
    assert annotated.unlinked == 2


def test_numbers_as_keys() -> None:
    attributes = {"s": {"property": "ex:source", "key": "ex:code", "datatype": "xsd:integer"}}
    annotated = annotator_of(attributes).annotate(pa.table({"at": [NOON] * 3, "s": [7, 8, None]}))
    assert annotated.events.column("s").to_pylist() == [7, 8, None]
    assert annotated.events.column(f"{EX}source").to_pylist() == [f"{EX}s2", None, None]
    assert annotated.unlinked == 1


@pytest.mark.parametrize(
    ("attribute", "value", "individual"),
    [
        ({"key": "ref:hasTimeseriesId"}, "4f1", "SAT"),
        ({"key": "rdfs:label"}, "AHU 1", "ahu/1"),
        ({"key": "rdfs:label"}, "ahu 1", None),
        ({"key": "rdfs:label", "ignore_case": True}, "ahu 1", "ahu/1"),
        ({"key": "rdfs:label"}, "101", None),
        ({"key": "rdfs:label", "of_class": "ex:Point"}, "101", "t1"),
        ({"key": "rdfs:label", "of_class": "ex:Point"}, "AHU 1", None),
        ({"individual": "ex:{}", "ignore_case": True}, "sat", "SAT"),
        ({"individual": "ex:{}", "ignore_case": True}, "SAT", "SAT"),
        ({"individual": "ex:{}", "ignore_case": True}, "new", "new"),
        ({"individual": "ex:{+}", "ignore_case": True}, "AHU/1", "ahu/1"),
        ({"individual": "ex:{+}", "ignore_case": True, "of_class": "ex:Point"}, "AHU/1", "AHU/1"),
    ],
)
def test_whom_a_value_stands_for(attribute: dict[str, Any], value: str, individual: str | None) -> None:
    expected = None if individual is None else EX + individual
    found = linker(**attribute)
    assert found.individual(value) == expected
    assert found.link(encode(pl.Series([value, None]))).to_pylist() == [expected, None]


def test_an_id_that_fits_several_is_told() -> None:
    said = annotator(key="rdfs:label").warnings
    assert said[-1] == (
        f'kaicep.toml: streams.report.attributes.s: the s "101" fits <{EX}r1> and <{EX}t1>, and so stands for none of '
        'them, and likewise 1 more: add of_class = "…", say owl:sameAs of those that are one, or use another key'
    )
    assert linker(key="rdfs:label").fitting("101") == (EX + "r1", EX + "t1")
    assert linker(key="rdfs:label").fitting("103") == ()
    assert len(annotator(key="rdfs:label", of_class="ex:Point").misfits) == 0


def test_a_template_that_cannot_make_the_individuals_is_told() -> None:
    slashed = KnowledgeBase.of_turtle(f"<{EX}ahu/1> a <{EX}A> . <{EX}ahu/2> a <{EX}A> . <{EX}b> a <{EX}A> .")
    settings = {"event_type": "ex:R", "time": {"attribute": "at"}}

    def said(template: str) -> tuple[str, ...]:
        attributes = {"s": {"property": "ex:source", "individual": template}}
        content = {"prefixes": {"ex": EX}, "streams": {"r": {**settings, "attributes": attributes}}}
        return Annotator("r", Settings.parse(content, file="kaicep.toml"), slashed).misfits

    assert said("ex:{}") == (
        (
            f"kaicep.toml: streams.r.attributes.s: 2 of 3 individuals, such as <{EX}ahu/1>, have characters that {{}} "
            "percent-encodes: write {+} instead of {} to take values as they are"
        ),
    )
    assert said("ex:{+}") == said("{}") == said("ex:b{}") == ()


def test_what_is_known_and_what_is_near() -> None:
    labels, iris = linker(key="rdfs:label"), linker(individual="ex:{+}")
    assert labels.known()["AHU 1"] == iris.known()["ahu/1"] == f"{EX}ahu/1"
    assert labels.nearest("AHU 1b") == ("AHU 1", f"{EX}ahu/1")
    assert labels.nearest("ahu 1b") == ("AHU 1", f"{EX}ahu/1")
    assert iris.nearest("sat") == ("SAT", f"{EX}SAT")
    assert iris.nearest("?") is None


def test_the_value_of_an_individual() -> None:
    assert linker(key="rdfs:label").value(f"{EX}ahu/1") == "AHU 1"
    assert linker(key="rdfs:label").value(f"{EX}none") is None
    assert linker(individual="ex:{+}", ignore_case=True).value(f"{EX}new") == "new"


PAGE = (Path(__file__).resolve().parents[3] / "docs" / "project.md").read_text(encoding="utf-8").partition("### Ids")[2]
BUILDING, WAYS = re.findall(r"```(?:turtle|toml)\n(.*?)```", PAGE, re.DOTALL)[:2]
PREFIXES = {
    "ex": EX,
    "brick": "https://brickschema.org/schema/Brick#",
    "ref": "https://brickschema.org/schema/Brick/ref#",
    "sosa": "http://www.w3.org/ns/sosa/",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
}


@pytest.mark.parametrize("line", WAYS.splitlines())
def test_the_ways_of_the_page(line: str) -> None:
    """Each line of docs/project.md does what its comment says."""
    declared, _, comment = line.partition(" # ")
    value, _, individual = comment.partition(" → ")
    named = "".join(f"@prefix {prefix}: <{iri}> . " for prefix, iri in PREFIXES.items())
    classes = "brick:CO2_Sensor rdfs:subClassOf brick:Point . "
    stream = {"event_type": "ex:E", "time": {"attribute": "at"}, "attributes": tomllib.loads(declared)}
    settings = Settings.parse({"prefixes": PREFIXES, "streams": {"co2": stream}})
    annotator = Annotator("co2", settings, KnowledgeBase.of_turtle(named + classes + BUILDING))
    expected = None if individual == "nobody" else settings.expand(individual, "page")
    assert annotator.linkers["point"].individual(value.strip('"')) == expected


def test_dictionaries_of_moderate_size_are_sorted() -> None:
    """Batches with the same values have the same dictionary, and what was found for it holds again."""
    first, second = encode(pl.Series(["b", "a", None, "b"])), encode(pl.Series(["a", "b"]))
    assert first.to_pylist() == ["b", "a", None, "b"]
    assert first.dictionary == second.dictionary


def test_two_values_of_one_individual_share_an_entry() -> None:
    """The column of individuals has a dictionary of its own that holds each IRI once."""
    linked = linker(key="rdfs:label", ignore_case=True).link(encode(pl.Series(["AHU 1", "ahu 1", "none"])))
    assert linked.to_pylist() == [f"{EX}ahu/1", f"{EX}ahu/1", None]
    assert linked.dictionary.to_pylist() == [f"{EX}ahu/1"]


def test_a_prefix_that_lacks_its_separator_is_told() -> None:
    """Only where all individuals that begin as the template does go on with it."""
    bare = EX.rstrip("#/")
    complaint = linker(individual=f"<{bare}{{}}>").complaint()
    assert complaint is not None
    separator = EX[-1]
    assert complaint[0].startswith(f"'{bare}{{}}' makes none of the ")
    assert complaint[0].endswith(f" individuals that begin with '{EX}'")
    assert complaint[1] == f"its prefix lacks a '{separator}': end it with one, as in \"{EX}\""
    assert linker(individual=f"<{EX}t{{}}>").complaint() is None
