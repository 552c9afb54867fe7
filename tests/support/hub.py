"""A Hugging Face hub on loopback: the few endpoints through which `datasets` loads a repository with one CSV file."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
ID = "owner/rows"
FILE = "rows.csv"


class _Hub(ThreadingHTTPServer):
    content: bytes = b""


class _Handler(BaseHTTPRequestHandler):
    server: _Hub
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        entry = {"type": "file", "path": FILE, "size": len(self.server.content), "oid": "1" * 40}
        if path == f"/api/datasets/{ID}" or self._revision(path, f"/api/datasets/{ID}/revision/"):
            info = {"id": ID, "sha": COMMIT, "siblings": [{"rfilename": FILE}], "tags": [], "private": False}
            return self._json(200, info)
        if self._revision(path, f"/api/datasets/{ID}/tree/"):
            return self._json(200, [entry])
        if self._revision(path, f"/api/datasets/{ID}/paths-info/"):
            asked = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            return self._json(200, [entry] if FILE in asked else [])
        if self._revision(path, f"/datasets/{ID}/resolve/"):
            if path.endswith(f"/{FILE}"):
                return self._send(200, self.server.content, "text/csv")
            return self._json(404, {"error": "Entry not found"}, "EntryNotFound")
        known = path.startswith((f"/api/datasets/{ID}", f"/datasets/{ID}/"))
        return self._json(404, {"error": "not found"}, "RevisionNotFound" if known else "RepoNotFound")

    do_HEAD = do_POST = do_GET

    def _revision(self, path: str, start: str) -> bool:
        return path.startswith(start) and path.removeprefix(start).split("/")[0] in ("main", COMMIT)

    def _json(self, status: int, value: object, error: str | None = None) -> None:
        self._send(status, json.dumps(value).encode(), "application/json", error)

    def _send(self, status: int, content: bytes, kind: str, error: str | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
        self.send_header("X-Repo-Commit", COMMIT)
        if error:
            self.send_header("X-Error-Code", error)
            self.send_header("X-Error-Message", "not found")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def hub(content: bytes) -> Iterator[str]:
    """Serve a dataset `ID` with one CSV file at the commit `COMMIT`; yields the hub's address."""
    server = _Hub(("127.0.0.1", 0), _Handler)
    server.content = content
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
