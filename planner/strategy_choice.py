"""Which strategy answers the past of a query, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..archive import ReadView
from ..archive.rewrite import RefusedError
from ..archive.store import StoreUnavailableError
from ..errors import PlanError
from ..language.nodes import Query
from .backfill_chunks import ROWS_AT_ONCE, BackfillRequest
from .cost import Statistics, log_statistics, store_statistics
from .rewritten_past import Rewrite
from .strategies import Hybrid, Replay, Strategy, only_query

_QUICK = 1.5
"""A replay of so many seconds is not worth looking for something faster: looking takes a tenth of it."""

Answer = Replay | Hybrid | Rewrite


@dataclass(frozen=True, slots=True)
class Choice:
    """How the past of a query is answered.

    Attributes:
        strategy: its name.
        reason: why this one.
        answer: gives the past.
    """

    strategy: Strategy
    reason: str
    answer: Answer

    def __str__(self) -> str:
        return f"{self.strategy}: {self.reason}"


def choose(
    archive: ReadView, request: BackfillRequest, strategy: Strategy | None = None, rows: int = ROWS_AT_ONCE
) -> Choice:
    """Choose how the past is answered; that of queries in contexts, and of those that derive some, always by a replay.

    So is that of queries that look at a sample of the events.

    Args:
        archive: what is asked.
        request: what for.
        strategy: the one to use; `None`: the cheapest.
        rows: how many events of the log are read at once, about.

    Raises:
        PlanError: the strategy that is asked for cannot answer the query.
    """
    if any(query.context_sets for query in request.queries):
        known = log_statistics(archive, request)
        reason = f"which contexts hold depends on all events before; {_alone(known)}"
        return Choice(Strategy.REPLAY, reason, Replay(archive, request, rows))
    if request.sampled:
        reason = (
            f"a sample of the events is looked at, which no SPARQL chooses; {_alone(log_statistics(archive, request))}"
        )
        return Choice(Strategy.REPLAY, reason, Replay(archive, request, rows))
    if strategy is not None:
        try:
            return Choice(strategy, "it was asked for", _answer(archive, request, strategy, rows))
        except RefusedError as reason:
            raise PlanError(
                f"strategy '{strategy}' cannot answer this query: {reason}",
                hint="leave the choice to the planner, or ask for replay",
            ) from reason
    replay = Replay(archive, request, rows)
    known = log_statistics(archive, request)
    if known.replay() <= _QUICK:
        return Choice(Strategy.REPLAY, _alone(known), replay)
    try:
        return _cheapest(archive, request, replay)
    except StoreUnavailableError as trouble:
        return Choice(Strategy.REPLAY, f"{_alone(known)}; {trouble.message}", replay)


def _answer(archive: ReadView, request: BackfillRequest, strategy: Strategy, rows: int) -> Answer:
    match strategy:
        case Strategy.REPLAY:
            return Replay(archive, request, rows)
        case Strategy.HYBRID:
            return Hybrid.of(archive, request, rows)
        case Strategy.REWRITE:
            query = only_query(archive, request)
            answer = Rewrite.of(archive, request, query, rows, asked_for=True)
            _require_short(archive, request, query, rows)
            return answer


def _require_short(archive: ReadView, request: BackfillRequest, query: Query, rows: int) -> None:
    """Refuse what would be ended after having kept the machine busy in vain.

    Raises:
        RefusedError: it would take too long, as far as the store tells.
    """
    try:
        seconds = store_statistics(archive, request, Hybrid.of(archive, request, rows).selects).rewrite(query)
    except StoreUnavailableError:
        return  # the log answers then
    most = archive.rewrite_timeout.total_seconds()
    if seconds > most:
        raise RefusedError(f"SPARQL would take about {seconds:,.0f} s for it, and {most:g} s is the most")


def _cheapest(archive: ReadView, request: BackfillRequest, replay: Replay) -> Choice:
    try:
        hybrid = Hybrid.of(archive, request, replay.rows)
    except RefusedError as reason:
        known = log_statistics(archive, request)
        return Choice(Strategy.REPLAY, f"{_alone(known)}; hybrid cannot: {reason}", replay)
    known = store_statistics(archive, request, hybrid.selects)
    answers: dict[Strategy, Answer] = {Strategy.REPLAY: replay, Strategy.HYBRID: hybrid}
    costs = {Strategy.REPLAY: known.replay(), Strategy.HYBRID: known.hybrid()}
    refused = ""
    try:
        query = only_query(archive, request)
        answers[Strategy.REWRITE] = Rewrite.of(archive, request, query, replay.rows)
        costs[Strategy.REWRITE] = known.rewrite(query)
    except RefusedError as reason:
        refused = f"; rewrite cannot: {reason}"
    best = min(costs, key=lambda s: costs[s])
    return Choice(best, _compared(known, costs) + refused, answers[best])


def _compared(known: Statistics, costs: Mapping[Strategy, float]) -> str:
    candidates = sum(known.candidates.values())
    details = {
        Strategy.REPLAY: _replayed(known),
        Strategy.HYBRID: f"{_count(known.graphs, 'bucket')}, some {_count(candidates, 'candidate')}",
        Strategy.REWRITE: "all of it in SPARQL",
    }
    words = [f"{name} about {costs[name]:.2g} s ({details[name]})" for name in sorted(costs, key=lambda s: costs[s])]
    return "; ".join(words)


def _alone(known: Statistics) -> str:
    """Why it is replayed where nothing is compared."""
    return f"about {known.replay():.2g} s ({_replayed(known)})"


def _replayed(known: Statistics) -> str:
    return f"{_count(known.rows, 'event')} in {_count(known.segments, 'segment')}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
