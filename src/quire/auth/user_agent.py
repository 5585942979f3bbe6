"""Names a browser and its system from the ``User-Agent`` header."""

import re
from collections.abc import Sequence

_MAX_LENGTH = 1024
_Names = Sequence[tuple[re.Pattern[str], str]]

_BROWSERS: _Names = [
    (re.compile(pattern), name)
    for pattern, name in (
        (r"\bEdg(?:e|A|iOS)?/", "Edge"),
        (r"\b(?:OPR|Opera)/", "Opera"),
        (r"\bSamsungBrowser/", "Samsung Internet"),
        (r"\bVivaldi/", "Vivaldi"),
        (r"\b(?:YaBrowser|Yowser)/", "Yandex Browser"),
        (r"\bBrave/", "Brave"),
        (r"\b(?:Firefox|FxiOS)/", "Firefox"),
        (r"\b(?:Chrome|CriOS|Chromium)/", "Chrome"),
        (r"\bSafari/", "Safari"),
    )
]
"""The first match counts: most browsers also name others."""
_SYSTEMS: _Names = [
    (re.compile(pattern), name)
    for pattern, name in (
        (r"\bWindows NT\b", "Windows"),
        (r"\b(?:iPhone|iPad|iPod)\b", "iOS"),
        (r"\bAndroid\b", "Android"),
        (r"\b(?:Macintosh|Mac OS X)\b", "macOS"),
        (r"\bCrOS\b", "ChromeOS"),
        (r"\bLinux\b", "Linux"),
    )
]


def device_name(user_agent: str) -> str | None:
    """Return ``Firefox on Linux`` or what is known of it; ``None`` when nothing is."""
    text = user_agent[:_MAX_LENGTH]
    names = [_first_match(_BROWSERS, text), _first_match(_SYSTEMS, text)]
    return " on ".join(name for name in names if name is not None) or None


def _first_match(names: _Names, text: str) -> str | None:
    return next((name for pattern, name in names if pattern.search(text)), None)
