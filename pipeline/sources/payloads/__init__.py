"""Documents in SenML, SOSA (JSON-LD) or NGSI-LD in; raw records, one for each measurement, out."""

from __future__ import annotations

from .payload_records import parse_payloads, payload_items

__all__ = ["parse_payloads", "payload_items"]
