"""Classes, level by level."""

from __future__ import annotations

import pyoxigraph as ox
import pytest
from kaicep.config import Settings
from kaicep.server.knowledge.class_tree import class_level
from kaicep.server.problem import ProblemError

NONE = ox.Store()


def test_levels_of_classes(known: Settings) -> None:
    top = {one["iri"]: one for one in class_level(NONE, known, None)}
    assert set(top) == {"urn:ex:Space", "urn:ex:Sensor"}
    space = top["urn:ex:Space"]
    assert (space["label"], space["individuals"], space["direct"], space["subclasses"]) == ("space", 2, 0, True)
    assert not top["urn:ex:Sensor"]["subclasses"]
    (room,) = class_level(NONE, known, "urn:ex:Space")
    assert (room["label"], room["individuals"], room["direct"]) == ("room", 2, 1)
    (lab,) = class_level(NONE, known, "urn:ex:Room")
    assert (lab["prefixed"], lab["label"], lab["individuals"], lab["subclasses"]) == ("ex:Lab", None, 1, False)
    assert class_level(NONE, known, "urn:ex:Lab") == []


@pytest.mark.parametrize(("parent", "status"), [("urn:ex:Nobody", 404), ("no iri", 400)])
def test_a_class_that_is_none(known: Settings, parent: str, status: int) -> None:
    with pytest.raises(ProblemError) as problem:
        class_level(NONE, known, parent)
    assert problem.value.status == status
