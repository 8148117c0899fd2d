"""RDF and answers as bytes; XML such that whoever reads it has what was written.

Source: XML 1.0 (Fifth Edition), 2.2 (characters) and 2.11 (ends of lines); Namespaces in XML 1.0, 4 (names).
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable

from ...errors import ArchiveError

__all__ = ["serialized"]

_NO_CHARACTER = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]")
"""What no XML may have, in UTF-8."""
_NO_NAME = b"<oxprefix: "
"""Of Oxigraph's, where nothing of a property's IRI can be the name of an element."""
_WAY_OUT = "take another form, which can"


def serialized(write: Callable[[io.BytesIO], object], buffer: io.BytesIO, *, xml: bool) -> bytes:
    """What is written.

    Oxigraph leaves a carriage return in XML as it is, which every reader takes for the end of a line; and characters
    that XML has not, which every reader refuses.

    Args:
        write: to a file.
        buffer: that file, empty.
        xml: whether it is XML.

    Raises:
        ArchiveError: the form has no way to say it.
    """
    try:
        write(buffer)
    except OSError as error:
        if "does not support" not in str(error):
            raise
        raise ArchiveError(f"this form cannot say it: {error}", hint=_WAY_OUT) from error
    content = buffer.getvalue()
    return _as_read(content) if xml else content


def _as_read(content: bytes) -> bytes:
    if (found := _NO_CHARACTER.search(content)) is not None:
        raise ArchiveError(
            f"XML cannot have the character U+{ord(found[0].decode()):04X}, which is here", hint=_WAY_OUT
        )
    if _NO_NAME in content:
        iri = content.partition(_NO_NAME)[2].partition(b'"')[2].partition(b'"')[0].decode()
        raise ArchiveError(f"RDF/XML cannot name the property <{iri}>: no name of XML ends its IRI", hint=_WAY_OUT)
    return content.replace(b"\r", b"&#xD;") if b"\r" in content else content
