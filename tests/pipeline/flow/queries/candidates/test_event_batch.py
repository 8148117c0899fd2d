"""The events of a batch are converted once, and what PATHs leave of them is copied once."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import cast

import numpy as np
import pyarrow as pa
from kaicep.expressions import Ints
from kaicep.pipeline.flow.queries.candidates import EventBatch
from kaicep.semfilter import SemanticFilter

_EVENTS = pa.table({"_id": ["a", "b", "c"], "speed": [1, 2, 3]})


@dataclass
class _Paths:
    """Say where events stand that are fast."""

    found: Ints
    shared: Hashable = "fast"

    def places(self, *_: object) -> Ints:
        return self.found


def test_a_part_is_made_once() -> None:
    """Whoever has the same PATHs is given the same frame; FILTERs leave rows of it."""
    batch = EventBatch(_EVENTS)
    part = batch.part(cast("SemanticFilter", _Paths(np.array([1, 2]))))
    assert batch.part(cast("SemanticFilter", _Paths(np.array([0, 1, 2])))) is part
    assert part.places.tolist() == [1, 2]
    assert part.frame(("_id",), None) is part.frame(("_id",), np.array([False, True, True]))
    assert part.frame(("_id",), np.array([True, True, False])).rows() == [("b",)]
    assert part.frame(("_id", "speed"), np.array([True, False, False])).height == 0


def test_columns_are_given_in_the_order_that_is_asked_for() -> None:
    """Whichever of them were converted before."""
    batch = EventBatch(_EVENTS)
    assert batch.frame(["speed"]).columns == ["speed"]
    assert batch.frame(["speed", "_id"]).rows() == [(1, "a"), (2, "b"), (3, "c")]
