"""Text of unknown origin made harmless to show: what is invisible or steers a terminal becomes visible."""

from __future__ import annotations

import re

# C0 without tab and newline, DEL and C1; soft hyphen and the other format characters (zero width, text
# direction, tags); variation selectors beyond those of emoji; line and paragraph separators; surrogates.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u180e"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    """Replace control, format and invisible characters, and undecodable bytes, by something printable.

    C0 controls become their Unicode pictures (escape is `␛`, carriage return `␍`), all others `<U+202E>`.
    Tabs, newlines and the joiners of emoji and scripts (ZWJ, ZWNJ) stay.
    """
    return _HIDDEN.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if 0xDC80 <= code <= 0xDCFF:
        # How Python keeps a byte that is no UTF-8.
        return f"<{code - 0xDC00:02X}>"
    return f"<U+{code:04X}>"
