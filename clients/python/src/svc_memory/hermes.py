"""A memory provider of Hermes Agent (github.com/NousResearch/hermes-agent). Only Hermes can import this module."""

from __future__ import annotations

import json
import logging
import os
import queue
import threading
from typing import Any

from agent.memory_provider import MemoryProvider  # type: ignore[import-not-found]

from .client import Client
from .errors import ApiError, UnreachableError

_LOG = logging.getLogger(__name__)
#: Seconds that a turn waits for what is remembered.
_RECALL_TIMEOUT = 10.0
_LONGEST_QUERY = 10_000
_LONGEST_TEXT = 100_000
_SHUTDOWN_TIMEOUT = 10.0


def _storable(text: str, longest: int) -> str:
    """Return the beginning of a text, without NUL characters and unpaired surrogates, which svc rejects."""
    return text[:longest].replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _tool(name: str, description: str, **texts: str) -> dict[str, Any]:
    properties = {name: {"type": "string", "description": text} for name, text in texts.items()}
    parameters = {"type": "object", "properties": properties, "required": list(texts), "additionalProperties": False}
    return {"name": name, "description": description, "parameters": parameters}


_TOOLS = [
    _tool("svc_search", "Search what is remembered about the user.", query="What to look for, in plain words"),
    _tool("svc_add", "Remember a fact about the user for later conversations.", content="One self-contained sentence"),
    _tool("svc_forget", "Erase a memory for good. Only if the user asks for it.", id="From svc_search"),
]


class SvcMemoryProvider(MemoryProvider):
    """Recalls before each turn, appends finished turns to a conversation of their session, and offers tools.

    A person of a messenger is a user of svc, `telegram:123`; with SVC_USER everybody is that user.
    """

    def __init__(self) -> None:
        self._client: Client | None = None
        self._user = "default"
        self._session = ""
        self._stores = True
        self._conversations: dict[str, str] = {}
        self._turns: queue.Queue[tuple[str, str, str] | None] = queue.Queue()
        self._writer: threading.Thread | None = None

    @property
    def name(self) -> str:
        return "svc"

    def is_available(self) -> bool:
        return bool(os.environ.get("SVC_API_KEY"))

    def unavailable_reason(self) -> str:
        return "SVC_API_KEY is not set"

    def get_config_schema(self) -> list[dict[str, Any]]:
        url = {"key": "url", "description": "Address of svc", "default": "http://127.0.0.1:8787", "env_var": "SVC_URL"}
        key = {"key": "api_key", "description": "API key of your account", "secret": True, "required": True}
        return [url, {**key, "env_var": "SVC_API_KEY"}]

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        self._client = Client()
        self._session = session_id
        # The prompts of scheduled runs and subagents are not what the person said.
        self._stores = kwargs.get("agent_context", "primary") == "primary"
        person = kwargs.get("user_id")
        self._user = os.environ.get("SVC_USER") or (f"{kwargs.get('platform')}:{person}" if person else "default")

    def system_prompt_block(self) -> str:
        return "# Memory\nsvc recalls earlier conversations by itself. Use svc_search to look for more, svc_add for facts."

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        asked = _storable(query, _LONGEST_QUERY).strip()
        if self._client is None or asked == "":
            return ""
        conversation = self._conversations.get(session_id or self._session)
        request: dict[str, Any] = {"query": asked, "user": self._user}
        if conversation is not None:
            request["exclude"] = {"conversationId": conversation}
        try:
            return self._client.context(request, timeout=_RECALL_TIMEOUT, retries=0)["text"]
        except (ApiError, UnreachableError) as error:
            _LOG.warning("The model answers without memory: %s", error)
            return ""

    def sync_turn(self, user_content: str, assistant_content: str, *, session_id: str = "", **_: Any) -> None:
        if not self._stores or not user_content.strip() or not assistant_content.strip():
            return
        self._turns.put((session_id or self._session, user_content, assistant_content))
        if self._writer is None:
            self._writer = threading.Thread(target=self._write, name="svc-memory", daemon=True)
            self._writer.start()

    def on_session_switch(self, new_session_id: str, **_: Any) -> None:
        self._session = new_session_id

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        return _TOOLS

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **_: Any) -> str:
        try:
            return json.dumps(self._call(tool_name, args))
        except (ApiError, UnreachableError, KeyError) as error:
            return json.dumps({"error": str(error)})

    def shutdown(self) -> None:
        """Waits until the turns are stored."""
        if self._writer is not None:
            self._turns.put(None)
            self._writer.join(_SHUTDOWN_TIMEOUT)
            self._writer = None

    def _call(self, name: str, args: dict[str, Any]) -> Any:
        assert self._client is not None
        if name == "svc_search":
            results = self._client.search({"query": args["query"], "user": self._user})["results"]
            return [{key: found[key] for key in ("type", "id", "content", "createdAt")} for found in results]
        if name == "svc_add":
            return {"id": self._client.memories.create({"content": args["content"], "user": self._user})["id"]}
        if name == "svc_forget":
            # Ids come from the model, so another user's must be as unknown as one that does not exist.
            if self._client.memories.get(args["id"])["user"] != self._user:
                raise KeyError("There is no memory with this id.")
            self._client.memories.delete(args["id"])
            return {"deleted": True}
        raise KeyError(f"There is no tool {name}.")

    def _write(self) -> None:
        while (turn := self._turns.get()) is not None:
            session, asked, answer = turn
            texts = {"user": asked, "assistant": answer}
            messages = [{"role": role, "content": _storable(text, _LONGEST_TEXT)} for role, text in texts.items()]
            try:
                self._conversations[session] = self._remember(session, messages)
            except (ApiError, UnreachableError) as error:
                _LOG.warning("A turn was not stored: %s", error)

    def _remember(self, session: str, messages: list[Any]) -> str:
        """Append messages to the conversation of a session, or to a new one if it has been deleted since."""
        assert self._client is not None
        conversation = self._conversations.get(session)
        if conversation is not None:
            try:
                return self._client.remember({"messages": messages, "conversationId": conversation})["conversationId"]
            except ApiError as error:
                if error.code != "not_found":
                    raise
        return self._client.remember({"messages": messages, "user": self._user})["conversationId"]


def register(ctx: Any) -> None:
    """Called by Hermes."""
    ctx.register_memory_provider(SvcMemoryProvider())
