"""NGSI-LD: entities with properties and relationships, as records of what was observed at the same time.

Source: ETSI GS CIM 009, §4.5 (entities, properties, relationships), §5.3.1 (notifications).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

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
_TIME = "observedAt"


def ngsi_ld_records(document: object) -> list[dict[str, Any]]:
    """The records of entities: `id`, `type`, an attribute for each property, and the time, `observedAt`.

    Attributes that were observed at different times are records of their own, in order of time, each with those that
    have no time. The unit of an attribute is another, `NAME_unitCode`. What is nested is written as JSON.

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
    timeless: dict[str, Any] = {}
    observed: dict[str, dict[str, Any]] = {}
    for name, attribute in entity.items():
        if name in _OWN:
            continue
        for moment, columns in _attribute(name, attribute):
            (timeless if moment is None else observed.setdefault(moment, {})).update(columns)
    for moment in sorted(observed):
        yield {**head, **timeless, **observed[moment], _TIME: moment}
    if not observed:
        yield {**head, **timeless}


def _attribute(name: str, attribute: object) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """Time and columns of an attribute, of each of its instances."""
    if isinstance(attribute, list) and attribute and all(_is_instance(one) for one in attribute):
        for one in attribute:
            yield from _attribute(name, one)
        return
    if not isinstance(attribute, dict) or not _is_instance(attribute):
        yield None, {name: _plain(attribute)}  # simplified
        return
    key = _VALUES.get(_kind(attribute)) or next(key for key in _VALUES.values() if key in attribute)
    if key not in attribute:
        message = f"'{name}' has no {key}"
        raise ValueError(message)
    unit = {} if "unitCode" not in attribute else {f"{name}_unitCode": attribute["unitCode"]}
    dataset = {} if "datasetId" not in attribute else {f"{name}_datasetId": attribute["datasetId"]}
    moment = attribute.get(_TIME)
    yield (None if moment is None else str(moment)), {name: _plain(attribute[key]), **unit, **dataset}


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
