"""Checking a document as somebody types it: each fault with its place, by lines and columns."""

from __future__ import annotations

from dataclasses import dataclass

import pyoxigraph as ox

from ...api import Project
from ...config import Settings
from ...errors import KaicepError, PipelineError
from ...language.checks import asks_of_states
from ...language.nodes import Query
from ...pipeline import labelled, queries_read
from ...pipeline.asking import compile_asked
from ...pipeline.control import SubmittedQueries, folder_of, idle_warnings, registered_at_start

__all__ = ["CheckedText", "TextProblem", "check_text"]


@dataclass(frozen=True, slots=True)
class TextProblem:
    """What is wrong with a text, and where.

    Attributes:
        message: what is wrong.
        hint: the way out.
        line: counted from 1.
        column: likewise, in characters.
        end_line: of the first character behind what is meant.
        end_column: likewise.
        text: all of that as the command line shows it, with the caret.
    """

    message: str
    hint: str | None
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True, slots=True)
class CheckedText:
    """What a check has found.

    Attributes:
        valid: whether it could be submitted, or asked.
        asked: whether it asks states, and is for `/ask`.
        problems: what has to be mended: the first fault.
        warnings: what may be wrong, such as names that nobody has.
        columns: of the rows of its last query.
    """

    valid: bool
    asked: bool = False
    problems: tuple[TextProblem, ...] = ()
    warnings: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


def check_text(_: ox.Store, settings: Settings, text: str) -> CheckedText:
    """Check a χ-CEP document against a project.

    Args:
        settings: of the project.
        text: queries, rules, contexts; or one query that asks states.

    Raises:
        ConfigError, OntologyError, AnnotationError: not the text is wrong, but the project.
    """
    project = Project.of(settings)
    try:
        if asks_of_states(text):
            registered = registered_at_start(project, SubmittedQueries(folder_of(settings)).documents())
            asked = compile_asked(project, text, "query", [one.query for one in registered], ())
            return CheckedText(valid=True, asked=True, warnings=asked.warnings, columns=_columns(asked))
        known = queries_read(project, text)
        found = project.registrations(text, "query", known)
        idle = idle_warnings(project, labelled(known), found)
        if not found:
            raise PipelineError("the document has no query", hint="write one, such as SELECT …")
    except KaicepError as error:
        return CheckedText(valid=False, problems=(_problem(error, text),))
    warnings = [warning for one in found for warning in one.query.warnings]
    warnings += [line.removeprefix("warning: ") for line in idle]
    return CheckedText(valid=True, warnings=tuple(warnings), columns=_columns(found[-1].query))


def _columns(query: Query) -> tuple[str, ...]:
    return tuple(item.name for item in query.items if not item.hidden)


def _problem(error: KaicepError, text: str) -> TextProblem:
    """An error; one without a place is meant of the whole text."""
    place = error.place
    if place is None or not place.line:
        lines = text.split("\n")
        return TextProblem(error.message, error.hint, 1, 1, len(lines), len(lines[-1]) + 1, str(error))
    line, end = place.line, place.column + place.length
    return TextProblem(error.message, error.hint, line, place.column, line, end, str(error))
