"""The answer of a stream, micro-batch by micro-batch, with its state in the checkpoint of Spark's query."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from .document_answer import DocumentAnswer, token_of
from .event_tables import PARCELS, arrived_events, parcel
from .remote_project import RemoteProject

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql.streaming.state import GroupState

__all__ = ["STATE", "StreamedAnswer"]

STATE = "state binary"
_MOST = 4
_AT_WORK: OrderedDict[tuple[RemoteProject, str], tuple[str, DocumentAnswer]] = OrderedDict()
"""What this worker has answered last, and the token of the state in which it is: nothing of it counts but by that."""


@dataclass(frozen=True, slots=True)
class StreamedAnswer:
    """What Spark calls for each micro-batch that has events; rows go out as a table in bytes.

    Attributes:
        remote: the project.
        text: of the document.
    """

    remote: RemoteProject
    text: str

    def __call__(self, key: object, frames: Iterator[pd.DataFrame], state: GroupState) -> Iterator[pd.DataFrame]:
        """Answer a micro-batch, go on from `state`, and leave the new one there."""
        del key  # there is one group
        import pandas as pd  # noqa: PLC0415 - an extra's

        answer = self._answer(state.get[0] if state.exists else None)
        table = pa.concat_tables([pa.Table.from_pandas(frame, PARCELS, preserve_index=False) for frame in frames])
        rows = answer.rows(arrived_events(table))
        state.update((self._kept(answer),))
        if rows.num_rows:
            yield pd.DataFrame({"payload": parcel("", 0, rows)["payload"].to_pylist()})

    def _answer(self, state: bytes | None) -> DocumentAnswer:
        """Where a state has it: as this worker has it, if that is the last one that it gave."""
        if state is None:
            return DocumentAnswer(self.remote.catalog, self.text)
        token, answer = _AT_WORK.pop((self.remote, self.text), ("", None))
        if answer is not None and token == token_of(state):
            return answer
        return DocumentAnswer.restored(self.remote.catalog, self.text, state)

    def _kept(self, answer: DocumentAnswer) -> bytes:
        token = secrets.token_hex(16)
        state = answer.snapshot(token)
        _AT_WORK[self.remote, self.text] = token, answer
        while len(_AT_WORK) > _MOST:
            _AT_WORK.popitem(last=False)
        return state
