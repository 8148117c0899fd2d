"""How far a job is follows from its stage, and the share of it that is done."""

from __future__ import annotations

import pytest
from kaicep.server.jobs import CHART, JobKind
from kaicep.server.jobs.job_kind import TRIAL

UPLOAD = JobKind("upload", {"parsing": 0.25, "reasoning": 0.5, "writing": 0.25})


@pytest.mark.parametrize(
    ("stage", "share", "far"),
    [("parsing", 0.0, 0.0), ("parsing", 0.5, 0.125), ("reasoning", 0.0, 0.25), ("writing", 1.0, 1.0)],
)
def test_stages_follow_each_other(stage: str, share: float, far: float) -> None:
    assert UPLOAD.progress(stage, share) == pytest.approx(far)


def test_of_other_stages_nobody_knows() -> None:
    assert UPLOAD.progress("waiting", 0.5) is None
    assert JobKind("question", {}).progress("answering", 0.0) is None


@pytest.mark.parametrize("kind", [TRIAL, CHART])
def test_the_stages_are_all_of_it(kind: JobKind) -> None:
    assert sum(kind.stages.values()) == pytest.approx(1.0)
