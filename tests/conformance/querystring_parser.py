"""Parses query strings line by line: a JSON string in, the parsed values as JSON out.

To replay recorded query strings from outside:
``python -m tests.conformance.querystring_parser``.
"""

import json
import sys

from quire.query.querystring import parse


def main() -> None:
    """Answer each line of the standard input with one line."""
    for line in sys.stdin:
        sys.stdout.write(json.dumps(parse(json.loads(line))) + "\n")


if __name__ == "__main__":
    main()
