"""The χ-CEP documents that a project names."""

from __future__ import annotations

import glob
from pathlib import Path

from ..config import Settings
from ..errors import ConfigError, PipelineError, Place

__all__ = ["query_files", "read_document"]


def query_files(settings: Settings) -> list[Path]:
    """Return the files of `[queries]`, pattern by pattern, in alphabetical order.

    Raises:
        ConfigError: a pattern that no file matches.
    """
    found: list[Path] = []
    for pattern in settings.queries.files:
        files = sorted(Path(name) for name in glob.glob(str(settings.path(pattern)), recursive=True))  # noqa: PTH207 - absolute patterns
        if not files:
            raise ConfigError(
                f"queries.files: no file matches '{pattern}'",
                place=Place(settings.file),
                hint=f"patterns start from {settings.root}",
            )
        found += [file for file in files if file not in found]
    return found


def read_document(path: Path) -> str:
    """Return the text of a query file.

    Raises:
        PipelineError: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise PipelineError(
            f"cannot read {path}: {error.strerror}", hint="name a file with χ-CEP queries or SPARQL"
        ) from error
    except UnicodeDecodeError as error:
        raise PipelineError(f"cannot read {path}: no UTF-8", hint="save it as UTF-8") from error
