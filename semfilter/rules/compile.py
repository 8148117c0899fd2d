"""The compile-time rules, in order: each takes a plan and gives a better one (paper §4.1)."""

from __future__ import annotations

from collections.abc import Sequence

import pyoxigraph as ox

from ...annotator import EventShape, event_prefix
from ...errors import QueryTypeError
from ...language.nodes import Source, Subquery
from ...ontology import KnowledgeBase
from ..plan import Context, Plan, Rule
from ..runtime import alone_query
from ..sparql_text import triple_text
from .binding_pushdown import direct
from .constant_pushdown import equate
from .event_class import decide_types
from .filter_pushdown import transform
from .materialise import tabulate
from .normalise import normalise
from .prune import prune
from .residual_query import settle

RULES: tuple[Rule, ...] = (normalise, decide_types, prune, equate, transform, direct, settle, tabulate)
"""In the order in which they are applied; all but `settle` may be left out, and the answer is the same."""


def compile_subquery(subquery: Subquery, context: Context, rules: Sequence[Rule] = RULES) -> Plan:
    """Apply rules, `settle` among them, to a subquery.

    Raises:
        QueryTypeError: SPARQL that cannot be evaluated once the event stands for its variable.
    """
    orderly = subquery.orderly and all(triple_text(t) is not None for t in subquery.triples)
    plan = Plan(subquery, orderly, subquery.triples if orderly else (), subquery.filters if orderly else ())
    for rule in rules:
        plan = rule(plan, context)
    _check(plan)
    return plan


def context_of(source: Source, shape: EventShape, knowledge: KnowledgeBase) -> Context:
    """What the rules may look at for the subqueries of one event variable."""
    return Context(shape, knowledge, dict(source.bindings), knowledge.speaks_below(event_prefix(shape.stream)))


def _check(plan: Plan) -> None:
    if plan.never is not None:
        return
    try:
        ox.Store().query(alone_query(plan, ox.NamedNode("urn:kaicep:event:any")))
    except SyntaxError as error:
        message = f"this PATH of ?{plan.subquery.variable} cannot be evaluated for one event: {error}"
        raise QueryTypeError(message, hint="rename what it binds, if that is the event variable") from error
