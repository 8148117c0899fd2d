"""The examples of docs/language.md: queries, events in short, and what the page says that they give."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .letters import BEGIN, question, written

__all__ = ["PAGE", "Example", "examples", "knowledge", "settings", "shown"]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "language.md"
_BLOCK = re.compile(r"```chi\n(.*?)```\n```(events|error)\n(.*?)```\n(?:```rows\n(.*?)```\n)?", re.DOTALL)
_TABLE = re.compile(r"^\| pattern \| events \| matches \|\n\|[-|]+\|\n((?:\|.*\n)+)", re.MULTILINE)
_CODE = re.compile(r"`([^`]*)`")


@dataclass(frozen=True, slots=True)
class Example:
    """One example.

    Attributes:
        line: where it stands.
        text: the query.
        events: in short (`letters.stream`); `None`: it is refused.
        given: what stands below it: a row per line, or the message.
        pattern: it stands in a table of patterns.
    """

    line: int
    text: str
    events: str | None
    given: str
    pattern: bool = False


def examples(page: str) -> Iterator[Example]:
    """All examples of a page, blocks first."""
    for block in _BLOCK.finditer(page):
        line = page.count("\n", 0, block.start()) + 1
        events = block[3].strip() if block[2] == "events" else None
        yield Example(line, block[1].strip(), events, (block[4] if events is not None else block[3]).strip())
    for table in _TABLE.finditer(page):
        first = page.count("\n", 0, table.start(1)) + 1
        for number, row in enumerate(table[1].splitlines()):
            cells = re.split(r"(?<!\\)\|", row)[1:-1]
            pattern, *clauses = _CODE.findall(cells[0])
            (events,) = _CODE.findall(cells[1])
            yield Example(first + number, _question(pattern, clauses), events, cells[2].strip(), pattern=True)


def _question(pattern: str, clauses: Sequence[str]) -> str:
    """A match of a single event has no extent, and needs no WINDOW."""
    matched = set(re.findall(r"\?(\w)\b", pattern)) - set(re.findall(r"(?:NOT|EVERY \S+ UNTIL) \?(\w)\b", pattern))
    given = any(clause.startswith("WINDOW") for clause in clauses)
    return question(pattern, *clauses, select="1 AS one", window=None if given or len(matched) == 1 else "1h")


def settings(page: str, folder: Path) -> dict[str, Any]:
    """The project of the page, its knowledge in a folder."""
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    content: dict[str, Any] = tomllib.loads(text)
    modules = [str(folder / name) for name in content["knowledge"]["modules"]]
    return content | {"knowledge": {"modules": modules}}


def knowledge(page: str) -> str:
    """The knowledge of the page."""
    (text,) = re.findall(r"```turtle\n(.*?)```", page, re.DOTALL)
    return str(text)


def shown(rows: Sequence[Mapping[str, Any]], *, pattern: bool) -> str:
    """Rows as the page writes them."""
    if pattern:
        return ", ".join(f"`{match}`" for match in written(rows)) or "none"
    return "\n".join(f"{_items(row)} @ {(row['_time'] - BEGIN).total_seconds():g} s" for row in rows) or "none"


def _items(row: Mapping[str, Any]) -> str:
    items = {name: value for name, value in row.items() if not name.startswith("_")}
    return json.dumps(items, ensure_ascii=False, default=lambda moment: moment.isoformat().replace("+00:00", "Z"))
