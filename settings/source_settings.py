"""`source = { … }` of a stream: where its records come from, and how they lie in the files."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import model_validator

from .kafka_source_settings import KafkaSourceSettings
from .mqtt import MqttSourceSettings
from .strict_table import Table

__all__ = ["GIVEN", "RecordOrder", "SourceSettings", "UnpivotSettings"]

GIVEN = "dataframe"
"""The format of a source that a program gives as a DataFrame."""

VALUE_FORMATS = ("json", "csv", "text")
"""How the values of records in Kafka may be written."""

Payload = Literal["json", "senml", "sosa", "ngsi-ld"]
"""What JSON documents are; what each becomes stands in `pipeline/sources/payloads`, a file per kind."""

_GLOB = frozenset("*?[{")

RecordOrder = Literal["arrival", "time"]
"""In which order the records of a batch are taken."""


class UnpivotSettings(Table):
    """`unpivot = { … }`: a wide table, a column for each point, becomes a record for each value.

    Attributes:
        name: the attribute that gets the name of the column.
        value: the attribute that gets its value; where that is missing there is no record.
        on: the columns; none: all that are no attribute of the stream and not named by `index`.
        index: more columns that each of the records keeps.

    Source: UNPIVOT of DuckDB and SQL Server; `unpivot(on, index, variable_name, value_name)` of Polars.
    """

    name: str
    value: str
    on: tuple[str, ...] = ()
    index: tuple[str, ...] = ()


class SourceSettings(Table, extra="allow"):
    """Where a stream comes from: a format (`json`, `csv`, `parquet`, or any Spark format) and its options.

    `path` is relative to the project file. Every other key goes to Spark's reader as an option, as it is. In Kafka the
    format is that of the records' values.

    Attributes:
        format: of the files, or of Spark.
        path: a folder, a file, or a glob pattern.
        kafka: topics instead of files.
        mqtt: topics of a broker of MQTT, whose messages become files of the engine's state.
        payload: whether JSON objects are records, or documents of a standard, each with as many as it has measurements.
        unpivot: how a wide table becomes records; `None`: a row is a record.
        file_name: the attribute that gets the name of the record's file, without its ending.
        order: whether the records of a batch are taken as they arrive, or by their time stamps.
    """

    format: str
    path: str | None = None
    kafka: KafkaSourceSettings | None = None
    mqtt: MqttSourceSettings | None = None
    payload: Payload = "json"
    unpivot: UnpivotSettings | None = None
    file_name: str | None = None
    order: RecordOrder = "arrival"

    @model_validator(mode="before")
    @classmethod
    def _values_are_json(cls, table: Any) -> Any:
        """What is in Kafka, or comes by MQTT, is JSON unless it is said otherwise."""
        return (
            {"format": "json", **table} if isinstance(table, dict) and ("kafka" in table or "mqtt" in table) else table
        )

    @model_validator(mode="after")
    def _is_in_one_place(self) -> Self:
        if self.mqtt is not None:
            self._comes_by_mqtt()
        elif self.format == "mqtt":
            message = (
                'a broker is a table of its own: write source = { mqtt = { server = "mqtt://…", topics = ["…"] } }'
            )
            raise ValueError(message)
        if self.payload != "json" and self.format != "json":
            message = f"documents of {self.payload} are JSON, and not '{self.format}'"
            raise ValueError(message)
        if self.kafka is None:
            return self
        if self.path is not None or self.file_name is not None:
            message = f"records in Kafka stand in no files; drop '{'path' if self.path is not None else 'file_name'}'"
            raise ValueError(message)
        if self.format not in VALUE_FORMATS:
            message = f"values in Kafka are {', '.join(VALUE_FORMATS)}, not '{self.format}'"
            raise ValueError(message)
        return self

    def _comes_by_mqtt(self) -> None:
        strange = next((name for name in ("kafka", "path", "file_name") if getattr(self, name) is not None), None)
        if strange is not None:
            message = f"messages of MQTT are in no place of their own; drop '{strange}'"
            raise ValueError(message)
        if self.format != "json":
            message = f"payloads of MQTT are json, not '{self.format}'"
            raise ValueError(message)
        if options := self.options():
            message = f"messages of MQTT have no '{min(options)}'; what is said of a broker stands in mqtt = {{ … }}"
            raise ValueError(message)

    def in_folder(self, path: str) -> Self:
        """The same where messages are kept in a folder until they are read."""
        return self.model_copy(update={"path": path, "cleanSource": "delete"})

    @property
    def place(self) -> str | None:
        """Where its records are, for people; `None`: that is Spark's to know."""
        if self.mqtt is not None:
            return f"{', '.join(self.mqtt.topics)} of {self.mqtt.server}"
        if self.kafka is None:
            return self.path
        return f"the topics {self.kafka.pattern or ', '.join(self.kafka.topics)}"

    @property
    def closed(self) -> str | None:
        """Why no event can be posted to it; `None`: it is a folder that keeps nothing that was read."""
        if self.mqtt is not None:
            return "has its events from a broker of MQTT"
        if self.kafka is not None or self.format != "json" or self.path is None:
            return "reads no folder of JSON"
        options = {name.lower(): value.lower() for name, value in self.options().items()}
        if _GLOB & set(self.path) or "://" in self.path or options.get("multiline") == "true":
            return "reads no plain folder of JSON lines"
        if options.get("cleansource") != "delete":
            return "keeps what it has read, so nobody knows what waits"
        return None

    def options(self) -> dict[str, str]:
        """Options for Spark's reader: its names, its values as text."""
        extra = self.model_extra or {}
        return {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in extra.items()}
