"""What `kaicep check` tells of knowledge that contradicts itself: a table by axiom, and the statements to take back."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from ..ontology import KnowledgeBase, LeftOut, shown
from ..ontology.consistency import Violation
from ..ontology.repairs import find_repair, sparql_update
from ..storage import write_atomically

__all__ = ["contradiction_table", "left_out_lines", "write_fix"]

_SHOWN = 3
_MOST_GROUPS = 10
_WIDTH = 160


def contradiction_table(knowledge: KnowledgeBase) -> list[str]:
    """The contradictions by axiom: how many, between which individuals, in which files; lines of text."""
    by_axiom: dict[str, list[Violation]] = {}
    for violation in knowledge.contradictions:
        by_axiom.setdefault(violation.axiom(knowledge.prefixes), []).append(violation)
    table = Table(box=SIMPLE, pad_edge=False)
    table.add_column("how many", justify="right")
    for name in ("axiom", "individuals", "files"):
        table.add_column(name, overflow="fold")
    for axiom, found in sorted(by_axiom.items(), key=lambda entry: -len(entry[1])):
        table.add_row(f"{len(found):,}", axiom, _individuals(found, knowledge), "\n".join(_files(found, knowledge)))
    text = io.StringIO()
    Console(file=text, width=_WIDTH, highlight=False, markup=False).print(table)
    return [line.rstrip() for line in text.getvalue().splitlines() if line.strip()]


def left_out_lines(knowledge: KnowledgeBase) -> Iterator[str]:
    """The statements that are left out, by what forbids them; of many the first."""
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[LeftOut]] = {}
    for statement in knowledge.left_out:
        groups.setdefault((statement.sources, statement.axioms), []).append(statement)
    ranked = sorted(groups.items(), key=lambda group: -len(group[1]))
    for (sources, axioms), statements in ranked[:_MOST_GROUPS]:
        more = f" (and {len(axioms) - 1:,} more)" if len(axioms) > 1 else ""
        why = f", since {axioms[0]}{more}" if axioms else ""
        number = f"{len(statements):,} statement{'s' * (len(statements) != 1)}"
        yield f"  left out of {', '.join(sources)}{why}: {number}"
        for statement in statements[:_SHOWN]:
            parts = (_brief(shown(term, knowledge.prefixes), knowledge.prefixes) for term in statement.triple)
            yield f"    {' '.join(parts)}"
        if len(statements) > _SHOWN:
            yield f"    … and {len(statements) - _SHOWN:,} more"
    if len(ranked) > _MOST_GROUPS:
        others = sum(len(statements) for _, statements in ranked[_MOST_GROUPS:])
        yield f"  left out for other reasons: {others:,} statements"
    if knowledge.left_out:
        yield "  kaicep check --fix FILE writes all of them, each with what it contradicts"


def _brief(term: str, prefixes: Mapping[str, str]) -> str:
    """A term behind its prefix also where Turtle would ask for escapes, as of `/`: this is read by people only."""
    fitting = [(len(iri), name) for name, iri in prefixes.items() if term.startswith(f"<{iri}") and term.endswith(">")]
    if not fitting:
        return term
    length, prefix = max(fitting)
    return f"{prefix}:{term[1 + length : -1]}"


def write_fix(knowledge: KnowledgeBase, file: Path) -> int:
    """Write the patch that takes the fewest statements back; how many these are. Of none, nothing is written.

    Raises:
        OntologyError: a contradiction that no statement about individuals can be blamed for.
        OSError: the file cannot be written.
    """
    left_out = knowledge.left_out or (find_repair(knowledge) if knowledge.contradictions else ())
    if left_out:
        with write_atomically(file) as temporary:
            temporary.write_text(sparql_update(left_out, knowledge.modules), encoding="utf-8")
    return len(left_out)


def _individuals(found: Sequence[Violation], knowledge: KnowledgeBase) -> str:
    involved = list(dict.fromkeys(term for violation in found for term in violation.individuals))
    names = [shown(term, knowledge.prefixes) for term in involved[:_SHOWN]]
    more = [f"and {len(involved) - _SHOWN:,} more"] if len(involved) > _SHOWN else []
    return "\n".join([*names, *more])


def _files(found: Sequence[Violation], knowledge: KnowledgeBase) -> list[str]:
    """The files that say something of the individuals, each of which is asked for once."""
    involved = {term for violation in found for term in violation.individuals}
    numbers = {number for term in involved for number in knowledge.mentioning(term)}
    return [knowledge.modules[number].source for number in sorted(numbers)]
