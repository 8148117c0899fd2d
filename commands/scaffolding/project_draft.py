"""What is found out of a model, readings and options, before anything is written."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from ...annotator import cast_time
from ...annotator.recognition import ColumnRoles
from ...config import TimeSettings
from ...errors import ConfigError, PipelineError
from ...ontology.modules.syntaxes import SUFFIXES
from ...settings import EPOCHS
from ...storage import uncompressed_name
from ..trials import EventSample, roles_of
from .building_model import BuildingModel
from .project_file import ProjectDraft
from .reading_layout import find_layout

__all__ = ["InitOptions", "draft_project"]

_MODELS = {suffix for suffix in SUFFIXES if suffix != ".json"}
_READINGS = {".csv", ".tsv", ".jsonl", ".ndjson", ".parquet"}


@dataclass(frozen=True, slots=True)
class InitOptions:
    """What somebody knows better than the recognition.

    Attributes:
        time: the column of the time stamps.
        id: the column of the ids.
        time_format: how time stamps are written.
        timezone: of time stamps that name none.
    """

    time: str | None = None
    id: str | None = None
    time_format: str | None = None
    timezone: str | None = None


def draft_project(models: Sequence[Path], events: Path, folder: Path, options: InitOptions) -> ProjectDraft:
    """Find out how readings and model go together.

    Raises:
        KaicepError: a file cannot be read, or nothing in the readings names anything in the model.
    """
    _check(options)
    _check_order(models, events)
    sample = EventSample.of(events)
    for name in (options.time, options.id):
        if name is not None and name not in sample.table.column_names:
            columns = ", ".join(repr(column) for column in sample.table.column_names)
            raise PipelineError(f"{events} has no column '{name}'", hint=f"its columns are {columns}")
    roles = _roles(sample, options)
    model = BuildingModel.load(models)
    layout = find_layout(sample, roles, model.knowledge, options.id)
    zone = None if roles.written.format in EPOCHS else options.timezone
    ordered = len(sample.files) == 1 and sample.whole and _is_ordered(sample, roles, zone)
    return ProjectDraft(folder, model, sample, roles, layout, zone, ordered)


def _check(options: InitOptions) -> None:
    """Refuse a format or zone that is none, by the name of its option."""
    for option, key, text in (
        ("--time-format", "format", options.time_format),
        ("--timezone", "timezone", options.timezone),
    ):
        if text is None:
            continue
        try:
            TimeSettings.model_validate({"attribute": "", key: text})
        except ValidationError as error:
            said = error.errors()[0]["msg"].removeprefix("Value error, ")
            raise ConfigError(f"{option}: {said}") from error


def _check_order(models: Sequence[Path], events: Path) -> None:
    """Refuse a model in the place of the readings."""
    if events.suffix.lower() not in _MODELS:
        return
    readings = [path for path in models if Path(uncompressed_name(path.name)).suffix.lower() in _READINGS]
    hint = "name a file of readings last: CSV, Parquet or JSON"
    if readings:
        ordered = [path for path in (*models, events) if path not in readings] + readings
        hint = f"the files seem swapped: kaicep init {shlex.join(map(str, ordered))}"
    raise ConfigError(f"{events} is a model, and the readings come last", hint=hint)


def _roles(sample: EventSample, options: InitOptions) -> ColumnRoles:
    hint = "name the column with --time, and how it is written with --time-format, such as '%d.%m.%Y %H.%M'"
    roles = roles_of(sample, options.time, hint=hint)
    if options.time_format is not None:
        roles = replace(roles, written=replace(roles.written, format=options.time_format, rival=None))
    return roles


def _is_ordered(sample: EventSample, roles: ColumnRoles, timezone: str | None) -> bool:
    written = TimeSettings(attribute=roles.time, format=roles.written.format, timezone=timezone)
    return bool(cast_time(sample.table[roles.time], written).values.drop_nulls().is_sorted())
