r"""Reads ``.env`` files as Node's ``dotenv`` does.

A project's secrets are read by two servers. A parser with other rules for quotes, escapes or ``#``
would read another secret from the same line, and then every token of the project is rejected.

An assignment is ``NAME=value`` or ``NAME: value``, optionally after ``export``. A value in quotes
(single, double, back-tick) may span lines and must be followed by nothing but a comment; any other
value ends at ``#`` or at the end of the line. ``\n`` and ``\r`` in double quotes are line ends;
nothing else is unescaped, and nothing is expanded. Other lines are ignored, and the last of several
assignments to a name wins.
"""

import re

_NAME = re.compile(r"\s*(?:export\s+)?(?P<name>[\w.-]+)(?:\s*=|:\s)", re.ASCII)
_QUOTED_VALUE = re.compile(
    r"""\s*(?P<quote>['"`])(?:\\(?P=quote)|(?!(?P=quote)).)*(?P=quote)"""
    r"(?=[^\S\n]*(?:\#[^\n]*)?(?:\n|\Z))",
    re.DOTALL,
)
_BARE_VALUE = re.compile(r"[^#\n]+")


def parse_dotenv(text: str) -> dict[str, str]:
    """Return the variables of a ``.env`` file with the given content."""
    content = text.replace("\r\n", "\n").replace("\r", "\n")
    variables: dict[str, str] = {}
    position = 0
    while position < len(content):
        assigned = _NAME.match(content, position)
        if assigned:
            variables[assigned["name"]], position = _value_at(content, assigned.end())
        line_end = content.find("\n", position)
        position = len(content) if line_end < 0 else line_end + 1
    return variables


def _value_at(content: str, position: int) -> tuple[str, int]:
    """Return the value that starts at ``position``, and where it ends."""
    match = _QUOTED_VALUE.match(content, position) or _BARE_VALUE.match(content, position)
    if not match:
        return "", position
    value = match[0].strip()
    return _unescaped(_unquoted(value), value[:1]), match.end()


def _unquoted(value: str) -> str:
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\"`"
    return value[1:-1] if is_quoted else value


def _unescaped(value: str, quote: str) -> str:
    return value.replace("\\n", "\n").replace("\\r", "\r") if quote == '"' else value
