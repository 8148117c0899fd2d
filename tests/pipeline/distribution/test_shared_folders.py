"""What executors do not reach is told before the first batch."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.distribution.shared_folders import reach_part
from kaicep.storage import LocalFolder
from support.shards import hosted_of


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    reach_part(hosted_of(), [tmp_path], LocalFolder(tmp_path), "reach")
    with pytest.raises(PipelineError, match=r"the executor on .* does not reach .*missing: name a folder that all"):
        reach_part(hosted_of(), [tmp_path, tmp_path / "missing"], LocalFolder(tmp_path), "reach")
