"""The campus microgrid of the SCEPter paper."""
