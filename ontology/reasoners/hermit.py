"""HermiT, as owlready2 ships it: OWL 2 DL by hypertableau."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pyoxigraph import NamedNode, Triple

from ..terms import OWL, RDFS, TYPE
from .description_logic import SHIPPED, DescriptionLogicReasoner

_SUBPROPERTY, _SAME_PROPERTY = NamedNode(RDFS + "subPropertyOf"), NamedNode(OWL + "equivalentProperty")
_RELATIONS = {
    "Type": TYPE,
    "SubClassOf": NamedNode(RDFS + "subClassOf"),
    "SubObjectPropertyOf": _SUBPROPERTY,
    "SubDataPropertyOf": _SUBPROPERTY,
    "EquivalentClasses": NamedNode(OWL + "equivalentClass"),
    "EquivalentObjectProperties": _SAME_PROPERTY,
    "EquivalentDataProperties": _SAME_PROPERTY,
}
_AXIOM = re.compile(r"^(\w+)\( ((?:<[^>]+> ?)+)\)$", re.MULTILINE)


def parse_axioms(output: str) -> Iterator[Triple]:
    """The triples of its output in functional syntax; axioms of other kinds are passed over."""
    for kind, names in _AXIOM.findall(output):
        nodes = [NamedNode(name) for name in names.strip()[1:-1].split("> <")]
        if kind in _RELATIONS:
            yield from (Triple(nodes[0], _RELATIONS[kind], other) for other in nodes[1:])


HERMIT = DescriptionLogicReasoner(
    name="hermit",
    java=8,
    class_path=(SHIPPED / "hermit", SHIPPED / "hermit" / "HermiT.jar"),
    main="org.semanticweb.HermiT.cli.CommandLine",
    classify=("-c", "-O", "-D", "-I"),
    check=("-k",),
    document=lambda file: ("--ignoreUnsupportedDatatypes", file.as_uri()),
    parse=parse_axioms,
)
