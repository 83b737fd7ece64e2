"""The transport for asyncio: each request runs in a thread of the event loop's pool."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Generic, TypeVar

from .transport import Pages, Transport

T = TypeVar("T")
_END: Any = object()


class AsyncPages(Generic[T]):
    """A list: `await page()` is its first page, `async for` yields every item of every page."""

    def __init__(self, pages: Pages[T]) -> None:
        self._pages = pages

    async def page(self) -> dict[str, Any]:
        """Request the first page: `data`, `nextCursor`, and `total` if it was asked for."""
        return await asyncio.to_thread(self._pages.page)

    def __aiter__(self) -> AsyncIterator[T]:
        return in_threads(iter(self._pages))


class AsyncTransport:
    """Sends calls without blocking the event loop. A cancelled task does not end a request that is in flight."""

    def __init__(self, transport: Transport) -> None:
        self.sync = transport
        self.now = transport.now

    async def send(self, *arguments: Any, **options: Any) -> Any:
        return await asyncio.to_thread(self.sync.send, *arguments, **options)

    def pages(self, path: str, **options: Any) -> AsyncPages[Any]:
        return AsyncPages(self.sync.pages(path, **options))

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def in_threads(items: Iterator[T], cancel: Callable[[], None] | None = None) -> AsyncIterator[T]:
    """Yield items, each of which is waited for in a thread. `cancel` ends such a wait if the caller stops early."""
    try:
        while True:
            item = await asyncio.to_thread(next, items, _END)
            if item is _END:
                return
            yield item
    finally:
        if cancel is not None:
            cancel()
