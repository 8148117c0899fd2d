"""Imported before Polars is: one thread, for seconds of the processor would count those that wait for work as well."""

from __future__ import annotations

import os

os.environ.setdefault("POLARS_MAX_THREADS", "1")
