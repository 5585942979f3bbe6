"""Recorded query strings are parsed as by the reference."""

import json

from quire.query.querystring import parse
from tests.conformance.corpus import querystring_cases


def test_recorded_query_strings_are_parsed_as_the_reference_did() -> None:
    # Compared as text, because the order of the members counts too.
    differing = [
        case.query
        for case in querystring_cases()
        if json.dumps(parse(case.query)) != json.dumps(case.parsed)
    ]
    assert differing == []
