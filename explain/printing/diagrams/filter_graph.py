"""What queries ask of single events as a diagram: from streams, through FILTERs and PATHs, to event variables.

What several ask alike stands once, as it is asked once of each batch. A variable takes the events that all that leads
to it lets pass. A threshold stands behind the next looser one that a query has: it is asked of what that leaves, and
lets no other event pass. Source: the filter graph of H2O (§V).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from types import MappingProxyType

from ....expressions import ThresholdChain
from ....language.nodes import AllOf, AnyOf, Semantics, Subquery
from ....pipeline.flow import CandidateSelection, QueryRuntime
from ....pipeline.profile import ClauseKind
from ...prefixed_text import with_prefixes
from .diagram import Arrow, Box, Diagram, Tone

__all__ = ["filter_graph_of"]


def filter_graph_of(runtimes: Sequence[QueryRuntime], prefixes: Mapping[str, str] = MappingProxyType({})) -> Diagram:
    """The graph of what queries ask of the events of their variables.

    Args:
        runtimes: the queries, as they would be registered.
        prefixes: prefix → namespace, by which IRIs are shortened.
    """
    graph = _Graph()
    for runtime in runtimes:
        label = runtime.registration.label
        for selection in runtime.sources:
            leaf = _Step((label, selection.source.variable), (f"?{selection.source.variable} of {label}",))
            graph.add([[*way, leaf] for way in _ways(selection, label)])
            graph.note(selection)
    graph.subsume()
    boxes = [replace(box, lines=tuple(with_prefixes(line, prefixes) for line in box.lines)) for box in graph.drawn()]
    return Diagram("filters", tuple(boxes), tuple(graph.arrows))


@dataclass(frozen=True, slots=True)
class _Step:
    """What is asked of events; equal ones are asked once.

    Attributes:
        said: what, and of which events.
        lines: the same for people.
        tone: how it looks.
    """

    said: Hashable
    lines: tuple[str, ...] = field(compare=False)
    tone: Tone = field(default=Tone.PLAIN, compare=False)


@dataclass(slots=True)
class _Graph:
    """Boxes by what they say, how many variables each leads to, and arrows."""

    boxes: dict[_Step, Box] = field(default_factory=dict)
    counts: dict[_Step, int] = field(default_factory=dict)
    arrows: dict[Arrow, None] = field(default_factory=dict)
    thresholds: dict[tuple[str, str, str], dict[float, tuple[_Step, _Step]]] = field(default_factory=dict)

    def note(self, selection: CandidateSelection) -> None:
        """Note the threshold that is asked first of a variable's events, if there is one."""
        asked, stream = selection.asked, selection.source.stream.name
        threshold = asked.filters.threshold_of(0) if asked is not None and asked.filters is not None else None
        if asked is not None and threshold is not None:
            kind = selection.clauses[1].kind
            steps = _Step(stream, ()), _Step((kind, (stream, asked.said[:1])), ())
            self.thresholds.setdefault((stream, threshold.column, threshold.symbol), {})[threshold.value] = steps

    def subsume(self) -> None:
        """Let each threshold be asked of what the next looser one leaves, instead of the stream's events."""
        for (_, _, symbol), by_value in self.thresholds.items():
            values = list(by_value)
            loosest_first = [by_value[values[place]] for place in ThresholdChain(symbol, values).loosest_first]
            for (_, wider), (stream, narrower) in pairwise(loosest_first):
                ends = [self.boxes[step].key for step in (stream, wider, narrower) if step in self.boxes]
                if len(ends) == 3 and Arrow(ends[0], ends[2]) in self.arrows:
                    del self.arrows[Arrow(ends[0], ends[2])]
                    self.arrows[Arrow(ends[1], ends[2])] = None

    def add(self, ways: Sequence[Sequence[_Step]]) -> None:
        """Draw the ways from a stream to a variable."""
        for step in dict.fromkeys(step for way in ways for step in way):
            self.boxes.setdefault(step, Box(f"f{len(self.boxes)}", step.lines, step.tone))
            self.counts[step] = self.counts.get(step, 0) + 1
        for way in ways:
            keys = [self.boxes[step].key for step in way]
            self.arrows |= dict.fromkeys(Arrow(one, other) for one, other in pairwise(keys))

    def drawn(self) -> Iterator[Box]:
        """The boxes; what is asked once for several variables says so."""
        for step, box in self.boxes.items():
            count = self.counts[step]
            if count > 1 and step.tone is Tone.PLAIN:
                yield replace(box, lines=(*box.lines, f"once for {count} variables"), tone=Tone.HOLDS)
            else:
                yield box


def _ways(selection: CandidateSelection, label: str) -> list[list[_Step]]:
    """What leads from the stream to a variable: FILTERs one behind the other, and PATHs beside or behind them."""
    source, asked = selection.source, selection.asked
    if {clause.kind for clause in selection.clauses} & {ClauseKind.WITHIN, ClauseKind.CONTEXT}:
        asked = None  # it is asked of events that are its own
    stream = _Step(source.stream.name, (source.stream.name,), Tone.GROUND)
    filters, behind = [stream], list[_Step]()
    for place, clause in enumerate(selection.clauses[1:]):
        if clause.kind is ClauseKind.PATH and source.semantics is not None:
            said = (source.stream.name, asked.paths) if asked is not None else (label, source.variable, place)
            behind.append(_Step(("PATH", said), ("PATH", *_lines(source.semantics))))
            continue
        before = (source.stream.name, asked.said[: place + 1]) if asked is not None else (label, source.variable, place)
        step = _Step((clause.kind, before), (f"{clause.kind} ({clause.text})",))
        (behind or filters).append(step)
    if asked is None or not behind:
        return [[*filters, *behind]]
    return [[stream, *behind]] if len(filters) == 1 else [filters, [stream, *behind]]


def _lines(semantics: Semantics) -> Iterator[str]:
    """PATHs as SPARQL."""
    match semantics:
        case Subquery(text=text):
            yield " ".join(text.split())
        case AllOf(parts):
            for part in parts:
                yield from _lines(part)
        case AnyOf(parts):
            for place, part in enumerate(parts):
                yield from ("or",) if place else ()
                yield from _lines(part)
