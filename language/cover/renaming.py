"""The variables of a query as those of another that they are mapped to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TypeVar, cast

from ..nodes import Aggregate, Binding, Column, Expression, structural_key

__all__ = ["Renaming", "shape_of"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Renaming:
    """How the variables of one query are called in another.

    Attributes:
        variables: event variable → the one that it is mapped to.
        bindings: semantic variable of an event variable → what it is called there.
    """

    variables: Mapping[str, str]
    bindings: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def covers(self, names: frozenset[str]) -> bool:
        """Whether it says what all of these event variables are called."""
        return names <= self.variables.keys()

    def of(self, expression: Expression) -> Expression:
        """An expression in the names of the other query; its event variables are all mapped."""
        return cast("Expression", self._renamed(expression))

    def _renamed(self, node: object) -> object:
        if isinstance(node, tuple):
            return tuple(self._renamed(part) for part in node)
        if not isinstance(node, Expression):
            return node
        changed = {f.name: self._renamed(getattr(node, f.name)) for f in fields(node) if f.name != "span"}
        if isinstance(node, Binding):
            changed["name"] = self.bindings.get((node.variable, node.name), node.name)
        if isinstance(node, Column | Binding | Aggregate):
            changed["variable"] = self.variables[node.variable]
        return replace(node, **changed)  # type: ignore[arg-type]  # of its own fields


def shape_of(node: object, variables: Mapping[str, str]) -> object:
    """What a pattern or a window says, its variables by the names that they are mapped to, without places.

    Fields that are called `variable`, `variables` or `until` name variables wherever they are texts.
    """
    if isinstance(node, tuple):
        return tuple(shape_of(part, variables) for part in node)
    if isinstance(node, Expression):
        return structural_key(Renaming(variables).of(node))
    if not is_dataclass(node):
        return node
    return type(node).__name__, *(
        _named(getattr(node, f.name), variables)
        if f.name in ("variable", "variables", "negated", "until")
        else shape_of(getattr(node, f.name), variables)
        for f in fields(node)
        if f.name != "span"
    )


def _named(value: object, variables: Mapping[str, str]) -> object:
    if isinstance(value, tuple):
        return tuple(sorted(variables.get(name, name) for name in value))
    return variables.get(value, value) if isinstance(value, str) else shape_of(value, variables)
