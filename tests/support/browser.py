"""A headless Chromium, driven over a pipe by its DevTools protocol."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


class PageGone(Exception):
    """The page went to another address before it answered."""


class Browser:
    """One tab.

    Attributes:
        complaints: errors and policy violations of the page, as the console tells them.
        requests: the addresses that were asked for.
    """

    def __init__(self, profile: Path) -> None:
        """Args:
        profile: a new folder for the browser's own files.
        """
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self._ids = itertools.count(1)
        self._buffer = b""
        command_read, self._write = os.pipe()
        self._read, answer_write = os.pipe()
        # The protocol's pipes have to be the descriptors 3 and 4.
        command = f'exec "$0" "$@" 3<&{command_read} 4>&{answer_write}'
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", command, str(CHROMIUM), *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(command_read, answer_write),
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(command_read)
        os.close(answer_write)
        targets = self._call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self._session = self._call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        """End the browser and all its processes."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._write)
        os.close(self._read)

    def open(self, file: Path, fragment: str = "") -> None:
        """Open a file, and wait until it is loaded."""
        address = file.absolute().as_uri() + fragment
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        self.wait(f"location.href === {json.dumps(address)} && document.readyState === 'complete'")

    def js(self, expression: str) -> Any:
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise AssertionError(result["exceptionDetails"])
        return result["result"].get("value")

    def wait(self, condition: str) -> None:
        """Wait until an expression is true in the page, which may go to another address meanwhile."""
        deadline = time.monotonic() + 30
        while True:
            with contextlib.suppress(PageGone):
                if self.js(f"!!({condition})"):
                    return
            if time.monotonic() > deadline:
                raise AssertionError(f"never became true: {condition}")
            time.sleep(0.02)

    def size(self, width: int, height: int = 900) -> None:
        """Make the page that large, as on a phone when it is narrow."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def media(self, kind: str = "", scheme: str = "light") -> None:
        """Show the page as on this medium (`print`) and in this colour scheme."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=kind, features=features)

    def screenshot(self) -> bytes:
        """The page as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot")["data"])

    def pdf(self) -> bytes:
        """The page as it would be printed."""
        return base64.b64decode(self.call("Page.printToPDF")["data"])

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command of the protocol to the tab."""
        return self._call(method, self._session, **params)

    def _call(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        number = next(self._ids)
        message = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == number:
                if "navigated or closed" in str(answer.get("error")):
                    raise PageGone
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer)

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], 60)
            data = os.read(self._read, 1 << 20) if ready else b""
            if not data:
                raise AssertionError("the browser does not answer")
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        decoded: dict[str, Any] = json.loads(message)
        return decoded

    def _note(self, event: dict[str, Any]) -> None:
        params = event.get("params", {})
        if event.get("method") == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"])
        elif event.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(str(params["exceptionDetails"]))
        elif event.get("method") == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
