"""What CREATE RULE says goes in; checked actions come out, and the streams that rules emit (LANGUAGE-2 §8).

`actions` checks what is done for a row, `emissions` what streams the emitted events form, and `row_variables` what
IF ASK may ask of the row.
"""

from __future__ import annotations

from .actions import with_rule
from .emissions import with_emissions
from .row_variables import row_triples

__all__ = ["row_triples", "with_emissions", "with_rule"]
