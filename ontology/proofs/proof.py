"""What a proof is: a tree whose leaves are stated and whose other nodes are conclusions by a named rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from pyoxigraph import Triple


class AssertionOrigin(StrEnum):
    """Who says what needs no proof.

    `MODULE`: an ontology module states it. `EVENT`: the annotation gives it to the event. `REASONER`: a DL reasoner
    inferred it and gives no proof. `OPEN`: it belongs to the closure, and the search was given up.
    """

    MODULE = "module"
    EVENT = "event"
    REASONER = "engine"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Leaf:
    """A triple that somebody states.

    Attributes:
        triple: what is stated.
        origin: the kind of who states it.
        sources: who states it: files of modules, the words of the annotation, the name of the reasoner.
    """

    triple: Triple
    origin: AssertionOrigin
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Inference:
    """A triple that follows from the premises by a rule of OWL 2 RL, named as in the standard."""

    triple: Triple
    rule: str
    premises: tuple[Proof, ...]


Proof = Leaf | Inference


def inferences_of(proof: Proof) -> Iterator[Inference]:
    """Every step of a proof, premises first; one that is used twice comes twice."""
    if isinstance(proof, Inference):
        for premise in proof.premises:
            yield from inferences_of(premise)
        yield proof
