"""The operations of LangGraph's store: those of its package, or a stub of them where it is not installed.

Imported before `svc_memory.langgraph`, which imports the package.
"""

from __future__ import annotations

import sys
import types
from typing import Any, NamedTuple

try:
    import langgraph.store.base as base  # type: ignore[import-not-found, unused-ignore]
    from langgraph.store.memory import InMemoryStore  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    InMemoryStore = None

    class Get(NamedTuple):
        namespace: tuple[str, ...]
        key: str

    class Search(NamedTuple):
        namespace_prefix: tuple[str, ...]
        filter: dict[str, Any] | None = None
        limit: int = 10
        offset: int = 0
        query: str | None = None

    class Put(NamedTuple):
        namespace: tuple[str, ...]
        key: str
        value: dict[str, Any] | None

    class ListNamespaces(NamedTuple):
        match_conditions: tuple[Any, ...] | None = None
        max_depth: int | None = None
        limit: int = 100
        offset: int = 0

    class Match(NamedTuple):
        match_type: str
        path: tuple[str, ...]

    class Store:
        """Stands for `BaseStore`, whose methods are batches of one operation."""

        def put(self, namespace: tuple[str, ...], key: str, value: dict[str, Any]) -> None:
            self.batch([Put(namespace, key, value)])

        def search(self, prefix: tuple[str, ...], **options: Any) -> Any:
            return self.batch([Search(prefix, **options)])[0]

        def batch(self, ops: Any) -> list[Any]:
            raise NotImplementedError

    base = types.ModuleType("langgraph.store.base")
    vars(base).update(
        BaseStore=Store,
        GetOp=Get,
        SearchOp=Search,
        PutOp=Put,
        ListNamespacesOp=ListNamespaces,
        MatchCondition=Match,
        Item=types.SimpleNamespace,
        SearchItem=types.SimpleNamespace,
        Result=Any,
        InvalidNamespaceError=ValueError,
    )
    parents = {name: types.ModuleType(name) for name in ("langgraph", "langgraph.store")}
    sys.modules.update(parents | {"langgraph.store.base": base})
