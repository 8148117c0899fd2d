"""The explanation of an event as a diagram: the event on the left, what its verdict rests on to the right."""

from __future__ import annotations

from collections.abc import Iterator

from ....ontology.proofs import TurtleWriter
from ...candidacy import Explanation
from ..reason_outline import OutlineEntry, attribute_texts, outline
from .diagram import Arrow, Box, Diagram, Tone

__all__ = ["reason_diagram_of"]

_TONES = {True: Tone.HOLDS, False: Tone.FAILS, None: Tone.PLAIN}


def reason_diagram_of(explanation: Explanation, wording: TurtleWriter) -> Diagram:
    """The explanation as boxes: clauses and triples; a triple that several rest on is one box.

    What holds is green, what fails is red, and a triple that a file states is grey, with the file.
    """
    event = Box("event", (explanation.event or "no event", *attribute_texts(explanation)))
    drawing = _Drawing([event], [], {})
    for entry in outline(explanation, wording):
        drawing.arrows.append(Arrow("event", drawing.add(entry)))
    return Diagram("reasons", tuple(drawing.boxes), tuple(dict.fromkeys(drawing.arrows)))


class _Drawing:
    """Boxes and arrows as they come; premises are known again."""

    def __init__(self, boxes: list[Box], arrows: list[Arrow], known: dict[OutlineEntry, str]) -> None:
        self.boxes, self.arrows, self._known = boxes, arrows, known

    def add(self, entry: OutlineEntry) -> str:
        """Add an entry and all that it rests on; return its box's key."""
        if entry.holds is None and entry in self._known:
            return self._known[entry]
        key = self._known[entry] = f"r{len(self.boxes)}"
        tone = Tone.GROUND if entry.holds is None and not entry.rule else _TONES[entry.holds]
        self.boxes.append(Box(key, tuple(_lines(entry)), tone))
        for part in entry.parts:
            self.arrows.append(Arrow(key, self.add(part), entry.rule if part.holds is None else ""))
        return key


def _lines(entry: OutlineEntry) -> Iterator[str]:
    yield entry.text
    if entry.note:
        yield entry.note
    if entry.source:
        yield entry.source
