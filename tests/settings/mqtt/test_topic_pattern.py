"""Patterns of topics: what they fit, and what they call the levels."""

from __future__ import annotations

import pytest
from kaicep.settings.mqtt import TopicPattern


@pytest.mark.parametrize(
    ("text", "told", "topic", "values"),
    [
        ("building/{room}/+/{kind}", "building/+/+/+", "building/B1/x/co2", {"room": "B1", "kind": "co2"}),
        ("building/{room}/+/{kind}", "building/+/+/+", "building/B1/x", None),
        ("building/{room}/+/{kind}", "building/+/+/+", "building/B1/x/co2/raw", None),
        ("building/{room}/+/{kind}", "building/+/+/+", "Building/B1/x/co2", None),
        ("zigbee2mqtt/{device#}", "zigbee2mqtt/#", "zigbee2mqtt/hall/lamp", {"device": "hall/lamp"}),
        ("zigbee2mqtt/{device#}", "zigbee2mqtt/#", "zigbee2mqtt", {"device": ""}),
        ("a/#", "a/#", "a/b/c", {}),
        ("a", "a", "a", {}),
        ("{a}/b", "+/b", "/b", {"a": ""}),
        ("{a#}", "#", "$SYS/uptime", None),
        ("$SYS/{what}", "$SYS/+", "$SYS/uptime", {"what": "uptime"}),
    ],
)
def test_what_a_pattern_fits(text: str, told: str, topic: str, values: dict[str, str] | None) -> None:
    pattern = TopicPattern.parse(text)
    assert pattern.filter == told
    assert pattern.values(topic) == values


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "a topic has 1 to 65,535 bytes"),
        ("a/" + "x" * 65_535, "a topic has 1 to 65,535 bytes"),
        ("a/#/b", "# stands for all levels that are left, so it is the last one"),
        ("{a#}/b", "# stands for all levels that are left, so it is the last one"),
        ("a/b+", "'b\\+' is no level"),
        ("a/room-{r}", "'room-{r}' is no level"),
        ("{r}/{r}", "two of its levels have the same name"),
        ("$share/g/a", "gives each message to somebody else"),
    ],
)
def test_what_is_no_pattern(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        TopicPattern.parse(text)
