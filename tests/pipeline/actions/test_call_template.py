"""Templates take values as they are, and only names."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.errors import ConfigError
from kaicep.pipeline.actions.call_template import CallTemplate
from support.receivers import call, spec


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{room}", "{rule}"),
        ("room {room}: {co2} ppm, {open}, {rule} {{x}}", "room {rule}: 1200.5 ppm, true, r {x}"),
        ("nothing", "nothing"),
        ("{list}", '["a", 1]'),
    ],
)
def test_values_are_put_in_once(tmp_path: Path, text: str, filled: str) -> None:
    template = CallTemplate.parse(spec(tmp_path, command=["x"]), "command.1", text)
    assert template.filled(call(room="{rule}", co2=1200.5, open=True, list=["a", 1])) == filled


def test_what_it_needs(tmp_path: Path) -> None:
    template = CallTemplate.parse(spec(tmp_path, command=["x"]), "command.1", "a {room} {co2}")
    assert template.names == {"room", "co2"}
    assert not template.begins_with_value


@pytest.mark.parametrize(
    "text", ["{room", "room}", "{}", "{0}", "{room.__class__}", "{room[0]}", "{room!r}", "{co2:.1f}"]
)
def test_what_is_no_template_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        CallTemplate.parse(spec(tmp_path, command=["x"]), "command.1", text)
    assert f"kaicep.toml: actions.ops.command.1: '{text}' is no template" in str(caught.value)
