"""A copy is shared for a moment, and let go when nobody uses it any more."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Event
from typing import cast

import pytest
from kaicep.archive import ReadView
from kaicep.config import Settings
from kaicep.errors import ArchiveError
from kaicep.server.problem import ProblemError
from kaicep.server.sparql.shared_copy import SharedCopy
from support.receivers import eventually


class FakeStore:
    """A store with a folder, or without one."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder


class FakeView:
    """An archive that is open to be read."""

    def __init__(self, folder: Path | None) -> None:
        self.store, self.closed = FakeStore(folder), False

    def close(self) -> None:
        self.closed = True


def shared(opened: list[FakeView], fresh: float, *, endpoint: bool = False) -> SharedCopy:
    def open_one(_: Settings, _timeout: float) -> ReadView:
        opened.append(FakeView(None if endpoint else Path(str(len(opened)))))
        return cast("ReadView", opened[-1])

    return SharedCopy(Settings(), None, fresh, fresh, open_one)


def test_requests_share_a_copy_for_a_while() -> None:
    opened: list[FakeView] = []
    copy = shared(opened, fresh=60)
    with copy.folder() as one, copy.folder() as other:
        assert (one, other) == (Path("0"), Path("0"))
    with copy.folder() as later:
        assert later == Path("0")
    assert not opened[0].closed
    copy.close()
    assert opened[0].closed


def test_an_old_one_is_replaced_and_stays_for_who_uses_it() -> None:
    opened: list[FakeView] = []
    copy = shared(opened, fresh=0)
    with copy.folder() as one:
        with copy.folder() as other:
            assert (one, other) == (Path("0"), Path("1"))
        assert [view.closed for view in opened] == [False, False]
    assert eventually(lambda: [view.closed for view in opened] == [True, False])


def test_no_request_waits_until_an_old_one_is_removed() -> None:
    """To remove some hundred files takes long on a busy disk."""
    opened, go = list[FakeView](), Event()

    class SlowView(FakeView):
        def close(self) -> None:
            assert go.wait(30)
            super().close()

    def open_one(_: Settings, _timeout: float) -> ReadView:
        opened.append(SlowView(Path(str(len(opened)))))
        return cast("ReadView", opened[-1])

    copy = SharedCopy(Settings(), None, 0.0, 60.0, open_one)

    def given() -> Path:
        with copy.folder() as folder:
            return folder

    assert given() == Path("0")
    assert eventually(lambda: given() == Path("1"))
    assert not opened[0].closed
    go.set()
    copy.close()
    assert eventually(lambda: all(view.closed for view in opened))


def test_while_a_newer_one_takes_long_requests_have_the_one_before() -> None:
    """An engine that writes gives a copy between two writes, which may take seconds."""
    opened, go = list[FakeView](), Event()

    def open_one(_: Settings, _timeout: float) -> ReadView:
        assert not opened or go.wait(30)
        opened.append(FakeView(Path(str(len(opened)))))
        return cast("ReadView", opened[-1])

    copy = SharedCopy(Settings(), None, 0.0, 60.0, open_one)
    with copy.folder() as first:
        assert first == Path("0")
    began = time.monotonic()
    with copy.folder() as same, copy.folder() as again:
        assert (same, again) == (Path("0"), Path("0"))
    assert time.monotonic() - began < 5
    go.set()
    assert eventually(lambda: len(opened) > 1)
    with copy.folder() as newer:
        assert newer != Path("0")
    copy.close()


def test_newer_ones_are_made_ahead_and_prepared_as_long_as_somebody_asks() -> None:
    """So no request waits for one; when nobody has asked since the last one, no more are made."""
    opened, prepared = list[FakeView](), list[Path]()

    def open_one(_: Settings, _timeout: float) -> ReadView:
        opened.append(FakeView(Path(str(len(opened)))))
        return cast("ReadView", opened[-1])

    copy = SharedCopy(Settings(), prepared.append, 0.2, 60.0, open_one)
    until = time.monotonic() + 1.5
    while time.monotonic() < until:
        with copy.folder() as folder:
            assert folder in prepared
        time.sleep(0.02)
    assert len(opened) > 2
    time.sleep(0.5)
    made = len(opened)
    time.sleep(0.5)
    assert len(opened) == made
    with copy.folder() as folder:
        assert int(folder.name) >= made - 1
    copy.close()
    assert eventually(lambda: all(view.closed for view in opened))


@pytest.mark.parametrize(
    ("took", "pause"),
    [(0.01, 1.0), (2.0, 10.0), (10.0, 20.0)],
    ids=["the engine has time", "it is busy", "it is so busy that the next may fail, or take longer still"],
)
def test_newer_ones_are_begun_in_time_for_more_than_one_try(took: float, pause: float) -> None:
    """Else all that is asked would wait whenever one that was slow is followed by one that is slower."""
    assert SharedCopy(Settings())._pause(took) == pause


def test_who_would_have_one_that_is_too_old_waits_and_hears_why_there_is_none() -> None:
    opened: list[FakeView] = []

    def open_one(_: Settings, _timeout: float) -> ReadView:
        if opened:
            raise ArchiveError("the engine does not answer")
        opened.append(FakeView(Path("0")))
        return cast("ReadView", opened[-1])

    copy = SharedCopy(Settings(), None, 0.0, 60.0, open_one)
    with copy.folder(), copy.folder() as other:
        assert other == Path("0")
    too_old = SharedCopy(Settings(), None, 0.0, 0.0, open_one)
    with pytest.raises(ProblemError, match="the engine does not answer"), too_old.folder():
        pass


def test_one_that_cannot_be_prepared_is_given_all_the_same() -> None:
    def prepare(_: Path) -> None:
        raise OSError(11, "no more processes")

    copy = SharedCopy(Settings(), prepare, 60.0, 60.0, lambda *_: cast("ReadView", FakeView(Path("0"))))
    with copy.folder() as folder:
        assert folder == Path("0")
    copy.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_whatever_goes_wrong_beside_requests_they_do_not_wait_for_ever() -> None:
    faults = [ValueError("a defect")]

    def open_one(_: Settings, _timeout: float) -> ReadView:
        if faults:
            raise faults.pop()
        return cast("ReadView", FakeView(Path("0")))

    copy = SharedCopy(Settings(), None, 60.0, 60.0, open_one)
    with copy.folder() as folder:
        assert folder == Path("0")
    assert not faults
    copy.close()


def test_one_that_is_made_when_all_is_closed_is_closed_too() -> None:
    opened, begun, go = list[FakeView](), Event(), Event()

    def open_one(_: Settings, _timeout: float) -> ReadView:
        if opened:
            begun.set()
            assert go.wait(30)
        opened.append(FakeView(Path(str(len(opened)))))
        return cast("ReadView", opened[-1])

    copy = SharedCopy(Settings(), None, 0.0, 60.0, open_one)
    with copy.folder():
        pass
    with copy.folder():
        assert begun.wait(30)
    copy.close()
    go.set()
    assert eventually(lambda: len(opened) > 1 and all(view.closed for view in opened))


def test_one_that_nobody_uses_is_let_go() -> None:
    opened: list[FakeView] = []
    copy = shared(opened, fresh=60)
    copy.close_idle(0)
    with copy.folder():
        copy.close_idle(60)
    assert not opened[0].closed
    copy.close_idle(-1)
    assert opened[0].closed
    with copy.folder() as again:
        assert again == Path("1")


def test_an_archive_behind_an_endpoint_is_not_ours_to_ask() -> None:
    with pytest.raises(ProblemError, match="behind an endpoint") as refused, shared([], 60, endpoint=True).folder():
        pass
    assert refused.value.status == 501


def test_what_is_wrong_with_the_archive_is_told() -> None:
    def missing(_: Settings, _timeout: float) -> ReadView:
        raise ArchiveError("there is no store", hint="run the project first")

    with pytest.raises(ProblemError, match="there is no store: run the project first") as refused:
        SharedCopy(Settings(), opened=missing).folder().__enter__()
    assert refused.value.status == 503
