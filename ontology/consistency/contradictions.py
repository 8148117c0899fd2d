"""What contradicts itself: the rules of OWL 2 RL that end in `false`, as SPARQL over the closed knowledge.

Each says besides which triples about individuals it speaks of: it is gone as soon as one of them does not follow.

Source: W3C, OWL 2 Web Ontology Language Profiles, second edition, §4.3, tables 4-9. Beyond it: contradicting
`owl:cardinality` and `owl:disjointUnionOf`, which mean the same in OWL 2 DL.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Contradiction:
    """One way to contradict oneself.

    Attributes:
        rule: its name in the standard.
        individuals: the query's variables that are individuals, in the message's order.
        terms: its variables that are classes and properties.
        where: graph pattern that binds them all.
        says: the message, with the variables in braces; `{v}` and `{w}` are values.
        axiom: what forbids it, likewise.
        premises: patterns of what it says of individuals; what the ontology says of classes and properties left out.
    """

    rule: str
    individuals: tuple[str, ...]
    terms: tuple[str, ...]
    where: str
    says: str
    axiom: str
    premises: str

    @property
    def query(self) -> str:
        """The SELECT that finds every instance, in an order of its own."""
        names = " ".join(f"?{name}" for name in self.variables)
        return f"SELECT DISTINCT {names} WHERE {{ {self.where} }} ORDER BY {names}"

    @property
    def variables(self) -> tuple[str, ...]:
        """What the query selects."""
        values = (name for name in ("v", "w") if f"{{{name}}}" in self.says)
        return tuple(dict.fromkeys((*self.individuals, *self.terms, *values)))


def _pair(one: str, other: str, first: str, second: str) -> str:
    """Bind `?first`, `?second` to the two in alphabetic order, so that a pair is found once."""
    swap = f"STR({one}) > STR({other})"
    return f"BIND(IF({swap}, {other}, {one}) AS {first}) BIND(IF({swap}, {one}, {other}) AS {second})"


def _pairs(stated: str, kind: str, members: str, *more: str) -> str:
    """Bind `?i`, `?j` to what `stated` relates directly, or what a list of such members holds at two places.

    A subquery, which Oxigraph evaluates first: the pairs are few, what is of them is much. Places are compared and
    not members, for one place of a list holds everything that is the same as its member.
    """
    lists = (f"?all rdf:type {kind} ; {members} ?list", *more)
    at_two_places = (
        "?list rdf:rest* ?here . ?here rdf:first ?i . ?list rdf:rest* ?there . ?there rdf:first ?j "
        "FILTER(?here != ?there)"
    )
    listed = "".join(f" UNION {{ {pattern} . {at_two_places} }}" for pattern in lists)
    return f"{{ SELECT DISTINCT ?i ?j {{ {{ ?i {stated} ?j }}{listed} }} }}"


_DIFFERENT = _pairs("owl:differentFrom", "owl:AllDifferent", "owl:members|owl:distinctMembers")
_DISJOINT = _pairs("owl:disjointWith", "owl:AllDisjointClasses", "owl:members", "?all owl:disjointUnionOf ?list")
_DISJOINT_PROPERTIES = _pairs("owl:propertyDisjointWith", "owl:AllDisjointProperties", "owl:members")

CONTRADICTIONS = (
    Contradiction(
        "cax-dw, cax-adc",
        ("x",),
        ("a", "b"),
        f"{_DISJOINT} ?x rdf:type ?i , ?j . {_pair('?i', '?j', '?a', '?b')}",
        "{x} is both {a} and {b}, which are disjoint",
        "{a} and {b} are disjoint",
        "?x rdf:type ?a . ?x rdf:type ?b",
    ),
    Contradiction(
        "cls-com",
        ("x",),
        ("a", "b"),
        "?a owl:complementOf ?b . ?x rdf:type ?a , ?b",
        "{x} is both {a} and {b}, which are complements",
        "{a} and {b} are complements",
        "?x rdf:type ?a . ?x rdf:type ?b",
    ),
    Contradiction(
        "cls-nothing2",
        ("x",),
        (),
        "?x rdf:type owl:Nothing",
        "{x} is of the empty class owl:Nothing",
        "owl:Nothing is empty",
        "?x rdf:type owl:Nothing",
    ),
    Contradiction(
        "prp-fp, eq-diff1",
        ("x", "y", "z"),
        ("p",),
        f"{_DIFFERENT} ?p rdf:type owl:FunctionalProperty . ?x ?p ?i , ?j . FILTER(?i != ?j) "
        + _pair("?i", "?j", "?y", "?z"),
        "{x} has both {y} and {z} as {p}, which is functional, and they are different",
        "{p} is functional",
        "?x ?p ?y . ?x ?p ?z",
    ),
    Contradiction(
        "prp-ifp, eq-diff1",
        ("x", "y"),
        ("p",),
        f"{_DIFFERENT} ?p rdf:type owl:InverseFunctionalProperty . ?i ?p ?z . ?j ?p ?z . FILTER(?i != ?j) "
        + _pair("?i", "?j", "?x", "?y"),
        "{x} and {y} share a {p}, which is inverse functional, and they are different",
        "{p} is inverse functional",
        "?x owl:sameAs ?y",
    ),
    Contradiction(
        "eq-diff1, eq-diff2, eq-diff3",
        ("x", "y"),
        (),
        f"{_DIFFERENT} ?i owl:sameAs ?j . FILTER(?i != ?j) {_pair('?i', '?j', '?x', '?y')}",
        "{x} and {y} are the same and are different",
        "what is different is not the same",
        "?x owl:sameAs ?y",
    ),
    Contradiction(
        "eq-diff1",
        ("x",),
        (),
        "?x owl:differentFrom ?x FILTER NOT EXISTS { ?x owl:sameAs ?y FILTER(?x != ?y) }",
        "{x} is different from itself",
        "everything is the same as itself",
        "?x owl:differentFrom ?x",
    ),
    Contradiction(
        "prp-irp",
        ("x",),
        ("p",),
        "?p rdf:type owl:IrreflexiveProperty . ?x ?p ?x",
        "{x} has itself as {p}, which is irreflexive",
        "{p} is irreflexive",
        "?x ?p ?x",
    ),
    Contradiction(
        "prp-asyp",
        ("x", "y"),
        ("p",),
        f"?p rdf:type owl:AsymmetricProperty . ?i ?p ?j . ?j ?p ?i . {_pair('?i', '?j', '?x', '?y')}",
        "{x} and {y} have each other as {p}, which is asymmetric",
        "{p} is asymmetric",
        "?x ?p ?y . ?y ?p ?x",
    ),
    Contradiction(
        "prp-pdw, prp-adp",
        ("x", "v"),
        ("a", "b"),
        # As one more pattern Oxigraph would join everything that two properties say with itself first.
        f"{_DISJOINT_PROPERTIES} ?x ?i ?v FILTER EXISTS {{ ?x ?j ?v }} {_pair('?i', '?j', '?a', '?b')}",
        "{x} has {v} as both {a} and {b}, which are disjoint",
        "{a} and {b} are disjoint properties",
        "?x ?a ?v . ?x ?b ?v",
    ),
    Contradiction(
        "prp-fp, dt-diff",
        ("x",),
        ("p",),
        "?p rdf:type owl:FunctionalProperty . ?x ?p ?v , ?w . "
        "FILTER(isLiteral(?v) && isLiteral(?w) && STR(?v) < STR(?w) && ?v != ?w)",
        "{x} has two values of {p}, which is functional: {v} and {w}",
        "{p} is functional",
        "?x ?p ?v . ?x ?p ?w",
    ),
    Contradiction(
        "prp-npa1, prp-npa2",
        ("x", "v"),
        ("p",),
        "?not owl:sourceIndividual ?x ; owl:assertionProperty ?p ; (owl:targetIndividual|owl:targetValue) ?v . "
        "?x ?p ?v",
        "{x} has {v} as {p}, and it is stated that it has not",
        "a negative statement about {p}",
        "?x ?p ?v",
    ),
    Contradiction(
        "cls-maxc1",
        ("x", "v"),
        ("p",),
        "?c (owl:maxCardinality|owl:cardinality) ?n ; owl:onProperty ?p . FILTER(?n = 0) ?x rdf:type ?c ; ?p ?v",
        "{x} has {v} as {p}, of which it must have none",
        "some may have no {p}",
        "?x ?p ?v",
    ),
    Contradiction(
        "cls-maxqc1, cls-maxqc2",
        ("x", "y"),
        ("p", "a"),
        "?c (owl:maxQualifiedCardinality|owl:qualifiedCardinality) ?n ; owl:onProperty ?p ; owl:onClass ?a . "
        "FILTER(?n = 0) ?x rdf:type ?c ; ?p ?y . ?y rdf:type ?a",
        "{x} has {y} as {p}, of which it must have none that is {a}",
        "some may have no {p} that is {a}",
        "?x ?p ?y . ?y rdf:type ?a",
    ),
    Contradiction(
        "cls-maxc2, dt-diff",
        ("x",),
        ("p",),
        "?c (owl:maxCardinality|owl:cardinality) ?n ; owl:onProperty ?p . FILTER(?n = 1) ?x rdf:type ?c ; ?p ?v , ?w . "
        "FILTER(isLiteral(?v) && isLiteral(?w) && STR(?v) < STR(?w) && ?v != ?w)",
        "{x} has two values of {p}, of which it must have at most one: {v} and {w}",
        "some may have at most one {p}",
        "?x ?p ?v . ?x ?p ?w",
    ),
)

WRONG_LITERAL = Contradiction(
    "dt-not-type",
    ("x",),
    ("p",),
    "",
    "{x} has {v} as {p}, which is no {w}",
    "a value of {p} is a {w}",
    "?x ?p ?v",
)
"""Found by `literal_ranges`: no query compares lexical forms."""
