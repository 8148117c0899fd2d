"""Queries that are answered with others whose states lie in shards are told what to do."""

from __future__ import annotations

import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.distribution.registration_limits import refuse_joining
from support.shards import PROJECT

A = "CREATE QUERY a AS SELECT ?e.id AS id FROM (?e, P)"
B = "CREATE QUERY b AS SELECT ?a.id AS id FROM (?a, a)"


def test_states_that_cannot_be_brought_together_stay_apart() -> None:
    _, b = PROJECT.registrations(f"{A};\n{B}", "q")
    refuse_joining([b], [])
    refuse_joining([], ["a"])
    with pytest.raises(PipelineError, match=r"'b' reads or decides what 'a' gives.*in shards.*set archive.enabled"):
        refuse_joining([b], ["a"])
