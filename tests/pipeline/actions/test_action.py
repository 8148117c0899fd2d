"""What is said of calls that were not handed on."""

from __future__ import annotations

from kaicep.pipeline.actions import DeliveryError


def test_nothing_is_assumed() -> None:
    error = DeliveryError("no room")
    assert (str(error), error.reason) == ("no room", "no room")
    assert (error.delivered, error.refused, error.hopeless, error.after) == (0, False, False, None)
