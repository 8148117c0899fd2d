"""How readings lie in files: a row each, a column for each point, or a file for each sensor; whom their ids name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import polars as pl

from ...annotator.recognition import ColumnRoles, IdMatch, match_ids
from ...errors import PipelineError
from ...ontology import KnowledgeBase
from ...pipeline.sources import file_stem
from ..trials import EventSample

__all__ = ["ReadingLayout", "find_layout"]

Form = Literal["rows", "columns", "files"]
_VALUE_NAMES = re.compile(r"(?i)^(?:value|val|v|reading|result|measurement|data|present_?value|y)$")
_SHOWN = 3
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class ReadingLayout:
    """How readings lie in files.

    Attributes:
        form: `rows`: a row is a reading; `columns`: a column is a point; `files`: a file is a sensor.
        id: the attribute of the ids; a column where `form` is `rows`.
        values: the attributes of the values, and their XSD datatypes by local name.
        match: whom the ids name.
        points: the ids, in order.
    """

    form: Form
    id: str
    values: Mapping[str, str]
    match: IdMatch
    points: tuple[str, ...]


def find_layout(sample: EventSample, roles: ColumnRoles, model: KnowledgeBase, id_column: str | None) -> ReadingLayout:
    """Choose the layout by which most ids name an individual of the model.

    Args:
        sample: of the files.
        roles: of its columns.
        model: of the building.
        id_column: the column of the ids, if it is known.

    Raises:
        PipelineError: by none does any.
    """
    tried = [layout for layout in _layouts(sample, roles, model, id_column) if layout.match.named]
    if tried:
        return max(tried, key=lambda layout: (len(layout.match.named), layout.match.share))
    raise _nobody(sample, roles, model)


def _layouts(
    sample: EventSample, roles: ColumnRoles, model: KnowledgeBase, id_column: str | None
) -> Iterator[ReadingLayout]:
    columns = [id_column] if id_column is not None else [*roles.texts, *_integers(roles)]
    for column in columns:
        ids = tuple(pl.Series(sample.table[column].cast("string")).drop_nulls().unique(maintain_order=True))
        for match in match_ids(ids, model)[:1]:
            if column in roles.texts or match.share >= _HALF or id_column is not None:
                yield ReadingLayout("rows", column, _values(roles, column), match, ids)
    if id_column is None:
        numbers = tuple(name for name in roles.measured if name)
        points = numbers or tuple(name for name in roles.texts if name)
        kinds = {roles.types[name] for name in points}
        kind = kinds.pop() if kinds in ({"boolean"}, {"string"}) else "double"
        for match in match_ids(points, model)[:1]:
            yield ReadingLayout("columns", "point", {"value": kind}, match, points)
        stems = tuple(dict.fromkeys(file_stem(str(path)) for path in sample.files))
        for match in match_ids(stems, model)[:1]:
            yield ReadingLayout("files", "point", _values(roles, ""), match, stems)


def _integers(roles: ColumnRoles) -> list[str]:
    return [name for name, kind in roles.types.items() if kind == "integer" and not _VALUE_NAMES.match(name)]


def _values(roles: ColumnRoles, id_column: str) -> dict[str, str]:
    """The columns of values: the one that is called so, else all numbers, else texts."""
    others = {name: kind for name, kind in roles.types.items() if name != id_column and name[:1] not in {"", "_", "?"}}
    called = {name: kind for name, kind in others.items() if _VALUE_NAMES.match(name)}
    numbers = {name: kind for name, kind in others.items() if kind in {"double", "integer", "boolean"}}
    numbers = dict(sorted(numbers.items(), key=lambda item: item[1] != "double"))
    kept = called or numbers or {name: kind for name, kind in others.items() if kind == "string"}
    return {name: "double" if kind == "integer" else kind for name, kind in kept.items()}


def _nobody(sample: EventSample, roles: ColumnRoles, model: KnowledgeBase) -> PipelineError:
    """What was looked for, and what the model has instead."""
    looked = [f"the values of '{name}' ({_some(sample, name)})" for name in roles.texts[:_SHOWN]]
    columns = [repr(name) for name in roles.types][:_SHOWN]
    looked += [f"the columns ({', '.join(columns)}, …)", f"the file's name ({file_stem(str(sample.files[0]))})"]
    names = sorted(model.individuals_below("", typed=True))[:_SHOWN]
    return PipelineError(
        f"{sample.path}: nothing in it names an individual of the model: neither {', nor '.join(looked)}",
        hint=f"the model has {', '.join(f'<{iri}>' for iri in names)}, …; add to it what your ids are called, as "
        "brick:timeseriesId or rdfs:label, or name the column of the ids with --id",
    )


def _some(sample: EventSample, column: str) -> str:
    values = pl.Series(sample.table[column].cast("string")).drop_nulls().unique(maintain_order=True)
    return ", ".join(repr(value) for value in values[:_SHOWN]) + (", …" if len(values) > _SHOWN else "")
