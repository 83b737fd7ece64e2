"""The clients. Both have the calls of `@svc-memory/client` under the same names, in snake case."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any, TypedDict, Unpack

from .async_calls import AsyncCalls
from .async_transport import AsyncTransport, in_threads
from .calls import Calls
from .options import CallOptions, CreateOptions
from .paths import query_string
from .streams import ChangeEvent, ExportLine, ImportSource, read_events, read_export, source_of
from .transport import Cancellation, Transport
from .types import ImportReport

DEFAULT_URL = "http://127.0.0.1:8787"


class ClientOptions(TypedDict, total=False):
    #: Time limit of a request in seconds, 30 by default.
    timeout: float
    #: How often a call that is safe to repeat is retried, 3 by default.
    retries: int
    #: Sent with every request.
    headers: Mapping[str, str]
    #: The name or id of the space to act in. Calls about the caller's own account leave it out.
    space: str
    #: An `ssl.SSLContext`, for a daemon with a certificate of your own.
    ssl_context: Any
    #: Called before each wait between retries with its seconds and the error.
    on_wait: Callable[[float, Exception], None]
    #: Injected in tests.
    sleep: Callable[[float], None]


class ExportQuery(TypedDict, total=False):
    user: str


def _transport(base_url: str | None, api_key: str | None, options: ClientOptions) -> Transport:
    url = base_url or os.environ.get("SVC_URL") or DEFAULT_URL
    return Transport(url, api_key or os.environ.get("SVC_API_KEY") or None, **options)


def _import_path(format: str | None, user: str | None, tags: Sequence[str]) -> str:
    return "/v1/import" + query_string({"format": format, "user": user, "tag": list(tags)})


class Client(Calls):
    """A client of svc. `base_url` and `api_key` default to the environment variables SVC_URL and SVC_API_KEY.

    Opens a connection for each request, so that threads can share it.
    """

    def __init__(
        self, base_url: str | None = None, api_key: str | None = None, **options: Unpack[ClientOptions]
    ) -> None:
        super().__init__(_transport(base_url, api_key, options))

    def export(self, query: ExportQuery | None = None, **options: Unpack[CallOptions]) -> Iterator[ExportLine]:
        """Yield the whole account as NDJSON lines. Raises UnreachableError if the export is truncated."""
        return read_export(self._transport.download("/v1/export" + query_string(query), **options))

    def import_(
        self,
        source: ImportSource,
        *,
        format: str | None = None,
        user: str | None = None,
        tags: Sequence[str] = (),
        on_progress: Callable[[int], None] | None = None,
        **options: Unpack[CreateOptions],
    ) -> ImportReport:
        """Import a file. Safe to repeat after any failure, because nothing is added twice.

        A stream (an open file or an iterable) is not retried by itself, since it cannot be read again.
        """
        path = _import_path(format, user, tags)
        report: ImportReport = self._transport.upload(path, source_of(source, on_progress), **options)
        return report

    def events(self, *, last_event_id: str | None = None, **options: Unpack[CallOptions]) -> Iterator[ChangeEvent]:
        """Yield what changes in the account, and connect again if the connection is lost."""
        return read_events(self._transport, last_event_id=last_event_id, **options)


class AsyncClient(AsyncCalls):
    """The client for asyncio, with the same calls. Requests run in threads, so that nothing but Python is needed.

    A cancelled task stops waiting at once, while the request itself runs to its end or timeout.
    """

    def __init__(
        self, base_url: str | None = None, api_key: str | None = None, **options: Unpack[ClientOptions]
    ) -> None:
        super().__init__(AsyncTransport(_transport(base_url, api_key, options)))

    def export(self, query: ExportQuery | None = None, **options: Unpack[CallOptions]) -> AsyncIterator[ExportLine]:
        """Yield the whole account as NDJSON lines. Raises UnreachableError if the export is truncated."""
        ending = Cancellation()
        path = "/v1/export" + query_string(query)
        chunks = self._transport.sync.download(path, cancellation=ending, **options)
        return in_threads(read_export(chunks), ending.cancel)

    async def import_(
        self,
        source: ImportSource,
        *,
        format: str | None = None,
        user: str | None = None,
        tags: Sequence[str] = (),
        on_progress: Callable[[int], None] | None = None,
        **options: Unpack[CreateOptions],
    ) -> ImportReport:
        """Import a file. Safe to repeat after any failure, because nothing is added twice."""
        path = _import_path(format, user, tags)
        body = source_of(source, on_progress)
        report: ImportReport = await asyncio.to_thread(self._transport.sync.upload, path, body, **options)
        return report

    def events(
        self, *, last_event_id: str | None = None, **options: Unpack[CallOptions]
    ) -> AsyncIterator[ChangeEvent]:
        """Yield what changes in the account, and connect again if the connection is lost."""
        ending = Cancellation()
        events = read_events(self._transport.sync, last_event_id=last_event_id, cancellation=ending, **options)
        return in_threads(events, ending.cancel)
