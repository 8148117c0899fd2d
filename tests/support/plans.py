"""The plan of a semantic subquery as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from kaicep.explain import plan_text
from kaicep.explain.plans import describe_semantic_filter
from kaicep.explain.prefixed_text import with_prefixes
from kaicep.language.nodes import expression_text
from kaicep.semfilter import SemanticFilter
from kaicep.semfilter.plan import Plan
from kaicep.semfilter.rules.residual_query import residual_text

__all__ = ["explained", "residual_plan"]


def explained(semantics: SemanticFilter, prefixes: Mapping[str, str] = MappingProxyType({})) -> str:
    """What was decided for each PATH of a semantic filter, in words."""
    return plan_text(describe_semantic_filter(semantics), prefixes)


def residual_plan(plan: Plan, prefixes: Mapping[str, str]) -> str:
    """The SPARQL that is left, and a line for everything else, notes left out."""
    return with_prefixes("\n".join(_lines(plan)), prefixes)


def _lines(plan: Plan) -> Iterator[str]:
    if plan.unsatisfiable is not None:
        yield f"never: {plan.unsatisfiable}"
        return
    yield residual_text(plan, plan.triples) or "(nothing)"
    if plan.required:
        yield f"present: {' '.join(plan.required)}"
    yield from (f"condition: {expression_text(condition)}" for condition in plan.conditions)
    yield from (f"copy: ?{name} = {f'<{c}>' if ':' in c else c}" for name, c in plan.copies)
    if plan.residual is not None and (query := plan.residual.materialisation) is not None:
        keys = " ".join(f"?{name} = <{column}>" for name, column in query.keys)
        yield f"table of {keys}: {query.body}"
