"""The states that an engine holds at a moment, compared with those of the oracle, in one batch and in many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from typing import Any

from kaicep import Project
from kaicep.errors import QueryTypeError
from kaicep.language.checks import known_state
from kaicep.language.checks.query_compiler import check_document
from kaicep.language.nodes import Kind, Query
from kaicep.pipeline.asking import StateCut, answer_asked, state_cut_at, watched_registrations
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.simulation.asked_recording import recorded_cut
from kaicep.pipeline.sinks.row_values import rows
from oracle.asked import States, answer
from oracle.evaluate import Oracle

from .batches import processed
from .cases import difference
from .context_rows import plain, plain_id
from .dataflows import cut_anywhere

__all__ = ["StateQuestion", "agree_about_states", "document_of", "refusal"]

Streams = Mapping[str, Sequence[dict[str, Any]]]
PARTIAL = "SELECT ?p._bound AS b, ?p._since AS s, ?p._until AS u FROM (?p, PARTIAL(held))"


def document_of(text: str) -> str:
    """The document with its last query named `held`."""
    head, end, last = text.rpartition(";\n")
    return f"{head}{end}{last.replace('SELECT', 'CREATE QUERY held AS SELECT', 1)};\n"


def refusal(project: Project, document: str) -> str | None:
    """Why nothing can be asked of the state of `held`; `None`: it can."""
    try:
        project.compile(f"{document}SELECT COUNT(?x) AS n FROM (?x, STATE(held))", asked=True)
    except QueryTypeError as error:
        return str(error)
    return None


@dataclass(frozen=True)
class StateQuestion:
    """What engine and oracle are asked.

    Attributes:
        project: the engine's.
        oracle: of the same.
        document: all queries, `held` among them.
        streams: raw tuples.
        at: the moment.
    """

    project: Project
    oracle: Oracle
    document: str
    streams: Streams
    at: datetime

    @property
    def texts(self) -> list[str]:
        """The state of `held`, that of each of its variables, its partial matches, and the contexts that hold."""
        *_, query = queries = self.project.compile(self.document)
        variables = ("", *(f".?{v}" for v in known_state(query).variables))
        texts = [f"SELECT ?each, ?each.* FROM (?each, STATE(held{v}))" for v in variables]
        texts += [] if query.kind is Kind.AGGREGATION else [PARTIAL]
        sets = sorted({of.name for one in queries for of in one.context_sets})
        return [*texts, *(f"SELECT ?each.* FROM (?each, CONTEXTS({name}))" for name in sets)]


def agree_about_states(question: StateQuestion, rng: Random | None = None) -> int:
    """Engine and oracle say the same of the state; how many events and open windows of contexts were told.

    Args:
        question: what is asked.
        rng: cuts the streams into batches, and resumes between some of them; `None`: all come at once.
    """
    q, count, texts = question, 0, question.texts
    queries = [q.project.compile(q.document + text, asked=True) for text in texts]
    cut = cut_at_once(q, queries[0]) if rng is None else cut_in_batches(q, queries[0], rng)
    checked = [query for _, query in check_document(q.document, q.oracle.vocabulary)]
    known = States(q.oracle, checked, q.streams, q.at)
    for text, (*_, asked) in zip(texts, queries, strict=True):
        found = list(rows(answer_asked(q.project, asked, cut.tables(asked), q.at)))
        assert all(row.pop("_asked") == q.at for row in found)
        if text == PARTIAL:
            shown = sorted(_shown((row["b"], row["s"], row["_time"], row["u"])) for row in found)
            assert shown == expected_partials(known), (q.at, text)
            continue
        if "CONTEXTS" in text:
            assert sorted(map(_said, found)) == sorted(map(_said, answer(known, asked))), (q.at, text)
            count += len(found)
            continue
        different = difference(list(map(_plain, found)), list(map(_plain, answer(known, asked))))
        assert different is None, f"{text} at {q.at}\n{different}"
        count += len(found)
    return count


def expected_partials(known: States) -> list[str]:
    """What the oracle says of PARTIAL."""
    ends = [(one, one.events[0].event.time, one.events[-1].event.time) for one in known.partials("held")]
    return sorted(_shown((" ".join(one.runs), first, last, one.until)) for one, first, last in ends)


def cut_at_once(q: StateQuestion, queries: Sequence[Query]) -> StateCut:
    """What is held when all has come at once, as `evaluate` has it."""
    *registered, asked = queries
    return recorded_cut(q.project, registered, asked, q.streams, q.at)


def cut_in_batches(q: StateQuestion, queries: Sequence[Query], rng: Random) -> StateCut:
    """What is held by a data flow that came to a moment in batches, with restores."""
    known = {name: [raw for raw in own if _time(raw) <= q.at] for name, own in q.streams.items()}
    cut = cut_anywhere(known, rng)
    resumed = {place for place in range(len(cut) + 1) if rng.random() < 0.4}
    registrations = [Registration(one, one.called or f"query-{i}") for i, one in enumerate(queries[:-1])]
    every = [*registrations, *watched_registrations(registrations, queries[-1])]
    dataflow = q.project.dataflow()
    for registration in every:
        dataflow.register(registration)
    for place in range(len(cut) + 1):
        if place in resumed:
            state, dataflow = dataflow.snapshot(), q.project.dataflow()
            dataflow.restore(state, every)
        if place < len(cut):
            _ = processed(dataflow, cut[place]).matches
    return state_cut_at(dataflow, q.project.annotators, q.at)


def _time(raw: Mapping[str, Any]) -> datetime:
    """The time stamp of a raw tuple; without a zone it is of UTC."""
    read = datetime.fromisoformat(raw["t"] if "t" in raw else raw["timestamp"])
    return read.replace(tzinfo=read.tzinfo or UTC)


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """An event by its id, of a change of contexts by its place, and by what it says."""
    return {**plain(row), "each": plain_id(row["each"])}


def _said(row: Mapping[str, Any]) -> str:
    """An open window by what is said of it."""
    return _shown([f"{name}: {value}" for name, value in sorted(row.items()) if name not in ("_id", "_events")])


def _shown(values: Sequence[object]) -> str:
    return " | ".join(map(str, values))
