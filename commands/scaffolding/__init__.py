"""The model of a building and files of readings in; a project that works, commented, and what was found out."""

from __future__ import annotations

from .first_project import FirstProject, write_project
from .project_draft import InitOptions, draft_project

__all__ = ["FirstProject", "InitOptions", "draft_project", "write_project"]
