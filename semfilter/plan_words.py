"""What was decided for a subquery, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from textwrap import indent

from ..language.nodes import AllOf, AnyOf, Semantics, Subquery
from .plan import ResidualQuery
from .runtime import FilterOptions, SubqueryFilter

_IRI = re.compile(r"<([^<>\s]*[#/:])([A-Za-z_][\w-]*)>")


def explain_semantics(semantics: Semantics, filters: Mapping[int, SubqueryFilter], options: FilterOptions) -> str:
    """The subqueries and how AND and OR join them; `filters` by `id` of the subquery node."""
    match semantics:
        case Subquery():
            return "\n".join(_lines(filters[id(semantics)], options))
        case AllOf(parts):
            word = "all of"
        case AnyOf(parts):
            word = "any of"
    inner = [indent(explain_semantics(part, filters, options), "  ") for part in parts]
    return "\n".join([word, *inner])


def with_prefixes(text: str, prefixes: Mapping[str, str]) -> str:
    """The text with IRIs written as prefixed names where a prefix fits."""
    names = {namespace: prefix for prefix, namespace in prefixes.items()}

    def shorten(found: re.Match[str]) -> str:
        prefix = names.get(found[1])
        return found[0] if prefix is None else f"{prefix}:{found[2]}"

    return _IRI.sub(shorten, text)


def _lines(subquery: SubqueryFilter, options: FilterOptions) -> Iterator[str]:
    plan, compiled = subquery.plan, subquery.compiled
    yield f"PATH of ?{plan.subquery.variable}"
    if not options.compiled:
        yield "  rules: off, it is asked as it is written"
    yield from (f"  {note}" for note in plan.notes)
    if compiled is None:
        yield f"  never holds: {plan.unsatisfiable}"
        return
    residual, verdicts = compiled.residual, compiled.materialised
    names = ["the event itself"] if residual.identified else []
    names += [_key(part.column, part.properties) for part in residual.key]
    yield f"  key: {', '.join(names) or 'none (one verdict for all events)'}"
    if verdicts is None or residual.materialisation is None:
        yield from (f"  {line}" for line in _run_time(residual, options))
        yield f"  SPARQL: {residual.body.strip() or '(nothing left)'}"
    else:
        asked = " and ".join(f"?{name}" for name, _ in residual.materialisation.keys)
        yield f"  verdicts: of all individuals, ahead: {len(verdicts):,} hold, {verdicts.rows:,} solutions"
        yield f"  SPARQL: for all {asked}: {residual.materialisation.body}"
    if subquery.statistics.events:
        yield f"  so far: {subquery.statistics}"


def _run_time(residual: ResidualQuery, options: FilterOptions) -> Iterator[str]:
    if residual.materialisation is not None:
        many = f"more than {options.table_size:,} solutions, too many to compute them ahead"
        yield f"verdicts: {many if options.table_size else 'none ahead, because the table is off'}"
    kept = f"the verdicts of {options.cache_size} keys, least recently used leave first"
    yield f"cache: {kept if options.cache_size else 'off, every event is evaluated'}"
    if not options.buffer:
        yield "misses of a batch: one by one, because the buffer is off"
    elif residual.unbatchable is None:
        yield "misses of a batch: together"
    else:
        yield f"misses of a batch: one by one, because {residual.unbatchable}"


def _key(column: str, properties: tuple[str, ...]) -> str:
    return f"{column} ({', '.join(f'<{iri}>' for iri in properties)})"
