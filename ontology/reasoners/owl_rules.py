"""The rules of OWL 2 RL as data: a body of triple patterns and a head. Closures and proofs are made with them.

Source: W3C, OWL 2 Web Ontology Language Profiles, second edition, §4.3, tables 4-9, without the rules that conclude
`false` (`ontology/consistency/contradictions.py`), those over lists, and what makes a term the same as or equivalent to
itself; and rdfs6 and rdfs10 of RDFS, for what is below itself without being declared. Beyond it: `owl:cardinality`
counts as `owl:maxCardinality`; and `everything` is an `owl:Thing`, which is a theorem of the standard.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from pyoxigraph import NamedNode

from ..terms import PREFIXES, Term

Slot = str | Term
"""A variable's name, with `?`, or a term."""
Pattern = tuple[Slot, Slot, Slot]


@dataclass(frozen=True, slots=True)
class Rule:
    """If the body holds, so does the head.

    Attributes:
        name: as in the standard.
        body: patterns, those that are looked up first if nothing else decides before the others.
        head: one pattern; a rule of the standard with several is several rules here.
        one: a variable that stands for a literal of value 1; `None`: there is no such condition.
    """

    name: str
    body: tuple[Pattern, ...]
    head: Pattern
    one: str | None = None


_TABLE = """
eq-sym:   ?y owl:sameAs ?x -> ?x owl:sameAs ?y
eq-trans: ?x owl:sameAs ?y . ?y owl:sameAs ?z -> ?x owl:sameAs ?z
eq-rep-s: ?t owl:sameAs ?s . ?t ?p ?o -> ?s ?p ?o
eq-rep-p: ?q owl:sameAs ?p . ?s ?q ?o -> ?s ?p ?o
eq-rep-o: ?r owl:sameAs ?o . ?s ?p ?r -> ?s ?p ?o
prp-dom:  ?p rdfs:domain ?c . ?x ?p ?y -> ?x rdf:type ?c
prp-rng:  ?p rdfs:range ?c . ?y ?p ?x -> ?x rdf:type ?c
prp-fp:   ?p rdf:type owl:FunctionalProperty . ?x ?p ?y . ?x ?p ?z -> ?y owl:sameAs ?z
prp-ifp:  ?p rdf:type owl:InverseFunctionalProperty . ?y ?p ?x . ?z ?p ?x -> ?y owl:sameAs ?z
prp-symp: ?p rdf:type owl:SymmetricProperty . ?y ?p ?x -> ?x ?p ?y
prp-trp:  ?p rdf:type owl:TransitiveProperty . ?x ?p ?y . ?y ?p ?z -> ?x ?p ?z
prp-spo1: ?x ?q ?y . ?q rdfs:subPropertyOf ?p -> ?x ?p ?y
prp-eqp1: ?x ?q ?y . ?q owl:equivalentProperty ?p -> ?x ?p ?y
prp-eqp2: ?x ?q ?y . ?p owl:equivalentProperty ?q -> ?x ?p ?y
prp-inv1: ?q owl:inverseOf ?p . ?y ?q ?x -> ?x ?p ?y
prp-inv2: ?p owl:inverseOf ?q . ?y ?q ?x -> ?x ?p ?y
cls-svf1: ?c owl:someValuesFrom ?d . ?c owl:onProperty ?p . ?x ?p ?y . ?y rdf:type ?d -> ?x rdf:type ?c
cls-svf2: ?c owl:someValuesFrom owl:Thing . ?c owl:onProperty ?p . ?x ?p ?y -> ?x rdf:type ?c
cls-avf:  ?c owl:allValuesFrom ?d . ?c owl:onProperty ?p . ?y ?p ?x . ?y rdf:type ?c -> ?x rdf:type ?d
cls-hv1:  ?c owl:hasValue ?v . ?c owl:onProperty ?p . ?x rdf:type ?c -> ?x ?p ?v
cls-hv2:  ?c owl:hasValue ?v . ?c owl:onProperty ?p . ?x ?p ?v -> ?x rdf:type ?c
cls-maxc2: ?c owl:maxCardinality ?one . ?c owl:onProperty ?p . ?x rdf:type ?c . ?x ?p ?y . ?x ?p ?z -> ?y owl:sameAs ?z
cls-maxc2: ?c owl:cardinality ?one . ?c owl:onProperty ?p . ?x rdf:type ?c . ?x ?p ?y . ?x ?p ?z -> ?y owl:sameAs ?z
cls-maxqc3: ?c owl:maxQualifiedCardinality ?one . ?c owl:onProperty ?p . ?c owl:onClass ?d . ?x rdf:type ?c . \
?x ?p ?y . ?y rdf:type ?d . ?x ?p ?z . ?z rdf:type ?d -> ?y owl:sameAs ?z
cls-maxqc3: ?c owl:qualifiedCardinality ?one . ?c owl:onProperty ?p . ?c owl:onClass ?d . ?x rdf:type ?c . \
?x ?p ?y . ?y rdf:type ?d . ?x ?p ?z . ?z rdf:type ?d -> ?y owl:sameAs ?z
cls-maxqc4: ?c owl:maxQualifiedCardinality ?one . ?c owl:onProperty ?p . ?c owl:onClass owl:Thing . \
?x rdf:type ?c . ?x ?p ?y . ?x ?p ?z -> ?y owl:sameAs ?z
cls-maxqc4: ?c owl:qualifiedCardinality ?one . ?c owl:onProperty ?p . ?c owl:onClass owl:Thing . \
?x rdf:type ?c . ?x ?p ?y . ?x ?p ?z -> ?y owl:sameAs ?z
cax-sco:  ?x rdf:type ?d . ?d rdfs:subClassOf ?c -> ?x rdf:type ?c
cax-eqc1: ?x rdf:type ?d . ?d owl:equivalentClass ?c -> ?x rdf:type ?c
cax-eqc2: ?x rdf:type ?d . ?c owl:equivalentClass ?d -> ?x rdf:type ?c
scm-sco:  ?a rdfs:subClassOf ?b . ?b rdfs:subClassOf ?c -> ?a rdfs:subClassOf ?c
scm-eqc1: ?a owl:equivalentClass ?b -> ?a rdfs:subClassOf ?b
scm-eqc1: ?b owl:equivalentClass ?a -> ?a rdfs:subClassOf ?b
scm-eqc2: ?a rdfs:subClassOf ?b . ?b rdfs:subClassOf ?a -> ?a owl:equivalentClass ?b
scm-spo:  ?a rdfs:subPropertyOf ?b . ?b rdfs:subPropertyOf ?c -> ?a rdfs:subPropertyOf ?c
scm-eqp1: ?a owl:equivalentProperty ?b -> ?a rdfs:subPropertyOf ?b
scm-eqp1: ?b owl:equivalentProperty ?a -> ?a rdfs:subPropertyOf ?b
scm-eqp2: ?a rdfs:subPropertyOf ?b . ?b rdfs:subPropertyOf ?a -> ?a owl:equivalentProperty ?b
scm-dom1: ?p rdfs:domain ?d . ?d rdfs:subClassOf ?c -> ?p rdfs:domain ?c
scm-dom2: ?q rdfs:domain ?c . ?p rdfs:subPropertyOf ?q -> ?p rdfs:domain ?c
scm-rng1: ?p rdfs:range ?d . ?d rdfs:subClassOf ?c -> ?p rdfs:range ?c
scm-rng2: ?q rdfs:range ?c . ?p rdfs:subPropertyOf ?q -> ?p rdfs:range ?c
scm-hv:   ?a owl:hasValue ?v . ?a owl:onProperty ?p . ?b owl:hasValue ?v . ?b owl:onProperty ?q . \
?p rdfs:subPropertyOf ?q -> ?a rdfs:subClassOf ?b
scm-svf1: ?a owl:someValuesFrom ?c . ?a owl:onProperty ?p . ?b owl:someValuesFrom ?d . ?b owl:onProperty ?p . \
?c rdfs:subClassOf ?d -> ?a rdfs:subClassOf ?b
scm-svf2: ?a owl:someValuesFrom ?c . ?a owl:onProperty ?p . ?b owl:someValuesFrom ?c . ?b owl:onProperty ?q . \
?p rdfs:subPropertyOf ?q -> ?a rdfs:subClassOf ?b
scm-avf1: ?a owl:allValuesFrom ?c . ?a owl:onProperty ?p . ?b owl:allValuesFrom ?d . ?b owl:onProperty ?p . \
?c rdfs:subClassOf ?d -> ?a rdfs:subClassOf ?b
scm-avf2: ?a owl:allValuesFrom ?c . ?a owl:onProperty ?p . ?b owl:allValuesFrom ?c . ?b owl:onProperty ?q . \
?q rdfs:subPropertyOf ?p -> ?a rdfs:subClassOf ?b
scm-cls:  ?c rdf:type owl:Class -> ?c rdfs:subClassOf ?c
rdfs10:   ?c rdf:type rdfs:Class -> ?c rdfs:subClassOf ?c
rdfs10:   ?c rdfs:subClassOf ?d -> ?c rdfs:subClassOf ?c
rdfs10:   ?d rdfs:subClassOf ?c -> ?c rdfs:subClassOf ?c
rdfs10:   ?x rdf:type ?c -> ?c rdfs:subClassOf ?c
scm-op:   ?p rdf:type owl:ObjectProperty -> ?p rdfs:subPropertyOf ?p
scm-dp:   ?p rdf:type owl:DatatypeProperty -> ?p rdfs:subPropertyOf ?p
rdfs6:    ?p rdf:type rdf:Property -> ?p rdfs:subPropertyOf ?p
rdfs6:    ?p rdfs:subPropertyOf ?q -> ?p rdfs:subPropertyOf ?p
rdfs6:    ?q rdfs:subPropertyOf ?p -> ?p rdfs:subPropertyOf ?p
cls-thing: -> owl:Thing rdf:type owl:Class
cls-nothing1: -> owl:Nothing rdf:type owl:Class
everything: ?x ?p ?y -> ?x rdf:type owl:Thing
everything: ?y ?p ?x -> ?x rdf:type owl:Thing
"""


@cache
def general_rules() -> tuple[Rule, ...]:
    """The rules that have the same form in every ontology; those over lists are made of its lists."""
    return tuple(_read(line) for line in _TABLE.splitlines() if line)


def _read(line: str) -> Rule:
    name, text = line.split(":", 1)
    body, head = text.split("->")
    patterns = tuple(_pattern(part) for part in body.split(" . ") if part.strip())
    return Rule(name, patterns, _pattern(head), "?one" if "?one" in text else None)


def _pattern(text: str) -> Pattern:
    subject, predicate, value = (_slot(word) for word in text.split())
    return subject, predicate, value


def _slot(word: str) -> Slot:
    if word.startswith("?"):
        return word
    prefix, local = word.split(":")
    return NamedNode(PREFIXES[prefix] + local)
