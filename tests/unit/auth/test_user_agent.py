"""Names of browsers and systems from ``User-Agent`` headers."""

import pytest

from quire.auth.user_agent import device_name

MOZILLA = "Mozilla/5.0"


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (
            f"{MOZILLA} (X11; Linux x86_64) Gecko/20100101 Firefox/130.0",
            "Firefox on Linux",
        ),
        (f"{MOZILLA} (Windows NT 10.0) Chrome/130.0 Safari/537.36 Edg/130.0", "Edge on Windows"),
        (f"{MOZILLA} (Macintosh; Intel Mac OS X 10_15) Version/17.0 Safari/605", "Safari on macOS"),
        (
            f"{MOZILLA} (iPhone; like Mac OS X) CriOS/130 Safari/1",
            "Chrome on iOS",
        ),
        ("curl/8.0", None),
        ("", None),
        ("x" * 2000 + " Firefox/1", None),
        ("okhttp (Android 14)", "Android"),
    ],
)
def test_a_device_has_a_name(agent: str, name: str | None) -> None:
    assert device_name(agent) == name
