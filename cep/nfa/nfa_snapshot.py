"""The state of a query's runs, for another process to go on from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ..snapshot_codec import OperatorState
from .compiler import CompiledPattern
from .free_variable_matches import FreeVariableMatches, SequenceMatch
from .match_queue import MatchQueue
from .pending_acceptance import PendingAcceptance
from .runtime import AcceptedMatch, EventEncoder, NodeWriter, PartialMatches, read_nodes, read_value, written_value

__all__ = ["NfaSnapshot"]


@dataclass(frozen=True, slots=True)
class NfaSnapshot:
    """Writes and reads what the parts of a kernel remember."""

    compiled: CompiledPattern
    encoder: EventEncoder
    partial: PartialMatches
    waiting: PendingAcceptance
    joining: FreeVariableMatches
    queue: MatchQueue

    def state(self, swept: int) -> OperatorState:
        """All runs, what waits, and the candidates that they hold; `swept`: when what is of no use was dropped."""
        nodes = NodeWriter(whole=bool(self.joining))
        partitions = [
            [
                written_value(key),
                p.now,
                [
                    [state.number, written_value(registers), nodes.number(node)]
                    for state, registers, node in p.settled()
                ],
                [[state.number, written_value(registers), nodes.number(node)] for state, registers, node in p.fresh],
            ]
            for key, p in self.partial.partitions.items()
        ]
        # By key: a match may wait whose partition was forgotten since, and made anew by a later event.
        places = {key: i for i, key in enumerate(self.partial.partitions)}

        def completed(c: AcceptedMatch) -> list[Any]:
            if c.buffers.key not in places:
                places[c.buffers.key] = len(places)
                partitions.append([written_value(c.buffers.key), c.time, [], []])
            return [places[c.buffers.key], written_value(c.registers), nodes.number(c.node), c.time, *c.final.place]

        text = {
            "states": [state.origin for state in self.compiled.states],
            "pending": [[completed(c), time, awaited] for c, time, awaited in self.waiting.entries()],
            "next_events": [self.waiting.next_events.numbers.tolist(), self.waiting.next_events.times.tolist()],
            "found": [[time, *first[:2], nodes.number(node)] for time, first, node in self.queue.found],
            "absent": [
                [n, written_value(k), written_value(tuple(a.rows))] for (n, k), a in self.partial.absent.items()
            ],
            "stops": [
                [of, written_value(k), written_value(tuple(e.rows)), e.dropped]
                for (of, k), e in self.partial.stops.items()
            ],
            "partitions": partitions,
            "forgotten": self.queue.buffer.forgotten,
            "nodes": nodes.written,
        } | (self._joined() if self.joining else {})
        tables = self.queue.tables()
        tables["runs"] = pl.DataFrame({"text": [json.dumps(text)]})
        return OperatorState(tables, {"next": self.encoder.next_number, "swept": swept})

    def _joined(self) -> dict[str, Any]:
        """What is remembered for variables that SEQ does not name."""
        completes = [one.match for one in self.joining.open]
        return {
            "seen": self.joining.seen,
            "candidates": [
                [v, written_value(shared), [written_value(event) for kept in by_value.values() for event in kept.rows]]
                for (v, shared), by_value in self.joining.candidates.items()
            ],
            "open": [
                [
                    written_value(c.shared),
                    c.time,
                    written_value(tuple(c.path)),
                    *map(written_value, (c.sides, c.doubtful)),
                ]
                for c in completes
            ],
        }

    def load(self, state: OperatorState) -> None:
        """Take back what `state` wrote."""
        text = json.loads(state.tables["runs"]["text"][0])
        self._clear()
        self.encoder.next_number = state.numbers["next"] or 0
        self.queue.load(state.tables, text["forgotten"])
        for origin in text["states"]:
            self.compiled.state_of(origin)
        for variable, key, rows in text["absent"]:
            self.partial.negation_buffer(variable, read_value(key)).add(read_value(rows))
        for of, key, rows, dropped in text["stops"]:
            ends = self.partial.stop_events(of, read_value(key))
            ends.add(read_value(rows))
            ends.dropped = dropped
        nodes = read_nodes(text["nodes"])
        self._load_partial_matches(text, nodes)
        if self.joining:
            self._load_joined(text)
        self.queue.found = [(time, (t, number), nodes[node]) for time, t, number, node in text["found"]]

    def _clear(self) -> None:
        """Forget what came before."""
        self.partial.clear()
        self.waiting.clear()
        self.joining.clear()

    def _load_joined(self, text: Mapping[str, Any]) -> None:
        for variable, shared, events in text["candidates"]:
            self.joining.arrive({(variable, read_value(shared)): [read_value(event) for event in events]})
        self.joining.seen = text["seen"]
        for shared, time, path, sides, doubtful in text["open"]:
            parts = read_value(sides), read_value(doubtful)
            complete = SequenceMatch(read_value(shared), time, list(read_value(path)), *parts)
            self.joining.open.append(self.joining.opened(complete))

    def _load_partial_matches(self, text: Mapping[str, Any], nodes: Sequence[tuple[Any, ...]]) -> None:
        states = self.compiled.states
        partitions = []
        for key, now, matches, fresh in text["partitions"]:
            partition = self.partial.partition(read_value(key))
            partition.now = now
            partition.insert([(states[s], read_value(registers), nodes[node]) for s, registers, node in matches])
            partition.fresh = [(states[s], read_value(registers), nodes[node]) for s, registers, node in fresh]
            partitions.append(partition)

        def completed(written: list[Any]) -> AcceptedMatch:
            place, registers, node, time, state, end = written
            final = states[state].finals[end]
            return AcceptedMatch(read_value(registers), nodes[node], time, final, partitions[place].buffers)

        for written, time, awaited in text["pending"]:
            self.waiting.add(completed(written), time, awaited)
        numbers, times = (np.array(values, dtype=np.int64) for values in text["next_events"])
        self.waiting.next_events.numbers, self.waiting.next_events.times = numbers, times
