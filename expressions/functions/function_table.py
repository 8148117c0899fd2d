"""All scalar functions, by name."""

from __future__ import annotations

from ...language.nodes import Call
from .conditionals import BOUND, COALESCE, IF, PREV
from .date_times import DAY, HOURS, LOCAL, MINUTES, MONTH, SECONDS, YEAR
from .numeric import ABS, CEIL, CONVERT, DOUBLE, EXACT, FLOOR, OVERFLOW, ROUND
from .scalar_function import Given, ScalarFunction
from .strings import CONCAT, CONTAINS, LCASE, REGEX, STR, STRENDS, STRLEN, STRSTARTS, UCASE

__all__ = ["FUNCTIONS", "WRITTEN_FUNCTIONS", "forgives_unbound"]

WRITTEN_FUNCTIONS: tuple[ScalarFunction, ...] = (
    *(ABS, ROUND, FLOOR, CEIL, CONVERT),
    *(COALESCE, IF, BOUND, PREV),
    *(STR, CONCAT, LCASE, UCASE, STRLEN, CONTAINS, STRSTARTS, STRENDS, REGEX),
    *(YEAR, MONTH, DAY, HOURS, MINUTES, SECONDS, LOCAL),
)
"""Those that a query may name, in the order of the reference."""

FUNCTIONS: dict[str, ScalarFunction] = {
    function.name: function for function in (*WRITTEN_FUNCTIONS, DOUBLE, EXACT, OVERFLOW)
}


def forgives_unbound(e: Call) -> bool:
    """Whether a call may be bound although one of its arguments is not."""
    return FUNCTIONS[e.function].scalar.given is not Given.BOUND
