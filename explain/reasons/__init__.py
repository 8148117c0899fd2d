"""A PATH and one event in; the reasons why it holds, down to proofs, or what is missing, out."""

from __future__ import annotations

from .explainer import Annotation, PathExplainer
from .reason import Kind, Reason, failures

__all__ = ["Annotation", "Kind", "PathExplainer", "Reason", "failures"]
