"""The rows of a document's last query, batch by batch, with a state that can be put away; no Spark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

import pyarrow as pa

from ..annotator import AnnotatedBatch
from ..cep.output import reported_schema
from ..errors import PipelineError
from ..language.nodes import Query
from ..pipeline import Catalog
from ..pipeline.flow import Batch
from ..pipeline.flow.queries.candidates import SAMPLED
from ..pipeline.simulation import registrations_of

__all__ = ["DocumentAnswer", "row_columns", "token_of"]

_TOKEN = b"kaicep.token"


class DocumentAnswer:
    """What answers a document: all its queries, of which the last one's rows are wanted.

    Args:
        project: of its streams.
        text: of the document.

    Attributes:
        schema: of the rows.

    Raises:
        KaicepError: it cannot be answered.
    """

    def __init__(self, project: Catalog, text: str) -> None:
        queries = project.compile(text)
        self._queries = registrations_of(queries, {})
        self._label = self._queries[-1].label
        self._flow = project.dataflow()
        self.schema = row_columns(project, queries[-1])
        for registration in self._queries:
            self._flow.register(registration)

    @property
    def columns(self) -> dict[str, frozenset[str]]:
        """By stream, the columns of its events that are looked at."""
        found: dict[str, frozenset[str]] = {}
        for flow in self._flow.flows.values():
            for stream, names in flow.columns.items():
                found[stream] = found.get(stream, frozenset()) | names
        return found

    def rows(self, events: Mapping[str, pa.Table], *, ends: bool = False) -> pa.Table:
        """The rows that some events make certain.

        Args:
            events: plain event tables by stream, in order of arrival.
            ends: whether all streams end behind them.

        Raises:
            KaicepError: a query of the document has failed.
            PipelineError: an integer of the rows has left 64 bits.
        """
        batches = [Batch({name: AnnotatedBatch.of_events(table) for name, table in events.items()})]
        found: list[pa.Table] = []
        for batch in [*batches, Batch(ends=True)] if ends else batches:
            found += self._flow.process(batch).rows_of(self._label)
        return pa.concat_tables([self.schema.empty_table(), *(_conform(rows, self.schema) for rows in found)])

    def snapshot(self, token: str) -> bytes:
        """Its state, for `restored`; `token` tells it from all others."""
        state = self._flow.snapshot()
        table = pa.table({"name": pa.array(state, pa.string()), "state": pa.array(state.values(), pa.large_binary())})
        target = pa.BufferOutputStream()
        with pa.ipc.new_stream(target, table.schema.with_metadata({_TOKEN: token.encode()})) as writer:
            writer.write_table(table)
        return bytes(target.getvalue())

    @classmethod
    def restored(cls, project: Catalog, text: str, state: bytes) -> Self:
        """The answer of a document where a snapshot has it.

        Raises:
            PipelineError: the snapshot is of another document.
            OperatorError: it is of another version of kaicep.
        """
        answer = cls(project, text)
        table = pa.ipc.open_stream(state).read_all()
        flow, state_of = (
            project.dataflow(),
            dict(zip(*(table[name].to_pylist() for name in table.column_names), strict=True)),
        )
        unknown = flow.restore(state_of, answer._queries)
        if unknown:
            raise PipelineError(
                f"the checkpoint holds no state of '{unknown[0].label}', as the query is written now",
                hint="give the stream another checkpointLocation, or the query that it was started with",
            )
        answer._flow = flow
        return answer


def token_of(state: bytes) -> str:
    """What tells a snapshot from all others."""
    token: bytes = pa.ipc.open_stream(state).schema.metadata[_TOKEN]
    return token.decode()


def row_columns(project: Catalog, query: Query) -> pa.Schema:
    """The columns of a query's rows: of one that looks at a share of the events, `_sampled` behind the others."""
    schema = reported_schema(query)
    shed = any(service.shed is not None for service in project.settings.queries.services.values())
    return schema.append(pa.field(SAMPLED, pa.float64())) if shed else schema


def _conform(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """Rows in the columns that were announced.

    Raises:
        PipelineError: an integer has left 64 bits.
    """
    columns = []
    for field in schema:
        column = rows[field.name] if field.name in rows.column_names else pa.nulls(rows.num_rows, field.type)
        if column.type == pa.float64() and field.type == pa.int64():
            raise PipelineError(
                f"'{field.name}' has a row whose integer does not fit into 64 bits, and is a column of them",
                hint=f"let it be a double: multiply what is selected AS {field.name} by 1.0",
            )
        columns.append(column.cast(field.type))
    return pa.table(columns, schema=schema)
