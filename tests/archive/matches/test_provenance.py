"""What made the matches of a query, kept before rows name it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from kaicep.archive.matches import MatchLog, Provenance
from kaicep.errors import ArchiveError
from kaicep.storage import write_mirrored
from support.found import ORIGIN, TYPES, matches


def test_an_origin_that_cannot_be_kept_keeps_no_match(tmp_path: Path) -> None:
    log = MatchLog(tmp_path)
    (tmp_path / "origins").write_text("in the way")
    with pytest.raises(ArchiveError) as error:
        log.append(0, [(ORIGIN, matches([1]))])
    place = tmp_path / "origins" / f"{ORIGIN.digest}.json"
    assert str(error.value) == (
        f"{place}: cannot write what a query's matches come from: File exists: "
        "free some space or choose another path under [archive]"
    )
    assert log.log.positions() == []
    log.close()


def test_items_stay_in_the_order_of_select(tmp_path: Path) -> None:
    ORIGIN.keep(tmp_path)
    assert list(Provenance.read(tmp_path, ORIGIN.digest).items) == list(TYPES) != sorted(TYPES)


def test_items_that_an_earlier_version_sorted_are_put_in_order(tmp_path: Path) -> None:
    """Under the same digest, since rows name it."""
    written = json.dumps(asdict(ORIGIN), sort_keys=True).encode()
    write_mirrored(tmp_path / f"{ORIGIN.digest}.json", written)
    assert list(Provenance.read(tmp_path, ORIGIN.digest).items) == sorted(TYPES)
    ORIGIN.keep(tmp_path)
    assert list(Provenance.read(tmp_path, ORIGIN.digest).items) == list(TYPES)
