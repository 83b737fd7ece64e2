"""A server that gives scripted answers and records what it was sent."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """`status` 0 breaks the connection, -1 never answers."""

    status: int = 200
    body: Any = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Seen:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


def problem(code: str, status: int, **more: Any) -> Answer:
    document = {"type": f"urn:svc:problem:{code}", "code": code, "status": status, "detail": f"It is {code}."}
    return Answer(status, {**document, "requestId": "req_1", **more})


def limited(seconds: int = 2) -> Answer:
    answer = problem("rate_limited", 429)
    answer.headers["Retry-After"] = str(seconds)
    return answer


class ScriptedServer:
    """Gives these answers in order, the last one forever."""

    def __init__(self, *answers: Answer) -> None:
        self.requests: list[Seen] = []
        self.waits: list[float] = []
        self._released = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def answer(self) -> None:
                length = int(self.headers.get("content-length", 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                server.requests.append(Seen(self.command, self.path, headers, self.rfile.read(length)))
                answer = answers[min(len(server.requests), len(answers)) - 1]
                if answer.status == -1:
                    server._released.wait()
                if answer.status <= 0:
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                body = answer.body.encode() if isinstance(answer.body, str) else json.dumps(answer.body).encode()
                self.send_response(answer.status)
                self.send_header("Content-Length", str(len(body)))
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # Clients hang up in the middle, which is not worth a trace.
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def sleep(self) -> Callable[[float], None]:
        """Records the waits between retries; none takes any time."""
        return self.waits.append

    def close(self) -> None:
        self._released.set()
        self._server.shutdown()
        self._server.server_close()
