"""Certificates of servers of this machine, which vouch for themselves."""

from __future__ import annotations

import subprocess
from pathlib import Path

__all__ = ["self_signed", "wanting_certificates"]

_REQUEST = ("openssl", "req", "-x509", "-nodes", "-days", "2")
_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")
_WHO = ("-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1")


def self_signed(folder: Path, name: str = "own") -> None:
    """Make a certificate for this machine and its key: `NAME.pem` and `NAME.key`."""
    files = ("-keyout", f"{name}.key", "-out", f"{name}.pem")
    subprocess.run([*_REQUEST, *_KEY, *_WHO, *files], cwd=folder, check=True, capture_output=True)


def wanting_certificates(folder: Path) -> tuple[str, ...]:
    """Lines for a Mosquitto that has the certificate `own`, and lets in who shows the one that is called `client`."""
    files = (f"certfile {folder}/own.pem", f"keyfile {folder}/own.key", f"cafile {folder}/client.pem")
    return (*files, "require_certificate true", "user root")
