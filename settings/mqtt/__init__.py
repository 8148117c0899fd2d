"""What the project file says of MQTT: the broker, the topics that a stream comes from, and what their levels are."""

from __future__ import annotations

from .broker_settings import BrokerSettings, MqttVersion
from .certificate_settings import CertificateSettings
from .mqtt_source_settings import MqttSourceSettings
from .topic_pattern import TopicPattern

__all__ = ["BrokerSettings", "CertificateSettings", "MqttSourceSettings", "MqttVersion", "TopicPattern"]
