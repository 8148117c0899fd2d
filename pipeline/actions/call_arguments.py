"""Whether the calls of rules have the arguments that the templates of their actions need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...language.nodes import ActionKind, Query

__all__ = ["check_arguments"]

_ALWAYS = frozenset({"rule", "action", "_id", "_time"})


def check_arguments(queries: Sequence[Query], needs: Mapping[str, frozenset[str]]) -> None:
    """Refuse a CALL of which each would be a dead letter, for it does not give what a template needs.

    Args:
        queries: rules among them.
        needs: by action the values that its templates need; of one that is not there nothing is known.

    Raises:
        QueryTypeError: with the place of the CALL.
    """
    for query in queries:
        for action in () if query.rule is None else query.rule.actions:
            if action.kind is not ActionKind.CALL or query.document is None:
                continue
            given = _ALWAYS.union(item.name for item in action.items if not item.hidden)
            if missing := sorted(needs.get(action.target, _ALWAYS) - given):
                names = ", ".join(f"'{name}'" for name in missing)
                message = f"a template of action '{action.target}' needs {names}, which CALL does not give"
                hint = f"write … AS {missing[0]} among its arguments, or change [actions.{action.target}]"
                raise query.document.type_error(action.span, message, hint)
