"""Explanations agree with the engine: what they say holds is what is reported, and their proofs are whole."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kaicep.explain.reasons import Reason, failures
from kaicep.ontology.proofs import AssertionOrigin, Leaf, Proof, inferences_of
from support.campus import SENSORS, Campus, campuses
from support.engines import project_of
from support.paths import Path, paths


@st.composite
def _conditions(draw: st.DrawFn) -> str:
    rate = draw(st.sampled_from((None, 400, 500)))
    return "" if rate is None else f"FILTER (?e.flowrate > {rate})"


def reasons_of(reason: Reason) -> Iterator[Reason]:
    yield reason
    for part in reason.parts:
        yield from reasons_of(part)


def leaves_of(proof: Proof) -> list[Leaf]:
    inner = [leaf for step in inferences_of(proof) for leaf in step.premises if isinstance(leaf, Leaf)]
    return [proof] if isinstance(proof, Leaf) else inner


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    campus=campuses(),
    path=paths("e", most=3),
    condition=_conditions(),
    sensor=st.sampled_from(SENSORS),
    rate=st.sampled_from((None, 100.0, 450.0, 501.0, 700.5)),
)
def test_an_explanation_says_what_the_engine_does(
    campus: Campus, path: Path, condition: str, sensor: str, rate: float | None
) -> None:
    project = project_of(campus.seed)
    names = (*path.iris, *path.numbers)[:1]
    text = f"SELECT {', '.join(('?e.sensorID', *names))} FROM (?e, airflowReport) {path.text} {condition}"
    event = {"sensorID": sensor, "timestamp": "2026-01-01T00:00:00Z", "flowrate": rate}
    expected = project.evaluate(text, {"airflowReport": [event]})
    found = project.why(text, event, stream="airflowReport")
    (candidacy,) = found.candidacies
    assert candidacy.holds == bool(expected)
    for reason in (r for clause in candidacy.clauses for r in reasons_of(clause)):
        leaves = [leaf for proof in reason.proofs for leaf in leaves_of(proof)]
        assert all(leaf.origin in (AssertionOrigin.MODULE, AssertionOrigin.EVENT) for leaf in leaves), reason
    for clause in candidacy.clauses:
        assert all(failure.note or "EXISTS" in failure.text for failure in failures(clause)), clause
