"""A stream whose records are messages of MQTT: files of them, in the folder into which they are put as they come."""

from __future__ import annotations

import pyarrow as pa

from ....errors import PipelineError
from ..file_source import LineSource
from ..records import RawBatch, RecordOrigin
from .message_records import message_records

__all__ = ["MqttSource"]


class MqttSource(LineSource):
    """Files of a message a line; see `RecordSource`."""

    def parse(self, lines: pa.Array, origin: RecordOrigin) -> RawBatch:
        """The records of the messages."""
        settings = self.of.settings.mqtt
        if settings is None:
            raise PipelineError(f"streams.{self.of.name}: its source is no broker", hint="write mqtt = { … }")
        return message_records(lines, origin, self.of.stream, settings)
