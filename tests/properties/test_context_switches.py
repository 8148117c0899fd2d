"""Each part of the optimiser of contexts can be switched off, and no row changes."""

from __future__ import annotations

import pytest
from kaicep.settings import ContextSettings
from support.cases import difference
from support.context_families import FAMILIES, case, contexts_project
from support.sampling import some_of

SWITCHES = tuple(ContextSettings.model_fields)


def check(family: str, seed: int, switch: str) -> bool:
    """Compare to the last bit; whether there are rows."""
    one = case(family, seed)
    on, off = (list(contexts_project(one.lateness, o).evaluate(one.text, one.streams)) for o in (None, switch))
    found = difference(off, on, 0)
    assert found is None, f"{one}without {switch}\n{found}"
    assert [row["_id"] for row in off] == [row["_id"] for row in on]
    return bool(on)


@pytest.mark.parametrize("switch", SWITCHES)
@pytest.mark.parametrize("family", some_of(FAMILIES, 3))
def test_rows_are_the_same_with_each_part_and_without(family: str, switch: str) -> None:
    answers = [check(family, seed, switch) for seed in range(2)]
    assert any(answers), "none of the cases has rows"


@pytest.mark.long
@pytest.mark.parametrize("switch", SWITCHES)
@pytest.mark.parametrize("family", FAMILIES)
def test_rows_are_the_same_in_the_long_run(family: str, switch: str) -> None:
    answers = [check(family, seed, switch) for seed in range(2, 300)]
    assert any(answers), "none of the cases has rows"
