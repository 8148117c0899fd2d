"""Names that users give, as names of folders: never hidden, never somewhere else."""

from __future__ import annotations

from urllib.parse import quote, unquote

__all__ = ["folder_name", "name_of_folder"]


def folder_name(name: str) -> str:
    """The folder of a name: percent-encoded, never `.`, `..`, hidden or empty."""
    quoted = quote(name, safe="")
    return f"%2E{quoted[1:]}" if quoted.startswith(".") else quoted or "%"


def name_of_folder(folder: str) -> str:
    """The name whose folder this is."""
    return "" if folder == "%" else unquote(folder)
