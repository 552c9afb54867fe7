"""An OpenAI-compatible server on loopback whose answers are data: what a model says, or how it fails."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pytest_gitgoodbench.llm.client import Model


@dataclass(frozen=True)
class Answer:
    """One answer: a completion, or a fault.

    Attributes:
        text: the message's content.
        calls: tool calls as (name, arguments); arguments that are text are sent as they are.
        status: of HTTP; others than 200 send `error` as the API's error message.
        html: a body that is no JSON at all.
        drop: close the connection without an answer.
        slow: wait for this many seconds, or until the server ends.
    """

    text: str | None = None
    calls: Sequence[tuple[str, Any]] = ()
    finish_reason: str | None = None
    status: int = 200
    error: str = "scripted fault"
    headers: Mapping[str, str] = field(default_factory=dict)
    html: str | None = None
    drop: bool = False
    slow: float = 0.0


def call(name: str, **arguments: Any) -> Answer:
    """An answer with one tool call."""
    return Answer(calls=[(name, arguments)])


@dataclass
class ScriptedServer:
    """Gives its answers in order, the last one again and again; keeps what was asked.

    Attributes:
        respond: gives the answer to a request instead, if it is set.
        faults: given first, whatever follows.
    """

    answers: list[Answer]
    respond: Callable[[dict[str, Any]], Answer] | None = None
    faults: list[Answer] = field(default_factory=list)
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def model(self, **fields: Any) -> Model:
        """The model behind the server."""
        return Model("openai/scripted", api_base=self.url, **fields)

    def last_message(self) -> dict[str, Any]:
        """The last message of the last request: what the model was told."""
        return dict(self.requests[-1]["messages"][-1])


def _body(answer: Answer) -> bytes:
    if answer.html is not None:
        return answer.html.encode()
    if answer.status != 200:
        return json.dumps({"error": {"message": answer.error, "type": "scripted", "code": None}}).encode()
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    if answer.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{number}",
                "type": "function",
                "function": {
                    "name": name,
                    "arguments": given if isinstance(given, str) else json.dumps(given),
                },
            }
            for number, (name, given) in enumerate(answer.calls)
        ]
    reason = answer.finish_reason or ("tool_calls" if answer.calls else "stop")
    return json.dumps(
        {
            "id": "scripted",
            "object": "chat.completion",
            "created": 0,
            "model": "scripted",
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }
    ).encode()


@contextmanager
def serve(*answers: Answer) -> Iterator[ScriptedServer]:
    """Run a server with these answers."""
    script = ScriptedServer(list(answers))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with script.lock:
                number = len(script.requests)
                script.requests.append(asked)
                script.headers.append({name.lower(): value for name, value in self.headers.items()})
                answer = script.faults.pop(0) if script.faults else None
            if answer is None and script.respond is not None:
                answer = script.respond(asked)
            elif answer is None:
                answer = script.answers[min(number, len(script.answers) - 1)]
            if answer.slow:
                script.ended.wait(answer.slow)
            if answer.drop:
                self.close_connection = True
                return
            body = _body(answer)
            try:
                self.send_response(answer.status)
                kind = "application/json" if answer.html is None else "text/html"
                for name, value in {"content-type": kind, **answer.headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                self.close_connection = True  # The client has given up waiting.

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    script.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield script
    finally:
        script.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
