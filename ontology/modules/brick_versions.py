"""Models in another version of Brick than the vocabulary that is loaded: what bridges them, and what to say.

Until version 1.1 the names of Brick had the version in them; since 1.2 they have not, and a newer vocabulary is to
answer for an older one (github.com/BrickSchema/Brick, pull request 226). Classes that Brick gives up stay in it for a
while with `brick:isReplacedBy`. Both are taken at their word; what has no counterpart is told with both versions.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from pyoxigraph import Literal, NamedNode, Triple

from ..terms import ONTOLOGY, OWL, RDFS, TYPE
from .module import Module

__all__ = ["BrickBridge", "bridge_versions", "is_brick"]

BRICK = "https://brickschema.org/schema/Brick#"
_REPLACED, _VERSION = NamedNode(BRICK + "isReplacedBy"), NamedNode(OWL + "versionInfo")
_ONTOLOGY = re.compile(r"https://brickschema\.org/schema/(?:(?P<version>\d[\d.]*\w*)/)?Brick(?:Frame|Tag|Use)?[#/]?")
_NAME = re.compile(
    r"https://brickschema\.org/schema/(?:(?P<version>\d[\d.]*\w*)/)?Brick(?:Frame|Use)?#(?P<name>[^#/]+)"
)
_CLASSES = frozenset(NamedNode(iri) for iri in (OWL + "Class", RDFS + "Class"))
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class BrickBridge:
    """What stands between models and a vocabulary of other versions.

    Attributes:
        triples: which names mean the same, and which are more special.
        told: a line for each model that needs it.
    """

    triples: tuple[Triple, ...]
    told: tuple[str, ...]

    def module(self) -> Module | None:
        """The bridge as a module, which proofs can name; `None`: there is nothing to bridge."""
        text = "\n".join(map(str, self.triples))
        digest = hashlib.sha256(text.encode()).hexdigest()
        name = "names of other versions of Brick"
        return Module(name, self.triples, digest, frozenset(), (), imported=True) if self.triples else None


def is_brick(iri: str) -> bool:
    """Whether an ontology IRI is of Brick, of whatever version, or of a part that it once had."""
    return _ONTOLOGY.fullmatch(iri) is not None


def bridge_versions(modules: Sequence[Module]) -> BrickBridge:
    """The bridge from the names of Brick that modules use to those of the Brick vocabulary among them."""
    vocabularies = [module for module in modules if any(_ONTOLOGY.fullmatch(iri) for iri in module.declares)]
    vocabulary = next((v for v in vocabularies if _version(v)), None)
    if vocabulary is None:
        return BrickBridge((), tuple(_told_without_vocabulary(modules)))
    known = _Vocabulary.of(vocabulary)
    declared = {t.subject.value for m in modules for t in m.triples if t.predicate == TYPE and _is_named(t.subject)}
    triples: dict[Triple, None] = {}
    told: list[str] = []
    for module in modules:
        if module is vocabulary or (any(_ONTOLOGY.fullmatch(iri) for iri in module.declares) and module.imported):
            continue
        names = _used(module)
        triples |= dict.fromkeys(triple for iri in names for triple in known.bridged(iri))
        told += known.told(module, names, declared)
    return BrickBridge(tuple(triples), tuple(told))


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """Attributes: its version; its names, and whether each is a class; deprecated names and what replaces them."""

    version: str
    is_class: Mapping[str, bool]
    replaced: Mapping[str, tuple[NamedNode, ...]]

    @classmethod
    def of(cls, module: Module) -> _Vocabulary:
        is_class: dict[str, bool] = {}
        replaced: dict[str, tuple[NamedNode, ...]] = {}
        for subject, predicate, value in module.triples:
            if not isinstance(subject, NamedNode) or not subject.value.startswith(BRICK):
                continue
            if predicate == TYPE:
                is_class[subject.value] = is_class.get(subject.value, False) or value in _CLASSES
            elif predicate == _REPLACED and isinstance(value, NamedNode):
                replaced[subject.value] = (*replaced.get(subject.value, ()), value)
        return cls(_version(module) or "", is_class, replaced)

    def bridged(self, iri: str) -> Iterator[Triple]:
        """What a name that a model uses means here."""
        own = _own(iri)
        if own not in self.is_class:
            return
        if own != iri:
            same = "equivalentClass" if self.is_class[own] else "equivalentProperty"
            yield Triple(NamedNode(iri), NamedNode(OWL + same), NamedNode(own))
        below = NamedNode(RDFS + ("subClassOf" if self.is_class[own] else "subPropertyOf"))
        for newer in self.replaced.get(own, ()):
            yield Triple(NamedNode(own), below, newer)

    def told(self, module: Module, names: Sequence[str], declared: Collection[str]) -> Iterator[str]:
        """What to say of a model: that it is bridged, and which of its names nobody declares."""
        unknown = [iri for iri in names if _own(iri) not in self.is_class and iri not in declared]
        versions = sorted({version for iri in names if (version := _version_in(iri)) is not None})
        if versions:
            parts = f"names of Brick {', '.join(versions)} are taken for those of Brick {self.version}"
        elif unknown:
            parts = f"is in another version of Brick than {self.version}, which is loaded"
        else:
            return
        lost = f": {len(unknown)} of {len(names)} have no counterpart, such as {_some(unknown)}" if unknown else ""
        yield f"{module.source}: {parts}{lost}"


def _told_without_vocabulary(modules: Sequence[Module]) -> Iterator[str]:
    for module in modules:
        versions = sorted({version for iri in _used(module) if (version := _version_in(iri)) is not None})
        if versions:
            hint = 'add "brick:1.5" to knowledge.modules'
            yield f"{module.source}: is in Brick {', '.join(versions)}, and no Brick is loaded: {hint}"


def _used(module: Module) -> list[str]:
    """The names of Brick that a module uses as classes and properties, in their order."""
    terms = (t.object if t.predicate == TYPE else t.predicate for t in module.triples)
    return list(
        dict.fromkeys(term.value for term in terms if isinstance(term, NamedNode) and _NAME.fullmatch(term.value))
    )


def _is_named(term: object) -> TypeGuard[NamedNode]:
    return isinstance(term, NamedNode)


def _own(iri: str) -> str:
    """The name without a version in it."""
    found = _NAME.fullmatch(iri)
    return iri if found is None else BRICK + found["name"]


def _version_in(iri: str) -> str | None:
    found = _NAME.fullmatch(iri)
    return None if found is None else found["version"]


def _version(module: Module) -> str | None:
    """The version that an ontology document says that it is of."""
    ontologies = {t.subject for t in module.triples if t.predicate == TYPE and t.object == ONTOLOGY}
    said = (t.object for t in module.triples if t.predicate == _VERSION and t.subject in ontologies)
    return next((value.value for value in said if isinstance(value, Literal)), None)


def _some(names: Iterable[str]) -> str:
    shown = list(names)
    return ", ".join(name.rpartition("#")[2] for name in shown[:_SHOWN]) + (" …" if len(shown) > _SHOWN else "")
