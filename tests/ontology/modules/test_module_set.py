"""Which modules a change leaves, and how modules are named."""

from __future__ import annotations

from dataclasses import replace

import pytest
from kaicep.errors import OntologyError
from kaicep.ontology.modules import Module, with_module, without_module

OWL = "http://www.w3.org/2002/07/owl#"


def module(source: str, declares: str | None = None, says: str = "", imports: str = "") -> Module:
    lines = [f"<{declares}> a <{OWL}Ontology> ." if declares else "", says]
    lines += [f"<{declares}> <{OWL}imports> <{imports}> ." if imports else ""]
    return Module.parse(source, "\n".join(lines).encode())


ROOMS, PEOPLE = module("a/rooms.ttl", "urn:rooms"), module("people.ttl", "urn:people#", imports="urn:org")


def names(modules: tuple[Module, ...]) -> list[str]:
    return [m.source for m in modules]


def test_a_new_module_is_added() -> None:
    change = with_module((ROOMS,), PEOPLE)
    assert (names(change.modules), str(change)) == (["a/rooms.ttl", "people.ttl"], "adds people.ttl")


@pytest.mark.parametrize(
    ("new", "replacing", "said"),
    [
        (module("a/rooms.ttl", says="<urn:x> <urn:p> 1 ."), None, "replaces a/rooms.ttl"),
        (module("b.ttl", "urn:rooms#", "<urn:x> <urn:p> 1 ."), None, "replaces a/rooms.ttl by b.ttl"),
        (module("c.ttl", "urn:c"), "rooms.ttl", "replaces a/rooms.ttl by c.ttl"),
        (module("c.ttl", "urn:c"), "urn:rooms", "replaces a/rooms.ttl by c.ttl"),
    ],
)
def test_a_module_takes_the_place_of_the_same_file_the_same_ontology_or_a_named_one(
    new: Module, replacing: str | None, said: str
) -> None:
    change = with_module((ROOMS, PEOPLE), new, replacing=replacing)
    assert (names(change.modules), str(change)) == (["people.ttl", new.source], said)


def test_a_module_is_removed_by_any_of_its_names() -> None:
    for name in ("a/rooms.ttl", "rooms.ttl", "urn:rooms"):
        change = without_module((ROOMS, PEOPLE), name)
        assert (names(change.modules), str(change)) == (["people.ttl"], "removes a/rooms.ttl")


def refusal(name: str, *modules: Module) -> str:
    with pytest.raises(OntologyError) as refused:
        without_module(modules, name)
    return str(refused.value)


def test_what_cannot_be_removed_says_why() -> None:
    org = replace(module("org.ttl", "urn:org#"), imported=True)
    assert refusal("room.ttl", ROOMS) == "no module is called 'room.ttl': did you mean 'a/rooms.ttl'?"
    assert refusal("x") == "no module is called 'x': the modules are none"
    assert refusal("org.ttl", PEOPLE, org) == "org.ttl is imported by people.ttl: remove what imports it"
    twice = module("b/rooms.ttl", "urn:other")
    assert (
        refusal("rooms.ttl", ROOMS, twice)
        == "several modules are called 'rooms.ttl': say which: a/rooms.ttl, b/rooms.ttl"
    )


def test_the_very_same_module_is_refused() -> None:
    with pytest.raises(OntologyError) as refused:
        with_module((ROOMS,), ROOMS)
    assert str(refused.value) == "the module a/rooms.ttl is loaded already: change its text, or remove it first"
