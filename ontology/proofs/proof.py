"""What a proof is: a tree whose leaves are stated and whose other nodes are conclusions by a named rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from pyoxigraph import Triple


class Origin(StrEnum):
    """Who says what needs no proof.

    `MODULE`: an ontology module states it. `EVENT`: the annotation gives it to the event. `ENGINE`: a DL reasoner
    inferred it and gives no proof. `OPEN`: it belongs to the closure, and the search was given up.
    """

    MODULE = "module"
    EVENT = "event"
    ENGINE = "engine"
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
    origin: Origin
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A triple that follows from the premises by a rule of OWL 2 RL, named as in the standard."""

    triple: Triple
    rule: str
    premises: tuple[Proof, ...]


Proof = Leaf | Step


def steps_of(proof: Proof) -> Iterator[Step]:
    """Every step of a proof, premises first; one that is used twice comes twice."""
    if isinstance(proof, Step):
        for premise in proof.premises:
            yield from steps_of(premise)
        yield proof
