"""Routes of Python code: arguments, responses, permissions, transactions."""

from pathlib import Path

import pytest

from quire.extension_loading import ExtensionError, load_extensions
from tests.databases.kind import Kind
from tests.extending.project import FILE, IMPORTS, module, open_extended, schema_in, write_code
from tests.unit.admin_api.office import Office, office_project, run_office

_FIRST = IMPORTS.count("\n") + 1
ROLE = "/users-permissions/roles"
CODE = """
import dataclasses
import time
from typing import Annotated, Literal
import msgspec

class Order(msgspec.Struct):
    title: str
    amount: Annotated[int, msgspec.Meta(ge=1)] = 1

@route.get("/papers/cheapest")
async def cheapest(limit: int = 10, sold: bool | None = None) -> Page[Document]:
    '''The cheapest papers.

    More than one line.
    '''
    filters = {} if sold is None else {"sold": sold}
    return await documents(PAPER).find(
        filters=filters, sort="price:asc", page_size=limit, with_count=True, status="draft")

@route.get("/papers/titled/:title", public=True)
async def titled(title: str) -> Document | None:
    return await documents(PAPER).first(filters={"title": title}, status="draft")

@route.post("/orders", action="api::order.desk.place")
async def place(order: Order, tags: list[str] = [], kind: Literal["a", "b"] = "a") -> dict:
    return {"title": order.title, "amount": order.amount, "tags": tags, "kind": kind}

@route.get("/papers/stock", public=True)
def stock(wanted: int = 2) -> dict[str, int]:
    time.sleep(0.01)
    return {"left": wanted * 2}

@route.delete("/papers/all", public=True)
async def clear() -> None:
    with as_system("clear"):
        await documents(PAPER).delete_many(
            [one.documentId for one in await documents(PAPER).find(status="draft")])

@route.post("/papers/two", public=True)
async def two(fails: bool = False) -> list[Document]:
    async with transaction():
        first = await documents(PAPER).create({"title": "One"})
        second = await documents(PAPER).create({"title": "Two"})
        assert await documents(PAPER).count(status="draft") >= 2
        try:
            async with transaction():
                await documents(PAPER).create({"title": "Three"})
                raise LookupError
        except LookupError:
            pass
        if fails:
            raise Conflict("not now")
    return [first, second]

@route.get("/papers/private", public=True)
async def private() -> Document:
    with as_system("look"):
        return await documents(PAPER).first(status="draft")

@route.get("/papers/private/writer", public=True)
async def private_writer() -> Document:
    with as_system("look"):
        paper = await documents(PAPER).first(populate=["writer"], status="draft")
    return paper.writer

class Wrapped(msgspec.Struct):
    paper: dict

@dataclasses.dataclass
class Held:
    papers: list[Wrapped]

@route.get("/papers/private/wrapped", public=True)
async def private_wrapped() -> Held:
    with as_system("look"):
        return Held([Wrapped(await documents(PAPER).first(status="draft"))])

@route.post("/papers/long", public=True)
async def long() -> None:
    async with transaction():
        await documents(PAPER).create({"title": "Long"})
        await asyncio.sleep(2.5)
        await documents(PAPER).create({"title": "Longer"})

@route.get("/papers/shown", public=True)
async def shown() -> dict[str, str]:
    with as_system("look"):
        return {"margin": (await documents(PAPER).first(status="draft")).margin}

@route.get("/papers/slow", public=True, timeout=1)
async def slow() -> None:
    await asyncio.sleep(5)

@route.get("/papers/timed-out", public=True)
async def timed_out() -> None:
    raise TimeoutError("of another server")

@route.get("/papers/broken", public=True)
async def broken() -> None:
    raise LookupError("a secret")

@route.get("/papers/unawaited", public=True)
async def unawaited() -> dict:
    return {"papers": documents(PAPER).find()}

@route.get("/papers/motto", public=True)
async def motto() -> list[Document]:
    return await documents("api::masthead.masthead").find()

@route.get("/papers/who", public=True)
async def who() -> str:
    return principal().kind
"""


async def role_id(office: Office, kind: str) -> int:
    roles = (await office.ask("GET", ROLE, token=office.boss)).json["roles"]
    return int(next(role["id"] for role in roles if role["type"] == kind))


async def grant(office: Office, kind: str, api: str, controller: str, *actions: str) -> None:
    """Let a role of end users grant further actions, as the admin UI does it."""
    path = f"{ROLE}/{await role_id(office, kind)}"
    role = (await office.ask("GET", path, token=office.boss)).json["role"]
    for action in actions:
        role["permissions"][api]["controllers"][controller][action]["enabled"] = True
    reply = await office.ask("PUT", path, role, token=office.boss)
    assert reply.status == 200, reply.json


async def test_arguments_come_from_the_path_the_query_and_the_body(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        for title, price in (("A", 3), ("B", 1), ("C", 2)):
            data = {"title": title, "price": price, "sold": title == "C"}
            await office.ask("POST", "/api/papers?status=draft", {"data": data})
        await grant(office, "public", "api::paper", "paper", "cheapest")
        await grant(office, "public", "api::order", "desk", "place")

        listed = await office.ask("GET", "/api/papers/cheapest?limit=2")
        sold = await office.ask("GET", "/api/papers/cheapest?sold=true")
        wrong = await office.ask("GET", "/api/papers/cheapest?limit=two")
        found = await office.ask("GET", "/api/papers/titled/B")
        missing = await office.send("GET", "/api/papers/titled/Z")
        order = {"title": "Tide", "amount": 2}
        placed = await office.ask("POST", "/api/orders?tags=x&kind=b", order)
        refused = await office.ask("POST", "/api/orders", {**order, "amount": 0})
        nothing = await office.ask("POST", "/api/orders")
        counted = await office.ask("GET", "/api/papers/stock?wanted=4")

        assert [one["title"] for one in listed.data] == ["B", "C"]
        pagination = {"page": 1, "pageSize": 2, "pageCount": 2, "total": 3}
        assert listed.json["meta"] == {"pagination": pagination}
        assert "margin" not in listed.data[0]
        assert [one["title"] for one in sold.data] == ["C"]
        assert (wrong.status, wrong.json["error"]["details"]["errors"][0]["path"]) == (
            400,
            ["limit"],
        )
        assert (found.data["title"], found.json["meta"]) == ("B", {})
        assert (missing.status, missing.content) == (204, b"")
        assert placed.json == {"title": "Tide", "amount": 2, "tags": ["x"], "kind": "b"}
        assert (refused.status, "amount" in refused.error) == (400, True)
        assert (nothing.status, nothing.error) == (400, "the body: is missing")
        assert refused.json["error"]["details"] == {
            "errors": [
                {
                    "path": ["amount"],
                    "message": "amount: Expected `int` >= 1",
                    "name": "ValidationError",
                }
            ]
        }
        assert counted.json == {"left": 8}


BODIES = """
import msgspec

class Line(msgspec.Struct, forbid_unknown_fields=True):
    product: str
    amount: int = 1

class Order(msgspec.Struct, forbid_unknown_fields=True):
    lines: list[Line]
    prices: dict[str, int] = {}
    places: dict[int, str] = {}

@route.post("/orders", public=True)
async def place(order: Order) -> str:
    return "placed"
"""


async def test_problems_of_bodies_have_the_form_of_built_in_routes(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, BODIES) as office:
        cases: tuple[tuple[object, list[str], str], ...] = (
            ({}, ["lines"], "lines is a required field"),
            (
                {"lines": [{"product": "a"}, {}]},
                ["lines", "1", "product"],
                "lines[1].product is a required field",
            ),
            (
                {"lines": [{"product": "a", "amount": "x"}]},
                ["lines", "0", "amount"],
                "lines[0].amount: Expected `int`, got `str`",
            ),
            ({"lines": [], "by": 1}, [], "the body has unspecified keys: by"),
            (
                {"lines": [{"product": "a", "of": 1}]},
                ["lines", "0"],
                "lines[0] field has unspecified keys: of",
            ),
            ({"lines": [], "prices": {"a": "b"}}, ["prices"], "prices: Expected `int`, got `str`"),
            (
                {"lines": [], "places": {"a": "b"}},
                ["places"],
                "places, a key: Expected `int`, got `str`",
            ),
            ([], [], "the body: Expected `object`, got `array`"),
        )
        for body, path, message in cases:
            reply = await office.ask("POST", "/api/orders", body)
            assert reply.status == 400
            problem = {"path": path, "message": message, "name": "ValidationError"}
            assert reply.json["error"]["message"] == message
            assert reply.json["error"]["details"] == {"errors": [problem]}


@pytest.mark.parametrize("content_type", ["application/x-www-form-urlencoded", "text/plain", "a/b"])
async def test_a_body_that_was_not_sent_as_json_is_said_to_be_that(
    tmp_path: Path, kind: Kind, content_type: str
) -> None:
    async with open_extended(tmp_path, kind, BODIES) as office:
        headers = {"content-type": content_type}
        reply = await office.ask("POST", "/api/orders", {"lines": []}, headers=headers)
        assert reply.status == 400
        assert "the header Content-Type: application/json" in reply.json["error"]["message"]


async def test_a_route_is_denied_until_its_action_is_granted(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        before = await office.ask("GET", "/api/papers/cheapest")
        tree = (await office.ask("GET", "/users-permissions/permissions", token=office.boss)).json
        await grant(office, "public", "api::paper", "paper", "cheapest")
        after = await office.ask("GET", "/api/papers/cheapest")
        still = await office.ask("POST", "/api/orders", {"title": "x"})
        role = await office.ask(
            "GET", f"{ROLE}/{await role_id(office, 'public')}", token=office.boss
        )

        assert before.status == 403
        listed = await office.ask("GET", "/admin/content-api/routes", token=office.boss)
        described = {one["path"]: one["config"]["auth"] for one in listed.data["api::paper"]}
        assert described["/api/papers/cheapest"] == {"scope": ["api::paper.paper.cheapest"]}
        assert described["/api/papers/who"] is False
        actions = tree["permissions"]["api::paper"]["controllers"]["paper"]
        assert {"find", "cheapest"} <= actions.keys()
        assert "titled" not in actions, "a public route has nothing to be granted"
        assert "place" in tree["permissions"]["api::order"]["controllers"]["desk"]
        assert (after.status, still.status) == (200, 403)
        granted = role.json["role"]["permissions"]["api::paper"]["controllers"]["paper"]
        assert granted["cheapest"]["enabled"]
        assert granted["find"]["enabled"]

        role.json["role"]["permissions"]["api::paper"]["controllers"]["paper"]["cheapest"] = {
            "enabled": False
        }
        path = f"{ROLE}/{await role_id(office, 'public')}"
        await office.ask("PUT", path, role.json["role"], token=office.boss)
        assert (await office.ask("GET", "/api/papers/cheapest")).status == 403
        assert (await office.ask("GET", "/api/papers")).status == 200


async def test_a_token_reaches_a_route_that_it_grants(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        action = "api::paper.paper.cheapest"
        new = {"name": "t", "description": "", "type": "custom", "lifespan": None}
        made = await office.ask(
            "POST",
            "/admin/api-tokens",
            {**new, "permissions": ["api::paper.paper.find", action]},
            token=office.boss,
        )
        assert made.status == 201, made.json
        key, path = made.data["accessKey"], f"/admin/api-tokens/{made.data['id']}"
        allowed = await office.ask("GET", "/api/papers/cheapest", token=key)
        other = await office.ask("POST", "/api/orders", {"title": "x"}, token=key)
        fewer = {"permissions": ["api::paper.paper.find"]}
        changed = await office.ask("PUT", path, fewer, token=office.boss)
        refused = await office.ask("GET", "/api/papers/cheapest", token=key)

        assert sorted(made.data["permissions"]) == [action, "api::paper.paper.find"]
        assert (allowed.status, other.status) == (200, 403)
        assert changed.data["permissions"] == ["api::paper.paper.find"]
        assert refused.status == 403
        unknown = {**new, "name": "u", "permissions": ["api::paper.paper.cheap"]}
        reply = await office.ask("POST", "/admin/api-tokens", unknown, token=office.boss)
        assert reply.status == 400


EACH_METHOD = """
@route.get("/papers/mine")
async def read() -> str:
    return principal().kind

@route.post("/papers/mine")
async def add() -> str:
    return principal().kind

@route.put("/papers/mine/:number", action="api::paper.desk.change")
async def change(number: int) -> str:
    return principal().kind

@route.patch("/papers/mine")
async def patch() -> str:
    return principal().kind

@route.delete("/papers/mine")
async def remove() -> str:
    return principal().kind
"""


async def test_each_route_is_closed_to_everybody_to_whom_it_is_not_granted(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, EACH_METHOD) as office:
        form = {"username": "ann", "email": "ann@example.org", "password": "sea and sun"}
        registered = await office.ask("POST", "/api/auth/local/register", form)
        callers = {"visitor": None, "user": registered.json["jwt"], "administrator": office.boss}
        granted = ["api::paper.paper.read", "api::paper.desk.change"]
        for type_ in ("read-only", "full-access", "custom"):
            reply = await office.ask(
                "POST",
                "/admin/api-tokens",
                {
                    "name": type_,
                    "description": "",
                    "type": type_,
                    "lifespan": None,
                    "permissions": granted if type_ == "custom" else None,
                },
                token=office.boss,
            )
            assert reply.status == 201, reply.json
            callers[type_] = reply.data["accessKey"]
        routes = [route for route in office.app.routes if route.path.startswith("papers/mine")]
        assert len(routes) == 5
        statuses = {
            (caller, route.action): (
                await office.send(
                    route.method, f"/api/{route.path.replace(':number', '1')}", {}, token=token
                )
            ).status
            for caller, token in callers.items()
            for route in routes
        }
    reached = {key for key, status in statuses.items() if status == 200}
    assert reached == {
        *(("full-access", route.action) for route in routes),
        *(("custom", action) for action in granted),
    }
    denied = dict.fromkeys(callers, 403) | {"administrator": 401}
    assert all(status == denied[key[0]] for key, status in statuses.items() if key not in reached)


async def test_a_transaction_keeps_all_or_nothing(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        failed = await office.ask("POST", "/api/papers/two?fails=true")
        left = await office.ask("GET", "/api/papers?status=draft")
        done = await office.ask("POST", "/api/papers/two")
        listed = await office.ask("GET", "/api/papers?status=draft&sort=title")
        cleared = await office.send("DELETE", "/api/papers/all")
        nothing = await office.ask("GET", "/api/papers?status=draft")

        assert (failed.status, failed.error, left.data) == (409, "not now", [])
        assert [one["title"] for one in done.data] == ["One", "Two"]
        assert [one["title"] for one in listed.data] == ["One", "Two"]
        assert (cleared.status, nothing.data) == (204, [])


async def test_a_transaction_that_takes_too_long_is_rolled_back(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        late = await office.ask("POST", "/api/papers/long")
        left = await office.ask("GET", "/api/papers?status=draft")

        assert (late.status, left.data) == (503, [])


async def test_a_route_acts_as_the_caller_and_shows_no_private_field_by_accident(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        writer = (await office.ask("POST", "/api/writers", {"data": {"name": "Ada"}})).data
        paper = {"title": "A", "writer": writer["documentId"]}
        await office.ask("POST", "/api/papers?status=draft", {"data": paper})
        private = await office.ask("GET", "/api/papers/private")
        wrapped = await office.ask("GET", "/api/papers/private/wrapped")
        nested = await office.ask("GET", "/api/papers/private/writer")
        shown = await office.ask("GET", "/api/papers/shown")
        motto = await office.ask("GET", "/api/papers/motto")
        who = await office.ask("GET", "/api/papers/who")

        assert (private.status, nested.status, wrapped.status) == (500, 500, 500)
        assert shown.json == {"margin": None}
        assert motto.status == 403
        assert who.json == "anonymous"


async def test_what_fails_is_a_plain_error(
    tmp_path: Path, kind: Kind, capsys: pytest.CaptureFixture[str]
) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        unawaited = await office.ask("GET", "/api/papers/unawaited")
        assert (unawaited.status, unawaited.error) == (500, "Internal Server Error")
        logged = capsys.readouterr().out
        assert "a coroutine of Documents.find: did you forget `await`?" in logged
        broken = await office.ask("GET", "/api/papers/broken")
        slow = await office.ask("GET", "/api/papers/slow")
        other = await office.ask("GET", "/api/papers/timed-out")
        wrong_method = await office.send("POST", "/api/papers/cheapest")

        assert (broken.status, broken.error) == (500, "Internal Server Error")
        assert (slow.status, other.status) == (503, 500)
        assert wrong_method.status == 405


DECLARING = """
class SoldOut(Conflict):
    pass

@route.post("/papers/sell/:how", public=True, errors=[SoldOut, NotFound])
async def sell(how: str) -> None:
    raise {
        "declared": SoldOut("sold out"),
        "found": NotFound(),
        "permission": Forbidden("not you"),
        "input": ValidationError("no number", path="number"),
        "undeclared": PreconditionFailed("changed"),
        "base": Conflict("not sold out"),
    }[how]
"""


@pytest.mark.parametrize("environment", ["development", "production"])
async def test_a_route_raises_the_errors_that_it_declares(
    tmp_path: Path, kind: Kind, environment: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, DECLARING)
        async with run_office(project, settings={"environment": environment}) as office:
            statuses = {}
            for how in ("declared", "found", "permission", "input", "undeclared", "base"):
                statuses[how] = (await office.ask("POST", f"/api/papers/sell/{how}")).status
            document = (await office.ask("GET", "/api/openapi.json")).json
    undeclared, base = (500, 500) if environment == "development" else (412, 409)
    assert statuses == {
        "declared": 409,
        "found": 404,
        "permission": 403,
        "input": 400,
        "undeclared": undeclared,
        "base": base,
    }
    logged = capsys.readouterr().out
    assert logged.count("a route raised an error that is not in its errors") == 2
    described = document["paths"]["/papers/sell/{how}"]["post"]["responses"]
    assert [*described] == ["204", "400", "401", "403", "404", "409", "default"]
    assert "Conflict" in str(described["409"])


async def test_the_openapi_document_describes_the_routes(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        await grant(office, "public", "api::paper", "paper", "cheapest")
        document = (await office.ask("GET", "/api/openapi.json")).json
        paths = document["paths"]

        cheapest = paths["/papers/cheapest"]["get"]
        assert cheapest["summary"] == "The cheapest papers."
        assert [(one["name"], one["in"]) for one in cheapest["parameters"]] == [
            ("limit", "query"),
            ("sold", "query"),
        ]
        assert paths["/papers/titled/{title}"]["get"]["parameters"][0]["required"]
        assert "/orders" not in paths, "nothing that the caller may not do"
        assert paths["/papers/all"]["delete"]["responses"]["204"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ('@route.get("papers")\nasync def a() -> None: ...', "must be a text that begins with"),
        ('@route.get("/a/{b}")\nasync def a() -> None: ...', 'a parameter is written as ":name"'),
        ('@route.get("/a/:b")\nasync def a() -> None: ...', "a has no parameter b"),
        ('@route.get("/a")\nasync def a(b) -> None: ...', "the parameter b needs a type"),
        ('@route.get("/a")\nasync def a(b: dict) -> None: ...', "which GET does not have"),
        ('@route.delete("/a")\nasync def a(b: dict) -> None: ...', "which DELETE does not have"),
        ('@route.post("/a")\nasync def a(b: dict, c: dict): ...', "b and c are both the body"),
        ('@route.get("/a")\nasync def a(*b: int) -> None: ...', "must have a name"),
        ('@route.get("/a")\nasync def a(b: "Nope") -> None: ...', "NameError"),
        ('@route.get("/a")\nasync def a(b: asyncio.Lock): ...', "a type that no request can give"),
        (
            '@route.post("/a")\nasync def a(b: Principal): ...',
            "the parameter b has the type Principal, which a client could invent: call principal()",
        ),
        ('@route.get("/a")\nasync def a(b: Principal | None = None): ...', "call principal()"),
        ('@route.post("/a")\nasync def a(b: dict[str, list[Principal]]): ...', "call principal()"),
        ('@route.post("/a")\nasync def a(b: Call): ...', "has the type Call, which a client"),
        ('@route.post("/a")\nasync def a(b: Write): ...', "has the type Write, which a client"),
        ('@route.post("/a")\nasync def a(b: Document): ...', "has the type Document, which a cli"),
        ('@route.get("/a", action="find")\nasync def a(): ...', 'action must be like "api::'),
        ('@route.get("/a", action="plugin::a.b.c")\nasync def a(): ...', "action must be like"),
        ('@route.get("/a")\nasync def find(): ...', "is an action of the core"),
        ('@route.get("/a", public="yes")\nasync def a(): ...', "public must be True or False"),
        ('@route.get("/a", timeout=0)\nasync def a(): ...', "timeout must be from 1 to 600"),
        ('@route.get("/a", errors=Conflict)\nasync def a(): ...', "errors must be a list of error"),
        (
            '@route.get("/a", errors=[KeyError])\nasync def a(): ...',
            "KeyError in errors is no",
        ),
        (
            '@route.get("/a", errors=[409])\nasync def a(): ...',
            "409 in errors is no error",
        ),
        ('@route.get("/papers/:id")\nasync def a(id: str): ...', "is served by api::paper.paper."),
        ('@route.post("/auth/local")\nasync def a(): ...', "is served by the server already"),
        ('@route.get("/a")\nasync def a():\n    yield 1', "is a generator"),
    ],
)
def test_a_mistake_is_reported_with_file_and_line(tmp_path: Path, code: str, message: str) -> None:
    schema = schema_in(tmp_path)
    write_code(tmp_path, f"{code}\n")
    with pytest.raises(ExtensionError) as caught:
        load_extensions(tmp_path, schema)
    (problem,) = caught.value.problems
    assert str(problem).startswith(f"{FILE}:{_FIRST}  route.")
    assert message in str(problem)


FORGED = """
import msgspec

class Me(Principal, frozen=True, kw_only=True):
    pass

class Order(msgspec.Struct):
    buyer: Me | None = None
    parts: list["Order"] = []

class Paper(Document):
    pass

@route.post("/a")
async def a(order: Order): ...

@route.post("/b")
async def b(paper: Paper): ...
"""


def test_a_body_contains_no_object_of_the_server(tmp_path: Path) -> None:
    schema = schema_in(tmp_path)
    write_code(tmp_path, FORGED)
    with pytest.raises(ExtensionError) as caught:
        load_extensions(tmp_path, schema)
    nested, document = (str(problem) for problem in caught.value.problems)
    assert nested.endswith(
        "the parameter order has the type Me, which a client could invent: call principal()"
    )
    assert document.endswith("Paper is a document: pass its documentId, a str")


def test_two_routes_cannot_share_a_path(tmp_path: Path) -> None:
    schema = schema_in(tmp_path)
    one = '@route.get("/a/:b")\nasync def one(b: str): ...\n'
    write_code(tmp_path, one + one.replace("one", "two").replace(":b", ":c").replace("b:", "c:"))
    with pytest.raises(ExtensionError, match=r"GET /a/:c is served by src/api/paper/paper\.py:"):
        load_extensions(tmp_path, schema)


def test_the_module_is_importable_and_functions_stay_callable(tmp_path: Path) -> None:
    schema = schema_in(tmp_path)
    write_code(tmp_path, '@route.get("/a")\ndef twice(n: int) -> int:\n    return 2 * n\n')
    (found,) = load_extensions(tmp_path, schema).routes
    assert module().twice(4) == 8
    assert (found.method, found.path, found.action) == ("GET", "a", "api::paper.paper.twice")
