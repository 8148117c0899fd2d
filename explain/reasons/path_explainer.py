"""Why the PATHs of an event variable hold for an event, or why not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import pyarrow as pa
from pyoxigraph import BlankNode, Literal, NamedNode

from ...annotator import EntityLinker, EventShape
from ...language.nodes import AllOf, AnyOf, Semantics, Source, Subquery, ValueType
from ...ontology import KnowledgeBase
from ...semfilter import term_column
from .event_triples import event_triples
from .event_view import EventView, Solution, Term
from .group_reasons import GroupExplainer
from .reason import Reason, ReasonKind

_AND, _OR = "all of", "any of"


@dataclass(frozen=True, slots=True)
class EventMapping:
    """What of a stream's annotation is needed beside its shape.

    Attributes:
        shape: how events become triples.
        linkers: attribute → what finds the individuals that its values stand for.
    """

    shape: EventShape
    linkers: Mapping[str, EntityLinker]


class PathExplainer:
    """Explains PATHs over one knowledge base; for people's questions, not for streams.

    Args:
        knowledge: the knowledge base.
        prefixes: more than it has, by which IRIs are shortened.
    """

    def __init__(self, knowledge: KnowledgeBase, prefixes: Mapping[str, str] = MappingProxyType({})) -> None:
        self._view = EventView(knowledge, prefixes)
        self._knowledge = knowledge

    def explain(
        self, source: Source, annotation: EventMapping, events: pa.Table, chosen: Mapping[str, object] | None = None
    ) -> Reason | None:
        """Why the semantics of a source hold for an event, or why not.

        Args:
            source: the event variable with its PATHs.
            annotation: of its stream.
            events: the event table's only row.
            chosen: values of the semantic variables, as columns have them, of the solution to explain; `None`: any.

        Returns:
            The reasons, `None` without PATHs.
        """
        if source.semantics is None:
            return None
        triples = event_triples(self._view, annotation.shape, events, annotation.linkers)
        with self._view.holding(triples):
            asked = _Asked(self._view, events["_id"][0].as_py(), annotation, dict(source.bindings), chosen)
            return asked.semantics(source.semantics)


@dataclass(frozen=True, slots=True)
class _Asked:
    view: EventView
    event: str
    annotation: EventMapping
    types: Mapping[str, ValueType]
    chosen: Mapping[str, object] | None

    def semantics(self, node: Semantics) -> Reason:
        match node:
            case Subquery():
                return self._subquery(node)
            case AllOf(parts):
                reasons = tuple(self.semantics(part) for part in parts)
                return Reason(ReasonKind.JUNCTION, _AND, all(r.holds for r in reasons), reasons)
            case AnyOf(parts):
                reasons = tuple(self.semantics(part) for part in parts)
                return Reason(ReasonKind.JUNCTION, _OR, any(r.holds for r in reasons), reasons)

    def _subquery(self, subquery: Subquery) -> Reason:
        group = GroupExplainer(self.view, subquery, self.event, self._near_to)
        conjuncts = group.conjuncts()
        solutions = group.solutions(conjuncts, {})
        if not solutions:
            return Reason(ReasonKind.PATH, _title(subquery), holds=False, parts=group.failing(conjuncts, {}))
        fitting = next((s for s in solutions if self._fits(subquery, s)), solutions[0])
        return Reason(ReasonKind.PATH, _title(subquery), holds=True, parts=group.holding(conjuncts, fitting))

    def _fits(self, subquery: Subquery, solution: Solution) -> bool:
        """Whether a solution gives the semantic variables the values that were chosen."""
        if self.chosen is None:
            return True
        values = {n: term_column([solution.get(n)], self.types[n])[0] for n in subquery.bindings if n in self.types}
        return all(self.chosen.get(name) == value for name, value in values.items())

    def _near_to(self, term: Term) -> str:
        """What to say of what names no known individual: why, and which value is near to it."""
        for name, linker in self.annotation.linkers.items():
            value = linker.value(term.value) if isinstance(term, NamedNode) else term.value
            if value is None or value in linker.known() or isinstance(term, BlankNode):
                continue
            near = linker.nearest(value)
            like = "" if near is None else f'; nearest: "{near[0]}", which is {self._iri(near[1])}'
            return f"{self._why_unlinked(name, linker, value)}{like}" if isinstance(term, Literal) else like
        return ""

    def _why_unlinked(self, name: str, linker: EntityLinker, value: str) -> str:
        if fitting := linker.fitting(value):
            return f": it fits {' and '.join(map(self._iri, fitting))}, so {name} stands for none of them"
        if linker.linkage.key is None:
            return f": it makes no IRI, so {name} is linked to nothing"
        of_class = linker.linkage.of_class
        what = "nothing" if of_class is None else f"no {self._iri(of_class)}"
        return f": {what} has this {self._iri(linker.linkage.key)}, so {name} is linked to nothing"

    def _iri(self, iri: str) -> str:
        return self.view.wording.term(NamedNode(iri))


def _title(subquery: Subquery) -> str:
    return f"PATH of ?{subquery.variable}"
