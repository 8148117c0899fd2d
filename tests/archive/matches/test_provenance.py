"""What made the matches of a query, kept before rows name it."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.archive.matches import MatchLog
from kaicep.errors import ArchiveError
from support.found import ORIGIN, matches


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
