"""The χ-CEP documents that a project names."""

from __future__ import annotations

import glob
from contextlib import suppress
from pathlib import Path

from ..config import Settings
from ..errors import ConfigError, KaicepError, PipelineError, Place
from ..language.checks import declared_sets
from ..language.nodes import ContextSet, Vocabulary
from ..language.syntax import parse_document
from ..language.syntax_tree import ContextSetDeclaration

__all__ = ["context_sets", "query_files", "read_document"]


def query_files(settings: Settings) -> list[Path]:
    """Return the files of `[queries]`, pattern by pattern, in alphabetical order.

    Raises:
        ConfigError: a pattern that no file matches.
    """
    found: dict[Path, None] = {}
    for pattern in settings.queries.files:
        files = sorted(Path(name) for name in glob.glob(str(settings.path(pattern)), recursive=True))  # noqa: PTH207 - absolute patterns
        if not files:
            raise ConfigError(
                f"queries.files: no file matches '{pattern}'",
                place=Place(settings.file),
                hint=f"patterns start from {settings.root}",
            )
        found |= dict.fromkeys(files)
    return list(found)


def context_sets(settings: Settings, vocabulary: Vocabulary, besides: str = "") -> tuple[ContextSet, ...]:
    """Return the sets of contexts that files of `[queries]` declare, whatever is wrong with their queries.

    Args:
        settings: of the project.
        vocabulary: its streams, which say of what types keys are.
        besides: a document that goes before them: its own sets are not looked for, and none where it speaks of none.
    """
    if besides and not _may_speak_of_contexts(besides):
        return ()  # all files are not read for each of them
    texts: list[tuple[str, str]] = []
    with suppress(KaicepError):  # what is wrong with a file is for `check` to tell
        texts = [(read_document(path), str(path)) for path in query_files(settings)]
    found: list[ContextSet] = []
    for text, source in texts:
        if _may_speak_of_contexts(text):
            with suppress(KaicepError):
                found += declared_sets(text, vocabulary, source)
    if not found:
        return ()
    with suppress(KaicepError):
        own = {part.name.text for part in parse_document(besides) if isinstance(part, ContextSetDeclaration)}
        return tuple(each for each in found if each.name not in own)
    return ()


def _may_speak_of_contexts(text: str) -> bool:
    return "CONTEXT" in text.upper()


def read_document(path: Path) -> str:
    """Return the text of a query file.

    Raises:
        PipelineError: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise PipelineError(
            f"cannot read {path}: {error.strerror}", hint="name a file with χ-CEP queries or SPARQL"
        ) from error
    except UnicodeDecodeError as error:
        raise PipelineError(f"cannot read {path}: no UTF-8", hint="save it as UTF-8") from error
