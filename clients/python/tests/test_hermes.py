"""The memory provider of Hermes, under a stub of what Hermes publishes: its package is not on the registry of the tests."""

from __future__ import annotations

import json
import os
import sys
import types
import unittest
import uuid
from abc import ABC, abstractmethod
from typing import Any
from unittest.mock import patch

from svc_memory import Client


class MemoryProvider(ABC):
    """Stands for `agent.memory_provider.MemoryProvider`: what must be implemented."""

    @property
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def is_available(self) -> bool: ...

    @abstractmethod
    def initialize(self, session_id: str, **kwargs: Any) -> None: ...

    @abstractmethod
    def get_tool_schemas(self) -> list[dict[str, Any]]: ...


stub = types.ModuleType("agent.memory_provider")
stub.MemoryProvider = MemoryProvider  # type: ignore[attr-defined]
sys.modules.setdefault("agent", types.ModuleType("agent"))
sys.modules["agent.memory_provider"] = stub

from svc_memory import hermes  # noqa: E402


class HermesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client()
        self.user = f"telegram:{uuid.uuid4()}"

    def open(self, session: str = "one", **kwargs: Any) -> Any:
        """Returns the provider that `register` hands over, initialized as by a messenger."""
        context = types.SimpleNamespace(register_memory_provider=lambda found: setattr(context, "found", found))
        hermes.register(context)
        self.assertTrue(context.found.is_available())
        person = self.user.partition(":")[2]
        context.found.initialize(session, **{"platform": "telegram", "user_id": person, **kwargs})
        return context.found

    def test_appends_turns_to_the_conversation_of_their_session_and_recalls_them_in_another(self) -> None:
        provider = self.open()
        provider.sync_turn("I keep a wyvern.", "Noted.", session_id="one", messages=[])
        provider.sync_turn("It is called Kim.", "Noted.")
        provider.shutdown()
        self.assertNotIn("wyvern", provider.prefetch("wyvern"))
        provider.on_session_switch("two", reset=True)
        self.assertIn("I keep a wyvern.", provider.prefetch("wyvern"))
        counts = [talk["messageCount"] for talk in self.client.conversations.list({"user": self.user})]
        self.assertEqual(counts, [4])

    def test_goes_on_in_a_new_conversation_after_its_own_was_deleted(self) -> None:
        provider = self.open()
        provider.sync_turn("I keep a wyvern.", "Noted.")
        provider.shutdown()
        for talk in self.client.conversations.list({"user": self.user}):
            self.client.conversations.delete(talk["id"])
        provider.sync_turn("It is called Kim.", "Noted.")
        provider.shutdown()
        counts = [talk["messageCount"] for talk in self.client.conversations.list({"user": self.user})]
        self.assertEqual(counts, [2])

    def test_stores_and_recalls_for_any_text(self) -> None:
        provider = self.open()
        provider.sync_turn("a\0b\ud83d", "x" * 150_000)
        provider.shutdown()
        (talk,) = self.client.conversations.list({"user": self.user})
        messages = self.client.conversations.messages.list(talk["id"], {"order": "oldest"})
        self.assertEqual([one["content"] for one in messages], ["a\ufffdb?", "x" * 100_000])
        with self.assertNoLogs("svc_memory.hermes"):
            provider.prefetch("a\0b\ud83d")

    def test_its_tools_add_search_and_forget_memories_of_that_person_alone(self) -> None:
        provider = self.open()
        names = [schema["name"] for schema in provider.get_tool_schemas()]
        self.assertEqual(names, ["svc_search", "svc_add", "svc_forget"])
        call = lambda name, **args: json.loads(provider.handle_tool_call(name, args))  # noqa: E731
        added = call("svc_add", content="Ada prefers oolong tea")
        self.assertEqual([found["id"] for found in call("svc_search", query="tea")], [added["id"]])
        other = self.client.memories.create({"content": "Bo prefers coffee", "user": "bo"})
        self.assertIn("no memory", call("svc_forget", id=other["id"])["error"])
        self.assertEqual(call("svc_forget", id=added["id"]), {"deleted": True})
        self.assertEqual(call("svc_search", query="tea"), [])
        self.assertIn("error", call("svc_unknown"))

    def test_stores_nothing_of_scheduled_runs_and_subagents(self) -> None:
        provider = self.open(agent_context="cron")
        provider.sync_turn("Every morning: report.", "Done.")
        provider.shutdown()
        self.assertEqual(list(self.client.conversations.list({"user": self.user})), [])

    def test_answers_without_memory_if_svc_cannot_be_reached(self) -> None:
        with patch.dict(os.environ, {"SVC_URL": "http://127.0.0.1:9"}), self.assertLogs("svc_memory.hermes") as logs:
            self.assertEqual(self.open().prefetch("tea"), "")
        self.assertIn("without memory", logs.output[0])
