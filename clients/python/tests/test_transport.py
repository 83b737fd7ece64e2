"""Retries, time limits and errors."""

from __future__ import annotations

import io
import json
import time
import unittest
from typing import Any

from svc_memory import ApiError, Client, ResponseInfo, UnreachableError
from svc_memory.streams import source_of
from tests.scripted_server import Answer, ScriptedServer, limited, problem

MEMORY = {"id": "mem_1"}
BREAK = Answer(0)


class TransportTest(unittest.TestCase):
    def start(self, *answers: Answer, **options: Any) -> tuple[ScriptedServer, Client]:
        server = ScriptedServer(*answers)
        self.addCleanup(server.close)
        return server, Client(server.url + "/", "k", sleep=server.sleep, **options)

    def test_retries_with_backoff_and_as_the_daemon_says(self) -> None:
        server, client = self.start(limited(2), problem("unavailable", 503), BREAK, Answer(200, MEMORY))
        self.assertEqual(client.memories.get("mem_1"), MEMORY)
        self.assertEqual(server.waits, [2.0, 0.5, 1.0])
        self.assertEqual(server.requests[0].headers["authorization"], "Bearer k")

    def test_takes_a_key_as_files_have_it_and_shows_no_invalid_one(self) -> None:
        server = ScriptedServer(Answer(200, MEMORY))
        self.addCleanup(server.close)
        Client(server.url, "secret\n").memories.get("mem_1")
        self.assertEqual(server.requests[0].headers["authorization"], "Bearer secret")
        for key in ("sec\nret", "sec\u20acret"):
            with self.assertRaises(ValueError) as raised:
                Client(server.url, key)
            self.assertNotIn("sec", str(raised.exception))

    def test_names_the_space_to_act_in_but_not_in_calls_about_the_own_account(self) -> None:
        server, client = self.start(Answer(200, {"data": [], "nextCursor": None}), space="Büro 東京")
        client.memories.get("mem_1")
        client.memories.list().page()
        client.memories.get("mem_1", space="team")
        client.import_("Ada climbs\n", format="lines")
        for _ in client.memories.list(space="default"):
            self.fail("The list is empty.")
        client.spaces.list().page()
        client.connections.list().page()
        sent = [one.headers.get("x-svc-space") for one in server.requests]
        named = "B%C3%BCro%20%E6%9D%B1%E4%BA%AC"
        self.assertEqual(sent, [named, named, "team", named, None, None, None])

    def test_refuses_an_address_that_would_send_the_key_elsewhere(self) -> None:
        for address in ("svc.example.com", "https//svc.example.com", "ftp://svc.example.com", "https:///v1"):
            with self.assertRaisesRegex(ValueError, "base_url must begin with"):
                Client(address, "k")

    def test_repeats_a_creating_call_with_the_same_idempotency_key(self) -> None:
        server, client = self.start(BREAK, limited(), Answer(201, MEMORY))
        client.memories.create({"content": "Ada"})
        keys = [one.headers["idempotency-key"] for one in server.requests]
        self.assertEqual((len(keys), len(set(keys))), (3, 1))
        client.memories.create({"content": "Ada"})
        self.assertNotIn(server.requests[-1].headers["idempotency-key"], keys)
        client.memories.create({"content": "Ada"}, idempotency_key="tea")
        self.assertEqual(server.requests[-1].headers["idempotency-key"], "tea")

    def test_does_not_repeat_a_call_that_is_not_safe(self) -> None:
        server, client = self.start(BREAK)
        with self.assertRaises(UnreachableError):
            client.feedback("srch_1", {"used": []})  # type: ignore[typeddict-unknown-key]
        self.assertEqual(len(server.requests), 1)

    def test_waits_for_an_earlier_attempt_of_the_same_call(self) -> None:
        conflict = problem("conflict", 409)
        conflict.headers["Retry-After"] = "1"
        server, client = self.start(conflict, Answer(201, MEMORY))
        client.memories.create({"content": "Ada"})
        self.assertEqual(server.waits, [1.0])
        server, client = self.start(problem("conflict", 409))
        with self.assertRaises(ApiError):
            client.memories.create({"content": "Ada"})
        self.assertEqual(server.waits, [])

    def test_does_not_report_its_own_change_as_one_of_somebody_else(self) -> None:
        server, client = self.start(BREAK, problem("precondition_failed", 412))
        with self.assertRaisesRegex(UnreachableError, "may have been made"):
            client.memories.update("mem_1", {"content": "Ada"}, if_match='"1"')
        self.assertEqual(len(server.requests), 2)
        _, client = self.start(limited(), problem("precondition_failed", 412))
        with self.assertRaisesRegex(ApiError, "precondition_failed"):
            client.memories.update("mem_1", {"content": "Ada"}, if_match='"1"')

    def test_reports_a_conflict_with_its_own_change_as_an_unknown_outcome(self) -> None:
        _, client = self.start(BREAK, problem("conflict", 409))
        with self.assertRaisesRegex(UnreachableError, "may have been made"):
            client.memories.update("mem_1", {"validTo": "2026-01-01T00:00:00Z"})
        _, client = self.start(problem("conflict", 409))
        with self.assertRaisesRegex(ApiError, "conflict"):
            client.memories.update("mem_1", {"validTo": "2026-01-01T00:00:00Z"})

    def test_deletes_what_is_gone_after_a_lost_answer(self) -> None:
        for gone in (problem("not_found", 404), problem("gone", 410)):
            info = ResponseInfo()
            server, client = self.start(BREAK, limited(), gone)
            client.memories.delete("mem_1", response=info)
            self.assertEqual((len(server.requests), info.status), (3, gone.status))
            server, client = self.start(limited(), gone)
            with self.assertRaises(ApiError):
                client.memories.delete("mem_1")
        _, client = self.start(BREAK, Answer(404, "<html>"))
        with self.assertRaisesRegex(UnreachableError, "is not an svc daemon"):
            client.memories.delete("mem_1", retries=1)

    def test_gives_up_after_the_retries_and_when_the_wait_is_long(self) -> None:
        server, client = self.start(limited(), retries=1)
        with self.assertRaises(ApiError):
            client.account.get()
        self.assertEqual(len(server.requests), 2)
        with self.assertRaises(ApiError):
            client.account.get(retries=0)
        self.assertEqual(len(server.requests), 3)
        server, client = self.start(limited(31))
        with self.assertRaises(ApiError) as raised:
            client.account.get()
        self.assertEqual((server.waits, raised.exception.retry_after_seconds), ([], 31.0))

    def test_an_error_carries_what_the_daemon_said(self) -> None:
        errors = [{"path": "/content", "message": "is empty"}]
        _, client = self.start(problem("brand_new", 418, errors=errors, flavor="mint"))
        with self.assertRaises(ApiError) as raised:
            client.account.get()
        error = raised.exception
        self.assertEqual((error.status, error.code, str(error)), (418, "brand_new", "It is brand_new."))
        self.assertEqual((error.errors, error.problem["flavor"], error.request_id), (errors, "mint", "req_1"))

    def test_limits_the_time_of_a_request_and_does_not_repeat_it(self) -> None:
        server, client = self.start(Answer(-1))
        started = time.monotonic()
        with self.assertRaisesRegex(UnreachableError, "did not respond within 0.1 s") as raised:
            client.account.get(timeout=0.1)
        self.assertTrue(raised.exception.timed_out)
        self.assertLess(time.monotonic() - started, 5)
        self.assertEqual(len(server.requests), 1)

    def test_says_that_nothing_or_something_else_answers(self) -> None:
        with self.assertRaisesRegex(UnreachableError, "No svc daemon responds at http://127.0.0.1:1"):
            Client("http://127.0.0.1:1", retries=0).account.get()
        for answer in (Answer(502, "<html>"), Answer(302, "", {"Location": "/"}), Answer(200, "<html>")):
            _, client = self.start(answer, retries=0)
            with self.assertRaisesRegex(UnreachableError, "is not an svc daemon"):
                client.account.get()

    def test_sends_headers_queries_and_paths(self) -> None:
        server, client = self.start(Answer(200, {"data": [], "nextCursor": None}, {"ETag": '"1"'}), headers={"X-Team": "a"})
        query: Any = {"tags": ["a", "b"], "metadata": {"x": 1}, "pinned": True, "user": "ö ü"}
        client.memories.list(query, headers={"x-trace": "b"}).page()
        expected = "/v1/memories?tags=a&tags=b&metadata.x=1&pinned=true&user=%C3%B6+%C3%BC"
        self.assertEqual(server.requests[0].path, expected)
        headers = server.requests[0].headers
        self.assertEqual((headers["x-team"], headers["x-trace"]), ("a", "b"))
        info = ResponseInfo()
        client.memories.external.get("a/b c", {"user": "u"}, response=info)
        self.assertEqual(server.requests[1].path, "/v1/memories/external/a%2Fb%20c?user=u")
        self.assertEqual((info.status, info.etag, info.replayed), (200, '"1"', False))
        client.conversations.create()
        client.topics.merge("top_1", ["top_2"])
        self.assertEqual([json.loads(one.body) for one in server.requests[2:]], [{}, {"topicIds": ["top_2"]}])

    def test_rejects_an_unknown_option_and_an_unusable_number(self) -> None:
        client = Client("http://127.0.0.1:1")
        with self.assertRaises(TypeError):
            client.account.get(retrys=1)  # type: ignore[call-arg]
        with self.assertRaises(ValueError):
            client.memories.create({"content": "a", "metadata": {"x": float("nan")}})

    def test_reads_a_page_only_when_the_loop_gets_there(self) -> None:
        pages = [Answer(200, {"data": [{"id": one}], "nextCursor": one}) for one in "ab"]
        server, client = self.start(*pages)
        for memory in client.memories.list():
            if memory["id"] == "b":
                break
        self.assertEqual([one.path for one in server.requests], ["/v1/memories", "/v1/memories?cursor=a"])

    def test_jobs_wait_returns_the_job_or_times_out(self) -> None:
        states = [Answer(200, {"id": "job_1", "state": state}) for state in ("queued", "running", "failed")]
        server, client = self.start(*states)
        self.assertEqual(client.jobs.wait("job_1", interval=0.07)["state"], "failed")
        self.assertEqual(server.waits, [0.07, 0.07])
        _, client = self.start(states[0])
        with self.assertRaises(TimeoutError):
            client.jobs.wait("job_1", timeout=0.5)

    def test_events_go_on_while_the_daemon_is_unavailable(self) -> None:
        block = Answer(200, "id: 1\nevent: memory.created\ndata: {}\n\n")
        away = [problem("unavailable", 503), Answer(502, "<html>"), limited(), Answer(504, "")]
        server, client = self.start(block, *away, block, problem("unauthenticated", 401), retries=0)
        events = client.events()
        self.assertEqual([next(events).id for _ in range(2)], ["1", "1"])
        with self.assertRaises(ApiError):
            next(events)
        self.assertEqual(len(server.requests), 7)
        _, client = self.start(problem("unavailable", 503), retries=0)
        with self.assertRaises(ApiError):
            next(client.events())

    def test_a_cut_off_export_is_an_error(self) -> None:
        _, client = self.start(Answer(200, '{"type":"svc-export"}\n'))
        with self.assertRaisesRegex(UnreachableError, "cut off"):
            list(client.export())

    def test_imports_a_file_that_was_opened_as_text(self) -> None:
        counted: list[int] = []
        chunks = source_of(io.StringIO("Ada climbs\nZoë sings\n"), counted.append)
        self.assertEqual(b"".join(chunks), "Ada climbs\nZoë sings\n".encode())
        self.assertEqual(counted, [22])

    def test_imports_anything_that_holds_bytes(self) -> None:
        for source in (b"Ada climbs\n", bytearray(b"Ada climbs\n"), memoryview(b"Ada climbs\n")):
            # Bytes are sent again after a lost answer; an iterable would not be.
            server, client = self.start(BREAK, Answer(200, {"skipped": 0}))
            client.import_(source, format="lines")
            self.assertEqual([one.body for one in server.requests], [b"Ada climbs\n"] * 2)

    def test_waits_for_a_job_with_the_options_of_the_call(self) -> None:
        server, client = self.start(Answer(200, {"state": "queued"}), Answer(200, {"state": "succeeded"}))
        info = ResponseInfo()
        client.jobs.wait("job_1", space="team", headers={"x-trace": "1"}, response=info)
        sent = [(one.headers["x-svc-space"], one.headers["x-trace"]) for one in server.requests]
        self.assertEqual((sent, server.waits, info.status), ([("team", "1")] * 2, [1.0], 200))
        _, client = self.start(Answer(200, {"state": "queued"}))
        with self.assertRaises(TimeoutError):
            client.jobs.wait("job_1", interval=1, timeout=0)

    def test_an_error_of_the_source_of_an_import_is_raised(self) -> None:
        _, client = self.start(Answer(200, {}))

        def source() -> Any:
            yield b"a"
            raise OSError("disk")

        with self.assertRaisesRegex(OSError, "disk"):
            client.import_(source())
