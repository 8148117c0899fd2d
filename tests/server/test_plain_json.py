"""Values look as sinks write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from kaicep.server.plain_json import plain_value

NINE = datetime(2026, 1, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (NINE, "2026-01-01T09:00:00Z"),
        (NINE + timedelta(milliseconds=5), "2026-01-01T09:00:00.005Z"),
        (timedelta(seconds=-1.5), "-PT1.5S"),
        (timedelta(0), "PT0S"),
        (timedelta(hours=1), "PT3600S"),
        (float("nan"), None),
        (float("-inf"), None),
        ({"start": NINE, "n": (1, 2.5, True)}, {"start": "2026-01-01T09:00:00Z", "n": [1, 2.5, True]}),
        (None, None),
    ],
)
def test_values(value: object, plain: object) -> None:
    assert plain_value(value) == plain
