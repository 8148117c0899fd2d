"""Python functions are called in a process of their own."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from kaicep.errors import ConfigError
from kaicep.pipeline.actions import DeliveryError, check_action
from support.receivers import action, call, spec

MODULE = """
import json, os, time

def note(call):
    with open("found.jsonl", "a") as file:
        file.write(json.dumps([os.getpid(), call]) + "\\n")
    print("what it prints is no row")

def fail(call):
    raise ValueError("no such room")

def hang(call):
    time.sleep(60)

def die(call):
    os._exit(3)

number = 5
"""


@pytest.fixture(autouse=True)
def _module(tmp_path: Path) -> None:
    (tmp_path / "alarms.py").write_text(MODULE)
    (tmp_path / "broken.py").write_text("raise RuntimeError('half written')")


def test_it_is_given_calls_in_another_process(tmp_path: Path) -> None:
    note = action(tmp_path, python="alarms:note")
    note.send([call(1, room="ä")])
    note.send([call(2)])
    note.close()
    found = [json.loads(line) for line in (tmp_path / "found.jsonl").read_text().splitlines()]
    assert [given["_id"] for _, given in found] == ["r-1", "r-2"]
    assert found[0][1]["arguments"] == {"room": "ä"}
    assert len({pid for pid, _ in found} | {os.getpid()}) == 2


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("fail", "the function raised ValueError: no such room"),
        ("hang", "the function takes too long"),
        ("die", "the process of the function ended"),
    ],
)
def test_what_goes_wrong_is_told_and_the_next_call_has_a_process(tmp_path: Path, function: str, reason: str) -> None:
    failing = action(tmp_path, python=f"alarms:{function}", timeout="1s")
    for _ in range(2):
        with pytest.raises(DeliveryError) as caught:
            failing.send([call()])
        assert caught.value.reason == reason
    failing.close()


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("alarms:noet", "alarms has no function noet"),
        ("alarms:number", "alarms has no function number"),
        ("nowhere:note", "ModuleNotFoundError: No module named 'nowhere'"),
        ("broken:note", "RuntimeError: half written"),
    ],
)
def test_a_function_that_is_not_there(tmp_path: Path, function: str, reason: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_action(spec(tmp_path, python=function))
    assert f"kaicep.toml: actions.ops.python: {function} cannot be loaded: {reason}" in str(caught.value)
    check_action(spec(tmp_path, python="alarms:note"))
