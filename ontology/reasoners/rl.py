"""OWL 2 RL: the `reasonable` library, completed by the rules that it leaves out.

`reasonable` sees IRIs only: literals and blank nodes are stood in for, so that a literal comes back as it went in
(the library's way through rdflib rewrites some) and a blank node keeps its name. A literal may even be a subject on
the way, as in generalized RDF, from which the standard's rules start; such triples are dropped at the end.

`owl:InverseFunctionalProperty` is stood in for as well: release 0.4.4 takes all subjects of such a property for the
same, whatever their objects. `rl_rules.py` does it right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pyoxigraph import BlankNode, NamedNode, Quad, Store, Triple
from rdflib import URIRef
from reasonable import PyReasoner

from ...settings import ReasonerName
from ...storage import Telling, untold
from ..consistency import contradictions_in
from ..modules import Module
from ..terms import OWL, PREFIXES, RDFS, Term
from .hierarchy import USUAL_LIMITS, ClosureLimits, check_sizes
from .reasoner import Closure
from .reflexive import reflexive
from .rl_rules import derive

_STAND_IN = "urn:kaicep:term:"
_INVERSE_FUNCTIONAL = NamedNode(OWL + "InverseFunctionalProperty")
_REFLEXIVE = frozenset(
    {OWL + "sameAs", OWL + "equivalentClass", OWL + "equivalentProperty", RDFS + "subClassOf", RDFS + "subPropertyOf"}
)


class RlReasoner:
    """OWL 2 RL, which takes any RDF."""

    name: ReasonerName = "rl"
    java: int | None = None
    seconds: float | None = 5e-5  # with keeping the closure, measured with Brick and buildings

    def close(
        self, modules: Sequence[Module], prefixes: Mapping[str, str], limits: ClosureLimits, told: Telling = untold
    ) -> Closure:
        """The closure under the rules; see `Reasoner.close`."""
        store = Closure.of_assertions(modules).store
        close_store(store, prefixes, limits)
        told("contradictions", 0.0)
        return Closure(store, contradictions=contradictions_in(store))


RL = RlReasoner()


def close_store(store: Store, prefixes: Mapping[str, str] = PREFIXES, limits: ClosureLimits = USUAL_LIMITS) -> None:
    """Add everything to the store's default graph that OWL 2 RL derives from it.

    Args:
        store: what is known.
        prefixes: for messages.
        limits: how much may follow.

    Raises:
        OntologyError: far more would follow than is known.
    """
    known = [quad.triple for quad in store]
    limits = limits.over(len(known))
    new: Iterable[Triple] = [*known, *derive(store, limits, prefixes)]
    reasoner = _Reasonable()
    while True:
        check_sizes(store, limits, prefixes)
        derived = reasoner.derive(new)
        store.extend(Quad(*triple) for triple in derived)
        new = derive(store, limits, prefixes) if derived else ()
        if not new:
            break
    store.extend([Quad(*triple) for triple in reflexive(store)])


class _Reasonable:
    """A `PyReasoner` that grows: triples go in, what is new comes out."""

    def __init__(self) -> None:
        self._reasoner = PyReasoner()
        stand_in = URIRef(_STAND_IN + "inverse-functional")
        self._node: dict[Term, URIRef] = {_INVERSE_FUNCTIONAL: stand_in}
        self._term: dict[str, Term] = {str(stand_in): _INVERSE_FUNCTIONAL}
        self._known: set[tuple[URIRef, URIRef, URIRef]] = set()

    def derive(self, triples: Iterable[Triple]) -> list[Triple]:
        given = {(self._encode(t.subject), self._encode(t.predicate), self._encode(t.object)) for t in triples}
        self._known |= given
        self._reasoner.from_graph(list(given))
        derived = {triple for triple in self._reasoner.reason() if triple not in self._known}
        self._known |= derived
        return [triple for nodes in derived if (triple := self._decode(*nodes)) is not None]

    def _encode(self, term: Term) -> URIRef:
        node = self._node.get(term)
        if node is None:
            node = URIRef(term.value if isinstance(term, NamedNode) else f"{_STAND_IN}{len(self._node)}")
            self._node[term] = node
            self._term[str(node)] = term
        return node

    def _decode(self, subject: URIRef, predicate: URIRef, value: URIRef) -> Triple | None:
        """The triple, `None` if it is none: a literal as subject, a predicate that is no IRI, or `x = x`."""
        s, p, o = self._decode_node(subject), self._decode_node(predicate), self._decode_node(value)
        if (
            not isinstance(s, NamedNode | BlankNode)
            or not isinstance(p, NamedNode)
            or (s == o and p.value in _REFLEXIVE)
        ):
            return None
        return Triple(s, p, o)

    def _decode_node(self, node: URIRef) -> Term:
        return self._term.get(str(node)) or NamedNode(str(node))
