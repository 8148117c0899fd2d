"""A FILTER inside a PATH: the values that it compares, and by how much they miss."""

from __future__ import annotations

from dataclasses import dataclass

from ...language.nodes import ValueType
from ...language.paths import Tokens, render, variables
from ...semfilter import replace_variable, term_column
from .event_view import EventView, Solution, Term
from .path_conjuncts import PathConjunct, split_at, tidy

_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
_LEFT, _RIGHT = "kaicep_left", "kaicep_right"


@dataclass(frozen=True, slots=True)
class ComparedSides:
    """The two sides of a comparison for one solution, and their difference when they are numbers."""

    solution: Solution
    note: str
    distance: float


def nearest_comparison(
    view: EventView, conjuncts: str, condition: PathConjunct, solutions: list[dict[str, Term]], names: tuple[str, str]
) -> ComparedSides | None:
    """How near a condition that fails is to being true: the nearest of some solutions.

    Args:
        view: the knowledge with the event.
        conjuncts: SPARQL of what holds.
        condition: a FILTER.
        solutions: of what holds.
        names: the event variable, and the event's IRI in angle brackets.

    Returns:
        `None` when there is nothing to say of the values.
    """
    sides = _sides(condition.tokens)
    found = [_values(view, condition, solution) for solution in solutions]
    if sides is not None:
        left, right = (replace_variable(render(side), *names) for side in sides)
        group = f"{conjuncts} BIND ({left} AS ?{_LEFT}) BIND ({right} AS ?{_RIGHT})"
        found = [_difference(view, condition, s) for s in view.solutions(group, {}, len(solutions))]
    return min(found, key=lambda c: c.distance, default=None)


def _sides(tokens: Tokens) -> tuple[Tokens, Tokens] | None:
    inner = tokens[1:-1] if tokens and tokens[0].text == "(" else tokens
    if len(split_at(inner, ("||", "&&"))) > 1:
        return None
    parts = split_at(inner, _COMPARISONS)
    return (parts[0][1], parts[1][1]) if len(parts) == 2 and parts[0][1] and parts[1][1] else None


def _values(view: EventView, condition: PathConjunct, solution: Solution) -> ComparedSides:
    words = [f"?{n} is {_shown(view, solution.get(n))}" for n in variables(condition.tokens)]
    return ComparedSides(solution, ", ".join(words), 0.0)


def _difference(view: EventView, condition: PathConjunct, solution: dict[str, Term]) -> ComparedSides:
    left, right = solution.pop(_LEFT, None), solution.pop(_RIGHT, None)
    numbers = [term_column([term], ValueType.DOUBLE)[0] for term in (left, right)]
    inner = condition.tokens[1:-1]
    (_, one), (_, other) = split_at(inner, _COMPARISONS)
    words = [
        f"{tidy(side)} is {_shown(view, value)}" for side, value in ((one, left), (other, right)) if variables(side)
    ]
    distance = float("inf")
    if None not in numbers:
        distance = abs(numbers[0] - numbers[1])
        words.append(f"{distance:g} {'below' if numbers[0] < numbers[1] else 'above' if distance else 'apart'}")
    return ComparedSides(solution, ", ".join(words), distance)


def _shown(view: EventView, term: Term | None) -> str:
    return "unbound" if term is None else view.wording.term(term)
