"""The explanation of an event for people, as a tree on the terminal."""

from __future__ import annotations

from rich.markup import escape
from rich.tree import Tree

from ...ontology.proofs import TurtleWriter
from ..candidacy import Explanation
from .reason_outline import OutlineEntry, attribute_texts, outline

__all__ = ["explanation_tree"]

_MARKS = {True: "[green]✓[/] ", False: "[red]✗[/] ", None: ""}


def explanation_tree(explanation: Explanation, wording: TurtleWriter) -> Tree:
    """The explanation as a tree: clauses, what they ask for, proofs down to the files that state their leaves."""
    event = explanation.event or "no event"
    root = Tree(f"[bold]{escape(event)}[/]  {escape(', '.join(attribute_texts(explanation)))}", guide_style="dim")
    for entry in outline(explanation, wording):
        _add(root, entry)
    return root


def _add(tree: Tree, entry: OutlineEntry) -> None:
    branch = tree.add(_verdict(entry) if entry.verdict else _line(entry))
    for part in entry.parts:
        _add(branch, part)


def _verdict(entry: OutlineEntry) -> str:
    return f"{_MARKS[entry.holds]}[bold]{escape(entry.text)}[/] {escape(entry.note)}"


def _line(entry: OutlineEntry) -> str:
    note = f": [{'dim' if entry.holds else 'bold'}]{escape(entry.note)}[/]" if entry.note else ""
    source = f"  [dim]{escape(entry.source)}[/]" if entry.source else ""
    rule = f"  [cyan]{escape(f'[{entry.rule}]')}[/]" if entry.rule else ""
    return f"{_MARKS[entry.holds]}{escape(entry.text)}{note}{source}{rule}"
