"""Secrets are found where the project file says."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.errors import ConfigError
from kaicep.pipeline.actions.secret import resolved
from support.receivers import spec


def test_where_secrets_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "hush")
    (tmp_path / "token").write_text("hushhush\n")
    of = spec(tmp_path, command=["x"])
    assert [resolved(of, "k", text) for text in ("env:TOKEN", "file:token", "text/plain", "a:b")] == [
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
        resolved(spec(tmp_path, command=["x"]), "k", text)
    assert str(caught.value).startswith(message)
