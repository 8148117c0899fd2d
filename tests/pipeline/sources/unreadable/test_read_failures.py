"""The files that Spark can read are read without the others, each tried once more by itself."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.sources.unreadable.read_failures import is_of_a_file, readable_part
from kaicep.pipeline.sources.unreadable.unreadable_file import GONE, UnreadableFile
from kaicep.storage import is_transient
from py4j.protocol import Py4JError


class JavaError:
    """An error as Java has it: with a condition if it is Spark's own, and with a cause."""

    def __init__(self, message: str | None, cause: JavaError | None = None, url: str | None = None) -> None:
        self._message, self._cause, self._url = message, cause, url

    def getMessage(self) -> str | None:  # noqa: N802 - Java's
        return self._message

    def getCause(self) -> JavaError | None:  # noqa: N802 - Java's
        return self._cause

    def getClass(self) -> JavaError:  # noqa: N802 - Java's
        return self

    def getSimpleName(self) -> str:  # noqa: N802 - Java's
        return "EOFException"

    def getCondition(self) -> str | None:  # noqa: N802 - Spark's
        if self._url is None and self._cause is None:
            raise Py4JError("Method getCondition([]) does not exist")
        return None if self._url is None else "FAILED_READ_FILE.NO_HINT"

    def getMessageParameters(self) -> Mapping[str, str | None]:  # noqa: N802 - Spark's
        return {"path": self._url}


def spark_error(cause: JavaError) -> Exception:
    """An error as py4j brings it."""
    error: Exception = Py4JError("An error occurred while calling o1.getResult.")
    error.java_exception = cause  # type: ignore[attr-defined] # py4j's errors of Java have it
    return error


def of_file(path: Path, reason: str | None) -> Exception:
    failed = JavaError("[FAILED_READ_FILE.NO_HINT] Encountered error", JavaError(reason), path.as_uri())
    return spark_error(JavaError("Exception thrown in awaitResult:", failed))


class Files:
    """Files, some of which cannot be read."""

    def __init__(self, folder: Path, **broken: str | None) -> None:
        self.folder = folder
        self.broken = {folder / name: reason for name, reason in broken.items()}
        self.asked: list[list[str]] = []
        for name in "abcd":
            (folder / name).write_text(name)

    def read(self, paths: Mapping[str, list[str]]) -> pa.Table:
        names = sorted(path for of in paths.values() for path in of)
        self.asked.append([Path(path).name for path in names])
        for path in names:
            if Path(path) in self.broken:
                raise of_file(Path(path), self.broken[Path(path)])
        return pa.table({"n": [Path(path).name for path in names]})

    @property
    def listed(self) -> dict[str, list[str]]:
        return {
            "air": [(self.folder / name).as_uri() for name in "ab"],
            "door": [(self.folder / name).as_uri() for name in "cd"],
        }


def test_broken_files_are_left_out_one_after_the_other(tmp_path: Path) -> None:
    files = Files(tmp_path, a="not a gzip file", c=None)
    part = readable_part(files.listed, files.read)
    assert part.table is not None
    assert part.table["n"].to_pylist() == ["b", "d"]
    assert {stream: [Path(path).name for path in of] for stream, of in part.paths.items()} == {
        "air": ["b"],
        "door": ["d"],
    }
    assert [(Path(file.path).name, file.reason) for file in part.unreadable] == [
        ("a", "not a gzip file"),
        ("c", "EOFException"),
    ]
    assert all(file.state == (1, Path(file.path).stat().st_mtime_ns) for file in part.unreadable)
    assert files.asked == [["a", "b", "c", "d"], ["a"], ["b", "c", "d"], ["c"], ["b", "d"]]


def test_files_that_are_gone_are_said(tmp_path: Path) -> None:
    files = Files(tmp_path)
    for name in "ad":
        (tmp_path / name).unlink()
    part = readable_part(files.listed, files.read)
    assert set(part.unreadable) == {UnreadableFile(str(tmp_path / name), GONE, None) for name in "ad"}
    assert files.asked == [["b", "c"]]


def test_of_broken_files_alone_there_is_no_table(tmp_path: Path) -> None:
    files = Files(tmp_path, **dict.fromkeys("abcd", "broken"))
    part = readable_part(files.listed, files.read)
    assert (part.table, len(part.unreadable)) == (None, 4)


def test_one_that_was_being_written_is_read(tmp_path: Path) -> None:
    """It can be read when it is tried by itself: nothing is wrong with it then."""
    files = Files(tmp_path, b="Unexpected end of input stream")
    read = files.read

    def later(paths: Mapping[str, list[str]]) -> pa.Table:
        if len(files.asked) == 1:
            files.broken.clear()
        return read(paths)

    part = readable_part(files.listed, later)
    assert part.table is not None
    assert (part.table.num_rows, part.unreadable) == (4, ())


@pytest.mark.parametrize("number", [errno.EIO, errno.EMFILE, errno.EACCES, errno.ENOSPC])
def test_what_passes_is_no_damage(tmp_path: Path, number: int) -> None:
    """The batch waits, and nothing is lost of it."""
    files = Files(tmp_path, b=f"/in/b ({os.strerror(number)})")
    with pytest.raises(PipelineError, match=os.strerror(number)) as error:
        readable_part(files.listed, files.read)
    assert is_transient(error.value)


def test_an_error_of_no_file_stays_what_it_is(tmp_path: Path) -> None:
    broken = spark_error(JavaError("SparkContext was shut down"))

    def read(_: object) -> pa.Table:
        raise broken

    with pytest.raises(Py4JError):
        readable_part(Files(tmp_path).listed, read)
    assert not is_of_a_file(broken)
    assert is_of_a_file(of_file(tmp_path, "x"))


def test_a_file_that_fails_only_among_others_is_no_endless_try(tmp_path: Path) -> None:
    files = Files(tmp_path)

    def read(paths: Mapping[str, list[str]]) -> pa.Table:
        if sum(map(len, paths.values())) > 1:
            raise of_file(tmp_path / "a", "odd")
        return files.read(paths)

    with pytest.raises(Py4JError):
        readable_part(files.listed, read)
