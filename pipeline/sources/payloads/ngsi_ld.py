"""NGSI-LD: entities with properties and relationships, as records of what was observed at the same time.

Source: ETSI GS CIM 009, §4.5 (entities, properties, relationships), §5.3.1 (notifications).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

__all__ = ["ngsi_ld_records"]

_VALUES = {
    "Property": "value",
    "GeoProperty": "value",
    "Relationship": "object",
    "LanguageProperty": "languageMap",
    "VocabProperty": "vocab",
    "JsonProperty": "json",
    "ListProperty": "valueList",
    "ListRelationship": "objectList",
}
_OWN = frozenset({"id", "type", "@context", "scope", "createdAt", "modifiedAt", "deletedAt"})
_TIME, _DATASET = "observedAt", "datasetId"
_BESIDE = ("unitCode", _DATASET)

_Instance: TypeAlias = tuple[str, str]
"""When something was observed, and in which dataset of which attribute, if it says so: what has that in common is one
record."""
_SHARED: _Instance = ("", "")


def ngsi_ld_records(document: object) -> list[dict[str, Any]]:
    """The records of entities: `id`, `type`, an attribute for each property, and the time, `observedAt`.

    Attributes that were observed at different times are records of their own, in order of time, and so are the
    instances of an attribute from different datasets; each has what has neither time nor dataset. The unit of an
    attribute is another, `NAME_unitCode`, and so is its dataset. What is nested is written as JSON.

    Args:
        document: an entity, an array of them, or a notification; normalised, concise, or simplified.

    Raises:
        ValueError: it is none of these.
    """
    return [record for entity in _entities(document) for record in _of_entity(entity)]


def _entities(document: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(document, dict) and document.get("type") == "Notification" and "data" in document:
        document = document["data"]
    for number, entity in enumerate(document if isinstance(document, list) else [document], start=1):
        if not isinstance(entity, dict) or not isinstance(entity.get("id"), str) or "type" not in entity:
            message = f"entity {number} is no object with id and type"
            raise ValueError(message)
        yield entity


def _of_entity(entity: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    kind = entity["type"]
    head = {"id": entity["id"], "type": kind if isinstance(kind, str) else json.dumps(kind)}
    shared: dict[str, Any] = {}
    apart: dict[_Instance, dict[str, Any]] = {}
    for name, attribute in entity.items():
        if name in _OWN:
            continue
        for instance, columns in _attribute(name, attribute):
            (shared if instance == _SHARED else apart.setdefault(instance, {})).update(columns)
    for instance in sorted(apart):
        yield {**head, **shared, **apart[instance]}
    if not apart:
        yield {**head, **shared}


def _attribute(name: str, attribute: object) -> Iterator[tuple[_Instance, dict[str, Any]]]:
    """Where the columns of an attribute belong, for each of its instances."""
    if isinstance(attribute, list) and attribute and all(_is_instance(one) for one in attribute):
        for one in attribute:
            yield from _attribute(name, one)
        return
    if not isinstance(attribute, dict) or not _is_instance(attribute):
        yield _SHARED, {name: _plain(attribute)}  # simplified
        return
    key = _VALUES.get(_kind(attribute)) or next(key for key in _VALUES.values() if key in attribute)
    if key not in attribute:
        message = f"'{name}' has no {key}"
        raise ValueError(message)
    columns = {name: _plain(attribute[key])}
    columns |= {f"{name}_{more}": attribute[more] for more in _BESIDE if more in attribute}
    moment, dataset = attribute.get(_TIME), attribute.get(_DATASET)
    if moment is not None:
        columns[_TIME] = str(moment)
    yield ("" if moment is None else _instant(str(moment)), "" if dataset is None else f"{name} {dataset}"), columns


def _instant(moment: str) -> str:
    """The same text for the same instant, however it is written; what is none is itself."""
    try:
        found = datetime.fromisoformat(moment)
        return moment if found.tzinfo is None else found.astimezone(UTC).isoformat()
    except (ValueError, OverflowError):  # none, or one beyond the years 1 to 9999
        return moment


def _is_instance(attribute: object) -> bool:
    """Whether it is a property or relationship, and not a value that happens to be an object."""
    if not isinstance(attribute, dict):
        return False
    return _kind(attribute) in _VALUES or not attribute.keys().isdisjoint(_VALUES.values())


def _kind(attribute: Mapping[str, Any]) -> str:
    """What it says that it is; nothing where that is no text."""
    kind = attribute.get("type")
    return kind if isinstance(kind, str) else ""


def _plain(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
