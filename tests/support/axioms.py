"""Random small ontologies over the constructs of OWL 2 RL, as Turtle."""

from __future__ import annotations

from hypothesis import strategies as st

from support.ontologies import PREAMBLE

__all__ = ["ontologies"]

_NAMES = {
    "C": [f":C{n}" for n in range(5)],
    "P": [f":p{n}" for n in range(4)],
    "D": [f":d{n}" for n in range(3)],
    "I": [f":i{n}" for n in range(6)],
    "V": ['"0"', '"1"', '"2"'],
}
_ON = "a owl:Restriction ; owl:onProperty"
_NONE, _ONE = '"0"^^xsd:nonNegativeInteger', '"1"^^xsd:nonNegativeInteger'
_DERIVING = (
    "{C} rdfs:subClassOf {C} .",
    "{C} owl:equivalentClass {C} .",
    "{P} rdfs:subPropertyOf {P} .",
    "{P} owl:equivalentProperty {P} .",
    "{D} rdfs:subPropertyOf {D} .",
    "{D} owl:equivalentProperty {D} .",
    "{P} owl:inverseOf {P} .",
    "{P} a owl:TransitiveProperty .",
    "{P} a owl:SymmetricProperty .",
    "{P} a owl:FunctionalProperty .",
    "{P} a owl:InverseFunctionalProperty .",
    "{P} rdfs:domain {C} .",
    "{D} rdfs:domain {C} .",
    "{P} rdfs:range {C} .",
    "{P} owl:propertyChainAxiom ( {P} {P} ) .",
    "{P} owl:propertyChainAxiom ( {P} {P} {P} ) .",
    "{C} owl:equivalentClass [ owl:intersectionOf ( {C} {C} ) ] .",
    "{C} rdfs:subClassOf [ owl:intersectionOf ( {C} {C} ) ] .",
    "{C} owl:unionOf ( {C} {C} ) .",
    "{C} owl:oneOf ( {I} {I} ) .",
    f"{{C}} owl:equivalentClass [ {_ON} {{P}} ; owl:someValuesFrom {{C}} ] .",
    f"[ {_ON} {{P}} ; owl:someValuesFrom owl:Thing ] rdfs:subClassOf {{C}} .",
    f"{{C}} rdfs:subClassOf [ {_ON} {{P}} ; owl:allValuesFrom {{C}} ] .",
    f"{{C}} owl:equivalentClass [ {_ON} {{P}} ; owl:hasValue {{I}} ] .",
    f"{{C}} owl:equivalentClass [ {_ON} {{D}} ; owl:hasValue {{V}} ] .",
    f"{{C}} rdfs:subClassOf [ {_ON} {{P}} ; owl:maxCardinality {_ONE} ] .",
    f"{{C}} rdfs:subClassOf [ {_ON} {{P}} ; owl:maxQualifiedCardinality {_ONE} ; owl:onClass {{C}} ] .",
    f"{{C}} rdfs:subClassOf [ {_ON} {{P}} ; owl:maxQualifiedCardinality {_ONE} ; owl:onClass owl:Thing ] .",
    f"{{C}} rdfs:subClassOf [ {_ON} {{D}} ; owl:allValuesFrom xsd:string ] .",
    f"{{C}} rdfs:subClassOf [ {_ON} {{P}} ; owl:someValuesFrom {{C}} ] .",
    f"[ owl:intersectionOf ( {{C}} [ {_ON} {{P}} ; owl:someValuesFrom {{C}} ] ) ] rdfs:subClassOf {{C}} .",
    "{C} owl:equivalentClass [ owl:oneOf ( {I} {I} ) ] .",
    "{C} owl:equivalentClass [ owl:unionOf ( {C} {C} {C} ) ] .",
    "{P} rdfs:domain [ owl:unionOf ( {C} {C} ) ] .",
    "{P} owl:propertyChainAxiom ( [ owl:inverseOf {P} ] {P} ) .",
    "{P} owl:equivalentProperty [ owl:inverseOf {P} ] .",
    "{D} rdfs:range xsd:string .",
    "{C} owl:hasKey ( {P} ) .",
    "{C} owl:hasKey ( {D} {P} ) .",
    "{I} owl:sameAs {I} .",
    "{C} owl:sameAs {C} .",
    "{P} owl:sameAs {P} .",
    "{D} owl:sameAs {D} .",
)
_OWN = (
    f"{{C}} rdfs:subClassOf [ {_ON} {{D}} ; owl:maxCardinality {_ONE} ] .",
    "{D} a owl:FunctionalProperty .",
    f"{{C}} rdfs:subClassOf [ {_ON} {{P}} ; owl:cardinality {_ONE} ] .",
    f"{{C}} rdfs:subClassOf [ {_ON} {{P}} ; owl:qualifiedCardinality {_ONE} ; owl:onClass {{C}} ] .",
    "{C} owl:disjointUnionOf ( {C} {C} ) .",
    "[] a owl:AllDisjointProperties ; owl:members ( :p1 :p2 :p0 ) .",
)
_REFUSING = (
    "{C} owl:disjointWith {C} .",
    "{C} owl:complementOf {C} .",
    "{C} rdfs:subClassOf [ owl:complementOf {C} ] .",
    "[] a owl:AllDisjointClasses ; owl:members ( {C} {C} {C} ) .",
    "{P} owl:propertyDisjointWith {P} .",
    "{P} a owl:IrreflexiveProperty .",
    "{P} a owl:AsymmetricProperty .",
    "{I} owl:differentFrom {I} .",
    "[] a owl:AllDifferent ; owl:members ( {I} {I} {I} ) .",
    "[] a owl:AllDifferent ; owl:distinctMembers ( {I} {I} ) .",
    "{C} rdfs:subClassOf owl:Nothing .",
    f"{{C}} rdfs:subClassOf [ {_ON} {{P}} ; owl:maxCardinality {_NONE} ] .",
    f"{{C}} rdfs:subClassOf [ {_ON} {{P}} ; owl:maxQualifiedCardinality {_NONE} ; owl:onClass {{C}} ] .",
    "[] owl:sourceIndividual {I} ; owl:assertionProperty {P} ; owl:targetIndividual {I} .",
    "[] owl:sourceIndividual {I} ; owl:assertionProperty {D} ; owl:targetValue {V} .",
)
_FACTS = ("{I} a {C} .", "{I} {P} {I} .", "{I} {P} {I} .", "{I} {D} {V} .")


@st.composite
def ontologies(draw: st.DrawFn, *, contradictory: bool = False, own: bool = False) -> str:
    """An ontology of a few axioms and facts.

    Args:
        draw: Hypothesis's.
        contradictory: with axioms that facts may contradict.
        own: with axioms that owlrl passes over (docs/entailment.md).
    """
    kinds = _DERIVING + (_REFUSING if contradictory else ()) + (_OWN if own else ())
    templates = draw(st.lists(st.sampled_from(kinds), min_size=3, max_size=8))
    templates += draw(st.lists(st.sampled_from(_FACTS), min_size=4, max_size=10))
    return PREAMBLE + "\n".join(_filled(draw, template) for template in templates)


def _filled(draw: st.DrawFn, template: str) -> str:
    for hole, names in _NAMES.items():
        while f"{{{hole}}}" in template:
            template = template.replace(f"{{{hole}}}", draw(st.sampled_from(names)), 1)
    return template
