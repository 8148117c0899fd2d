"""Complete matches in; those that AFTER MATCH lets stand out."""

from __future__ import annotations

from .after_match_skip import Standing, standing_matches

__all__ = ["Standing", "standing_matches"]
