"""What the calls raise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class ApiError(Exception):
    """The daemon rejected the call. The message says what is wrong and what to do next."""

    status: int
    #: Newer daemons may have codes that this version of the client does not know.
    code: str
    detail: str
    #: Which fields are invalid, and why.
    errors: list[dict[str, str]]
    #: Identifies the request in the daemon's log.
    request_id: str
    headers: Mapping[str, str]
    #: The whole problem document, which may have more members, such as `resetsAt` of a quota.
    problem: dict[str, Any]
    #: From `Retry-After`.
    retry_after_seconds: float | None

    def __init__(self, problem: dict[str, Any], status: int, headers: Mapping[str, str]) -> None:
        super().__init__(problem.get("detail", problem["code"]))
        self.status = status
        self.code = problem["code"]
        self.detail = problem.get("detail", "")
        self.errors = problem.get("errors", [])
        self.request_id = problem.get("requestId", "")
        self.headers = headers
        self.problem = problem
        try:
            self.retry_after_seconds = float(headers.get("retry-after", ""))
        except ValueError:
            self.retry_after_seconds = None


class UnreachableError(Exception):
    """No daemon at the address, or the connection broke."""

    #: The request timed out, so a retry would likely take as long.
    timed_out: bool

    def __init__(self, message: str, *, timed_out: bool = False) -> None:
        super().__init__(message)
        self.timed_out = timed_out
