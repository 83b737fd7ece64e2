"""Options of a call, which come last, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict


class ResponseInfo:
    """Metadata of a response. Pass one as `response` and read it after the call."""

    status: int = 0
    headers: Mapping[str, str] = {}

    @property
    def request_id(self) -> str | None:
        """Identifies the request in the daemon's log."""
        return self.headers.get("x-request-id")

    @property
    def etag(self) -> str | None:
        """The version of the resource, for `if_match`."""
        return self.headers.get("etag")

    @property
    def replayed(self) -> bool:
        """An earlier call with the same idempotency key was answered with this."""
        return self.headers.get("idempotency-replayed") == "true"


class CallOptions(TypedDict, total=False):
    #: Time limit of a request in seconds, 30 by default; of a stream, the longest time without progress.
    timeout: float
    #: How often a call that is safe to repeat is retried, 3 by default.
    retries: int
    headers: Mapping[str, str]
    #: Receives what came with the data.
    response: ResponseInfo
    #: The name or id of the space to act in; `default` is the caller's own account.
    space: str


class WaitOptions(TypedDict, total=False):
    #: How often each look at the job is retried, 3 by default.
    retries: int
    headers: Mapping[str, str]
    #: Receives what came with the data.
    response: ResponseInfo
    #: The name or id of the space to act in; `default` is the caller's own account.
    space: str


class ChangeOptions(CallOptions, total=False):
    #: The `ETag` that was read. The call is rejected if the resource has changed since.
    if_match: str | None


class CreateOptions(CallOptions, total=False):
    #: Makes repeating the call safe. Defaults to a new key for each call.
    idempotency_key: str


class DecideOptions(ChangeOptions, CreateOptions, total=False):
    """Of calls that decide something: both prevent that it is decided twice."""
