"""Secrets are found where the project file says."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.errors import ConfigError
from kaicep.settings import found_secret


def test_where_secrets_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "hush")
    (tmp_path / "token").write_text("hushhush\n")
    assert [found_secret("k", text, tmp_path, "f") for text in ("env:TOKEN", "file:token", "text/plain", "a:b")] == [
        "hush",
        "hushhush",
        "text/plain",
        "a:b",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("env:NO_SUCH", "kaicep.toml: actions.ops.k: the environment has no variable 'NO_SUCH': export NO_SUCH=…"),
        ("file:nowhere", "kaicep.toml: actions.ops.k: cannot read nowhere: No such file or directory"),
        ("file:bytes", "kaicep.toml: actions.ops.k: cannot read bytes: it is no text"),
    ],
)
def test_where_they_are_not(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff")
    with pytest.raises(ConfigError) as caught:
        found_secret("actions.ops.k", text, tmp_path, "kaicep.toml")
    assert str(caught.value).startswith(message)
