"""Queries are submitted, listed and withdrawn."""

from __future__ import annotations

import json
from pathlib import Path

from support.command_line import HIGH, call


def test_queries_are_submitted_listed_and_withdrawn(project: Path) -> None:
    """Without an engine they wait for one."""
    done = call("submit", HIGH.replace("50", "60"), "--name", "higher", "-p", project)
    assert (done.exit_code, done.stdout) == (0, "higher: registered, it is answered when an engine starts\n")
    listed = call("queries", "-p", project)
    assert json.loads(listed.stdout) == {
        "query": "higher", "state": "waits", "matches": None, "from": "submitted", "now": None,
    }  # fmt: skip
    assert call("withdraw", "higher", "-p", project).stdout == "higher: withdrawn\n"
    refused = call("submit", "SELECT ?e.flow JOIN (?e.flow > ?f.flow)", "--retention", "soon", "-p", project)
    assert refused.exit_code == 2
    assert "'soon'" in refused.stderr
