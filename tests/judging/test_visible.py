"""Text made harmless."""

from __future__ import annotations

import unicodedata

from pytest_gitgoodbench.judging.visible import visible


def test_ordinary_text_stays():
    text = "def f():\n\treturn 'Übergröße 日本語 👩‍👩‍👧 ❤️ \u200cنمی‌خواهم'\n"
    assert visible(text) == text


def test_terminal_escapes_and_controls_become_visible():
    assert visible("\x1b[31m\r\x00\x07\x7f\x9b") == "␛[31m␍␀␇␡<U+009B>"
    assert visible("\u202eabc\u2066\u200b\ufeff") == "<U+202E>abc<U+2066><U+200B><U+FEFF>"
    assert visible("\U000e0041") == "<U+E0041>"


def test_undecodable_bytes_become_visible():
    assert visible(b"caf\xe9".decode("utf-8", "surrogateescape")) == "caf<E9>"
    assert visible("\ud800") == "<U+D800>"


def test_no_control_format_or_surrogate_character_is_left():
    everything = "".join(map(chr, range(0x110000)))
    left = {
        char for char in visible(everything) if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    }
    assert left <= set("\t\n\u200c\u200d")
