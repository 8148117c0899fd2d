"""Automata under test: compiled patterns of letters, and single events as rows of them."""

from __future__ import annotations

from kaicep.cep.nfa.compiler import CompiledPattern
from kaicep.language.nodes import Pattern, Query

from .letters import project, question

__all__ = ["automaton_of", "parsed", "query_of"]

ALWAYS = (-(2**62), 2**62)


def query_of(pattern: str, *clauses: str, **more: str | None) -> Query:
    """A checked query for a pattern of letters; see `letters.question`."""
    (query,) = project().compile(question(pattern, *clauses, **more))  # type: ignore[arg-type]  # by name
    return query


def parsed(pattern: str) -> Pattern:
    """The pattern of SEQ."""
    found = query_of(pattern).pattern
    assert found is not None
    return found


def automaton_of(pattern: str, *clauses: str) -> CompiledPattern:
    """The automaton of a pattern of letters."""
    return CompiledPattern(query_of(pattern, *clauses), ALWAYS)
