"""The store for LangGraph. Without its package, a stub stands for the operations, and the comparison is left out."""

from __future__ import annotations

import asyncio
import json
import random
import unittest
import uuid
from typing import Any

from svc_memory import Client
from tests.langgraph_stub import InMemoryStore, base
from tests.scripted_server import Answer, ScriptedServer

from svc_memory.langgraph import SvcStore


def plain(result: Any) -> Any:
    """Items without their dates and scores, in no order: without a query none is promised."""
    if hasattr(result, "key"):
        return (result.namespace, result.key, result.value)
    if isinstance(result, list) and result and hasattr(result[0], "key"):
        return sorted((plain(item) for item in result), key=repr)
    return result


class QueryTest(unittest.TestCase):
    def test_searches_without_characters_that_the_daemon_rejects(self) -> None:
        server = ScriptedServer(Answer(200, {"results": []}))
        self.addCleanup(server.close)
        store = SvcStore(Client(server.url, "k"))
        self.assertEqual(store.batch([base.SearchOp(("ada",), query="tea\0 \ud83d or \U0001f375")]), [[]])
        self.assertEqual(json.loads(server.requests[0].body)["query"], "tea\ufffd \ufffd or \U0001f375")


class LangGraphTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client()
        self.user = f"store-{uuid.uuid4()}"
        self.store = SvcStore(self.client, user=self.user)

    def test_puts_gets_searches_lists_and_deletes_items(self) -> None:
        facts = ("ada", "facts")
        tea = {"text": "Ada prefers oolong tea", "sure": True}
        puts = [base.PutOp(facts, "tea", tea), base.PutOp(facts, "Größe: Stadt", {"text": "Graz", "sure": False})]
        self.assertEqual(self.store.batch(puts), [None, None])
        found, missing = self.store.batch([base.GetOp(facts, "tea"), base.GetOp(facts, "coffee")])
        self.assertEqual((plain(found), missing), ((facts, "tea", tea), None))
        search = base.SearchOp(("ada",), query="what does Ada drink", filter={"sure": True})
        [[ranked]] = asyncio.run(self.store.abatch([search]))
        self.assertEqual(plain(ranked), (facts, "tea", tea))
        self.assertGreater(ranked.score, 0)
        ends = base.MatchCondition("suffix", ("facts",))
        listing = base.ListNamespacesOp(match_conditions=(ends,), max_depth=1)
        self.assertEqual(self.store.batch([listing]), [[("ada",)]])
        self.store.batch([base.PutOp(facts, "tea", None)])
        self.assertEqual([item.key for item in self.store.batch([base.SearchOp(())])[0]], ["Größe: Stadt"])

    def test_refuses_namespaces_whose_names_would_be_ambiguous(self) -> None:
        for namespace in ((), ("a.b",), ("a:b",), ("",)):
            with self.assertRaises(base.InvalidNamespaceError):
                self.store.batch([base.GetOp(namespace, "k")])

    @unittest.skipIf(InMemoryStore is None, "langgraph-checkpoint is not installed")
    def test_answers_as_the_store_of_the_package_does(self) -> None:
        for seed in range(10):
            chance = random.Random(seed)
            store, reference = SvcStore(self.client, user=f"{self.user}-{seed}"), InMemoryStore()
            for _ in range(25):
                op = self.any_operation(chance)
                got, wanted = store.batch([op])[0], reference.batch([op])[0]
                for namespace, items in list(reference._data.items()):
                    if not items:
                        del reference._data[namespace]
                with self.subTest(seed=seed, op=op):
                    self.assertEqual(plain(got), plain(wanted))

    @staticmethod
    def any_operation(chance: random.Random) -> Any:
        label = lambda: chance.choice(["a", "b", "A", "ada lovelace", "é"])  # noqa: E731
        namespace = tuple(label() for _ in range(chance.randint(1, 3)))
        key = chance.choice(["k", "K", "k:x.y", "日本"])
        value = {"x": chance.choice([1, 2, 3]), "y": {"z": chance.choice(["1", None, True])}}
        condition = {chance.choice(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"]): chance.choice([1, 2])}
        wanted = chance.choice([None, {"x": condition}, {"y": {"z": "1"}}])
        path = tuple(chance.choice([label(), "*"]) for _ in range(chance.randint(1, 2)))
        match = base.MatchCondition(chance.choice(["prefix", "suffix"]), path)
        listing = base.ListNamespacesOp(match_conditions=(match,), max_depth=chance.choice([None, 1, 2]))
        puts = [base.PutOp(namespace, key, value), base.PutOp(namespace, key, chance.choice([value, None]))]
        searches = [base.SearchOp(namespace[:depth], filter=wanted, limit=1000) for depth in (0, 1)]
        return chance.choice([*puts, base.GetOp(namespace, key), *searches, listing])
