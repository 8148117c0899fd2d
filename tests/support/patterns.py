"""Random patterns of SEQ as text, with what a query about them needs to know: which variables bind what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hypothesis import strategies as st

__all__ = ["KINDS", "Sketch", "sketches"]

KINDS = (
    *("links", "quantifiers", "groups", "and or", "negation", "until", "runs", "after match", "beside"),
    *("nested", "sides", "next event"),
)
"""The families of constructs; each draws mostly from its own and a little from the others.

`nested` has ANDs and ORs in ANDs and ORs, `sides` ORs of which one event could take several sides, and what chooses
among such matches, `next event` a last NOT that waits for the next event of its partition.
"""

_COUNTS = ("+", "*", "?", "{2}", "{1,2}", "{2,3}", "{,2}", "{2,}", "{1,3}")
_FOR = ("1s", "2s", "3s")


@dataclass
class Sketch:
    """A pattern and what may be said of its variables.

    Attributes:
        text: the pattern.
        plain: variables that bind one event or none; `runs`: those that may bind several.
        absent: variables under NOT.
        groups: the variables of each repeated group.
        beside: variables of FROM that the pattern does not name; they are among `plain`.
        policy: POLICY, or nothing.
        repetitions: how many quantifiers it has.
    """

    policy: str
    text: str = ""
    plain: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    groups: list[list[str]] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    repetitions: int = 0

    @property
    def longest(self) -> int:
        """So many events at the most: with n of them k repetitions may have as many as (k + 1)ⁿ matches."""
        if len(self.plain) > 4:
            return 7
        return (12, 12, 9)[self.repetitions] if self.repetitions < 3 else 8

    @property
    def matched(self) -> list[str]:
        """The variables that a match binds."""
        return [*self.plain, *self.runs]

    @property
    def variables(self) -> list[str]:
        """All variables, by name."""
        return sorted([*self.matched, *self.absent])


@st.composite
def sketches(draw: st.DrawFn, kind: str) -> Sketch:
    """A pattern of a family."""
    policy = draw(st.sampled_from(("", "any", "next", "next", "next", "strict")))
    drawing = _Drawing(draw, kind, Sketch(policy))
    if kind == "nested":
        drawing.left.insert(0, "e")
    drawing.sketch.text = drawing.pattern()
    if kind == "beside":
        drawing.sketch.beside = draw(st.sampled_from((["o"], ["o"], ["o"], ["o", "p"])))
        drawing.sketch.plain += drawing.sketch.beside
    return drawing.sketch


@dataclass
class _Drawing:
    """A pattern that is being drawn; `left` are the variables that have not been used."""

    draw: st.DrawFn
    kind: str
    sketch: Sketch
    left: list[str] = field(default_factory=lambda: list("dcba"))
    absent: list[str] = field(default_factory=lambda: list("mn"))

    def one_of(self, options: Sequence[str]) -> str:
        return self.draw(st.sampled_from(options))

    def chance(self, one_in: int) -> bool:
        return self.draw(st.integers(0, one_in - 1)) == 0

    def link(self) -> str:
        if self.kind == "links":
            return self.one_of((", ", " -> ", " ->> ", " => "))
        return self.one_of((", ", ", ", ", ", ", ", " -> ", " -> ", " ->> ", " => "))

    def pattern(self) -> str:
        """Two or three parts of the family's kind and others."""
        makers = {
            "links": (self.element, self.element, self.element),
            "quantifiers": (self.element, self.quantified, self.quantified),
            "groups": (self.element, self.group, self.quantified),
            "and or": (self.element, self.either, self.both),
            "negation": (self.element, self.draw(st.sampled_from((self.element, self.group))), self.either_absence),
            "until": (self.element, self.until, self.until_group),
            "runs": (self.element, self.quantified, self.group),
            "after match": (self.element, self.quantified, self.group),
            "beside": (self.element, self.quantified, self.draw(st.sampled_from((self.group, self.either, self.both)))),
            "nested": (self.draw(st.sampled_from((self.element, self.quantified))), self.deep, self.deep),
            "sides": (self.draw(st.sampled_from((self.element, self.quantified))), self.either, self.either_of_many),
            "next event": (self.element, self.quantified, self.draw(st.sampled_from((self.either, self.group)))),
        }[self.kind]
        count = self.draw(st.sampled_from((2, 2, 3)))
        chosen = [makers[0 if self.chance(2) else self.draw(st.integers(1, 2))] for _ in range(count)]
        if all(maker == self.element for maker in chosen):
            chosen[self.draw(st.integers(0, count - 1))] = self.draw(st.sampled_from(makers[1:]))
        if self.kind == "next event":
            last = self.absent_variable()
            return f"{self.sequence(self.parts(chosen))} => NOT ?{last}"
        parts = self.parts(chosen)
        rarely = 4 if self.kind == "beside" else 8
        return self.sequence(self.with_absences(parts) if self.kind == "negation" or self.chance(rarely) else parts)

    def parts(self, makers: Sequence[Callable[[bool], str]], *, repeated: bool = False) -> list[str]:
        return [maker(repeated) for maker in makers if self.left]

    def sequence(self, parts: Sequence[str]) -> str:
        text = parts[0]
        for part in parts[1:]:
            text += self.link() + part
        return text

    def element(self, repeated: bool) -> str:
        variable = self.left.pop()
        (self.sketch.runs if repeated else self.sketch.plain).append(variable)
        return f"?{variable}"

    def quantifier(self, *, link: bool = True) -> str:
        self.sketch.repetitions += 1
        count = self.one_of(_COUNTS)
        if count.startswith("{") and link and self.chance(2):
            count = f"{count[:-1]}; {self.one_of(('->', '->>', '=>', ','))}}}"
        return count + self.one_of(("", "", "~"))

    def quantified(self, repeated: bool) -> str:
        variable, quantifier = self.left.pop(), self.quantifier()
        several = repeated or not quantifier.startswith("?")
        (self.sketch.runs if several else self.sketch.plain).append(variable)
        return f"?{variable}{quantifier}"

    def group(self, repeated: bool) -> str:
        if len(self.left) < 2:
            return self.quantified(repeated)
        quantifier = self.quantifier()
        several = repeated or not quantifier.startswith("?")
        return f"({self.inside(several)}){quantifier}"

    def inside(self, repeated: bool) -> str:
        """What is repeated as a group."""
        before = set(self.sketch.matched)
        makers = (self.element, self.element, self.element, self.quantified, self.either, self.both, self.group)
        parts = self.parts([self.element, self.draw(st.sampled_from(makers))], repeated=repeated)
        if self.absent and self.chance(2 if self.kind == "negation" else 6):
            parts.insert(self.draw(st.integers(0, len(parts))), self.absence())
        text = self.sequence(parts)
        self.sketch.groups.append([v for v in self.sketch.matched if v not in before])
        return text

    def side(self, repeated: bool) -> str:
        makers = (self.element, self.element, self.element, self.quantified, self.chain)
        return self.draw(st.sampled_from(makers))(repeated)

    def chain(self, repeated: bool) -> str:
        parts = self.parts([self.element, self.element], repeated=repeated)
        return f"({self.sequence(parts)})" if len(parts) > 1 else parts[0]

    def both(self, repeated: bool) -> str:
        one = self.side(repeated)
        return f"({one} AND {self.side(repeated)})" if self.left else one

    def either(self, repeated: bool) -> str:
        one = self.side(repeated)
        return f"({one} OR {self.side(repeated)})" if self.left else one

    def deep(self, repeated: bool) -> str:
        """An AND, rarely an OR, of which a side is another one, or such a one repeated."""
        if len(self.left) < 3:
            return self.both(repeated)
        one = self.element(repeated)
        inner = self.draw(st.sampled_from((self.both, self.both, self.either)))
        if len(self.left) > 2 and self.chance(4):
            inner = self.deep
        if len(self.left) > 1 and self.chance(5):
            quantifier = self.quantifier()
            other = f"({inner(repeated or not quantifier.startswith('?'))}){quantifier}"
        else:
            other = inner(repeated)
        word = self.one_of((" AND ", " AND ", " AND ", " OR "))
        parts = [one, other] if self.chance(2) else [other, one]
        if self.absent and self.chance(5):
            parts.insert(self.draw(st.integers(0, 2)), self.absence(timed=True))
        return f"({word.join(parts)})"

    def either_of_many(self, repeated: bool) -> str:
        """An OR of three, or of another one."""
        if len(self.left) < 3:
            return self.either(repeated)
        sides = [self.element(repeated), self.draw(st.sampled_from((self.either, self.both, self.element)))(repeated)]
        sides += [self.element(repeated)] if self.left and self.chance(2) else []
        text = f"({' OR '.join(sides)})"
        return f"{text}{self.quantifier()}" if repeated and self.chance(3) else text

    def absent_variable(self) -> str:
        variable = self.absent.pop()
        self.sketch.absent.append(variable)
        return variable

    def absence(self, *, timed: bool = False) -> str:
        variable = self.absent_variable()
        duration = f" FOR {self.one_of(_FOR)}" if timed or self.chance(3) else ""
        return f"NOT ?{variable}{duration}"

    def either_absence(self, repeated: bool) -> str:
        """NOT … FOR beside AND or OR."""
        one = self.element(repeated)
        if not self.absent:
            return one
        parts = [one, self.absence(timed=True)]
        word = self.one_of((" AND ", " AND ", " OR "))
        return f"({word.join(parts if self.chance(2) else parts[::-1])})"

    def with_absences(self, parts: Sequence[str]) -> list[str]:
        found = list(parts)
        for _ in range(self.draw(st.sampled_from((1, 1, 2)))):
            if self.absent:
                found.insert(self.draw(st.integers(0, len(found))), self.absence())
        return found

    def until(self, repeated: bool) -> str:
        variable = self.left.pop()
        self.sketch.runs.append(variable)
        return f"?{variable}{self.looping()} UNTIL ({self.end_of([variable])})"

    def until_group(self, repeated: bool) -> str:
        if len(self.left) < 2:
            return self.until(repeated)
        looping = self.looping()
        text = self.inside(repeated=True)
        return f"({text}){looping} UNTIL ({self.end_of(self.sketch.groups[-1])})"

    def looping(self) -> str:
        self.sketch.repetitions += 1
        return self.one_of(("+", "*", "{2,}", "{1,3}", "{1,; =>}", "{,2; ->}", "{1,; ->>}")) + self.one_of(("", "~"))

    def end_of(self, own: Sequence[str]) -> str:
        v = self.one_of(own)
        forms = [f"?{v}.level = 0", f"?{v}.open", f"?{v}.level > 2", f"RUNNING COUNT(?{v}) >= 2 AND ?{v}.level >= 0"]
        forms += [f"?{v}.level > PREV(?{v}.level)"]
        forms += [f"?{v}.level > ?{o}.level" for o in self.sketch.matched if o != v][:1]
        return self.one_of(forms)
