"""The compile-time rules, in order: each takes a plan and gives a better one (paper §4.1)."""

from __future__ import annotations

from collections.abc import Sequence

import pyoxigraph as ox

from ...annotator import EventShape, event_prefix
from ...errors import QueryTypeError
from ...language.nodes import Source, Subquery
from ...ontology import KnowledgeBase
from ..plan import Plan, PlanContext, PlanRule
from ..runtime import single_event_query
from ..sparql_text import triple_text
from .binding_pushdown import push_bindings_down
from .constant_pushdown import push_constants_down
from .event_class import decide_event_class
from .filter_pushdown import push_filters_down
from .materialise import materialise
from .normalise import normalise
from .prune import prune
from .residual_query import write_residual_query

RULES: tuple[PlanRule, ...] = (
    normalise,
    decide_event_class,
    prune,
    push_constants_down,
    push_filters_down,
    push_bindings_down,
    write_residual_query,
    materialise,
)
"""In the order in which they apply; all but `write_residual_query` may be left out, and the answer is the same."""


def compile_subquery(subquery: Subquery, context: PlanContext, rules: Sequence[PlanRule] = RULES) -> Plan:
    """Apply rules, `write_residual_query` among them, to a subquery.

    Raises:
        QueryTypeError: SPARQL that cannot be evaluated once the event stands for its variable.
    """
    orderly = subquery.orderly and all(triple_text(t) is not None for t in subquery.triples)
    plan = Plan(subquery, orderly, subquery.triples if orderly else (), subquery.filters if orderly else ())
    for rule in rules:
        plan = rule(plan, context)
    _check(plan)
    return plan


def plan_context(source: Source, shape: EventShape, knowledge: KnowledgeBase) -> PlanContext:
    """What the rules may look at for the subqueries of one event variable."""
    return PlanContext(shape, knowledge, dict(source.bindings), knowledge.speaks_below(event_prefix(shape.stream)))


def _check(plan: Plan) -> None:
    if plan.residual is None:
        return
    try:
        ox.Store().query(single_event_query(plan.residual, ox.NamedNode("urn:kaicep:event:any")))
    except SyntaxError as error:
        message = f"this PATH of ?{plan.subquery.variable} cannot be evaluated for one event: {error}"
        raise QueryTypeError(message, hint="rename what it binds, if that is the event variable") from error
