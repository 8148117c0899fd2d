"""The model of a building as somebody hands it over: individuals, prefixes, the vocabularies that it speaks in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import OntologyError
from ...ontology import KnowledgeBase, select
from ...ontology.modules import Module

__all__ = ["VOCABULARIES", "BuildingModel", "PublishedVocabulary"]

Link = tuple[str, str, str]
_LINKS = "SELECT ?x ?p ?y { ?x ?p ?y FILTER (ISIRI(?x) && ISIRI(?y)) }"
_PREFIX = re.compile(r"(?im)^\s*@?prefix\s+([\w-]*):\s*<([^>]+)>")
_TYPES = """SELECT ?x ?class {
  ?x a ?class FILTER (ISIRI(?x) && ISIRI(?class) && !STRSTARTS(STR(?class), "http://www.w3.org/2002/07/owl#")) }"""


@dataclass(frozen=True, slots=True)
class PublishedVocabulary:
    """A published vocabulary that kaicep ships.

    Attributes:
        prefix: as it is usually written.
        namespace: of its names.
        ontology: the IRI that imports name.
    """

    prefix: str
    namespace: str
    ontology: str


VOCABULARIES = (
    PublishedVocabulary("brick", "https://brickschema.org/schema/Brick#", "https://brickschema.org/schema/1.5/Brick"),
    PublishedVocabulary("sosa", "http://www.w3.org/ns/sosa/", "http://www.w3.org/ns/sosa/"),
    PublishedVocabulary("ssn", "http://www.w3.org/ns/ssn/", "http://www.w3.org/ns/ssn/"),
    PublishedVocabulary("saref", "https://w3id.org/saref#", "https://w3id.org/saref"),
    PublishedVocabulary("org", "http://www.w3.org/ns/org#", "http://www.w3.org/ns/org"),
)


@dataclass(frozen=True, slots=True)
class BuildingModel:
    """The files of a model.

    Attributes:
        paths: the files.
        knowledge: what they state, and nothing that follows.
        prefixes: prefix → namespace, as the files declare them, those of the vocabularies as they are usually written.
        vocabularies: those that the model speaks in.
        types: IRI of an individual → IRIs of the classes that it is stated to be of.
        links: IRI of an individual → what it is connected with: `to` or `from`, by which property, whom.
    """

    paths: tuple[Path, ...]
    knowledge: KnowledgeBase
    prefixes: Mapping[str, str]
    vocabularies: tuple[PublishedVocabulary, ...]
    types: Mapping[str, frozenset[str]]
    links: Mapping[str, Sequence[Link]]

    @classmethod
    def load(cls, paths: Sequence[Path]) -> BuildingModel:
        """Read the files.

        Raises:
            OntologyError: one cannot be read, or they describe nobody.
        """
        modules = [Module.load(path.absolute(), Path.cwd()) for path in paths]
        knowledge = KnowledgeBase(modules, "none")
        types: dict[str, set[str]] = {}
        for individual, of_class in select(knowledge.store, _TYPES):
            types.setdefault(individual.value, set()).add(of_class.value)
        described = knowledge.individuals_below("", typed=True)
        if not described:
            listed = ", ".join(str(path) for path in paths)
            raise OntologyError(
                f"{listed} describes no individual", hint="name the model of a building: its sensors, rooms, equipment"
            )
        links: dict[str, list[Link]] = {}
        for one, prop, other in select(knowledge.store, _LINKS):
            links.setdefault(one.value, []).append(("to", prop.value, other.value))
            links.setdefault(other.value, []).append(("from", prop.value, one.value))
        speaks = {iri for of in types.values() for iri in of}
        speaks |= {prop.value for (prop,) in select(knowledge.store, "SELECT DISTINCT ?p { ?x ?p ?y }")}
        vocabularies = tuple(v for v in VOCABULARIES if any(iri.startswith(v.namespace) for iri in speaks))
        of_individuals = {iri: frozenset(of) for iri, of in types.items() if iri in described}
        return cls(tuple(paths), knowledge, _prefixes(paths), vocabularies, of_individuals, links)

    def short(self, iri: str) -> str:
        """A prefixed name where one can be written, else `<iri>`."""
        for prefix, namespace in self.prefixes.items():
            local = iri.removeprefix(namespace)
            if iri.startswith(namespace) and re.fullmatch(r"[A-Za-z_][\w-]*", local, re.ASCII):
                return f"{prefix}:{local}"
        return f"<{iri}>"


def _prefixes(paths: Sequence[Path]) -> dict[str, str]:
    """The prefixes of files in Turtle; usual ones keep their usual names."""
    usual = {v.prefix: v.namespace for v in VOCABULARIES}
    written = [pair for path in paths for pair in _PREFIX.findall(path.read_text(encoding="utf-8", errors="replace"))]
    own = {prefix: iri for prefix, iri in written if prefix and prefix not in usual and iri not in usual.values()}
    return usual | own
