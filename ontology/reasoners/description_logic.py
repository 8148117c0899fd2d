"""OWL 2 DL by a Java program, on top of the rules of OWL 2 RL.

The programs are started on N-Triples of our own and not through owlready2's object model: that one cannot hold
ontologies that use one IRI as a class and as an individual, such as Brick, and loses axioms on its way out.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

from pyoxigraph import Quad, RdfFormat, Triple, serialize

from ...errors import OntologyError
from ...settings import ReasonerName
from ...storage import Telling, untold
from ..consistency import conflicting_individuals, contradictions_in, repair_hint
from ..modules import Module
from ..terms import IMPORTS, shown
from .hierarchy import ClosureLimits
from .java_runtime import find_java
from .reasoner import Closure
from .rl import RL, close_store

SHIPPED = Path(getattr(find_spec("owlready2"), "origin", "")).parent
"""Where owlready2 is, which is not loaded for the sake of its Java programs."""


class InconsistentError(Exception):
    """The reasoner finds no model of what it was given."""


@dataclass(frozen=True, slots=True)
class DescriptionLogicReasoner:
    """Adds what OWL 2 DL infers of named individuals, classes and properties.

    That is closed by the rules of OWL 2 RL: a DL reasoner names only the most specific classes of an individual, and
    its RL consequences hold in DL as well.

    Attributes:
        name: as the project file has it.
        java: the least version of Java.
        class_path: of the program.
        main: its class.
        classify: arguments for how named classes and properties relate, and the most specific classes of individuals.
            Not for which individuals a property relates: that takes HermiT four times as long, and the rules of
            OWL 2 RL derive it but for the rarest cases.
        check: arguments for whether there is a model.
        document: arguments that name a file of N-Triples.
        parse: the output of `classify` as triples.
    """

    seconds: ClassVar[None] = None  # a disjointness more may cost it minutes

    name: ReasonerName
    java: int
    class_path: tuple[Path, ...]
    main: str
    classify: tuple[str, ...]
    check: tuple[str, ...]
    document: Callable[[Path], tuple[str, ...]]
    parse: Callable[[str], Iterable[Triple]]

    def close(
        self, modules: Sequence[Module], prefixes: Mapping[str, str], limits: ClosureLimits, told: Telling = untold
    ) -> Closure:
        """The closure under OWL 2 RL and what the program infers; see `Reasoner.close`."""
        closure = RL.close(modules, prefixes, limits)
        if closure.contradictions:
            return closure
        store = closure.store
        inferred = frozenset(t for t in self._inferred(modules, prefixes) if Quad(*t) not in store)
        store.extend(Quad(*triple) for triple in inferred)
        close_store(store, prefixes, limits)
        told("contradictions", 0.0)
        return Closure(store, inferred, contradictions_in(store))

    def infer(self, triples: Iterable[Triple]) -> frozenset[Triple]:
        """What the program infers.

        Raises:
            InconsistentError: the triples have no model.
            OntologyError: no fitting Java, or triples that the program cannot take for an ontology.
        """
        return frozenset(self.parse(self._run(triples, self.classify)))

    def is_consistent(self, triples: Iterable[Triple]) -> bool:
        """Whether the program finds a model.

        Raises:
            OntologyError: no fitting Java, or triples that the program cannot take for an ontology.
        """
        try:
            return "Consistent: No" not in self._run(triples, self.check)
        except InconsistentError:
            return False

    def _inferred(self, modules: Sequence[Module], prefixes: Mapping[str, str]) -> frozenset[Triple]:
        triples = [triple for module in modules for triple in module.triples]
        try:
            return self.infer(triples)
        except InconsistentError as error:
            culprits = conflicting_individuals(triples, self.is_consistent)
            names = ", ".join(shown(term, prefixes) for term in culprits)
            what = f"what is said of {names} cannot all be true" if culprits else "its classes have no model"
            raise OntologyError(
                f"the knowledge contradicts itself: {what} (found by {self.name})",
                hint=repair_hint(culprits, (), modules, prefixes),
            ) from error

    def _run(self, triples: Iterable[Triple], action: tuple[str, ...]) -> str:
        """Start the program on the triples without their imports (they are here, or left out): it fetches nothing."""
        with tempfile.TemporaryDirectory(prefix="kaicep-") as folder:
            file = Path(folder) / "knowledge.nt"
            serialize((t for t in triples if t.predicate != IMPORTS), file, RdfFormat.N_TRIPLES)
            class_path = os.pathsep.join(map(str, self.class_path))
            java = str(find_java(self.java, self.name))
            command = [java, "-cp", class_path, self.main, *action, *self.document(file)]
            done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)  # noqa: S603 (no shell; the program's own words)
        if "Inconsistent ontology" in done.stderr or "Ontology is inconsistent" in done.stderr:
            raise InconsistentError
        if done.returncode or "went pear-shaped" in done.stderr:  # what HermiT says, and then succeeds
            raise OntologyError(
                f"{self.name} cannot reason over these modules: {_reason(done.stderr)}",
                hint='they may be no OWL 2 DL; use reasoner = "rl", which takes any',
            )
        return done.stdout


def _reason(stderr: str) -> str:
    """The first line of what a Java program says, without its exception's class."""
    line = next((line for line in stderr.splitlines() if line.strip()), "it does not say why")
    return re.sub(r'^(Exception in thread "main" |It all went pear-shaped: |ERROR: )', "", line)
