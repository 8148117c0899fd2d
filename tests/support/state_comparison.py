"""The states that an engine holds at a moment, compared with those of the oracle, in one batch and in many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from kaicep import Project
from kaicep.errors import QueryTypeError
from kaicep.language.checks import known_state
from kaicep.language.nodes import Kind
from kaicep.pipeline.asking import StateCut, answer_asked, watched_registrations
from kaicep.pipeline.flow.batch import Batch
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.sinks.row_values import rows
from oracle.asked import States, ask
from oracle.evaluate import Oracle

from .batches import processed
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
        """The state of `held`, that of each of its variables, and its partial matches."""
        *_, query = self.project.compile(self.document)
        variables = ("", *(f".?{v}" for v in known_state(query).variables))
        texts = [f"SELECT ?x FROM (?x, STATE(held{v}))" for v in variables]
        return texts if query.kind is Kind.AGGREGATION else [*texts, PARTIAL]


def agree_about_states(question: StateQuestion, rng: Random | None = None) -> int:
    """Engine and oracle say the same of the state; how many events were told.

    Args:
        question: what is asked.
        rng: cuts the streams, none of which is late, into batches, and resumes between some of them; `None`: all come
            at once.
    """
    q, count = question, 0
    answers = (
        answered_in_batches(question, rng)
        if rng is not None
        else [list(q.project.evaluate(q.document + text, q.streams, ask_at=q.at)) for text in q.texts]
    )
    for text, found in zip(q.texts, answers, strict=True):
        assert all(row["_asked"] == q.at for row in found)
        if text == PARTIAL:
            shown = sorted(_shown((row["b"], row["s"], row["_time"], row["u"])) for row in found)
            assert shown == expected_partials(q), (q.at, text)
            continue
        ids = [(row["x"], row["_time"]) for row in found]
        expected = ask(q.oracle, q.document + text, q.streams, q.at)
        assert ids == [(row["x"], row["_time"]) for row in expected], (q.at, text)
        count += len(ids)
    return count


def expected_partials(q: StateQuestion) -> list[str]:
    """What the oracle says of PARTIAL."""
    held = States(q.oracle, q.project.compile(q.document), q.streams, q.at).partials("held")
    ends = [(one, one.events[0].event.time, one.events[-1].event.time) for one in held]
    return sorted(_shown((" ".join(one.runs), first, last, one.until)) for one, first, last in ends)


def answered_in_batches(q: StateQuestion, rng: Random) -> list[list[dict[str, Any]]]:
    """What queries that are asked once say of a data flow that came to a moment in batches, with restores."""
    known = {n: [r for r in own if datetime.fromisoformat(str(r["t"])) <= q.at] for n, own in q.streams.items()}
    cut = cut_anywhere(known, rng)
    resumed = {place for place in range(len(cut) + 1) if rng.random() < 0.4}
    queries = [q.project.compile(q.document + text, asked=True) for text in q.texts]
    registrations = [Registration(one, one.called or f"query-{i}") for i, one in enumerate(queries[0][:-1])]
    every = [*registrations, *watched_registrations(registrations, queries[0][-1])]
    dataflow = q.project.dataflow()
    for registration in every:
        dataflow.register(registration)
    for place in range(len(cut) + 1):
        if place in resumed:
            state, dataflow = dataflow.snapshot(), q.project.dataflow()
            dataflow.restore(state, every)
        if place < len(cut):
            _ = processed(dataflow, cut[place]).matches
    _ = dataflow.process(Batch(advances=dict.fromkeys(q.project.annotators, q.at + timedelta(microseconds=1)))).matches
    tables = [StateCut(dataflow, q.at).tables(asked) for *_, asked in queries]
    answers = [answer_asked(q.project, asked, table, q.at) for (*_, asked), table in zip(queries, tables, strict=True)]
    return [list(rows(answer)) for answer in answers]


def _shown(values: Sequence[object]) -> str:
    return " | ".join(map(str, values))
