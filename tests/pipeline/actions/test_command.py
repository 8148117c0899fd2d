"""Programs: values are arguments and JSON on standard input, never text of a shell."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest
from kaicep.errors import ConfigError
from kaicep.pipeline.actions import DeliveryError, check_action
from support.receivers import action, call, eventually, spec

WRITE = "import json, sys; json.dump([sys.argv[1:], json.load(sys.stdin)], open('found', 'w'))"


def test_values_are_arguments_and_json(tmp_path: Path) -> None:
    """Whatever they hold: no shell reads them, and no template reads them again."""
    nasty = "$(touch x); `touch y` 'z' {rule} \n%s"
    words = [sys.executable, "-c", WRITE, "--room={room}", "{co2}", "{{x}}"]
    action(tmp_path, command=words).send([call(1, room=nasty, co2=-5)])
    arguments, given = json.loads((tmp_path / "found").read_text())
    assert arguments == [f"--room={nasty}", "-5", "{x}"]
    assert given["arguments"] == {"room": nasty, "co2": -5}
    assert given["_id"] == "r-1"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["found"]


def test_a_value_is_no_option(tmp_path: Path) -> None:
    with pytest.raises(DeliveryError, match="would be an option of the program") as caught:
        action(tmp_path, command=["echo", "{room}"]).send([call(room="--delete")])
    assert caught.value.hopeless
    action(tmp_path, command=["echo", "--", "{room}"]).send([call(room="--delete")])


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [({}, "{room}, which is none of its arguments"), ({"room": None}, "{room}, which has no value")],
)
def test_a_template_that_a_call_cannot_fill(tmp_path: Path, arguments: dict[str, None], reason: str) -> None:
    with pytest.raises(DeliveryError) as caught:
        action(tmp_path, command=["echo", "{room}"]).send([call(**arguments)])
    assert reason in caught.value.reason
    assert caught.value.hopeless


def test_a_zero_byte(tmp_path: Path) -> None:
    with pytest.raises(DeliveryError, match="zero byte"):
        action(tmp_path, command=["echo", "{room}"]).send([call(room="a\0b")])


def test_a_program_that_fails_says_why(tmp_path: Path) -> None:
    failing = [sys.executable, "-c", "import sys; sys.exit('first\\nno room left')"]
    with pytest.raises(DeliveryError, match="the program ends with 1: no room left") as caught:
        action(tmp_path, command=failing).send([call()])
    assert not caught.value.hopeless


def test_one_that_takes_too_long_ends_with_what_it_has_begun(tmp_path: Path) -> None:
    child = (
        "import os, subprocess, sys, time; p = subprocess.Popen(['sleep', '60']); open('pid', 'w').write(str(p.pid));"
    )
    began = time.monotonic()
    with pytest.raises(DeliveryError, match="takes too long"):
        action(tmp_path, command=[sys.executable, "-c", child + "time.sleep(60)"], timeout="1s").send([call()])
    assert time.monotonic() - began < 20
    pid = int((tmp_path / "pid").read_text())
    assert eventually(lambda: not _runs(pid))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no program 'no-such-program'"):
        check_action(spec(tmp_path, command=["no-such-program"]))
    with pytest.raises(DeliveryError, match="cannot be run: No such file"):
        action(tmp_path, command=["no-such-program"]).send([call()])
    check_action(spec(tmp_path, command=["sh"]))


def test_programs_may_lie_in_the_project(tmp_path: Path) -> None:
    program = tmp_path / "notify"
    program.write_text("#!/bin/sh\necho $1 > told\n")
    program.chmod(0o755)
    notify = action(tmp_path, command=["./notify", "{room}"])
    notify.check()
    notify.send([call(room="B1")])
    assert (tmp_path / "told").read_text() == "B1\n"
