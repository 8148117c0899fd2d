"""The commands of the command line: arguments in, calls of the stages, rows out; `cli.py` puts the groups together."""

from __future__ import annotations

from .archive_commands import app as archive_group
from .init_commands import app as init_group
from .ontology_commands import app as ontology_group
from .query_commands import app as query_group
from .replaying import app as replay_group
from .run_commands import app as run_group
from .submit_commands import actions as action_group
from .submit_commands import app as submit_group
from .terminal import tell

__all__ = [
    "action_group",
    "archive_group",
    "init_group",
    "ontology_group",
    "query_group",
    "replay_group",
    "run_group",
    "submit_group",
    "tell",
]
