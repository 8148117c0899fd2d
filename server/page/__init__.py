"""Files of the page in; `/` and `/assets/…` out, with headers that let browsers keep them and run nothing else."""

from __future__ import annotations

from .page_endpoint import page_routes

__all__ = ["page_routes"]
