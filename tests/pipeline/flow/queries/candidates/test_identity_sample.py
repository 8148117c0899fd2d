"""Which events are in a sample follows from their identities alone."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from kaicep.pipeline.flow.queries.candidates import identity_sample
from kaicep.pipeline.flow.queries.candidates.identity_sample import looked_at
from oracle.shedding import is_looked_at

IDS = [f"urn:kaicep:event:air/s{n % 7}/2026-01-01T00:{n // 60:02d}:{n % 60:02d}Z" for n in range(3_000)]
ODD = ["x", "exactly8", "urn:\u00fcber/\U0001f600", "a" * 500]


@pytest.mark.parametrize("share", [0.5, 0.1, 0.001])
def test_it_is_that_of_the_definition(share: float) -> None:
    ids = pa.chunked_array([IDS[:10], [], ODD, IDS[10:]])
    assert looked_at(ids, share).tolist() == [is_looked_at(one, share) for one in ids.to_pylist()]


def test_it_is_about_the_share_and_the_smaller_one_lies_in_the_larger_one() -> None:
    ids = pa.chunked_array([IDS])
    tenth, fifth = looked_at(ids, 0.1), looked_at(ids, 0.2)
    assert 0.08 < np.mean(tenth) < 0.12
    assert 0.17 < np.mean(fifth) < 0.23
    assert not np.any(tenth & ~fifth)


def test_it_does_not_depend_on_how_events_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = looked_at(pa.chunked_array([IDS]), 0.3)
    monkeypatch.setattr(identity_sample, "_AT_ONCE", 1_000)
    assert looked_at(pa.chunked_array([IDS]).cast(pa.large_string()), 0.3).tolist() == whole.tolist()
    assert looked_at(pa.chunked_array([IDS]).slice(17, 40), 0.3).tolist() == whole[17:57].tolist()
    assert looked_at(pa.chunked_array([pa.array([], pa.string())]), 0.3).tolist() == []
