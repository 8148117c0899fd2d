"""The threads of one action, with actions that do as a test says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from kaicep.config import ActionSettings
from kaicep.errors import ConfigError
from kaicep.pipeline.actions import ActionCall, DeliveryError
from kaicep.pipeline.actions.delivery import call_sender
from kaicep.pipeline.actions.delivery.call_sender import CallSender
from kaicep.pipeline.actions.delivery.lane_schedule import LaneSchedule
from kaicep.pipeline.actions.delivery.outbox import Outbox
from support.receivers import calls_table, eventually


class _Action:
    batch = 10
    needs = frozenset[str]()

    def __init__(self, do: Callable[[Sequence[ActionCall]], None]) -> None:
        self.send = do
        self.closed = False

    def check(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True


def started(
    folder: Path, make: Callable[[], _Action], *rules: str, tries: int = 3, concurrency: int = 4, batch: int = 10
) -> tuple[CallSender, Outbox]:
    said = {"python": "m:f", "tries": tries, "backoff": "1ms", "concurrency": concurrency}
    settings = ActionSettings.model_validate(said)
    outbox = Outbox(folder)
    sender = CallSender("ops", LaneSchedule(settings, batch), make, outbox)
    for number, rule in enumerate(rules, 1):
        outbox.put(number, calls_table(range(5), rule=rule))
    for lane in outbox.release(len(rules)):
        sender.wake(lane)
    return sender, outbox


def test_rules_do_not_wait_for_each_other(tmp_path: Path) -> None:
    other = threading.Event()

    def do(calls: Sequence[ActionCall]) -> None:
        if calls[0].rule == "a":
            assert other.wait(10)
        else:
            other.set()

    sender, outbox = started(tmp_path, lambda: _Action(do), "a", "b")
    assert eventually(lambda: not outbox.counts())
    sender.close(5)
    assert sender.sent == 10


def test_what_was_delivered_of_a_piece_is_not_sent_again(tmp_path: Path) -> None:
    seen: list[list[str]] = []

    def do(calls: Sequence[ActionCall]) -> None:
        seen.append([call.id for call in calls])
        if len(seen) == 1:
            raise DeliveryError("the third is too much", delivered=2)

    sender, outbox = started(tmp_path, lambda: _Action(do), "a")
    assert eventually(lambda: not outbox.counts())
    sender.close(5)
    assert [one for ids in seen[1:] for one in ids] == ["a-2", "a-3", "a-4"]


def test_a_hopeless_call_is_given_up_at_once_and_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def do(calls: Sequence[ActionCall]) -> None:
        for number, call in enumerate(calls):
            if call.id == "a-1":
                raise DeliveryError("no room", delivered=number, hopeless=True)

    sender, outbox = started(tmp_path, lambda: _Action(do), "a")
    assert eventually(lambda: not outbox.counts())
    sender.close(5)
    assert [(call.id, call.tries) for call in outbox.failed.calls()] == [("a-1", 1)]
    assert "1 call of a for ops failed after one try: no room; `kaicep actions retry` lets it go out" in caplog.text
    assert sender.sent == 4


def test_the_try_that_is_hopeless_is_one_of_them(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    seen: list[int] = []

    def do(calls: Sequence[ActionCall]) -> None:
        seen.append(len(calls))
        raise DeliveryError("no", refused=True, hopeless=len(seen) % 3 == 0)

    sender, outbox = started(tmp_path, lambda: _Action(do), "a", tries=100, batch=1)
    assert eventually(lambda: not outbox.counts())
    sender.close(5)
    assert [call.tries for call in outbox.failed.calls()] == [3, 3, 3, 3, 3]
    assert "failed after 3 tries: no" in caplog.text


def test_faults_of_libraries_are_failures(tmp_path: Path) -> None:
    def do(_: Sequence[ActionCall]) -> None:
        raise KeyError("hush")

    sender, outbox = started(tmp_path, lambda: _Action(do), "a", tries=1)
    assert eventually(lambda: not outbox.counts())
    sender.close(5)
    assert {call.reason for call in outbox.failed.calls()} == {"the action failed: KeyError"}


def test_an_action_that_cannot_be_made_any_more_is_told(tmp_path: Path) -> None:
    def make() -> _Action:
        raise ConfigError("the secret is gone", hint="bring it back")

    sender, outbox = started(tmp_path, make, "a")
    assert eventually(lambda: list(sender.troubles().values()) == ["the secret is gone"])
    sender.close(5)
    assert sum(outbox.counts().values()) == 5


def test_at_the_end_what_is_due_goes_out_and_actions_are_closed(tmp_path: Path) -> None:
    made = _Action(lambda _: None)
    sender, outbox = started(tmp_path, lambda: made, "a")
    sender.close(5)
    assert outbox.counts() == {}
    assert made.closed


def test_at_the_end_calls_that_are_on_their_way_are_waited_for(tmp_path: Path) -> None:
    """Who begins next would send them a second time; nothing else goes out any more."""
    sending, seen = threading.Event(), list[list[str]]()

    def do(calls: Sequence[ActionCall]) -> None:
        sending.set()
        threading.Event().wait(0.4)
        seen.append([call.id for call in calls])

    sender, outbox = started(tmp_path, lambda: _Action(do), "a", "b", "c", concurrency=1)
    assert sending.wait(10)
    sender.close(0.0)
    left = sum(outbox.counts().values())
    assert (len(seen), sender.sent, left) == (1, 5, 10)
    assert sum(Outbox(tmp_path).counts().values()) == left


def test_an_end_does_not_wait_for_a_receiver_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_sender, "_LAST_TRY_S", 0.1)
    sending, over = threading.Event(), threading.Event()

    def do(_calls: Sequence[ActionCall]) -> None:
        sending.set()
        assert over.wait(60)

    sender, outbox = started(tmp_path, lambda: _Action(do), "a")
    assert sending.wait(10)
    sender.close(0.0)
    assert (sender.sent, sum(outbox.counts().values())) == (0, 5)
    over.set()
