"""The tables of the project file, which `config.py` puts together: TOML in, frozen settings or every fault out."""

from __future__ import annotations

from .action_settings import (
    ACTION_KINDS,
    ActionName,
    ActionSettings,
    KafkaSettings,
    MailSettings,
    MqttSettings,
    SubmitSettings,
    WebhookSettings,
    names_a_server,
)
from .faults import fault
from .kafka_options import secret_option
from .kafka_source_settings import KafkaSourceSettings
from .monitoring_settings import LogFormat, LogLevel, MonitoringSettings
from .quantities import Duration
from .query_settings import QueryService, QuerySettings
from .s3_settings import S3Settings
from .secret import found_secret
from .server_settings import DatasetSettings, Role, ServerSettings, TokenSettings
from .source_settings import GIVEN, SourceSettings, UnpivotSettings
from .strict_table import Table
from .tables import (
    ArchiveSettings,
    AttributeSettings,
    ContextSettings,
    EngineSettings,
    KnowledgeSettings,
    OnContradiction,
    ReasonerName,
    StreamSettings,
)
from .time_settings import EPOCHS, TIME_FORMATS, AmbiguousTimes, TimeSettings

__all__ = [
    "ACTION_KINDS",
    "EPOCHS",
    "GIVEN",
    "TIME_FORMATS",
    "ActionName",
    "ActionSettings",
    "AmbiguousTimes",
    "ArchiveSettings",
    "AttributeSettings",
    "ContextSettings",
    "DatasetSettings",
    "Duration",
    "EngineSettings",
    "KafkaSettings",
    "KafkaSourceSettings",
    "KnowledgeSettings",
    "LogFormat",
    "LogLevel",
    "MailSettings",
    "MonitoringSettings",
    "MqttSettings",
    "OnContradiction",
    "QueryService",
    "QuerySettings",
    "ReasonerName",
    "Role",
    "S3Settings",
    "ServerSettings",
    "SourceSettings",
    "StreamSettings",
    "SubmitSettings",
    "Table",
    "TimeSettings",
    "TokenSettings",
    "UnpivotSettings",
    "WebhookSettings",
    "fault",
    "found_secret",
    "names_a_server",
    "secret_option",
]
