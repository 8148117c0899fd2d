"""Documents in SenML, SOSA (JSON-LD) or NGSI-LD in; raw records, one for each measurement, out."""

from __future__ import annotations

from .payload_records import payload_items, payload_records

__all__ = ["payload_items", "payload_records"]
