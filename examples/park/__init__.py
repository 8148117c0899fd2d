"""A park whose probes, weather station and valves speak SenML, SOSA and NGSI-LD."""

from .project import prepare

__all__ = ["prepare"]
