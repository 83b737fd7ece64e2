"""Both clients against a daemon."""

from __future__ import annotations

import asyncio
import io
import threading
import time
import unittest
import uuid
from typing import Any

from svc_memory import ApiError, AsyncClient, Client, ResponseInfo


class DaemonTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client()
        self.user = f"user-{uuid.uuid4()}"

    def test_stores_finds_changes_and_erases_a_memory(self) -> None:
        memory = self.client.memories.create({"content": "Ada prefers oolong tea", "user": self.user, "tags": ["taste"]})
        found = self.client.search({"query": "what does Ada drink", "user": self.user, "types": ["memory"]})
        self.assertEqual(found["results"][0]["id"], memory["id"])
        info = ResponseInfo()
        self.client.memories.get(memory["id"], response=info)
        changed = self.client.memories.update(memory["id"], {"tags": ["drink"]}, if_match=info.etag)
        self.assertEqual((changed["tags"], changed["version"]), (["drink"], 2))
        with self.assertRaises(ApiError) as raised:
            self.client.memories.update(memory["id"], {"tags": []}, if_match=info.etag)
        self.assertEqual((raised.exception.status, raised.exception.code), (412, "precondition_failed"))
        self.assertIn("oolong", self.client.context({"query": "tea", "user": self.user})["text"])
        self.assertIsNone(self.client.memories.delete(memory["id"]))
        with self.assertRaises(ApiError) as raised:
            self.client.memories.get(memory["id"])
        self.assertEqual(raised.exception.code, "not_found")
        self.assertTrue(raised.exception.request_id.startswith("req_"))

    def test_lists_every_page(self) -> None:
        self.client.memories.create_many([{"content": f"Fact {index}", "user": self.user} for index in range(7)])
        pages = self.client.memories.list({"user": self.user, "limit": 3, "total": True})
        self.assertEqual((len(pages.page()["data"]), pages.page()["total"]), (3, 7))
        self.assertEqual(len({memory["id"] for memory in pages}), 7)

    def test_repeats_a_creating_call(self) -> None:
        info = ResponseInfo()
        key = str(uuid.uuid4())
        first = self.client.conversations.create({"title": "Tea"}, idempotency_key=key)
        again = self.client.conversations.create({"title": "Tea"}, idempotency_key=key, response=info)
        self.assertEqual((first["id"], info.replayed), (again["id"], True))

    def test_exports_and_imports(self) -> None:
        lines = self.client.import_("Ada climbs\nAda sings\n", format="lines", user=self.user, tags=["notes"])
        self.assertEqual(lines["added"]["memories"], 2)
        counted: list[int] = []
        stream = io.BytesIO(b"Ada paints\n" * 2 + b"Ada dances\n" * 10_000)
        report = self.client.import_(stream, format="lines", user=self.user, on_progress=counted.append)
        self.assertEqual(report["added"]["memories"], 2)
        self.assertEqual(counted[-1], len(stream.getvalue()))
        export = list(self.client.export({"user": self.user}))
        self.assertEqual((export[0].type, export[-1].type), ("svc-export", "end"))
        self.assertIsNotNone(export[-1].end)
        assert export[-1].end is not None
        self.assertEqual(export[-1].end["memories"], 4)
        self.assertEqual(sum("Ada sings" in line.text for line in export), 1)
        with self.assertRaises(ApiError) as raised:
            self.client.import_([b"Ada acts\n"] * 1000, format="none")
        self.assertEqual(raised.exception.code, "invalid_request")

    def test_receives_events(self) -> None:
        received = threading.Event()

        def write() -> None:
            # The stream may not be open yet.
            while not received.is_set():
                self.client.memories.create({"content": f"Ada knits {uuid.uuid4()}", "user": self.user})
                received.wait(0.1)

        writer = threading.Thread(target=write)
        writer.start()
        events = self.client.events()
        try:
            self.assertEqual(next(events).event, "memory.created")
        finally:
            received.set()
            writer.join()
            events.close()  # type: ignore[attr-defined]


class AsyncDaemonTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        # A busy machine is not worth a warning.
        asyncio.get_running_loop().slow_callback_duration = 60

    def setUp(self) -> None:
        self.client = AsyncClient()
        self.user = f"user-{uuid.uuid4()}"

    async def test_runs_calls_side_by_side(self) -> None:
        contents = [f"Fact {index}" for index in range(8)]
        await asyncio.gather(
            *(self.client.memories.create({"content": content, "user": self.user}) for content in contents)
        )
        pages = self.client.memories.list({"user": self.user, "limit": 3})
        self.assertEqual(len((await pages.page())["data"]), 3)
        self.assertEqual(sorted([memory["content"] async for memory in pages]), contents)
        found = await self.client.search({"query": "fact", "user": self.user})
        self.assertEqual(len(found["results"]), 8)
        with self.assertRaises(ApiError):
            await self.client.memories.external.get("none", {"user": self.user})

    async def test_exports_and_imports(self) -> None:
        report = await self.client.import_([b"Ada ", "climbs\n"], format="lines", user=self.user)
        self.assertEqual(report["added"]["memories"], 1)
        lines = [line async for line in self.client.export({"user": self.user})]
        self.assertEqual(lines[-1].type, "end")

    async def test_a_stream_of_events_ends_with_its_task(self) -> None:
        received: list[Any] = []

        async def listen() -> None:
            async for event in self.client.events():
                received.append(event)

        task = asyncio.create_task(listen())
        while not received:
            # The stream may not be open yet.
            await self.client.memories.create({"content": f"Ada swims {uuid.uuid4()}", "user": self.user})
            await asyncio.sleep(0.1)
        started = time.monotonic()
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        # The thread that waits for the next event ends too.
        await asyncio.get_running_loop().shutdown_default_executor()
        self.assertLess(time.monotonic() - started, 10)
