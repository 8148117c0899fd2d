"""The state of the operators may be lost before any batch: no row is lost, and none comes twice."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.cases import KINDS, Case, cases, difference, pattern_cases
from support.dataflows import run
from support.lost_states import answer_with_losses, losses, stretched
from support.queries import FAMILIES

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
MEMORY = Path("/dev/shm")  # noqa: S108 - hundreds of archives are made, and none has to survive


@pytest.fixture(autouse=True)
def _in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(MEMORY) if MEMORY.is_dir() else gettempdir())


def unchanged(data: st.DataObject, family: str) -> None:
    """Lose the state of a case, and compare; the streams last longer than most windows."""
    case: Case = data.draw(cases(family) if family in FAMILIES else pattern_cases(family))
    case = stretched(case, data.draw(st.sampled_from((1, 2, 3))), timedelta(seconds=30))
    cut, lost = data.draw(losses(case))
    with TemporaryDirectory(prefix="kaicep-") as folder:
        found, said = answer_with_losses(case, cut, lost, Path(folder))
    expected = run(case, cut, set())
    different = difference(found, expected, 0)
    assert different is None, (different, said)
    assert [row["_id"] for row in found] == [row["_id"] for row in expected], said


@settings(max_examples=3, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_a_lost_state_changes_nothing(data: st.DataObject) -> None:
    unchanged(data, data.draw(st.sampled_from((*FAMILIES, *KINDS))))


@pytest.mark.long
@pytest.mark.parametrize("family", [*FAMILIES, *KINDS])
@settings(max_examples=300, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_a_lost_state_changes_nothing_in_the_long_run(family: str, data: st.DataObject) -> None:
    unchanged(data, family)
