"""The shortest proof of a triple that belongs to a closure.

The closure is there already; what is missing is why. So the search goes backwards from the triple, through instances
of rules whose premises are in the closure, layer by layer until what the modules state carries it (an AND/OR graph as
small as the proof is deep), then forwards for the cheapest proof in what was explored. A cheapest proof cannot use
its own conclusion: it costs more than each of its premises.

Source: Knuth, A generalization of Dijkstra's algorithm, Information Processing Letters 6(1), 1977.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import islice
from types import MappingProxyType

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Store, Triple

from ..knowledge import KnowledgeBase
from ..reasoners import general_rules
from ..stated_graphs import modules_that_state
from ..terms import OWL, RDFS, TYPE
from .inverses import inverse_rules, inverses, walked_backwards
from .lists import list_rules
from .proof import AssertionOrigin, Inference, Leaf, Proof
from .rule_matching import RuleIndex, RuleInstance, instances

Node = NamedNode | BlankNode | Triple

_TRANSITIVE = {NamedNode(RDFS + "subClassOf"): "scm-sco", NamedNode(RDFS + "subPropertyOf"): "scm-spo"}
_TRANSITIVE |= {NamedNode(OWL + "sameAs"): "eq-trans"}
_IS_TRANSITIVE = NamedNode(OWL + "TransitiveProperty")
_NOTHING_GIVEN: Mapping[Triple, str] = MappingProxyType({})
# First a narrow search, which the usual proof is found by; then one that misses nothing but takes longer.
_WIDTHS = (40, None)
_MOST_TRIPLES = 20_000
_MOST_WALKED = 10_000


class Prover:
    """Finds proofs in one knowledge base.

    Args:
        knowledge: closed by any reasoner.
    """

    def __init__(self, knowledge: KnowledgeBase) -> None:
        self._knowledge = knowledge
        self._stated = knowledge.stated
        nameless = inverses(self._stated)
        of_lists = (walked_backwards(rule, nameless) for rule in list_rules(self._stated))
        self._rules = RuleIndex((*general_rules(), *of_lists, *inverse_rules(general_rules(), nameless)))

    def prove(self, goal: Triple, view: Store | None = None, given: Mapping[Triple, str] = _NOTHING_GIVEN) -> Proof:
        """The proof of a triple, of the smallest number of steps in what was searched.

        Args:
            goal: a triple of the closure.
            view: the closure in which premises are looked for, with the triples of an event; `None`: the knowledge's.
            given: triples that need no proof, and who gives them.

        Returns:
            Its proof. What no rule concludes is a leaf: of the DL reasoner that inferred it, or an open one.
        """
        store = self._knowledge.store if view is None else view
        for width in _WIDTHS:
            fragment = self._explored(goal, store, given, width)
            if goal in fragment.cost:
                return fragment.proof(goal)
        return self._unproven(goal)

    def leaf(self, triple: Triple, given: Mapping[Triple, str] = _NOTHING_GIVEN) -> Leaf | None:
        """The triple as a leaf, if somebody states it."""
        if triple in given:
            return Leaf(triple, AssertionOrigin.EVENT, (given[triple],))
        if modules := tuple(self._modules(triple)):
            return Leaf(triple, AssertionOrigin.MODULE, modules)
        if triple in self._knowledge.inferred:
            return Leaf(triple, AssertionOrigin.REASONER, (self._knowledge.reasoner,))
        return None

    def instances(self, goal: Triple) -> Iterator[RuleInstance]:
        """Every instance of a rule that concludes a triple from others of the closure."""
        found = self._concluding(goal, self._knowledge.store, None)
        return (instance for conclusion, instance in found if conclusion == goal)

    def stating(self, triple: Triple) -> Sequence[int]:
        """The places of the modules that state a triple; none: it follows, or is false."""
        return tuple(modules_that_state(self._stated, triple))

    def _modules(self, triple: Triple) -> Iterator[str]:
        return (self._knowledge.modules[number].stater(triple) for number in self.stating(triple))

    def _explored(self, goal: Triple, store: Store, given: Mapping[Triple, str], width: int | None) -> _Fragment:
        fragment = _Fragment()
        frontier = [goal]
        while frontier and len(fragment.known) <= _MOST_TRIPLES:
            for triple in frontier:
                leaf = self.leaf(triple, given)
                fragment.add(triple, leaf, () if leaf else self._concluding(triple, store, width))
            fragment.find_cheapest()
            frontier = [] if goal in fragment.cost else fragment.open_below(goal)
        return fragment

    def _concluding(self, goal: Triple, store: Store, width: int | None) -> Iterator[tuple[Triple, RuleInstance]]:
        """Instances with their conclusions: those that conclude the goal, and the links of a chain towards it."""
        yield from self._chain(goal)
        for rule, bound in self._rules.concluding(goal):
            for instance in islice(instances(store, rule, bound), width):
                if goal not in instance.premises:
                    yield goal, instance

    def _chain(self, goal: Triple) -> Iterator[tuple[Triple, RuleInstance]]:
        """Of a transitive property: the shortest way through what is stated, one step per link."""
        marks: tuple[Triple, ...] = ()
        rule = _TRANSITIVE.get(goal.predicate)
        if rule is None:
            rule, marks = "prp-trp", (Triple(goal.predicate, TYPE, _IS_TRANSITIVE),)
            if Quad(*marks[0]) not in self._knowledge.store:
                return
        for start, middle, end in _halves(self._way(goal)):
            parts = Triple(start, goal.predicate, middle), Triple(middle, goal.predicate, end)
            yield Triple(start, goal.predicate, end), RuleInstance(rule, (*marks, *parts))

    def _way(self, goal: Triple) -> list[Node]:
        """The nodes of the shortest way from subject to object; none if there is no way of two links or more."""
        before: dict[Node, Node | None] = {goal.subject: None}
        waiting = deque([goal.subject])
        while waiting and goal.object not in before and len(before) < _MOST_WALKED:
            here = waiting.popleft()
            for quad in self._stated.quads_for_pattern(here, goal.predicate, None, None):
                there = quad.object
                if isinstance(there, NamedNode | BlankNode) and there not in before:
                    before[there] = here
                    waiting.append(there)
        way: list[Node] = []
        node: Node | None = goal.object if not isinstance(goal.object, Literal) and goal.object in before else None
        while node is not None:
            way.append(node)
            node = before[node]
        return way[::-1]

    def _unproven(self, goal: Triple) -> Leaf:
        return Leaf(goal, AssertionOrigin.OPEN, (self._knowledge.reasoner,))


def _halves(nodes: list[Node]) -> Iterator[tuple[Node, Node, Node]]:
    """Start, middle and end of a way, of its halves, of their halves, so that no proof is deeper than need be."""
    if len(nodes) > 2:
        middle = len(nodes) // 2
        yield nodes[0], nodes[middle], nodes[-1]
        yield from _halves(nodes[: middle + 1])
        yield from _halves(nodes[middle:])


@dataclass(slots=True)
class _Fragment:
    """The explored part of the AND/OR graph.

    Attributes:
        known: triple → the instances that conclude it; a leaf has none.
        leaves: the triples that need no proof.
        cost: number of steps of the cheapest proof, for the triples that have one.
        best: the first instance of the cheapest proof.
    """

    known: dict[Triple, list[RuleInstance]] = field(default_factory=dict)
    expanded: set[Triple] = field(default_factory=set)
    leaves: dict[Triple, Leaf] = field(default_factory=dict)
    cost: dict[Triple, int] = field(default_factory=dict)
    best: dict[Triple, RuleInstance] = field(default_factory=dict)

    def add(self, triple: Triple, leaf: Leaf | None, found: Iterator[tuple[Triple, RuleInstance]] | tuple[()]) -> None:
        """Take in a triple that was looked at."""
        self.expanded.add(triple)
        self.known.setdefault(triple, [])
        if leaf is not None:
            self.leaves[triple] = leaf
        for conclusion, instance in found:
            self.known.setdefault(conclusion, []).append(instance)

    def find_cheapest(self) -> None:
        """Find the cheapest proofs, cheapest first."""
        self.cost, self.best = {}, {}
        waiting: dict[int, int] = {}
        users: dict[Triple, list[tuple[int, Triple, RuleInstance]]] = {}
        heap: list[tuple[int, int, Triple, RuleInstance | None]] = [
            (0, place - len(self.leaves), leaf, None) for place, leaf in enumerate(self.leaves)
        ]
        number = 0
        for conclusion, found in self.known.items():
            for instance in found:
                premises = set(instance.premises)
                waiting[number] = len(premises)
                for premise in premises:
                    users.setdefault(premise, []).append((number, conclusion, instance))
                if not premises:
                    heap.append((1, number, conclusion, instance))
                number += 1
        heap.sort(key=lambda entry: entry[:2])
        while heap:
            cost, _, triple, found_by = heappop(heap)
            if triple in self.cost:
                continue
            self.cost[triple] = cost
            if found_by is not None:
                self.best[triple] = found_by
            for user, conclusion, using in users.get(triple, ()):
                waiting[user] -= 1
                if not waiting[user] and conclusion not in self.cost:
                    total = 1 + sum(self.cost[premise] for premise in using.premises)
                    heappush(heap, (total, user, conclusion, using))

    def open_below(self, goal: Triple) -> list[Triple]:
        """What has not been looked at and what the goal may hang on: reached from it through what has no proof."""
        seen, waiting, found = {goal}, deque([goal]), []
        while waiting:
            triple = waiting.popleft()
            if triple not in self.expanded:
                found.append(triple)
            for instance in self.known.get(triple, ()):
                for premise in instance.premises:
                    if premise not in seen and premise not in self.cost:
                        seen.add(premise)
                        waiting.append(premise)
        return found

    def proof(self, goal: Triple) -> Proof:
        """The cheapest proof of a triple that has one."""
        if goal in self.leaves:
            return self.leaves[goal]
        instance = self.best[goal]
        return Inference(goal, instance.rule, tuple(self.proof(premise) for premise in instance.premises))
