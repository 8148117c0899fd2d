"""Each kind that the project file may name is there."""

from __future__ import annotations

from typing import get_args

from kaicep.pipeline.sources.payloads.payload_table import PAYLOADS
from kaicep.settings.source_settings import Payload


def test_what_may_be_named_is_there() -> None:
    assert {"json", *PAYLOADS} == set(get_args(Payload))
