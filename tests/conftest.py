"""What every test may ask for, and how tests are spread over processes."""

from __future__ import annotations

import pytest

pytest_plugins = ["support.spark"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests that need Spark in one process: they share a session, which takes seconds to start."""
    for item in items:
        if item.get_closest_marker("spark") is not None:
            item.add_marker(pytest.mark.xdist_group("spark"))
