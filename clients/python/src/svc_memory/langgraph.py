"""A store of LangGraph that keeps its items in svc. It needs the package `langgraph-checkpoint`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from typing import Any

from langgraph.store.base import (  # type: ignore[import-not-found, unused-ignore]
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from .client import Client
from .errors import ApiError
from .langgraph_items import (
    PREFIX,
    fields_of,
    fits,
    group_of,
    is_item,
    matches,
    name_of,
    require_labels,
    short_hash,
    title_of,
)

_LARGEST_PAGE = 200
#: The most that svc returns for a query.
_MOST_RESULTS = 100
_LONGEST_QUERY = 10_000


class SvcStore(BaseStore):
    """Keeps each item as a memory of the user: its value as JSON, which svc's search finds, with a version for each put.

    A search with a query ranks at most 100 items. Values come back as they were put, except that svc masks credentials.
    It reads and writes the same items as `SvcStore` of the TypeScript client.
    """

    def __init__(self, client: Client | None = None, *, user: str = "default") -> None:
        self._client = client or Client()
        self._user = user

    def batch(self, ops: Iterable[Any]) -> list[Result]:
        """Runs all reads, which do not see the puts of the same batch, and then the last put of each item."""
        all_ops = list(ops)
        puts = {name_of(op.namespace, op.key): op for op in all_ops if isinstance(op, PutOp)}
        results = [self._read(op) for op in all_ops]
        for name, op in puts.items():
            self._put(name, op)
        return results

    async def abatch(self, ops: Iterable[Any]) -> list[Result]:
        """Runs `batch` in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Any) -> Result:
        if isinstance(op, PutOp):
            return None
        if isinstance(op, GetOp):
            return self._get(name_of(op.namespace, op.key))
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._list_namespaces(op)
        raise ValueError(f"Unknown operation type: {type(op)}")

    def _get(self, name: str) -> Item | None:
        try:
            memory = self._client.memories.external.get(name, {"user": self._user})
        except ApiError as error:
            if error.code == "not_found":
                return None
            raise
        return Item(**fields_of(memory))

    def _put(self, name: str, op: PutOp) -> None:
        if op.value is None:
            try:
                self._client.memories.external.delete(name, {"user": self._user})
            except ApiError as error:
                if error.code != "not_found":
                    raise
            return
        namespace = op.namespace
        groups = [PREFIX, *(group_of(namespace[: depth + 1]) for depth in range(len(namespace)))]
        content = title_of(name) + json.dumps(op.value, indent=2, ensure_ascii=False)
        tags = [self._tag_of(group) for group in groups]
        memory: Any = {"content": content, "user": self._user, "tags": tags, "origin": "program"}
        self._client.memories.external.put(name, memory)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        require_labels(op.namespace_prefix)
        ranked = bool(op.query and op.query.strip())
        found = self._ranked(op.query or "", op.namespace_prefix) if ranked else self._items(op.namespace_prefix)
        items: list[SearchItem] = []
        skipped = 0
        for item in found:
            if len(items) >= op.limit:
                break
            if not matches(item.value, op.filter or {}):
                continue
            if skipped < op.offset:
                skipped += 1
            else:
                items.append(item)
        return items

    def _ranked(self, query: str, prefix: tuple[str, ...]) -> Iterator[SearchItem]:
        request: Any = {
            "query": _storable_text(query[:_LONGEST_QUERY]),
            "user": self._user,
            "types": ["memory"],
            "filter": {"tags": [self._tag_of(group_of(prefix))]},
            "limit": _MOST_RESULTS,
        }
        results: list[Any] = list(self._client.search(request)["results"])
        # svc puts a statement that a newer one restates behind others; here both are items of their own.
        for result in sorted(results, key=lambda result: -result["score"]):
            if is_item(result):
                yield SearchItem(**fields_of(result), score=result["score"])

    def _items(self, prefix: tuple[str, ...]) -> Iterator[SearchItem]:
        """Yields the items below a namespace, the last changed first."""
        tag = self._tag_of(group_of(prefix))
        query: Any = {"user": self._user, "tag": tag, "limit": _LARGEST_PAGE, "orderBy": "updatedAt"}
        for memory in self._client.memories.list(query):
            if is_item(memory):
                yield SearchItem(**fields_of(memory))

    def _list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        """Reads every item below the prefix."""
        conditions = op.match_conditions or ()
        prefix: tuple[str, ...] = next((tuple(one.path) for one in conditions if one.match_type == "prefix"), ())
        known = prefix[: prefix.index("*")] if "*" in prefix else prefix
        namespaces = {item.namespace for item in self._items(known)}
        fitting = [one for one in namespaces if all(fits(one, condition) for condition in conditions)]
        return sorted({one[: op.max_depth] for one in fitting})[op.offset : op.offset + op.limit]

    def _tag_of(self, group: str) -> str:
        # Without a mark of the user, the daemon would read the items of all users.
        return group if self._user == "default" else f"{group} {short_hash(self._user)}"


def _storable_text(text: str) -> str:
    """Returns a text without NUL characters and unpaired surrogates, which the daemon rejects."""
    return "".join("\ufffd" if char == "\0" or "\ud800" <= char <= "\udfff" else char for char in text)
