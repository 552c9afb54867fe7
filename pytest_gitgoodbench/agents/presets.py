"""Command-line agents by name: how each is run without a person, and which of its variables pass."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Preset:
    """A command-line agent.

    Attributes:
        command: the command line; `{brief}` and `{brief_file}` are replaced.
        variables: environment variables with keys and endpoints that it is given.
    """

    command: str
    variables: tuple[str, ...] = ()


_OPENAI = ("OPENAI_API_KEY", "OPENAI_BASE_URL")
_ANTHROPIC = ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")
_GEMINI = ("GEMINI_API_KEY", "GOOGLE_API_KEY")

PRESETS = {
    "claude-code": Preset("claude -p {brief} --dangerously-skip-permissions", _ANTHROPIC),
    "codex": Preset("codex exec --full-auto --skip-git-repo-check {brief}", _OPENAI),
    "gemini": Preset("gemini --yolo -p {brief}", _GEMINI),
    "aider": Preset(
        "aider --yes-always --no-check-update --no-show-release-notes --message-file {brief_file}",
        (*_OPENAI, *_ANTHROPIC, *_GEMINI),
    ),
    "openhands": Preset("openhands --headless -t {brief}", ("LLM_API_KEY", "LLM_MODEL", "LLM_BASE_URL")),
    "mini-swe-agent": Preset("mini --yolo --exit-immediately -t {brief}", (*_OPENAI, *_ANTHROPIC, *_GEMINI)),
}
