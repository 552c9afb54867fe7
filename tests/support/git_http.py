"""Git repositories over HTTP on loopback: the real `git http-backend`, and faults that are data."""

from __future__ import annotations

import gzip
import re
import socket
import struct
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pytest_gitgoodbench.git import environment


@dataclass(frozen=True)
class Fault:
    """What a request gets instead of the backend's answer.

    Attributes:
        on: which requests: `refs` (the first of a fetch), `pack` (the one that is answered by objects), or `any`.
        status: of HTTP, with a body of the type `kind` and `headers`; None breaks the connection instead.
        after: let this many bytes of the backend's answer pass before.
        hang: send nothing more until the server ends, then break the connection.
    """

    on: str = "any"
    status: int | None = None
    body: bytes = b""
    kind: str = "text/plain"
    headers: Mapping[str, str] = field(default_factory=dict)
    after: int = 0
    hang: bool = False


@dataclass(frozen=True)
class Request:
    """One request as it came in.

    Attributes:
        kind: `refs` or `pack`.
        repository: `owner/repo` as the client wrote it, without `.git`.
        wants: the commits that a `pack` request asks for.
    """

    kind: str
    path: str
    repository: str
    headers: Mapping[str, str]
    wants: tuple[str, ...]


@dataclass
class GitServer:
    """Serves the repositories `root/owner/repo.git`.

    Attributes:
        url: without a slash at the end.
        faults: each is given to one request and then gone, in order.
        always: faults that stay, by `owner/repo`.
        config: git's, of the server's side.
        old: do not talk protocol version 2, which hands out every commit.
        log: all requests, in the order in which they came.
    """

    root: Path
    url: str = ""
    faults: list[Fault] = field(default_factory=list)
    always: dict[str, Fault] = field(default_factory=dict)
    config: dict[str, str] = field(default_factory=lambda: {"uploadpack.allowAnySHA1InWant": "true"})
    old: bool = False
    log: list[Request] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def template(self) -> str:
        """For `--ggb-repo-url`."""
        return f"{self.url}/{{name}}.git"

    def kinds(self, repository: str | None = None) -> list[str]:
        """The kinds of all requests, or of those for one repository."""
        return [entry.kind for entry in self.log if repository in (None, entry.repository)]

    def fault(self, request: Request) -> Fault | None:
        """Write a request down, and take what it has to get."""
        with self.lock:
            self.log.append(request)
            fault = self.always.get(request.repository)
            if fault is None and self.faults and self.faults[0].on in ("any", request.kind):
                fault = self.faults.pop(0)
            return fault if fault is not None and fault.on in ("any", request.kind) else None

    def environment(self) -> dict[str, str]:
        """Of the backend."""
        settings = {"GIT_CONFIG_COUNT": str(len(self.config))}
        for number, (name, value) in enumerate(self.config.items()):
            settings |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
        return environment({"GIT_PROJECT_ROOT": str(self.root), "GIT_HTTP_EXPORT_ALL": "1", **settings})


class _Server(ThreadingHTTPServer):
    git: GitServer

    def shutdown_request(self, request: Any) -> None:
        # Without the polite end of a connection that comes before closing it.
        self.close_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are nothing to tell of."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        git = self.server.git
        body = self._body()
        address = urlsplit(self.path)
        found = re.match(r"/([^/]+/[^/]+?)(?:\.git)?/", address.path)
        request = Request(
            kind="pack" if address.path.endswith("/git-upload-pack") else "refs",
            path=self.path,
            repository=found[1] if found else address.path,
            headers=dict(self.headers),
            wants=_wants(gzip.decompress(body) if self.headers["Content-Encoding"] == "gzip" else body),
        )
        fault = git.fault(request)
        if fault is None:
            self._backend(body, None)
        elif fault.status is not None:
            self._send(fault.status, fault.body, {"Content-Type": fault.kind, **fault.headers})
        else:
            if fault.after:
                self._backend(body, fault.after)
            if fault.hang:
                git.ended.wait()
            self._break()

    do_POST = do_GET

    def _body(self) -> bytes:
        if self.headers["Transfer-Encoding"] != "chunked":
            return self.rfile.read(int(self.headers["Content-Length"] or 0))
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _break(self) -> None:
        # With nothing to linger for, closing is a reset.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True

    def _backend(self, body: bytes, most: int | None) -> None:
        """Answer by `git http-backend`, with at most so many bytes after the headers."""
        address = urlsplit(self.path)
        variables = {
            "REQUEST_METHOD": self.command,
            "PATH_INFO": address.path,
            "QUERY_STRING": address.query,
            "CONTENT_TYPE": self.headers["Content-Type"] or "",
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers["Content-Encoding"] or "",
            "REMOTE_ADDR": "127.0.0.1",
            "GIT_PROTOCOL": "" if self.server.git.old else self.headers["Git-Protocol"] or "",
        }
        with subprocess.Popen(
            ["git", "http-backend"],
            env=self.server.git.environment() | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                with suppress(BrokenPipeError), process.stdin:
                    process.stdin.write(body)
                headers = {}
                while line := process.stdout.readline().strip():
                    name, _, value = line.decode().partition(": ")
                    headers[name] = value
                self.send_response(int(headers.pop("Status", "200").split()[0]))
                for name, value in (*headers.items(), ("Transfer-Encoding", "chunked")):
                    self.send_header(name, value)
                self.end_headers()
                left = most if most is not None else 1 << 40
                while left and (part := process.stdout.read1(min(left, 1 << 16))):
                    left -= len(part)
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                if most is None:
                    self.wfile.write(b"0\r\n\r\n")
            finally:
                process.kill()

    def log_message(self, format: str, *args: object) -> None:
        pass


def _wants(body: bytes) -> tuple[str, ...]:
    return tuple(name.decode() for name in re.findall(rb"want ([0-9a-f]{40,64})", body))


@contextmanager
def git_server(root: Path) -> Iterator[GitServer]:
    """Serve the bare repositories `root/owner/repo.git` until the end of the block."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.git = GitServer(root, f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.git
    finally:
        server.git.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
