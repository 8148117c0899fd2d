"""Pellet, as owlready2 ships it: OWL 2 DL by tableau. That release needs Java 25."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pyoxigraph import NamedNode, Triple

from ..terms import OWL, RDFS, TYPE
from .description_logic import SHIPPED, DescriptionLogicReasoner

_SUBCLASS, _SAME_CLASS = NamedNode(RDFS + "subClassOf"), NamedNode(OWL + "equivalentClass")
_THING = NamedNode(OWL + "Thing")
_TREE = re.compile(r"^( +)(\S+(?: = \S+)*)(?: - \((.*)\))?$")


def parse_class_tree(output: str) -> Iterator[Triple]:
    """The triples of its class tree: deeper is more specific, `A = B - (individuals)`."""
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


PELLET = DescriptionLogicReasoner(
    name="pellet",
    java=25,
    class_path=tuple(sorted((SHIPPED / "pellet").glob("*.jar"))),
    main="pellet.Pellet",
    classify=("realize",),
    check=("consistency",),
    document=lambda file: ("--loader", "Jena", "--input-format", "N-Triples", "--ignore-imports", str(file)),
    parse=parse_class_tree,
)
