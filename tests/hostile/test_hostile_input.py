"""Whatever a file holds: no crash, no traceback, no more than 2 s of processor time and 500 MB.

Each case is tried in another process (`support.sandbox`), all the way that a user's file goes
(`support.hostile_targets`): it is used, refused with an explanation, or set aside record by record.
"""

from __future__ import annotations

import bz2
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from support import hostile_targets
from support.hostile_seeds import STRATEGIES, WELL_FORMED
from support.hostile_targets import ANNOTATION
from support.sampling import some_of
from support.sandbox import Outcome, try_in_sandbox
from support.sandbox_targets import ends, ends_amid_files, raises, refuses, takes_memory, takes_time

# Cases are as long as they are hostile, and are not made smaller: each try of that takes as long as the defect.
UNHURRIED = settings(
    deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate], suppress_health_check=list(HealthCheck)
)
DEEP = 800
HUB = b"@prefix : <urn:ex:> . @prefix owl: <http://www.w3.org/2002/07/owl#> . :Lab owl:equivalentClass "
RESTRICTION = b"[ a owl:Restriction ; owl:onProperty :in ; owl:someValuesFrom :Room ]"
HUBS = (
    HUB
    + b":Lab . :p0 owl:propertyDisjointWith :q0 . "
    + b"".join(
        b":%b0 owl:%b :%b%d . " % (kind, relation, kind, number)
        for kind, relation in ((b"c", b"equivalentClass"), (b"p", b"equivalentProperty"), (b"i", b"sameAs"))
        for number in range(1, 100)
    )
)
"""As many names of a class, a property and an individual as there may be."""
KNOWN = {
    "json_lines": [
        b'{"sensor":"s1","at":"2026-01-01T00:00:00Z","flow":1,"x":' + b"[" * DEEP + b"]" * DEEP + b"}",
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        b'{"sensor":"s1","at":"9999-12-31T23:59:59Z","flow":1}',
        b'{"sensor":"s1","at":"2026-01-01T00:00:00Z","flow":1,"x":{}}',
        b'{"sensor":"s1","at":"2026-01-01T00:00:00Z","\\u0000":"2026-01-01T00:00:01Z"}',
    ],
    "json_array": [
        b'[{"sensor":"s1","at":"2026-01-01T00:00:00Z","flow":1},' + b'{"x":' * DEEP + b"1" + b"}" * DEEP + b"]"
    ],
    "csv_file": [b'sensor,at,flow\ns1,2026-01-01,1\r2\n\r"', b"sensor,at,flow\n" + b"x" * 200_000],
    "bzip2_file": [bz2.compress(b"sensor,at,flow\n" + b"x" * 1_500_000) * 140],
    "annotation_file": [ANNOTATION.replace("ex:count", "ex:c]ount").encode()],
    "turtle": [
        b"@prefix : <urn:ex:> . :list :of ( " + b"1 " * 16_000 + b") .",
        HUB + b" , ".join([RESTRICTION] * 340) + b" .",
        HUB + b" , ".join([RESTRICTION] * 140) + b" .",
        HUB + b" , ".join([RESTRICTION] * 99) + b" .",
        HUBS,
        b"@prefix : <urn:ex:> . @prefix owl: <http://www.w3.org/2002/07/owl#> . :a owl:sameAs "
        + b" , ".join(b":i%d" % number for number in range(3_000))
        + b" .",
    ],
    "query_text": [
        b'"""' + b"x" * 3_000_000,
        b"SELECT ?e.flow FILTER (?e.flow > 5 unit:" + b"Lt:" * 90_000 + b"L)",
        b"SELECT ?e.flow FILTER (?e.flow > 5 unit:L" + b"9" * 5_000 + b")",
        b"SELECT ?e.flow FILTER (" + b"(" * 8_000 + b"?e.flow > 1" + b")" * 8_000 + b")",
    ],
    "sparql_text": [b"DESCRIBE " + b"ex:Room1 " * 5_000],
    "project_file": [b"a." * 150_000, b"a = " + b"[" * 5_000 + b"]" * 5_000],
}


def judged(target: str, content: bytes) -> Outcome:
    """What becomes of the content; once more where it takes too much, for the machine may have been busy."""
    outcome = _tried(target, content)
    if outcome.complaint is not None and outcome.defect is None:
        outcome = _tried(target, content)
    return outcome


def complaint(target: str, content: bytes) -> str | None:
    """What is wrong with how the content is taken."""
    return judged(target, content).complaint


def _tried(target: str, content: bytes) -> Outcome:
    return try_in_sandbox(getattr(hostile_targets, target), content)


@pytest.mark.parametrize(
    ("target", "content"),
    some_of([(name, case) for name, cases in KNOWN.items() for case in cases], 2),
)
def test_what_once_did_harm_does_none(target: str, content: bytes) -> None:
    assert complaint(target, content) is None


@pytest.mark.parametrize("target", sorted(STRATEGIES))
def test_hostile_input_does_no_harm(target: str) -> None:
    @settings(UNHURRIED, max_examples=3)
    @given(STRATEGIES[target])
    def each(content: bytes) -> None:
        assert complaint(target, content) is None

    each()


@pytest.mark.long
@pytest.mark.reliability
@pytest.mark.parametrize("target", sorted(STRATEGIES))
def test_much_hostile_input_does_no_harm(target: str, record_property: Callable[[str, object], None]) -> None:
    outcomes: list[Outcome] = []

    @settings(UNHURRIED, max_examples=2_000)
    @given(STRATEGIES[target])
    def each(content: bytes) -> None:
        outcomes.append(judged(target, content))
        assert outcomes[-1].complaint is None

    each()
    record_property("cases", len(outcomes))
    record_property("refused", sum(outcome.refused for outcome in outcomes))
    record_property("most seconds of the processor", round(max(outcome.cpu for outcome in outcomes), 2))
    record_property("most megabytes", round(max(outcome.memory for outcome in outcomes)))


@pytest.mark.parametrize("target", sorted(STRATEGIES))
def test_what_is_well_formed_is_taken(target: str) -> None:
    """Else what is refused above might be all that there is."""
    content, answer = WELL_FORMED[target]
    outcome = _tried(target, content)
    assert (outcome.complaint, outcome.refused, outcome.answer) == (None, False, answer)


@pytest.mark.long
def test_the_sandbox_tells_what_harms() -> None:
    """Else nothing above could fail."""
    found = {of.__name__: try_in_sandbox(of, b"x") for of in (raises, ends, takes_memory, takes_time, refuses)}
    told = {name: str(outcome.complaint) for name, outcome in found.items()}
    assert told.pop("raises").endswith("RecursionError\n")
    assert told.pop("ends").startswith("it ended the process: SIGSEGV")
    assert told.pop("takes_memory").startswith("it took 5")
    assert told.pop("takes_time").startswith("it took 2.")
    assert told == {"refuses": "None"}
    assert (found["refuses"].answer, found["refuses"].refused) == ("no: way out", True)


def test_files_of_a_sandbox_that_is_killed_are_removed() -> None:
    folder = Path(try_in_sandbox(ends_amid_files, b"").answer)
    assert folder.is_dir()
    assert str(try_in_sandbox(ends_amid_files, b"x").defect).startswith("it ended the process: SIGKILL")
    assert not folder.exists()
