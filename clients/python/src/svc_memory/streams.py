"""Exports, imports and events, which are streamed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any, Union

from .errors import ApiError, UnreachableError
from .transport import CHUNK, Cancellation, Transport, is_busy

ImportSource = Union[str, bytes, bytearray, memoryview, IO[bytes], Iterable[Union[str, bytes]]]

RECONNECT = 1.0
_KIND = re.compile(r'^\{"type":"([a-z-]+)"')
_FIELD = re.compile(r"^(id|event|data): (.*)$")


@dataclass(frozen=True)
class ExportLine:
    """A line of an export, including its newline, and its record type. The last line has `end` with the totals."""

    text: str
    type: str
    end: dict[str, Any] | None = None


@dataclass(frozen=True)
class ChangeEvent:
    """A change in the account. `id` is where a later stream continues."""

    id: str
    event: str
    data: dict[str, Any]


def read_export(chunks: Iterable[bytes]) -> Iterator[ExportLine]:
    """Split an export into lines. Raises UnreachableError if the last line is missing."""
    last = ""
    for line in _split(chunks, b"\n"):
        text = line.decode() + "\n"
        kind = _KIND.match(text)
        last = kind[1] if kind else ""
        yield ExportLine(text, last, json.loads(text) if last == "end" else None)
    if last != "end":
        raise UnreachableError("The export was cut off before its end.")


def read_events(
    transport: Transport,
    *,
    last_event_id: str | None = None,
    headers: Mapping[str, str] | None = None,
    cancellation: Cancellation | None = None,
    **options: Any,
) -> Iterator[ChangeEvent]:
    """Yield changes, and connect again after a lost connection. Raises whatever fails the first one.

    Once connected, it waits for a daemon that is unavailable.
    """
    last_id = last_event_id
    connected = False
    while True:
        sent = {**(headers or {}), **({} if last_id is None else {"last-event-id": last_id})}
        try:
            chunks = transport.download("/v1/events", headers=sent, cancellation=cancellation, **options)
            for block in _split(chunks, b"\n\n"):
                connected = True
                fields = dict(match.groups() for match in map(_FIELD.match, block.decode().split("\n")) if match)
                last_id = fields.get("id", last_id)
                if "data" in fields:
                    yield ChangeEvent(last_id or "", fields.get("event", ""), json.loads(fields["data"]))
        except UnreachableError:
            if cancellation is not None and cancellation.cancelled:
                return
            if not connected:
                raise
        except ApiError as error:
            if not connected or not is_busy(error):
                raise
        if cancellation is not None and cancellation.cancelled:
            return
        transport.sleep(RECONNECT)


def source_of(source: ImportSource, on_progress: Callable[[int], None] | None) -> bytes | Iterable[bytes]:
    """Return what to send. Only a stream reports progress."""
    if isinstance(source, str):
        return source.encode()
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source)
    return _counted(source, on_progress)


def _counted(source: Any, on_progress: Callable[[int], None] | None) -> Iterator[bytes]:
    # A file that was opened as text ends with "" instead of b"".
    chunks = iter(lambda: source.read(CHUNK) or None, None) if hasattr(source, "read") else source
    count = 0
    for chunk in chunks:
        data = chunk.encode() if isinstance(chunk, str) else chunk
        yield data
        count += len(data)
        if on_progress is not None:
            on_progress(count)


def _split(chunks: Iterable[bytes], separator: bytes) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *pieces, rest = (rest + chunk).split(separator)
        yield from pieces
