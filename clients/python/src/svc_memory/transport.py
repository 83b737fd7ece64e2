"""HTTP with time limits and retries, as the client for TypeScript has them."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

from .errors import ApiError, UnreachableError
from .options import ResponseInfo
from .paths import query_string, quote
from .version import VERSION

T = TypeVar("T")

# The name of the caller's own account among spaces.
OWN_SPACE = "default"
READ_ONLY_POSTS = {"/v1/search", "/v1/context", "/v1/memories/query"}
MAX_RETRY_AFTER = 30.0
INITIAL_BACKOFF = 0.25
MAX_BACKOFF = 5.0
# Enough for a daemon to restart, few enough to report a missing one soon.
CONNECTION_RETRIES = 3
CHUNK = 65_536
OUTCOME_UNKNOWN = "The answer was lost, so the change may have been made. Read it again before you repeat it."
# For a file that is sent as a whole: its progress cannot be seen.
NO_LIMIT = 86_400.0


class Pages(Generic[T]):
    """A list: `page()` is its first page, iterating yields every item of every page."""

    def __init__(self, load: Callable[[str | None], dict[str, Any]]) -> None:
        self._load = load

    def page(self) -> dict[str, Any]:
        """Request the first page: `data`, `nextCursor`, and `total` if it was asked for."""
        return self._load(None)

    def __iter__(self) -> Iterator[T]:
        page = self._load(None)
        while True:
            yield from page["data"]
            if page["nextCursor"] is None:
                return
            page = self._load(page["nextCursor"])


class Cancellation:
    """Ends a stream from another thread."""

    def __init__(self) -> None:
        self.cancelled = False
        self._socket: socket.socket | None = None

    def attach(self, connection: socket.socket) -> None:
        self._socket = connection
        if self.cancelled:
            self.cancel()

    def cancel(self) -> None:
        self.cancelled = True
        try:
            if self._socket is not None:
                self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class _Open:
    """A response whose body has not been read. Each wait is limited by what is left of the time."""

    def __init__(self, connection: http.client.HTTPConnection, base_url: str, timeout: float) -> None:
        self.connection = connection
        self.base_url = base_url
        self.timeout = timeout
        self.deadline = time.monotonic() + timeout
        self.response: http.client.HTTPResponse
        self.headers: Mapping[str, str] = {}

    def limit(self) -> None:
        """Give the next operation of the socket the time that is left."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.socket.settimeout(left)

    def renew(self) -> None:
        """Start the time limit again: there was progress."""
        self.deadline = time.monotonic() + self.timeout

    def start(self, method: str, path: str, headers: Mapping[str, str], body: Any) -> None:
        """Send the request and read the head of the response."""
        try:
            self.connection.connect()
            self.socket: socket.socket = self.connection.sock
            chunked = body is not None and not isinstance(body, bytes)
            try:
                self.connection.request(method, path, body, dict(headers), encode_chunked=chunked)
            except (BrokenPipeError, ConnectionResetError):
                # The daemon may have answered before it read everything.
                if not chunked:
                    raise
            if chunked:
                self.renew()
            self.limit()
            self.response = self.connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            raise self.failure(f"No svc daemon responds at {self.base_url}.", error) from error
        self.headers = {name.lower(): value for name, value in self.response.getheaders()}

    def chunks(self) -> Iterator[bytes]:
        try:
            while True:
                if not self.response.isclosed():
                    self.limit()
                chunk = self.response.read1(CHUNK)
                if not chunk:
                    if self.response.length:
                        raise http.client.IncompleteRead(b"", self.response.length)
                    return
                yield chunk
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self.failure(f"The connection to {self.base_url} was lost.", error) from error

    def failure(self, message: str, error: Exception) -> UnreachableError:
        if not isinstance(error, TimeoutError):
            return UnreachableError(message)
        slow = f"The svc daemon at {self.base_url} did not respond within {self.timeout:g} s."
        return UnreachableError(slow, timed_out=True)


class Transport:
    """Sends calls. Raises ApiError if the daemon rejects one, UnreachableError if no daemon responds."""

    def __init__(
        self,
        base_url: str,
        api_key: str | None,
        *,
        timeout: float = 30.0,
        retries: int = 3,
        headers: Mapping[str, str] | None = None,
        space: str | None = None,
        ssl_context: ssl.SSLContext | None = None,
        sleep: Callable[[float], None] = time.sleep,
        on_wait: Callable[[float, Exception], None] | None = None,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        url = urlsplit(self._base_url)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError(f"base_url must begin with https:// or http:// and a host, got {base_url!r}")
        self._timeout = timeout
        self._retries = retries
        self._space = space
        self._headers = {"user-agent": f"svc-memory-python/{VERSION}", **_lower(headers)}
        if api_key is not None:
            self._headers.setdefault("authorization", f"Bearer {_key_of(api_key)}")
        self._ssl_context = ssl_context
        self.sleep = sleep
        self.now = time.monotonic
        self._on_wait = on_wait

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        creates: bool = False,
        own: bool = False,
        default_timeout: float | None = None,
        timeout: float | None = None,
        retries: int | None = None,
        headers: Mapping[str, str] | None = None,
        response: ResponseInfo | None = None,
        space: str | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """Send a call and return the JSON of its response. Safe calls, and those with an idempotency key, are retried."""
        if creates and idempotency_key is None:
            idempotency_key = str(uuid.uuid4())
        space = space or (None if own else self._space)
        sent = self._sent_headers(headers, space, if_match, idempotency_key)
        if body is not None:
            sent["content-type"] = "application/json"
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        limit = next(one for one in (timeout, default_timeout, self._timeout) if one is not None)

        def once(was_lost: bool = False) -> Any:
            with self._request(method, path + query_string(query), sent, data, limit) as opened:
                return self._read(opened, response, may_be_gone=was_lost and method == "DELETE")

        repeatable = method != "POST" or path in READ_ONLY_POSTS or idempotency_key is not None
        return self._with_retries(once, retries, method) if repeatable else once()

    def pages(self, path: str, *, query: Mapping[str, Any] | None = None, **options: Any) -> Pages[Any]:
        """Request the pages of a list as the caller iterates."""

        def load(cursor: str | None) -> dict[str, Any]:
            more = {} if cursor is None else {"cursor": cursor}
            page: dict[str, Any] = self.send("GET", path, query={**(query or {}), **more}, **options)
            return page

        return Pages(load)

    def download(
        self,
        path: str,
        *,
        timeout: float | None = None,
        retries: int | None = None,
        headers: Mapping[str, str] | None = None,
        response: ResponseInfo | None = None,
        space: str | None = None,
        cancellation: Cancellation | None = None,
    ) -> Iterator[bytes]:
        """Yield a streamed response. The timeout is the longest time without progress."""
        sent = self._sent_headers(headers, space or self._space)
        limit = self._timeout if timeout is None else timeout

        def connect(_: bool) -> _Request:
            request = self._request("GET", path, sent, None, limit, cancellation)
            if not 200 <= request.opened.response.status < 300:
                with request as opened:
                    self._read(opened, response)
            return request

        with self._with_retries(connect, retries) as opened:
            _fill(response, opened)
            opened.renew()
            for chunk in opened.chunks():
                yield chunk
                opened.renew()

    def upload(
        self,
        path: str,
        source: bytes | Iterable[bytes],
        *,
        timeout: float | None = None,
        retries: int | None = None,
        headers: Mapping[str, str] | None = None,
        response: ResponseInfo | None = None,
        space: str | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """Send a file. Bytes are retried like any other call; an iterable, which cannot be read again, is sent once."""
        own = self._sent_headers(headers, space or self._space, None, idempotency_key)
        sent = {"content-type": "application/octet-stream", **own}
        if isinstance(source, bytes):

            def once(_: bool) -> Any:
                limit = NO_LIMIT if timeout is None else timeout
                with self._request("POST", path, sent, source, limit) as opened:
                    return self._read(opened, response)

            return self._with_retries(once, retries)
        guarded = _Source(source)
        try:
            limit = self._timeout if timeout is None else timeout
            with self._request("POST", path, sent, guarded, limit) as opened:
                return self._read(opened, response)
        finally:
            if guarded.error is not None:
                raise guarded.error

    def _sent_headers(
        self,
        headers: Mapping[str, str] | None,
        space: str | None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, str]:
        acting = None if space is None or space == OWN_SPACE else quote(space)
        own = {"x-svc-space": acting, "if-match": if_match, "idempotency-key": idempotency_key}
        given = {name: value for name, value in own.items() if value is not None}
        return {**given, **self._headers, **_lower(headers)}

    def _request(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: Any,
        timeout: float,
        cancellation: Cancellation | None = None,
    ) -> _Request:
        url = urlsplit(self._base_url)
        connection: http.client.HTTPConnection
        if url.scheme == "https":
            context = self._ssl_context or ssl.create_default_context()
            connection = http.client.HTTPSConnection(url.hostname or "", url.port, timeout=timeout, context=context)
        else:
            connection = http.client.HTTPConnection(url.hostname or "", url.port, timeout=timeout)
        opened = _Open(connection, self._base_url, timeout)
        request = _Request(opened)
        try:
            opened.start(method, url.path + path, headers, body)
        except BaseException:
            connection.close()
            raise
        if cancellation is not None:
            cancellation.attach(opened.socket)
        return request

    def _read(self, opened: _Open, info: ResponseInfo | None, may_be_gone: bool = False) -> Any:
        """Return the JSON of a response. With `may_be_gone`, that there is nothing to delete is a success."""
        text = b"".join(opened.chunks())
        status = opened.response.status
        if not 200 <= status < 300:
            problem = _problem(text)
            if problem is not None and may_be_gone and status in (404, 410):
                _fill(info, opened)
                return None
            if problem is not None:
                raise ApiError(problem, status, opened.headers)
            raise UnreachableError(f"The server at {self._base_url} is not an svc daemon (HTTP {status}).")
        _fill(info, opened)
        if text == b"":
            return None
        try:
            return json.loads(text)
        except ValueError as error:
            raise UnreachableError(f"The server at {self._base_url} is not an svc daemon.") from error

    def _with_retries(self, work: Callable[[bool], T], retries: int | None, method: str | None = None) -> T:
        most = self._retries if retries is None else retries
        attempt = 0
        was_lost = False
        while True:
            try:
                return work(was_lost)
            except (ApiError, UnreachableError) as error:
                # The attempt whose answer was lost may have made the change itself.
                if was_lost and isinstance(error, ApiError):
                    own = error.code == "precondition_failed" or (method == "PATCH" and error.code == "conflict")
                    if own:
                        raise UnreachableError(OUTCOME_UNKNOWN) from error
                was_lost = was_lost or isinstance(error, UnreachableError)
                delay = _retry_delay(error, attempt)
                if delay is None or attempt >= most:
                    raise
                if self._on_wait is not None:
                    self._on_wait(delay, error)
                self.sleep(delay)
            attempt += 1


class _Request:
    """Closes the connection at the end of a `with`."""

    def __init__(self, opened: _Open) -> None:
        self.opened = opened

    def __enter__(self) -> _Open:
        return self.opened

    def __exit__(self, *_: object) -> None:
        self.opened.response.close()
        self.opened.connection.close()


class _Source:
    """Chunks of a request body. Keeps an error of the source, which is not one of the connection."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[bytes]:
        try:
            # An empty chunk would end the body.
            yield from (chunk for chunk in self._chunks if chunk)
        except Exception as error:
            self.error = error
            raise


def is_busy(error: ApiError) -> bool:
    """Whether the daemon refused because it starts, is busy or its rate limit is used up."""
    return error.code in ("rate_limited", "unavailable")


def _retry_delay(error: ApiError | UnreachableError, attempt: int) -> float | None:
    """Return the seconds before the next attempt, or None if retrying would not help."""
    backoff = min(INITIAL_BACKOFF * 2**attempt, MAX_BACKOFF)
    if isinstance(error, UnreachableError):
        return None if error.timed_out or attempt >= CONNECTION_RETRIES else backoff
    after = error.retry_after_seconds
    # A conflict with Retry-After means that an earlier attempt of the same call is still in progress.
    in_progress = error.code == "conflict" and after is not None
    transient = is_busy(error) or in_progress
    return max(after or 0.0, backoff) if transient and (after or 0.0) <= MAX_RETRY_AFTER else None


def _key_of(api_key: str) -> str:
    """Return the key without space around it, as files have. The errors of HTTP libraries would show an invalid one."""
    key = api_key.strip()
    if not (key.isascii() and key.isprintable()):
        raise ValueError("The API key has characters that no key has: copy it again.")
    return key


def _problem(text: bytes) -> dict[str, Any] | None:
    try:
        problem = json.loads(text)
        return problem if problem["type"] == f"urn:svc:problem:{problem['code']}" else None
    except (ValueError, TypeError, KeyError):
        return None


def _fill(info: ResponseInfo | None, opened: _Open) -> None:
    if info is not None:
        info.status = opened.response.status
        info.headers = opened.headers


def _lower(headers: Mapping[str, str] | None) -> dict[str, str]:
    return {name.lower(): value for name, value in (headers or {}).items()}
