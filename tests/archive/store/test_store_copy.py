"""A copy of a store: asked as the store was, and filled with what that lacked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kaicep.archive.sparql import Solutions, SparqlRequest
from kaicep.archive.store import BucketRange, OxigraphStore, encoder
from kaicep.archive.store.store_copy import StoreCopy
from kaicep.errors import ArchiveError
from support.archives import NINE, SHAPE, STREAM, readings

MINUTE = timedelta(minutes=1)
COUNT = "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }"


def copied(folder: Path, since: datetime | None = None) -> StoreCopy:
    """A copy of a store with the second minute of readings."""
    store = OxigraphStore(folder / "store", MINUTE)
    store.add(encoder({STREAM: SHAPE}, MINUTE)(STREAM, readings(60, first=60)))
    store.announce(NINE + MINUTE)
    store.backup(folder / "copy")
    store.close()
    return StoreCopy(folder / "copy", MINUTE, since)


def count(copy: StoreCopy) -> object:
    found = copy.answer(SparqlRequest(COUNT), {"e": "http://e/"})
    assert isinstance(found, Solutions)
    return found.rows[0][0]


def test_what_was_added_is_answered_and_lacks_no_more(tmp_path: Path) -> None:
    copy = copied(tmp_path)
    first_minute = SparqlRequest("ASK { }", end=NINE + MINUTE)
    lacking = copy.lacking(first_minute)
    assert lacking == BucketRange(None, NINE + MINUTE)
    assert count(copy) == 60
    with copy.scratch() as scratch:
        assert scratch is copy
        with copy.adding(lacking) as add:
            add(encoder({STREAM: SHAPE}, MINUTE)(STREAM, readings(60)))
            del add
    assert count(copy) == 120
    assert copy.lacking(first_minute) is None
    assert copy.lacking(SparqlRequest("ASK { }", start=NINE)) is None, "it is part of what was added"
    copy.close()


def test_what_fails_to_be_added_is_lacking_still(tmp_path: Path) -> None:
    copy = copied(tmp_path)
    request = SparqlRequest("ASK { }", end=NINE + MINUTE)
    lacking = copy.lacking(request)
    assert lacking is not None
    with pytest.raises(ArchiveError, match="too many"), copy.adding(lacking):
        raise ArchiveError("too many")
    assert copy.lacking(request) == lacking


def test_a_copy_may_be_told_from_when_on_it_has_events(tmp_path: Path) -> None:
    copy = copied(tmp_path, datetime.max.replace(tzinfo=UTC))
    end = NINE + 5 * MINUTE
    assert copy.lacking(SparqlRequest("ASK { }", start=NINE, end=end)) == BucketRange(NINE, end)
