"""Secrets: the project file says where they are found, and nothing else says what they are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator

from ..errors import ConfigError, Place

__all__ = ["Secret", "found_secret"]


def _secret(text: object) -> object:
    """`env:NAME` or `file:PATH`; what is a secret itself is refused, and not repeated."""
    if text is None or (isinstance(text, str) and text.startswith(("env:", "file:")) and not text.endswith(":")):
        return text
    message = 'secrets do not stand in the project file; write "env:NAME" or "file:PATH" for where this one is found'
    raise ValueError(message)


Secret = Annotated[str | None, BeforeValidator(_secret)]
"""Where a secret is found: `env:NAME` or `file:PATH`."""


def found_secret(key: str, text: str, root: Path, file: str) -> str:
    """A value as it is, or as the environment variable or the file has it that it names.

    Args:
        key: of the value in the project file, for messages.
        text: `env:NAME`, `file:PATH`, or the value itself.
        root: folder of the project file, from which paths start.
        file: the name of the project file.

    Raises:
        ConfigError: there is no such variable, or the file cannot be read.
    """
    where, colon, name = text.partition(":")
    if not colon or where not in ("env", "file"):
        return text
    place = Place(file)
    if where == "env":
        if name not in os.environ:
            hint = f"export {name}=… before kaicep begins"
            raise ConfigError(f"{key}: the environment has no variable '{name}'", place=place, hint=hint)
        return os.environ[name]
    try:
        return Path(root, name).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "it is no text"
        hint = "name a file that kaicep may read"
        raise ConfigError(f"{key}: cannot read {name}: {said}", place=place, hint=hint) from error
