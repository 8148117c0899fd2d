"""Which context a query means: by its name alone where only one set has it, else by `set.context`."""

from __future__ import annotations

from ....errors import QueryTypeError, did_you_mean
from ... import syntax_tree as syntax
from ...name_lookup import Names
from ...nodes import Context, ContextReference, ContextSet, KnownContexts
from ...source_text import listed


def find_set(names: Names, name: syntax.Name) -> KnownContexts:
    """The set of contexts of that name.

    Raises:
        QueryTypeError: nobody declared it.
    """
    sets = names.vocabulary.contexts
    if name.text not in sets:
        hint = did_you_mean(name.text, sorted(sets)) or _all_sets(sorted(sets))
        raise names.source.type_error(name.span, f"unknown set of contexts '{name.text}'", hint)
    return sets[name.text]


def find_context(names: Names, node: syntax.ContextName) -> tuple[ContextSet, Context]:
    """The context that is meant, and its set.

    Raises:
        QueryTypeError: there is none of that name, or several sets have one.
    """
    if node.set is not None:
        of = find_set(names, node.set).set
        context = of.context(node.context.text)
        if context is None:
            raise _unknown(names, node.context, [c.name for c in of.contexts], f" of '{of.name}'")
        return of, context
    sets = [known.set for known in names.vocabulary.contexts.values()]
    found = [(of, context) for of in sets if (context := of.context(node.context.text)) is not None]
    if not found:
        every = sorted({context.name for of in sets for context in of.contexts})
        raise _unknown(names, node.context, every, "")
    if len(found) > 1:
        written = [f"{of.name}.{context.name}" for of, context in found]
        message = f"several sets have a context '{node.context.text}'"
        raise names.source.type_error(node.span, message, f"write {listed(written)}")
    return found[0]


def refer(of: ContextSet, context: Context, variable: syntax.Variable | None = None) -> ContextReference:
    """A context by the name of its set, perhaps with what AS calls its windows."""
    return ContextReference(of.name, context.name, None if variable is None else variable.name)


def _unknown(names: Names, node: syntax.Name, known: list[str], where: str) -> QueryTypeError:
    hint = did_you_mean(node.text, known) or (
        f"the contexts are {listed(known, 'and')}" if known else "declare it: CREATE CONTEXTS name (usual DEFAULT, …)"
    )
    return names.source.type_error(node.span, f"unknown context '{node.text}'{where}", hint)


def _all_sets(sets: list[str]) -> str:
    return f"the sets are {listed(sets, 'and')}" if sets else "declare it: CREATE CONTEXTS name (usual DEFAULT, …)"
