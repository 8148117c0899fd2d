"""What queries ask of single events as a diagram: from streams, through FILTERs and PATHs, to event variables.

What several ask alike stands once, as it is asked once of each batch. A variable takes the events that all that leads
to it lets pass. A FILTER stands behind the next wider one that a query has: it is asked of what that leaves, and lets
no other event pass. Source: the filter graph of H2O (§V).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from types import MappingProxyType

from ....language.nodes import AllOf, AnyOf, Semantics, Subquery
from ....pipeline.flow import Asked, CandidateSelection, QueryRuntime, next_wider
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
    graph, asked = _Graph(), dict[str, list[Asked]]()
    for runtime in runtimes:
        label = runtime.registration.label
        for selection in runtime.sources:
            leaf = _Step((label, selection.source.variable), (f"?{selection.source.variable} of {label}",))
            graph.add([[*way, leaf] for way in _ways(selection, label)])
            if (own := _asked_by(selection)) is not None:
                asked.setdefault(selection.source.stream.name, []).append(own)
    graph.subsume(asked)
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

    def subsume(self, asked: Mapping[str, Sequence[Asked]]) -> None:
        """Let each FILTER be asked of what the next wider one behind the same FILTERs leaves, instead of all of that.

        Args:
            asked: by stream, what variables ask.
        """
        for stream, own in asked.items():
            wider = next_wider({test.said: test for one in own for test in one.conditions}.values())
            for one in own:
                for place in range(len(one.said)):
                    self._subsume(stream, one.said[: place + 1], wider)

    def _subsume(self, stream: str, said: tuple[Hashable, ...], wider: Mapping[Hashable, Hashable]) -> None:
        before = _filter_step(stream, said[:-1]) if said[1:] else _Step(stream, ())
        way = Arrow(self._key(before), self._key(_filter_step(stream, said)))
        if way not in self.arrows:
            return
        found = wider.get(("FILTER", said[-1]))
        while isinstance(found, tuple):
            step = _filter_step(stream, (*said[:-1], found[1]))
            if found[0] == "FILTER" and step in self.boxes:
                del self.arrows[way]
                self.arrows[Arrow(self._key(step), way.target)] = None
                return
            found = wider.get(found)

    def _key(self, step: _Step) -> str:
        return self.boxes[step].key if step in self.boxes else ""

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


def _asked_by(selection: CandidateSelection) -> Asked | None:
    """What is asked of all events of a stream; `None`: it is asked of events that are the query's own."""
    own = {clause.kind for clause in selection.clauses} & {ClauseKind.WITHIN, ClauseKind.CONTEXT}
    return None if own else selection.asked


def _filter_step(stream: str, said: tuple[Hashable, ...]) -> _Step:
    """The last of the first FILTERs that are asked of a stream's events."""
    return _Step(("FILTER", stream, said), ())


def _ways(selection: CandidateSelection, label: str) -> list[list[_Step]]:
    """What leads from the stream to a variable: FILTERs one behind the other, and PATHs beside or behind them."""
    source, asked = selection.source, _asked_by(selection)
    stream = _Step(source.stream.name, (source.stream.name,), Tone.GROUND)
    filters, behind = [stream], list[_Step]()
    for place, clause in enumerate(selection.clauses[1:]):
        if clause.kind is ClauseKind.PATH and source.semantics is not None:
            said = (source.stream.name, asked.paths) if asked is not None else (label, source.variable, place)
            behind.append(_Step(("PATH", said), ("PATH", *_lines(source.semantics))))
            continue
        lines = (f"{clause.kind} ({clause.text})",)
        step = _Step((clause.kind, (label, source.variable, place)), lines)
        if asked is not None:
            step = replace(_filter_step(source.stream.name, asked.said[: place + 1]), lines=lines)
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
