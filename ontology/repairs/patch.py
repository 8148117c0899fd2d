"""A patch that takes statements back: SPARQL 1.1 Update, which any RDF tool applies to a model.

Source: W3C, SPARQL 1.1 Update, §3.1.2 (DELETE DATA).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pyoxigraph import Triple

from ..left_out import LeftOut, is_among
from ..modules import Module
from .derivations import is_nameable

__all__ = ["sparql_update"]


def sparql_update(left_out: Sequence[LeftOut], modules: Sequence[Module]) -> str:
    """The text of a patch, file by file, with the contradictions as comments.

    A statement with a blank node has no name in SPARQL: it stands there as a comment, for whoever mends the file.

    Args:
        left_out: what is taken back.
        modules: what states it: a literal is written as it is stated, for not every tool compares values.
    """
    by_source: dict[str, list[LeftOut]] = {}
    for statement in left_out:
        for source in statement.sources:
            by_source.setdefault(source, []).append(statement)
    parts = [_HEAD]
    for source, statements in by_source.items():
        stated = _stated_in(source, modules, [statement.triple for statement in statements])
        parts += [f"# {source}", *_deletions(statements, stated), ""]
    return "\n".join(parts)


_HEAD = """\
# Statements without which the knowledge is consistent, written by kaicep check --fix.
# SPARQL 1.1 Update: apply it to the models named below.
"""


def _deletions(statements: Sequence[LeftOut], stated: Mapping[Triple, Sequence[Triple]]) -> Iterator[str]:
    for statement in statements:
        yield from (f"# {line}" for message in statement.contradictions for line in message.splitlines())
        for triple in stated[statement.triple]:
            if is_nameable(triple):
                yield f"DELETE DATA {{ {triple} }} ;"
            else:
                yield f"# by hand, since it has a blank node: {triple}"


def _stated_in(source: str, modules: Sequence[Module], wanted: Sequence[Triple]) -> Mapping[Triple, Sequence[Triple]]:
    """Each statement → how the file states it, once or several times."""
    belongs = is_among(wanted)
    found = [triple for module in modules if module.source == source for triple in module.triples if belongs(triple)]
    return {triple: list(dict.fromkeys(t for t in found if is_among([triple])(t))) for triple in wanted}
