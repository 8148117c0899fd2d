"""What a reasoner promises: its name, the Java that it needs, and how it closes modules into a store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pyoxigraph import Quad, Store, Triple

from ...settings import ReasonerName
from ...storage import Telling, untold
from ..consistency import Violation
from ..known_names import KnownNames
from ..modules import Module
from ..private_copy import PrivateCopy
from .hierarchy import ClosureLimits


class KeptFiles(Protocol):
    """A closure that lies in files: what of it would take time to make again."""

    @property
    def triples(self) -> int:
        """How many the closure has."""

    @property
    def names(self) -> KnownNames:
        """The names in it."""

    @property
    def files(self) -> Path:
        """The folder of the closure's store; nobody writes it."""

    def speaks_below(self, prefix: str) -> bool:
        """Whether a subject or object of the closure is an IRI that begins with `prefix`."""

    def subjects_below(self, prefix: str, *, typed: bool) -> frozenset[str]:
        """IRIs of the subjects (of those that have a class, if `typed`) that begin with `prefix`."""

    def stated(self) -> Store:
        """What the modules state, as `store_statements` stores it."""

    def copy(self) -> PrivateCopy | None:
        """A copy of the closure's store; `None`: the file system refuses."""


@dataclass(frozen=True, slots=True)
class Closure:
    """Closed knowledge.

    Attributes:
        store: what is asserted and what follows, in its default graph.
        inferred: what of it a DL reasoner inferred, which has no proof by rules.
        contradictions: what the rules of OWL 2 RL forbid of it; a DL reasoner then infers nothing.
        kept: the files that it comes from; `None`: it was made just now.
    """

    store: Store
    inferred: frozenset[Triple] = frozenset()
    contradictions: tuple[Violation, ...] = ()
    kept: KeptFiles | None = None

    @classmethod
    def of_assertions(cls, modules: Sequence[Module]) -> Closure:
        """What modules assert, and nothing that follows."""
        store = Store()
        for module in modules:
            store.extend(Quad(*triple) for triple in module.triples)
        return cls(store)


class Reasoner(Protocol):
    """One way to close knowledge; stateless."""

    @property
    def name(self) -> ReasonerName:
        """As the project file has it."""

    @property
    def java(self) -> int | None:
        """The least version of Java that it needs; `None`: it needs none."""

    @property
    def seconds(self) -> float | None:
        """How long a processor takes for each triple that is asserted, about; `None`: that depends on what they say."""

    def close(
        self, modules: Sequence[Module], prefixes: Mapping[str, str], limits: ClosureLimits, told: Telling = untold
    ) -> Closure:
        """The closure of the union of some modules.

        Args:
            modules: what is asserted.
            prefixes: for messages.
            limits: how much may follow.
            told: hears when contradictions are looked for.

        Raises:
            OntologyError: the modules contradict themselves in a way that no rule shows (the message names the
                individuals, the hint the modules that mention them), more would follow, or the reasoner cannot run.
        """
