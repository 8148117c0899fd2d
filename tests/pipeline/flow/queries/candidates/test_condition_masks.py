"""A narrower condition is asked of the events alone that a wider one has left, and is true of the same."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
import pyarrow as pa
from kaicep.expressions import Floats, Threshold, doubles_of
from kaicep.pipeline.flow.queries.candidates import EventBatch
from kaicep.pipeline.flow.queries.candidates.condition_masks import ConditionMasks
from kaicep.semfilter.runtime import ColumnTest

HEIGHT = 1_000
TABLE = pa.table({
    "_time": pa.array(range(HEIGHT)),
    "n": pa.array(range(HEIGHT)),
    "x": pa.array([None if n % 7 == 0 else float(n) for n in range(HEIGHT)]),
})  # fmt: skip


class Asked:
    """Conditions that note of how many events they were asked."""

    def __init__(self) -> None:
        self.batch = EventBatch(TABLE)
        self.counts: dict[str, int] = {}

    def multiple(self, of: int) -> ColumnTest:
        """Whether a number is a multiple of another."""

        def test(numbers: pl.Series) -> pl.Series:
            self.counts[f"{of}"] = self.counts.get(f"{of}", 0) + len(numbers)
            return numbers % of == 0

        asked = pl.col("n").map_batches(test, return_dtype=pl.Boolean)
        return ColumnTest(f"{of}", (), asked, ("n",), None)

    def numbers(self, name: str) -> Floats | None:
        return doubles_of(self.batch.frame([name])[name])

    def masks(self, wider: Mapping[str, str], *tests: ColumnTest, left: Mapping[str, np.ndarray] | None = None) -> None:
        ConditionMasks(self.batch, wider, left or {}, self.numbers).ask(tests)  # type: ignore[arg-type]  # of texts

    def known(self, test: ColumnTest) -> list[int]:
        """The numbers of the events of which it is known that a condition is true."""

        def nobody() -> np.ndarray:
            raise AssertionError(f"{test.said} was not asked")

        return np.flatnonzero(self.batch.verdicts.mask(test.said, nobody)).tolist()


def above(limit: float) -> ColumnTest:
    return ColumnTest(f"> {limit:g}", (), pl.col("x") > limit, ("x",), Threshold("x", ">", limit))


def test_each_is_asked_of_what_the_wider_one_has_left() -> None:
    """In whatever order they come; what is as wide as the events is asked of all."""
    asked = Asked()
    tests = [asked.multiple(of) for of in (60, 20, 1, 10, 3)]
    asked.masks({"60": "20", "20": "10", "3": "1", "10": "1"}, *tests)
    assert asked.counts == {"1": HEIGHT, "3": HEIGHT, "10": HEIGHT, "20": 100, "60": 50}
    for test in tests:
        assert asked.known(test) == list(range(0, HEIGHT, int(str(test.said))))


def test_what_is_known_to_be_left_is_asked_no_more() -> None:
    """Neither itself, nor anything narrower of another event, also where one between them is not asked."""
    asked = Asked()
    tests = [asked.multiple(of) for of in (10, 40)]
    asked.masks({"40": "20", "20": "10"}, *tests, left={"10": np.arange(0, HEIGHT, 10)})
    assert asked.counts == {"40": 100}
    assert asked.known(tests[0]) == list(range(0, HEIGHT, 10))
    assert asked.known(tests[1]) == list(range(0, HEIGHT, 40))


def test_nothing_is_asked_behind_what_leaves_nothing() -> None:
    asked = Asked()
    test = asked.multiple(4)
    asked.masks({"4": "none"}, test, left={"none": np.arange(0)})
    assert asked.counts.get("4", 0) == 0
    assert asked.known(test) == []


def test_one_alone_is_left_to_who_looks_at_it() -> None:
    asked = Asked()
    asked.masks({}, asked.multiple(2))
    assert not asked.counts


def test_thresholds_are_followed_one_behind_the_other() -> None:
    """And what follows from one of them is asked of what that has left."""
    asked = Asked()
    tests = [above(limit) for limit in (990, 400, 900, 100)]
    seven = asked.multiple(11)
    asked.masks({"11": "> 990"}, *tests, seven, left={"> 400": np.array([n for n in range(401, HEIGHT) if n % 7])})
    assert asked.counts == {"11": 8}
    assert asked.known(seven) == []
    for limit, test in zip((990, 400, 900, 100), tests, strict=True):
        assert asked.known(test) == [n for n in range(limit + 1, HEIGHT) if n % 7]
