"""Commands for a server elsewhere: words in; what it answers, printed, out."""

from __future__ import annotations

from .remote_server import ServerOption, hearing, print_remote_rows, server_of

__all__ = ["ServerOption", "hearing", "print_remote_rows", "server_of"]
