"""What is found out of a batch once, and what conditions that say the same have in common."""

from __future__ import annotations

import numpy as np
import pytest
from kaicep import Project
from kaicep.semfilter.runtime.batch_verdicts import BatchVerdicts, condition_key

STREAM = {
    "event_type": "<urn:R>",
    "time": {"attribute": "at"},
    "attributes": {"x": {"datatype": "xsd:integer"}, "y": {"datatype": "xsd:integer"}},
}


def test_a_mask_is_found_once() -> None:
    known = BatchVerdicts()
    first = known.mask("x > 1", lambda: np.array([True, False]))
    assert known.mask("x > 1", lambda: np.array([False, False])) is first
    assert known.mask("x > 2", lambda: np.array([False, False])) is not first


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("(?e.x > 1)", "(?other.x  >  1)", True),
        ("(?e.x > 1)", "(?e.x > 1.0)", False),
        ("(?e.x > 1)", "(?e.x >= 1)", False),
        ("(?e.x > 1)", "(?e.y > 1)", False),
        ("(?e.x IN (1, 2))", "(?f.x IN (1, 2))", True),
        ("(ABS(?e.x) > 1)", "(ABS(?f.x) > 1)", True),
        ("(?e.x - 1 > ?e.y)", "(?e.y - 1 > ?e.x)", False),
    ],
)
def test_conditions_say_the_same_whatever_the_variable_is_called(one: str, other: str, same: bool) -> None:
    project = Project.parse({"streams": {"air": STREAM}})
    keys = []
    for test in (one, other):
        variable = test.partition("?")[2].partition(".")[0]
        (query,) = project.compile(f"SELECT ?{variable}.x FILTER {test}")
        keys.append(condition_key(query.sources[0].filters[0]))
    assert (keys[0] == keys[1]) is same
