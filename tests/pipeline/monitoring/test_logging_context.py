"""What a log line is about."""

from __future__ import annotations

import threading

from kaicep.pipeline.monitoring.logging_context import current_context, log_context


def test_contexts_nest_and_end() -> None:
    with log_context(batch=3):
        with log_context(query="high"):
            assert current_context() == {"batch": 3, "query": "high"}
        assert current_context() == {"batch": 3}
    assert current_context() == {}


def test_each_thread_has_its_own() -> None:
    seen: list[object] = []
    with log_context(batch=3):
        thread = threading.Thread(target=lambda: seen.append(dict(current_context())))
        thread.start()
        thread.join()
    assert seen == [{}]
