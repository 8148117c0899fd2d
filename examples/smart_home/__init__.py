"""A home by MQTT: sensors of Zigbee2MQTT and states of Home Assistant."""

from .project import messages, prepare

__all__ = ["messages", "prepare"]
