"""OWL 2 DL by HermiT or Pellet, as owlready2 ships them.

The reasoners are started on N-Triples of our own and not through owlready2's object model: that one cannot hold
ontologies that use one IRI as a class and as an individual, such as Brick, and loses axioms on its way out.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path

import owlready2
from pyoxigraph import NamedNode, RdfFormat, Triple, serialize

from ...errors import OntologyError
from ..terms import IMPORTS, OWL, RDFS, TYPE
from .java_runtime import find_java

_SHIPPED = Path(owlready2.__file__).parent
_SUBCLASS, _SUBPROPERTY = NamedNode(RDFS + "subClassOf"), NamedNode(RDFS + "subPropertyOf")
_SAME_CLASS, _SAME_PROPERTY = NamedNode(OWL + "equivalentClass"), NamedNode(OWL + "equivalentProperty")
_RELATIONS = {
    "Type": TYPE,
    "SubClassOf": _SUBCLASS,
    "SubObjectPropertyOf": _SUBPROPERTY,
    "SubDataPropertyOf": _SUBPROPERTY,
    "EquivalentClasses": _SAME_CLASS,
    "EquivalentObjectProperties": _SAME_PROPERTY,
    "EquivalentDataProperties": _SAME_PROPERTY,
}
_THING = NamedNode(OWL + "Thing")
_AXIOM = re.compile(r"^(\w+)\( ((?:<[^>]+> ?)+)\)$", re.MULTILINE)
_TREE = re.compile(r"^( +)(\S+(?: = \S+)*)(?: - \((.*)\))?$")


class Engine(StrEnum):
    """A DL reasoner that owlready2 ships."""

    HERMIT = "hermit"
    PELLET = "pellet"


class Contradictory(Exception):
    """The engine finds no model of what it was given."""


def inferred(triples: Iterable[Triple], engine: Engine) -> frozenset[Triple]:
    """What the engine infers: how named classes and properties relate, and the most specific classes of individuals.

    It is not asked which individuals a property relates: that takes HermiT four times as long, and the rules of
    OWL 2 RL derive it but for the rarest cases.

    Raises:
        Contradictory: the triples have no model.
        OntologyError: no fitting Java, or triples that the engine cannot take for an ontology.
    """
    match engine:
        case Engine.HERMIT:
            return frozenset(_read_hermit(_run(triples, engine, ("-c", "-O", "-D", "-I"))))
        case Engine.PELLET:
            return frozenset(_read_pellet(_run(triples, engine, ("realize",))))


def is_consistent(triples: Iterable[Triple], engine: Engine) -> bool:
    """Whether the engine finds a model.

    Raises:
        OntologyError: no fitting Java, or triples that the engine cannot take for an ontology.
    """
    try:
        said = _run(triples, engine, ("-k",) if engine is Engine.HERMIT else ("consistency",))
    except Contradictory:
        return False
    return "Consistent: No" not in said


def _run(triples: Iterable[Triple], engine: Engine, action: tuple[str, ...]) -> str:
    """Start the engine on the triples, without their imports (they are here, or left out), so it fetches nothing."""
    with tempfile.TemporaryDirectory(prefix="kaicep-") as folder:
        file = Path(folder) / "knowledge.nt"
        serialize((t for t in triples if t.predicate != IMPORTS), file, RdfFormat.N_TRIPLES)
        command = _hermit(action, file) if engine is Engine.HERMIT else _pellet(action, file)
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)  # noqa: S603 (no shell; the engine's own words)
    if "Inconsistent ontology" in done.stderr or "Ontology is inconsistent" in done.stderr:
        raise Contradictory
    if done.returncode or "went pear-shaped" in done.stderr:  # what HermiT says, and then succeeds
        raise OntologyError(f"{engine} cannot reason over these modules: {_reason(done.stderr)}", hint=_WAY_OUT)
    return done.stdout


_WAY_OUT = 'they may be no OWL 2 DL; use reasoner = "rl", which takes any'


def _hermit(action: tuple[str, ...], file: Path) -> list[str | Path]:
    path = os.pathsep.join((str(_SHIPPED / "hermit"), str(_SHIPPED / "hermit" / "HermiT.jar")))
    start: list[str | Path] = [find_java(8, Engine.HERMIT), "-cp", path, "org.semanticweb.HermiT.cli.CommandLine"]
    return [*start, *action, "--ignoreUnsupportedDatatypes", file.as_uri()]


def _pellet(action: tuple[str, ...], file: Path) -> list[str | Path]:
    path = os.pathsep.join(str(jar) for jar in sorted((_SHIPPED / "pellet").glob("*.jar")))
    start: list[str | Path] = [find_java(25, Engine.PELLET), "-cp", path, "pellet.Pellet"]
    return [*start, *action, "--loader", "Jena", "--input-format", "N-Triples", "--ignore-imports", file]


def _reason(said: str) -> str:
    """The first line of what a Java program says, without its exception's class."""
    line = next((line for line in said.splitlines() if line.strip()), "it does not say why")
    return re.sub(r'^(Exception in thread "main" |It all went pear-shaped: |ERROR: )', "", line)


def _read_hermit(output: str) -> Iterator[Triple]:
    for kind, names in _AXIOM.findall(output):
        nodes = [NamedNode(name) for name in names.strip()[1:-1].split("> <")]
        if kind in _RELATIONS:
            yield from (Triple(nodes[0], _RELATIONS[kind], other) for other in nodes[1:])


def _read_pellet(output: str) -> Iterator[Triple]:
    """Read the class tree (deeper is more specific, `A = B - (individuals)`)."""
    above: list[tuple[int, NamedNode]] = []
    for indent, names, individuals in (found.groups() for found in map(_TREE.match, output.splitlines()) if found):
        first, *same = [NamedNode(name) for name in names.split(" = ")]
        above = [(depth, node) for depth, node in above if depth < len(indent)]
        yield from (Triple(first, _SAME_CLASS, other) for other in same)
        if above and above[-1][1] != _THING:
            yield Triple(first, _SUBCLASS, above[-1][1])
        named = (name for name in (individuals or "").split(", ") if ":" in name and " " not in name)
        yield from (Triple(NamedNode(name), TYPE, first) for name in named if first != _THING)
        above.append((len(indent), first))
