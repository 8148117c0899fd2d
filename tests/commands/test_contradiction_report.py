"""What `kaicep check` tells of contradictions, and the patch that it writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.ontology import KnowledgeBase
from kaicep.ontology.terms import Term
from pyoxigraph import RdfFormat, Store
from support.command_line import PROJECT, PROPERTIES, call, drop, line

MODEL = (
    "@prefix ex: <urn:ex:> . @prefix owl: <http://www.w3.org/2002/07/owl#> . "
    "ex:A owl:disjointWith ex:B . ex:f a owl:FunctionalProperty . "
    + "".join(f"ex:i{n} a ex:A, ex:B ; a ex:Reading . " for n in range(5))
    + "ex:j ex:f 1, 2 . "
)


@pytest.fixture
def contradictory(project: Path) -> Path:
    drop(project, "a.json", line(1, 1))
    (project / "rooms.ttl").write_text(MODEL + PROPERTIES)
    say(project, "refuse")
    return project


def say(project: Path, policy: str) -> None:
    knowledge = f'[knowledge]\nmodules = ["rooms.ttl"]\non_contradiction = "{policy}"\n'
    (project / "kaicep.toml").write_text(knowledge + PROJECT)


def test_all_contradictions_stand_in_a_table_and_the_rest_is_checked_too(contradictory: Path) -> None:
    result = call("check", contradictory)
    assert result.exit_code == 1
    assert "query high:" in result.stdout
    first, header, _, *rows = result.stderr.splitlines()
    assert first.startswith("the knowledge contradicts itself: ex:i0 is both ex:A and ex:B, which are disjoint (and 5 ")
    assert header.split() == ["how", "many", "axiom", "individuals", "files"]
    assert rows[0].split("  ")[0:1] == [""]
    assert [row.split() for row in rows] == [
        ["5", "ex:A", "and", "ex:B", "are", "disjoint", "ex:i0", "rooms.ttl"],
        ["ex:i1"],
        ["ex:i2"],
        ["and", "2", "more"],
        ["1", "ex:f", "is", "functional", "ex:j", "rooms.ttl"],
    ]


def test_they_are_suffered_and_told(contradictory: Path) -> None:
    say(contradictory, "warn")
    result = call("check", contradictory)
    assert result.exit_code == 0
    assert "warning: the knowledge contradicts itself, and is taken as it is: `kaicep check` lists how" in result.stderr
    assert "ex:f is functional" in result.stderr


def test_the_fewest_statements_are_left_out_and_listed(contradictory: Path) -> None:
    say(contradictory, "leave_out")
    result = call("check", contradictory)
    assert result.exit_code == 0
    told = result.stderr.splitlines()
    assert told[0] == "warning: 6 statements are left out, since they contradict others: `kaicep check` lists them"
    assert [line for line in told if line.startswith("  ")] == [
        "  left out of rooms.ttl, since ex:A and ex:B are disjoint: 5 statements",
        "    ex:i0 rdf:type ex:A",
        "    ex:i1 rdf:type ex:A",
        "    ex:i2 rdf:type ex:A",
        "    … and 2 more",
        "  left out of rooms.ttl, since ex:f is functional: 1 statement",
        '    ex:j ex:f "1"^^xsd:integer',
        "  kaicep check --fix FILE writes all of them, each with what it contradicts",
    ]


def test_what_is_left_out_for_one_reason_is_told_together_and_by_prefix(contradictory: Path) -> None:
    """Names with `/` as well, which Turtle would want escaped; of many reasons the ten of the most statements."""
    model = (contradictory / "rooms.ttl").read_text()
    more = "".join(f"<urn:ex:rooms/{n}/port> a ex:A, ex:B . " for n in range(20))
    more += "".join(f"ex:f{n} a owl:FunctionalProperty . ex:j ex:f{n} 1, 2 . " for n in range(12))
    (contradictory / "rooms.ttl").write_text(model + more)
    say(contradictory, "leave_out")
    told = [line for line in call("check", contradictory).stderr.splitlines() if line.startswith("  ")]
    assert told[0] == "  left out of rooms.ttl, since ex:A and ex:B are disjoint: 25 statements"
    assert "    … and 22 more" in told
    assert not any("<urn:ex:" in line for line in told)
    assert sum(line.startswith("  left out of rooms.ttl, since ") for line in told) == 10
    assert told[-2] == "  left out for other reasons: 4 statements"


@pytest.mark.parametrize("policy", ["refuse", "warn", "leave_out"])
def test_a_patch_makes_the_model_consistent(policy: str, contradictory: Path) -> None:
    say(contradictory, policy)
    patch = contradictory / "repair.ru"
    result = call("check", contradictory, "--fix", patch)
    assert f"{patch}: takes 6 statements back (SPARQL Update)" in result.stdout
    store = Store()
    store.load(path=contradictory / "rooms.ttl", format=RdfFormat.TURTLE)
    store.update(patch.read_text())
    (contradictory / "rooms.ttl").write_bytes(store.dump(format=RdfFormat.TRIG) or b"")
    say(contradictory, "refuse")
    result = call("check", contradictory, "--fix", contradictory / "another.ru")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "no contradictions: " in result.stdout
    assert not (contradictory / "another.ru").exists()


def test_who_speaks_of_an_individual_is_asked_once_for_each_axiom(
    contradictory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many of its values contradict each other: of a large model it took half of the command."""
    values = "ex:j ex:f 3, 4, 5 . "
    (contradictory / "rooms.ttl").write_text((contradictory / "rooms.ttl").read_text() + values)
    say(contradictory, "warn")
    asked: list[str] = []
    mentioning = KnowledgeBase.mentioning

    def noted(knowledge: KnowledgeBase, term: Term) -> tuple[int, ...]:
        asked.append(str(term))
        return mentioning(knowledge, term)

    monkeypatch.setattr(KnowledgeBase, "mentioning", noted)
    assert call("check", contradictory).exit_code == 0
    assert sorted(asked) == [*(f"<urn:ex:i{n}>" for n in range(5)), "<urn:ex:j>"]
