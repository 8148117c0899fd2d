"""Certificates: by which ones an encrypted connection to a broker is trusted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Self

from pydantic import model_validator

from ..strict_table import Table

__all__ = ["CertificateSettings"]


class CertificateSettings(Table, ABC):
    """A broker whose connections may be encrypted.

    Attributes:
        ca: file of the authorities that are trusted, in PEM; `None`: those of the system.
        certificate: file of the client's own certificate, in PEM.
        key: file of the certificate's key.
    """

    _encrypted_by: ClassVar[str]
    """What to write for that."""

    ca: str | None = None
    certificate: str | None = None
    key: str | None = None

    @property
    @abstractmethod
    def encrypted(self) -> bool:
        """Whether the connection is."""

    @model_validator(mode="after")
    def _has_certificates_where_it_is_encrypted(self) -> Self:
        lone = next((name for name in ("ca", "certificate", "key") if getattr(self, name) is not None), None)
        if lone is not None and not self.encrypted:
            message = f"'{lone}' is for encrypted connections; write {self._encrypted_by}"
            raise ValueError(message)
        if (self.certificate is None) != (self.key is None):
            message = "a certificate has a key: write both, certificate and key"
            raise ValueError(message)
        return self
