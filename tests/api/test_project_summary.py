"""What Python and notebooks show of a project."""

from __future__ import annotations

import pytest
from kaicep import Project
from support.result_rows import project

STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}}


def test_a_project_is_a_line() -> None:
    assert repr(project()) == "<Project project: 1 stream (air); knowledge of 0 modules, 4 triples with what follows>"


@pytest.mark.parametrize(
    ("number", "said"), [(0, "no streams"), (2, "2 streams (s0, s1)"), (7, "7 streams (s0, s1, s2, s3, s4 and 2 more)")]
)
def test_streams_are_named_as_far_as_a_line_goes(number: int, said: str) -> None:
    given = Project.parse({"streams": {f"s{n}": STREAM for n in range(number)}})
    assert f": {said};" in repr(given)


def test_notebooks_show_the_attributes_with_types_and_units() -> None:
    shown = project()._repr_html_()
    assert "<td>air</td><td>urn:Reading</td>" in shown
    assert "<b>ppm</b> (double, unit:PPM)" in shown
    assert "<b>at</b> (dateTime)" in shown
