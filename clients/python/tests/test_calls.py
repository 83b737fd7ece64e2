"""The calls cover the API: every operation, every error code, and both clients alike."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
import typing
import unittest
import urllib.request
from typing import Any
from urllib.parse import unquote, urlsplit

from svc_memory import ERROR_CODES, AsyncClient, Client, types
from tests.scripted_server import Answer, ScriptedServer

# The page behind a mailed link.
BROWSER_ONLY = {"GET /v1/auth/callback", "POST /v1/auth/callback"}


def document() -> dict[str, Any]:
    with urllib.request.urlopen(f"{os.environ['SVC_URL']}/v1/openapi.json") as response:
        return json.load(response)


def operations(api: dict[str, Any]) -> set[str]:
    methods = ("get", "post", "put", "patch", "delete")
    return {f"{verb.upper()} {path}" for path, item in api["paths"].items() for verb in methods if verb in item}


def calls_of(resource: Any, prefix: str = "") -> dict[str, Any]:
    calls: dict[str, Any] = {}
    for name, value in inspect.getmembers(resource):
        if name.startswith("_"):
            continue
        if callable(value):
            calls[prefix + name] = value
        else:
            calls.update(calls_of(value, f"{prefix}{name}."))
    return calls


def arguments_of(call: Any) -> list[str]:
    """Return the names of the required parameters as their values."""
    parameters = inspect.signature(call).parameters.values()
    positional = [one for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD and one.default is one.empty]
    return [f"{{{re.sub('_(.)', lambda part: part[1].upper(), one.name)}}}" for one in positional]


def finish(result: Any) -> None:
    """Send the request of a list or stream."""
    if hasattr(result, "page"):
        result.page()
    elif hasattr(result, "__next__"):
        try:
            next(result)
        except Exception:
            pass


def give_up(_: float) -> None:
    """Ends a stream that would connect again."""
    raise InterruptedError


class CallsTest(unittest.TestCase):
    def test_every_operation_has_a_call_that_sends_it(self) -> None:
        page = {"data": [], "nextCursor": None, "state": "done"}
        server = ScriptedServer(Answer(200, page))
        self.addCleanup(server.close)
        client = Client(server.url, "k", retries=0, sleep=give_up)
        for name, call in calls_of(client).items():
            with self.subTest(name):
                arguments: list[Any] = arguments_of(call)
                # The last argument is a body or query unless the path has it.
                try:
                    finish(call(*arguments))
                except AttributeError:
                    finish(call(*arguments[:-1], {}))
        sent = {f"{one.method} {unquote(urlsplit(one.path).path)}" for one in server.requests}
        # Anthropic's own SDK speaks the routes of memory stores.
        own = {one for one in operations(document()) if " /v1/" in one and " /v1/memory_stores" not in one}
        expected = own - BROWSER_ONLY
        self.assertEqual(sent, expected)

    def test_every_error_code_is_known(self) -> None:
        codes = document()["components"]["schemas"]["ErrorCode"]["enum"]
        self.assertEqual(sorted(ERROR_CODES), sorted(codes))

    def test_both_clients_have_the_same_calls(self) -> None:
        sync, asynchronous = calls_of(Client("http://svc.test")), calls_of(AsyncClient("http://svc.test"))
        self.assertEqual(sync.keys(), asynchronous.keys())
        for name, call in sync.items():
            same = inspect.signature(asynchronous[name]).parameters
            self.assertEqual(list(inspect.signature(call).parameters), list(same), name)
            if not inspect.signature(call).return_annotation.startswith(("Pages", "Iterator")):
                self.assertTrue(asyncio.iscoroutinefunction(asynchronous[name]), name)

    def test_every_type_can_be_resolved(self) -> None:
        classes = [value for value in vars(types).values() if isinstance(value, type)]
        self.assertGreater(len(classes), 100)
        for one in classes:
            typing.get_type_hints(one)
        for call in (*calls_of(Client("http://svc.test")).values(), *calls_of(AsyncClient("http://svc.test")).values()):
            typing.get_type_hints(call)
