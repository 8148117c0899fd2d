"""A change of knowledge, prepared beside the running queries: all that is slow, and all that may be refused.

A running query keeps its columns and their types: what would change one of them is refused, and the way out is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...annotator import Annotator
from ...errors import OntologyError, QueryTypeError
from ...language.nodes import Query, StreamType
from ...semfilter import KnowledgeDifference, RefreshedFilter, SemanticFilter, knowledge_difference, refresh_filter
from ...semfilter.runtime import KeyValue
from ..catalog import Catalog
from ..flow import QueryRuntime

__all__ = ["Answers", "KnowledgeSwap", "prepare_swap"]


@dataclass(frozen=True, slots=True)
class Answers:
    """How a query answers after a change.

    Attributes:
        query: its label.
        differing: individuals (combinations of root property values) that it judges otherwise now.
        incomparable: whether its verdicts depend on other attributes now.
    """

    query: str
    differing: int
    incomparable: bool

    @property
    def same(self) -> bool:
        """Whether nobody is judged otherwise, as far as known."""
        return not self.differing and not self.incomparable

    def __str__(self) -> str:
        if self.incomparable:
            return f"{self.query}: its PATHs now depend on other attributes than before"
        return f"{self.query}: answers differently for {self.differing:,} individual{'s' * (self.differing != 1)}"


@dataclass(frozen=True, slots=True)
class KnowledgeSwap:
    """Knowledge that is ready to judge the next batch.

    Attributes:
        project: the project with the new knowledge and the annotations compiled against it.
        filters: (label, event variable) → its semantic filter, with the verdicts that are known already.
        answers: of the queries that have PATHs.
        change: what changed, in words.
        relinked: what is missing now, and attributes whose values mean something else (other units, ids that fit
            several), in words.
    """

    project: Catalog
    filters: Mapping[tuple[str, str], SemanticFilter]
    answers: tuple[Answers, ...]
    change: str
    relinked: tuple[str, ...] = ()

    @property
    def summary(self) -> tuple[str, ...]:
        """The change and its effect on queries, a line each."""
        knowledge = self.project.knowledge
        head = f"{self.change}: {knowledge.size}"
        others = [*self.relinked, *(str(answers) for answers in self.answers if not answers.same)]
        return (head, *others) if others or not self.answers else (head, "all queries answer as before")


def prepare_swap(before: Catalog, after: Catalog, flows: Mapping[str, QueryRuntime], change: str) -> KnowledgeSwap:
    """Make ready what judges batches by `after` instead of `before`.

    Args:
        before: in force.
        after: with other knowledge.
        flows: the registered queries by label, each after those whose output it reads; they go on meanwhile.
        change: what changed, in words.

    Raises:
        OntologyError: it would change the type of an attribute, or columns of a running query.
        QueryTypeError: a PATH of a running query cannot be evaluated any more.
    """
    remeasured: list[str] = []
    misfits: list[str] = []
    for name, annotator in before.annotators.items():
        _check_stream(annotator.stream_type, after.annotators[name].stream_type)
        remeasured += _remeasured(name, annotator.remeasured(after.annotators[name]))
        misfits += [said for said in after.annotators[name].misfits if said not in annotator.misfits]
    _check_queries(after, [(label, flow.query) for label, flow in flows.items()])
    changed = knowledge_difference(before.knowledge, after.knowledge)
    filters: dict[tuple[str, str], SemanticFilter] = {}
    answers: list[Answers] = []
    for label, flow in flows.items():
        refreshed = {
            source.source.variable: _refreshed(source.semantics, before, after, changed)
            for source in flow.sources
            if source.source.semantics is not None
        }
        filters |= {(label, variable): r.filter for variable, r in refreshed.items()}
        if refreshed:
            answers.append(_answers(label, refreshed))
    missing = [line for line in after.knowledge.warnings if line not in before.knowledge.warnings]
    return KnowledgeSwap(after, filters, tuple(answers), change, (*missing, *remeasured, *misfits))


def _remeasured(stream: str, individuals: Mapping[str, int]) -> list[str]:
    return [f"{stream}.{a}: {n:,} individual{'s' * (n != 1)} in other units now" for a, n in individuals.items()]


def _refreshed(old: SemanticFilter, before: Catalog, after: Catalog, changed: KnowledgeDifference) -> RefreshedFilter:
    stream = old.source.stream
    shape = after.shape(stream)
    if stream.name not in before.annotators:
        return refresh_filter(old, shape, after.knowledge, changed, lambda _, value: value)
    relink = _Relink(before.annotators[stream.name], after.annotators[stream.name])
    return refresh_filter(old, shape, after.knowledge, changed, relink)


class _Relink:
    """Which individual a value of a stream stands for after a change, by what it stood for before."""

    def __init__(self, before: Annotator, after: Annotator) -> None:
        self._before = before
        self._after = after

    def __call__(self, column: str, value: KeyValue) -> KeyValue:
        before, after = self._before.linker_of(column), self._after.linker_of(column)
        if value is None or before is None or after is None:
            return value
        named, text = value
        written = before.value(str(text)) if named else str(text)
        linked = None if written is None else after.individual(written)
        return (False, written) if linked is None else (True, linked)


def _answers(label: str, refreshed: Mapping[str, RefreshedFilter]) -> Answers:
    differing = {(variable, key) for variable, r in refreshed.items() for key in r.differing}
    return Answers(label, len(differing), any(r.incomparable for r in refreshed.values()))


def _check_stream(before: StreamType, after: StreamType) -> None:
    for old, new in zip(before.attributes, after.attributes, strict=True):
        if (old.type, old.individual) != (new.type, new.individual):
            raise OntologyError(
                f"attribute '{old.name}' of stream '{before.name}' would change from {old.type} to {new.type}",
                hint="say its datatype in the annotation, and start again",
            )


def _check_queries(after: Catalog, queries: list[tuple[str, Query]]) -> None:
    """Check each query again, beside all others: deriving queries and rules may read each other in circles."""
    known = dict(queries)
    for label, query in queries:
        others = [other for name, other in known.items() if name != label]
        try:
            again = _checked_again(after, label, query, others)
        except QueryTypeError as error:
            raise OntologyError(
                f"query '{label}' could not be answered any more: {error.message}", hint="stop the query first"
            ) from error
        old, new = _columns(query), _columns(again)
        if old != new:
            name = next(name for name in [*old, *new] if old.get(name) != new.get(name))
            raise OntologyError(
                f"{name} of query '{label}' would change from {old.get(name)} to {new.get(name)}",
                hint="say the range of the property in the ontology, or stop the query first",
            )
        known[label] = again


def _checked_again(after: Catalog, label: str, query: Query, others: Sequence[Query]) -> Query:
    """A query under other knowledge; the sets of contexts that it speaks of are declared as they were."""
    declared = {each.name for other in others for each in other.context_sets}
    sets = [each.normal for each in query.context_sets if each.name not in declared]
    text = query.normal if query.name is None else f"CREATE QUERY {query.name} AS {query.normal}"
    return after.compile(";\n".join([*sets, text]), source=label, retention=query.retention, outputs=others)[-1]


def _columns(query: Query) -> dict[str, str]:
    """The columns of a query's candidates and rows, and their types."""
    rows = {f"column '{item.name}'": item.type.value for item in query.items if not item.hidden}
    bound = {f"?{name} of ?{s.variable}": kind.value for s in query.sources for name, kind in s.bindings}
    return rows | bound
