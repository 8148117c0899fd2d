"""Where accidents are told: a file of JSON lines for each receiver. What stands there already is not written again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def note(call: Mapping[str, Any]) -> None:
    """Write a call down, once however often it comes: a call is made again if nobody knows that it was.

    Args:
        call: `_id`, `rule`, `action`, `_time`, `arguments`; see docs/actions.md.
    """
    file = Path("told") / f"{call['action']}.jsonl"
    file.parent.mkdir(exist_ok=True)
    with file.open("a+", encoding="utf-8") as lines:
        lines.seek(0)
        if all(json.loads(line)["_id"] != call["_id"] for line in lines):
            lines.write(json.dumps(call) + "\n")
