"""Bodies of the admin API are validated as described."""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import fields

from quire.admin_api import (
    admin_roles,
    admin_users,
    api_tokens,
    locales,
    profile,
    second_factor,
    sign_in,
)
from quire.admin_api import webhooks as webhooks_module
from quire.admin_api.content_manager import write_routes
from quire.admin_api.media import image_tools, remote_import
from quire.admin_api.media import request_bodies as media_bodies
from quire.admin_api.quire_routes import (
    entry_tools,
    export,
    previews,
    releases,
    review,
    sample_entries,
    saved_views,
    scheduled_publishing,
)
from quire.content_api.body_decoding import RequestBody, _parts, read_body
from quire.content_api.routes import Route
from quire.errors import ValidationError
from tests.examples import examples
from tests.unit.admin_api.office import Office
from tests.unit.admin_api.test_routes import named, routes

MODULES = (
    admin_users, api_tokens, write_routes, entry_tools, export, image_tools, locales, media_bodies,
    previews, profile, releases, remote_import, review, admin_roles, sample_entries,
    scheduled_publishing, second_factor, sign_in, saved_views, webhooks_module,
)  # fmt: skip

TYPES = sorted(
    {
        kind
        for module in MODULES
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, RequestBody)
    },
    key=lambda kind: kind.__name__,
)
JUNK: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 2**70), st.floats(allow_nan=False), st.text(),
    st.just([]), st.just({}), st.lists(st.none() | st.booleans() | st.text(max_size=2), max_size=2),
)  # fmt: skip


def values(hint: object) -> st.SearchStrategy[Any]:
    """Values that mostly fit a type, as far as its rules are not looked at."""
    inner, _, _ = _parts(hint)
    fitting: st.SearchStrategy[Any]
    if get_origin(inner) is Literal:
        fitting = st.sampled_from(get_args(inner))
    elif get_origin(inner) is list:
        fitting = st.lists(values(get_args(inner)[0]), min_size=1, max_size=2)
    elif get_origin(inner) is dict:
        fitting = st.dictionaries(st.text(max_size=3), JUNK, max_size=2)
    elif isinstance(inner, type) and issubclass(inner, Struct):
        fitting = objects(inner)
    elif inner is str:
        fitting = st.sampled_from(["a", "a@example.com", "Correct1horse", "de", "x.y", ""])
    elif inner is bool:
        fitting = st.booleans()
    else:
        fitting = st.integers(0, 9) | st.sampled_from(["7", "007", 7.0, None])
    return st.one_of(fitting, fitting, fitting, JUNK)


def objects(kind: type[Struct]) -> st.SearchStrategy[dict[str, Any]]:
    listed = fields(kind)
    return st.fixed_dictionaries(
        {one.encode_name: values(one.type) for one in listed if one.required},
        optional={one.encode_name: values(one.type) for one in listed if not one.required},
    )


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.__name__)
@settings(max_examples=examples(100))
@given(data=st.data())
def test_a_body_is_a_struct_or_is_refused_with_its_problems(
    kind: type[Struct], data: st.DataObject
) -> None:
    body = data.draw(objects(kind) | JUNK)
    try:
        read = read_body(body, kind)
    except ValidationError as error:
        details: Any = error.details
        assert details["errors"]
    else:
        assert isinstance(read, kind)


def types_read(route: Route) -> Iterator[str]:
    """The names of the types that the handler of a route reads its body as."""
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(route.handler)))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "read_body":
            kind = node.args[1]
            if isinstance(kind, ast.Name) and "query" not in ast.unparse(node.args[0]):
                yield kind.id


async def test_handlers_read_the_bodies_that_their_routes_declare(office: Office) -> None:
    reported = {named(route): set(types_read(route)) for route in routes(office)}
    declared = {named(route): getattr(route.body, "__name__", None) for route in routes(office)}
    wrong = {
        key: (names, declared[key]) for key, names in reported.items() if names - {declared[key]}
    }

    assert not wrong
    assert sum(map(bool, reported.values())) > 30
