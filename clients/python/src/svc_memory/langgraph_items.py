"""How items of LangGraph are stored as memories, and how its conditions compare."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any

from langgraph.store.base import (  # type: ignore[import-not-found, unused-ignore]
    InvalidNamespaceError,
    MatchCondition,
)

PREFIX = "langgraph"


def require_labels(namespace: tuple[str, ...]) -> None:
    """Raises `InvalidNamespaceError` for a label that a name could not hold."""
    for label in namespace:
        if not isinstance(label, str) or not label or re.search(r"[.:\0]", label):
            raise InvalidNamespaceError(f"Invalid namespace label {label!r}: a text without '.' and ':' is needed")


def name_of(namespace: tuple[str, ...], key: str) -> str:
    """Returns the external id of an item. Labels have no colons, so that it is unambiguous."""
    if not namespace:
        raise InvalidNamespaceError("Namespace cannot be empty.")
    require_labels(namespace)
    return f"{group_of(namespace)}:{key}"


def group_of(namespace: tuple[str, ...]) -> str:
    """Returns the tag that all items below a namespace have."""
    return f"{PREFIX}:{'.'.join(namespace)}" if namespace else PREFIX


def is_item(memory: Any) -> bool:
    """Whether a memory stores an item."""
    return re.match(rf"{PREFIX}:[^:]*:", memory.get("externalId") or "") is not None


def fields_of(memory: Any) -> dict[str, Any]:
    """Returns the arguments of the item that a memory stores. A person may have written something else in its place."""
    name = memory["externalId"]
    _, labels, key = name.split(":", 2)
    text = memory["content"].removeprefix(title_of(name))
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


def title_of(name: str) -> str:
    """Makes items with the same text different memories. What the daemon does not compare exactly gets a hash."""
    title = name[len(PREFIX) + 1 :]
    return f"{title}\n\n" if re.fullmatch(r"[a-z0-9_./:-]+", title) else f"{title} ({short_hash(title)})\n\n"


def short_hash(text: str) -> str:
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


def fits(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    """Whether a namespace begins or ends with the path of a condition, in which `*` is any label."""
    path = condition.path
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return len(path) <= len(namespace) and all(want in ("*", have) for want, have in zip(path, part, strict=True))


def matches(value: Any, condition: Any) -> bool:
    """Compares as LangGraph's own stores do: a condition is a value, or an object of operators or of conditions."""
    if not isinstance(condition, dict):
        return bool(value == condition)
    if any(name.startswith("$") for name in condition):
        return all(_applies(value, name, operand) for name, operand in condition.items())
    return isinstance(value, dict) and all(matches(value.get(name), wanted) for name, wanted in condition.items())


def _applies(value: Any, operator: str, operand: Any) -> bool:
    if operator in ("$eq", "$ne"):
        return bool((value == operand) == (operator == "$eq"))
    compare = {"$gt": float.__gt__, "$gte": float.__ge__, "$lt": float.__lt__, "$lte": float.__le__}.get(operator)
    if compare is None:
        raise ValueError(f"Unsupported operator: {operator}")
    return bool(compare(float(value), float(operand)))
