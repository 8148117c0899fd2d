"""Rows as HTML: escaped, shortened, counted."""

from __future__ import annotations

from datetime import UTC, datetime

from kaicep.pipeline.results.html_table import html_table

PREFIXES = {"b": "urn:brick:"}


def test_values_are_escaped_and_shortened() -> None:
    rows = [{"who": "urn:brick:Room", "x": 1.23456789, "ok": True, "note": "<b>", "_id": "i", "_events": {}}]
    found = html_table(rows, list(rows[0]), 1, PREFIXES)
    assert '<td title="urn:brick:Room">b:Room</td>' in found
    assert '<td style="text-align: right">1.23457</td>' in found
    assert "<td>true</td>" in found
    assert "<td>&lt;b&gt;</td>" in found
    assert "_events" not in found
    assert "<caption>1 row</caption>" in found


def test_what_is_not_shown_is_counted() -> None:
    rows = [{"_time": datetime(2026, 1, 1, tzinfo=UTC)}] * 2
    found = html_table(rows, ["_time"], 1200, {})
    assert "<caption>1,200 rows, the first 2 shown</caption>" in found
    assert found.count("<td>2026-01-01T00:00:00Z</td>") == 2
