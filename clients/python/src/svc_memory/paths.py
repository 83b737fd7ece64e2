"""Paths and query strings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote as quote_part
from urllib.parse import urlencode


def quote(part: str) -> str:
    """Encode a segment of a path."""
    return quote_part(part, safe="")


def query_string(query: Mapping[str, Any] | None) -> str:
    """Build `?name=value&…`. A list repeats its name; a mapping gives `name.key=value`; None is left out."""
    pairs: list[tuple[str, str]] = []
    for name, value in (query or {}).items():
        if value is None:
            continue
        if isinstance(value, Mapping):
            pairs += [(f"{name}.{key}", _text(one)) for key, one in value.items()]
        else:
            values = value if isinstance(value, (list, tuple)) else [value]
            pairs += [(name, _text(one)) for one in values]
    return f"?{urlencode(pairs)}" if pairs else ""


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
