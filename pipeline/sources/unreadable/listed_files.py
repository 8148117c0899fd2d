"""The files that Spark lists for a batch, by stream: which of them are broken though Spark would not say so."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from urllib.parse import unquote, urlsplit

from .unreadable_file import UnreadableFile, file_state, is_torn

__all__ = ["ListedFiles", "arrived", "by_stream", "path_of", "torn_files"]

ListedFiles = Mapping[str, Collection[str]]
"""By stream, files as Spark notes them: URLs."""

_MILLISECOND_NS = 1_000_000
_TORN = "it breaks off at its beginning"


def path_of(url: str) -> str:
    """The path of a file as Spark notes it."""
    return unquote(urlsplit(url).path)


def torn_files(listed: ListedFiles, without: ListedFiles) -> dict[str, dict[str, UnreadableFile]]:
    """By stream and URL, the files that Spark would take for empty though they are not whole.

    Args:
        listed: those of a batch.
        without: those that are passed over.
    """
    found = {}
    for name, files in listed.items():
        paths = {file: path_of(file) for file in files if file not in without.get(name, ())}
        torn = {file: UnreadableFile(path, _TORN, file_state(path)) for file, path in paths.items() if is_torn(path)}
        if torn:
            found[name] = torn
    return found


def arrived(listed: Collection[str], without: Collection[str]) -> list[str]:
    """The paths of files of one stream in the order of their arrival: by time of modification, then by path.

    Args:
        listed: as Spark notes them.
        without: those among them that are passed over.
    """
    paths = {path_of(url) for url in {*listed} - {*without}}
    return sorted(paths, key=lambda path: (_modified(path), path))


def _modified(path: str) -> int:
    """When a file was last changed, as Spark has it: in milliseconds; of one that is gone, 0."""
    state = file_state(path)
    return 0 if state is None else state[1] // _MILLISECOND_NS


def by_stream(failed: Collection[UnreadableFile], listed: ListedFiles) -> dict[str, list[UnreadableFile]]:
    """By stream, the files that could not be read.

    Args:
        failed: the files.
        listed: those of the batch.
    """
    found: dict[str, list[UnreadableFile]] = {}
    for name, urls in listed.items() if failed else ():
        paths = {path_of(url) for url in urls}
        found[name] = [file for file in failed if file.path in paths]
    return found
