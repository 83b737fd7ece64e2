"""A store of LangGraph that keeps its items in svc. It needs the package `langgraph-checkpoint`."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from langgraph.store.base import (  # type: ignore[import-not-found, unused-ignore]
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from .client import Client
from .errors import ApiError

_PREFIX = "langgraph"
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
        puts = {_name_of(op.namespace, op.key): op for op in all_ops if isinstance(op, PutOp)}
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
            return self._get(_name_of(op.namespace, op.key))
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
        return Item(**_fields_of(memory))

    def _put(self, name: str, op: PutOp) -> None:
        if op.value is None:
            try:
                self._client.memories.external.delete(name, {"user": self._user})
            except ApiError as error:
                if error.code != "not_found":
                    raise
            return
        namespace = op.namespace
        groups = [_PREFIX, *(_group_of(namespace[: depth + 1]) for depth in range(len(namespace)))]
        content = _title_of(name) + json.dumps(op.value, indent=2, ensure_ascii=False)
        tags = [self._tag_of(group) for group in groups]
        memory: Any = {"content": content, "user": self._user, "tags": tags, "origin": "program"}
        self._client.memories.external.put(name, memory)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        _require_labels(op.namespace_prefix)
        ranked = bool(op.query and op.query.strip())
        found = self._ranked(op.query or "", op.namespace_prefix) if ranked else self._items(op.namespace_prefix)
        items: list[SearchItem] = []
        skipped = 0
        for item in found:
            if len(items) >= op.limit:
                break
            if not _matches(item.value, op.filter or {}):
                continue
            if skipped < op.offset:
                skipped += 1
            else:
                items.append(item)
        return items

    def _ranked(self, query: str, prefix: tuple[str, ...]) -> Iterator[SearchItem]:
        request: Any = {
            "query": query[:_LONGEST_QUERY],
            "user": self._user,
            "types": ["memory"],
            "filter": {"tags": [self._tag_of(_group_of(prefix))]},
            "limit": _MOST_RESULTS,
        }
        results: list[Any] = list(self._client.search(request)["results"])
        # svc puts a statement that a newer one restates behind others; here both are items of their own.
        for result in sorted(results, key=lambda result: -result["score"]):
            if _is_item(result):
                yield SearchItem(**_fields_of(result), score=result["score"])

    def _items(self, prefix: tuple[str, ...]) -> Iterator[SearchItem]:
        """Yields the items below a namespace, the last changed first."""
        tag = self._tag_of(_group_of(prefix))
        query: Any = {"user": self._user, "tag": tag, "limit": _LARGEST_PAGE, "orderBy": "updatedAt"}
        for memory in self._client.memories.list(query):
            if _is_item(memory):
                yield SearchItem(**_fields_of(memory))

    def _list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        """Reads every item below the prefix."""
        conditions = op.match_conditions or ()
        prefix: tuple[str, ...] = next((tuple(one.path) for one in conditions if one.match_type == "prefix"), ())
        known = prefix[: prefix.index("*")] if "*" in prefix else prefix
        namespaces = {item.namespace for item in self._items(known)}
        fitting = [one for one in namespaces if all(_fits(one, condition) for condition in conditions)]
        return sorted({one[: op.max_depth] for one in fitting})[op.offset : op.offset + op.limit]

    def _tag_of(self, group: str) -> str:
        # Without a mark of the user, the daemon would read the items of all users.
        return group if self._user == "default" else f"{group} {_short_hash(self._user)}"


def _require_labels(namespace: tuple[str, ...]) -> None:
    for label in namespace:
        if not isinstance(label, str) or not label or re.search(r"[.:\0]", label):
            raise InvalidNamespaceError(f"Invalid namespace label {label!r}: a text without '.' and ':' is needed")


def _name_of(namespace: tuple[str, ...], key: str) -> str:
    """Returns the external id of an item. Labels have no colons, so that it is unambiguous."""
    if not namespace:
        raise InvalidNamespaceError("Namespace cannot be empty.")
    _require_labels(namespace)
    return f"{_group_of(namespace)}:{key}"


def _group_of(namespace: tuple[str, ...]) -> str:
    return f"{_PREFIX}:{'.'.join(namespace)}" if namespace else _PREFIX


def _is_item(memory: Any) -> bool:
    return re.match(rf"{_PREFIX}:[^:]*:", memory.get("externalId") or "") is not None


def _fields_of(memory: Any) -> dict[str, Any]:
    """Returns the arguments of the item that a memory stores. A person may have written something else in its place."""
    name = memory["externalId"]
    _, labels, key = name.split(":", 2)
    text = memory["content"].removeprefix(_title_of(name))
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    return {
        "namespace": tuple(labels.split(".")),
        "key": key,
        "value": value if isinstance(value, dict) else {"text": text},
        "created_at": datetime.fromisoformat(memory["createdAt"]),
        "updated_at": datetime.fromisoformat(memory["updatedAt"]),
    }


def _title_of(name: str) -> str:
    """Makes items with the same text different memories. What the daemon does not compare exactly gets a hash."""
    title = name[len(_PREFIX) + 1 :]
    return f"{title}\n\n" if re.fullmatch(r"[a-z0-9_./:-]+", title) else f"{title} ({_short_hash(title)})\n\n"


def _short_hash(text: str) -> str:
    """FNV-1a of UTF-16, in base 36."""
    units = text.encode("utf-16-le", "surrogatepass")
    value = 0x811C9DC5
    for index in range(0, len(units), 2):
        value = ((value ^ int.from_bytes(units[index : index + 2], "little")) * 0x01000193) & 0xFFFFFFFF
    digits = ""
    while value:
        value, digit = divmod(value, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits or "0"


def _fits(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path = condition.path
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return len(path) <= len(namespace) and all(want in ("*", have) for want, have in zip(path, part, strict=True))


def _matches(value: Any, condition: Any) -> bool:
    """Compares as LangGraph's own stores do: a condition is a value, or an object of operators or of conditions."""
    if not isinstance(condition, dict):
        return bool(value == condition)
    if any(name.startswith("$") for name in condition):
        return all(_applies(value, name, operand) for name, operand in condition.items())
    return isinstance(value, dict) and all(_matches(value.get(name), wanted) for name, wanted in condition.items())


def _applies(value: Any, operator: str, operand: Any) -> bool:
    if operator in ("$eq", "$ne"):
        return bool((value == operand) == (operator == "$eq"))
    compare = {"$gt": float.__gt__, "$gte": float.__ge__, "$lt": float.__lt__, "$lte": float.__le__}.get(operator)
    if compare is None:
        raise ValueError(f"Unsupported operator: {operator}")
    return bool(compare(float(value), float(operand)))
