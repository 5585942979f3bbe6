"""Numbered placeholders of PostgreSQL."""

import re


def numbered(sql: str) -> str:
    """Write ``$1``, ``$2`` ... for each ``?`` outside of texts and names in quotes."""
    parts = re.split(r"""('[^']*'|"[^"]*")""", sql)
    count = 0
    for place in range(0, len(parts), 2):
        pieces = parts[place].split("?")
        text = pieces[0]
        for piece in pieces[1:]:
            count += 1
            text += f"${count}{piece}"
        parts[place] = text
    return "".join(parts)
